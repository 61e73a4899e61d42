"""The form of what docs/ holds: plain files; pages with headings that have ids, and a front matter to be printed."""

import re
from collections.abc import Iterator
from pathlib import Path

from ..markdown.limits import Fault, too_long
from .report import Finding
from .sections import Document
from .site import Site

NAME = re.compile(r"\w[\w.-]*")
BESIDE = (".yml", ".json")  # what docs/ and its folders may hold beside the pages of the languages


def malformed(site: Site) -> Iterator[Finding]:
    """All of it, quickly: nothing is rendered."""
    yield from irregular(site)
    for document in site.documents():
        yield from malformed_page(site, document)


def irregular(site: Site) -> Iterator[Finding]:
    """What is in docs/ and is no plain file of the kind and name that belongs there."""
    yield from irregular_below(site, site.docs)


def irregular_below(site: Site, folder: Path) -> Iterator[Finding]:
    pages = folder != site.docs and folder.relative_to(site.docs).parts[0] in site.languages
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue  # MkDocs leaves it out
        if path.is_symlink():
            kind = f"a symbolic link to {path.readlink()}"
        elif not NAME.fullmatch(path.name):
            kind = "a name with other characters than letters, digits, . - _"
        elif path.is_dir():
            yield from irregular_below(site, path)
            continue
        elif not path.is_file():
            kind = "no file"
        elif pages:
            kind = "" if path.suffix == ".md" else "another file than a page"
        else:
            style = folder == site.docs and path.suffix == ".md"
            kind = "" if path.suffix in BESIDE or style else "another file than words and settings"
        if kind:
            required = "pages in Markdown" if pages else "plain files, .yml, .json and the guides to style"
            yield Finding(site.name(path), 1, "", "plain files", required, kind)


def malformed_page(site: Site, document: Document) -> Iterator[Finding]:
    faults = list(unreadable(site, document.path))
    if not faults:
        wrong = [Fault(one.line, "front matter", one.expected, one.found) for one in document.meta.faults]
        faults = [*wrong, *headings(document)]
    yield from (locate(site, document, fault) for fault in faults)


def locate(site: Site, document: Document, fault: Fault) -> Finding:
    """The fault as a finding, in the section that its line belongs to."""
    section = next((each.id for each in reversed(document.sections) if each.start <= fault.line), "")
    section = "" if fault.rule in ("headings", "front matter", "encoding", "size") else section
    return Finding(site.name(document.path), fault.line, section, fault.rule, fault.expected, fault.found)


def unreadable(site: Site, path: Path) -> Iterator[Fault]:
    """Why a page is looked at no further."""
    content = path.read_bytes()
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"the byte 0x{error.object[error.start]:02x}"
        yield Fault(error.object.count(b"\n", 0, error.start) + 1, "encoding", "text in UTF-8", byte)
    yield from too_long(site.legible(path))


def headings(document: Document) -> Iterator[Fault]:
    for line, title in document.unnamed:
        yield Fault(line, "headings", f"an id behind the heading: {title} {{ #some-id }}", "none")
    if not document.sections and not document.unnamed:
        yield Fault(1, "headings", "a heading with an id: # Title { #some-id }", "none")
