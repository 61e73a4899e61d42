"""Accept sections: note in the translated page that it says what the source says now. Nothing else moves a hash."""

import datetime
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..markdown.limits import Fault
from . import front_matter
from .front_matter import ORIGINS
from .malformed import unreadable
from .report import ERROR, UsageError, describe_findings, join_items
from .repository import check_page
from .sections import Document, cut
from .site import Site, among, save


@dataclass(frozen=True)
class Acceptance:
    """By whom, when, and where the text comes from; an empty origin leaves what the page says."""

    by: str
    date: datetime.date
    origin: str = ""


def accept(site: Site, page: str, language: str, names: Iterable[str], how: Acceptance) -> list[str]:
    """Accept the named sections of a page, or all; return their ids."""
    source, ours = site.document(page, site.source), site.document(page, language)
    if source is None:
        raise UsageError(f"docs/{site.source}/{page} does not exist; rename or delete docs/{language}/{page}")
    if ours is None:
        raise UsageError(
            f"docs/{language}/{page} does not exist; begin it: python -m sitekit.i18n new {page} --lang {language}"
        )
    for document in (source, ours):
        broken = [Fault(one.line, "front matter", one.expected, one.found) for one in document.meta.faults]
        for fault in (*unreadable(site, document.path), *broken):
            place = f"{site.name(document.path)}:{fault.line}"
            raise UsageError(f"{place}: expected {fault.expected}, found {fault.found}; mend this first")
    known = [section.id for section in source.sections]
    ids = list(names) or known
    for name in ids:
        if name not in known:
            raise UsageError(f"{page} has no section {name!r}; sections are {among(name, known)}")
        if ours.section(name) is None:
            raise UsageError(f"docs/{language}/{page} has no heading {{ #{name} }}: there is nothing to accept")
    origin = how.origin or ours.meta.origin
    if origin not in ORIGINS:
        raise UsageError(
            f"{site.name(ours.path)} does not say where its text comes from: --origin {join_items(ORIGINS)}"
        )
    hashes = {section.id: section.hash for section in source.sections if section.id in ids}
    kept = {name: ours.meta.sections[name] for name in known if name in ours.meta.sections} | hashes
    ordered = {name: kept[name] for name in known if name in kept}
    values = {"origin": origin, "accepted": how.date, "accepted_by": how.by, "sections": ordered}
    text = front_matter.write(site.text(ours.path), values)
    refuse_errors(site, page, ours, text, list(names))
    save(ours.path, text)
    site.read_already.pop(ours.path)
    return [name for name in ids if ours.meta.sections.get(name) != hashes[name]]


def refuse_errors(site: Site, page: str, ours: Document, text: str, names: list[str]) -> None:
    """Refuse a page, or the named sections, that the check would refuse once accepted; nothing is written."""
    language = ours.path.relative_to(site.docs).parts[0]
    site.read_already[ours.path] = cut(ours.path, text)
    shift = text.count("\n") - site.text(ours.path).count("\n")  # the front matter has more lines then
    findings = [
        replace(finding, line=max(1, finding.line - shift))
        for finding in check_page(site, page, language)
        if finding.weight == ERROR and (not names or finding.section in names)
    ]
    if findings:
        site.read_already[ours.path] = ours
        name = site.name(ours.path)
        raise UsageError(f"{name} is not accepted, for it has errors\n{describe_findings(findings)}")


def committer(root: Path) -> str:
    """The name that git would put under a commit."""
    asked = subprocess.run(["git", "config", "user.name"], cwd=root, capture_output=True, text=True, encoding="utf-8")
    if not asked.stdout.strip():
        raise UsageError("git does not know your name: say who accepts with --by NAME")
    return asked.stdout.strip()
