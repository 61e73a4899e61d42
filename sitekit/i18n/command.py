"""The command line: python -m sitekit.i18n."""

import argparse
import datetime
import json
import sys
from pathlib import Path

from ..paths import ROOT
from . import table
from .front_matter import ORIGINS
from .malformed import malformed
from .report import ERROR, UsageError, as_json, describe_findings
from .site import Site
from .state import states


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser("python -m sitekit.i18n", description="What translators work with.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str, *, page: bool = False, lang: bool = False) -> argparse.ArgumentParser:
        subparser = commands.add_parser(name, help=help, description=help)
        if page:
            subparser.add_argument("page", help="a page: softmax, softmax.md or docs/en/softmax.md")
        if lang:
            subparser.add_argument("--lang", required=True, help="the language translated into")
        return subparser

    status = command("status", "what is missing, stale (with section ids), a draft, an orphan")
    status.add_argument("--lang", help="this language only")
    status.add_argument("--json", action="store_true", help="for machines")
    new = command("new", "begin a page: headings, ids, cells and links are ready", page=True, lang=True)
    new.add_argument("--origin", choices=ORIGINS, default=ORIGINS[0], help="where the text will come from")
    command("diff", "the sections that are behind: what changed in the source, and our text", page=True, lang=True)
    check = command("check", "hold translations against their source, and every page against the glossary")
    check.add_argument("page", nargs="?", help="this page only, in all languages")
    check.add_argument("--fix", action="store_true", help="set Chinese as autocorrect does, and join broken sentences")
    check.add_argument("--notes", action="store_true", help="show notes, which fail nothing, too")
    check.add_argument("--release", action="store_true", help="fail too if a complete language is behind in a section")
    check.add_argument("--json", action="store_true", help="for machines")
    accept = command("accept", "say that a page, or a section, says what the source says now", lang=True)
    accept.add_argument("page", nargs="?", help="a page; see --all")
    accept.add_argument("--all", action="store_true", help="every page that there is")
    accept.add_argument(
        "--section", action="append", default=[], metavar="ID", help="this section only; may be repeated"
    )
    accept.add_argument("--origin", choices=ORIGINS, default="", help="where the text comes from")
    accept.add_argument("--by", default="", help="who accepts; your name in git unless given")
    opening = command("add-language", "open a language")
    opening.add_argument("code", help="its code, such as ja or pt-BR")
    opening.add_argument("--name", default="", help="its own name for itself, such as 日本語")
    return top


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run one command; 0: fine, 1: the check found errors, 2: it cannot be done as asked."""
    asked = parser().parse_args(arguments)
    try:
        return COMMANDS[asked.command](Site(root), asked)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def status(site: Site, asked: argparse.Namespace) -> int:
    """The state of every page; and what is malformed, for the state of such a page means little."""
    chosen = [site.language(asked.lang)] if asked.lang else site.others
    rows = [row for language in chosen for row in states(site, language)]
    print(
        json.dumps([row.as_dict() for row in rows], ensure_ascii=False, indent=1)
        if asked.json
        else table.describe_states(rows)
    )
    faults = list(malformed(site))
    if faults:
        print(describe_findings(faults), file=sys.stderr)
    return int(bool(faults))


def new(site: Site, asked: argparse.Namespace) -> int:
    from .skeleton import begin

    name = begin(site, site.page(asked.page), site.language(asked.lang), asked.origin)
    print(f"{name} is ready: translate what stands in comments, delete them, then run `python -m sitekit.i18n check`")
    return 0


def diff(site: Site, asked: argparse.Namespace) -> int:
    from .difference import difference

    print("\n".join(difference(site, site.page(asked.page), site.language(asked.lang))))
    return 0


def check(site: Site, asked: argparse.Namespace) -> int:
    from . import repository

    pages = [site.page(asked.page)] if asked.page else None
    if asked.fix:
        print(
            "\n".join(f"set right: {name}" for name in repository.fix(site, pages)) or "nothing to set right",
            file=sys.stderr,
        )
    findings = list(repository.findings(site, pages, release=asked.release))
    failed = any(finding.weight == ERROR for finding in findings)
    if asked.json:
        print(as_json(findings))
    else:
        print(describe_findings(findings, notes=asked.notes or bool(asked.page)))
    return int(failed)


def accept(site: Site, asked: argparse.Namespace) -> int:
    from .accept import Acceptance, accept, committer

    if bool(asked.page) == asked.all or (asked.all and asked.section):
        raise UsageError("name a page, or say --all; sections belong to one page")
    language = site.language(asked.lang)
    how = Acceptance(asked.by or committer(site.root), datetime.date.today(), asked.origin)
    for page in [site.page(asked.page)] if asked.page else site.pages(language):
        names = accept(site, page, language, asked.section, how)
        print(f"docs/{language}/{page}: " + (f"accepted {', '.join(names)}" if names else "accepted before, as it is"))
    return 0


def add_language(site: Site, asked: argparse.Namespace) -> int:
    from .opening import open_language

    print(open_language(site, asked.code, asked.name), end="")
    return 0


COMMANDS = {"status": status, "new": new, "diff": diff, "check": check, "accept": accept, "add-language": add_language}
