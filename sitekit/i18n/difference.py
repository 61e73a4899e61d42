"""What a translator has to catch up with: each section that is behind, the change in its source, and our text."""

import difflib
import subprocess
from collections.abc import Iterator

from .report import UsageError
from .sections import Section, cut
from .site import Site
from .state import state

VERSIONS = 300  # how far back we look for the text that was accepted


def difference(site: Site, page: str, language: str) -> Iterator[str]:
    """Line by line what to print."""
    source, ours = site.document(page, site.source), site.document(page, language)
    if source is None or ours is None:
        missing = f"docs/{site.source if source is None else language}/{page}"
        raise UsageError(
            f"{missing} does not exist; python -m sitekit.i18n status --lang {language} shows what there is"
        )
    now = state(site, page, language)
    if not now.behind and not now.moved:
        yield f"{site.name(ours.path)} is current: no section of its source has changed since it was accepted."
    if now.moved:
        yield f"=== the source has its sections in another order now: {', '.join(each.id for each in source.sections)}"
    for name in now.gone:
        yield f"=== #{name}: the source has it no longer; delete it here, then accept the page"
    for name in (*now.stale, *now.fresh):
        theirs, mine = source.section(name), ours.section(name)
        assert theirs is not None  # `behind` names sections of the source
        why = "the source has changed since it was accepted" if name in now.stale else "never accepted"
        yield f"=== #{name}: {why}"
        yield f"--- {site.name(source.path)}:{theirs.start}"
        yield from changes(site, page, ours.meta.sections.get(name, ""), theirs)
        yield f"--- {site.name(ours.path)}:{mine.start}" if mine else f"--- {site.name(ours.path)} has no such section"
        yield from (mine.text.rstrip().split("\n") if mine else ())
        yield f"--- when it is right: python -m sitekit.i18n accept {page} --lang {language} --section {name}"
        yield ""


def changes(site: Site, page: str, accepted: str, theirs: Section) -> Iterator[str]:
    """The lines of the source; those that went are marked with -, those that came with +.

    Unmarked if git knows no version with the accepted hash.
    """
    old = accepted_text(site, page, theirs.id, accepted) if accepted else None
    if old is None:
        yield from theirs.text.rstrip().split("\n")
        return
    for line in difflib.ndiff(old.rstrip().split("\n"), theirs.text.rstrip().split("\n")):
        if not line.startswith("?"):
            yield line.rstrip()


def accepted_text(site: Site, page: str, name: str, accepted: str) -> str | None:
    """The section as it was accepted: the latest version in git with that hash."""
    path = site.path(page, site.source)
    file = site.name(path)
    log = git(site, "log", f"-{VERSIONS}", "--format=%H", "--", file)
    for commit in (log or "").split():
        text = git(site, "show", f"{commit}:./{file}")
        section = cut(path, text.replace("\r\n", "\n")).section(name) if text else None
        if section and section.hash == accepted:
            return section.text
    return None


def git(site: Site, *arguments: str) -> str | None:
    command = ["git", "-c", "safe.directory=*", *arguments]  # in another user's checkout, too
    done = subprocess.run(command, cwd=site.root, capture_output=True, text=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else None
