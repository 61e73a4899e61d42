"""What neither the check nor a build takes from anybody: nothing is copied, rendered or executed before it has passed.

A page is well formed (malformed.py), holds text (markdown/judge.py), and asks for cells that there are.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import yaml

from ..lessons import execute, files, source
from ..lessons.cells import PACKAGE, Lessons
from ..lessons.execute import LessonError
from ..markdown.fence import check_options
from ..markdown.judge import Cell, Judgement, judge
from ..markdown.limits import Fault
from . import front_matter
from .malformed import irregular, locate, malformed_page, unreadable
from .report import Finding
from .sections import Document
from .site import Site


def refusals(site: Site) -> Iterator[Finding]:
    """All that stops a build."""
    yield from irregular(site)
    yield from word_lists(site)
    documents = site.documents()
    lessons, faults = known_lessons(site, documents)
    yield from faults
    for document in documents:
        yield from refused_page(site, document)
        yield from unknown_cells(site, document, lessons)


def refused_page(site: Site, document: Document) -> Iterator[Finding]:
    """What is wrong on one page, whatever lessons there are."""
    yield from malformed_page(site, document)
    if not any(unreadable(site, document.path)):
        yield from (locate(site, document, fault) for fault in judgement(site, document).faults)


def judgement(site: Site, document: Document) -> Judgement:
    head, body = front_matter.split(site.legible(document.path))
    return judge(body, 1 + head.count("\n"))


def known_lessons(site: Site, documents: list[Document]) -> tuple[Lessons, list[Finding]]:
    """The lessons of the repository with the names of their cells, not executed; and what cannot be read."""
    references = [cell.reference for document in documents for cell in judgement(site, document).cells]
    package = any(reference.startswith(PACKAGE) for reference in references)
    notebooks, faults = {}, []
    for script in files.lesson_scripts(site.root / "snippets" / "lessons"):
        try:
            notebooks[files.slug(script)] = execute.read(script)
        except LessonError as error:
            place, _, message = str(error).partition(": ")
            file, _, line = place.rpartition(":")
            faults.append(Finding(file, int(line), "", "lessons", "a lesson that can be cut into cells", message))
    return Lessons(notebooks, source.read_modules() if package else {}), faults


def unknown_cells(site: Site, document: Document, lessons: Lessons) -> Iterator[Finding]:
    """Fences that no lesson has a cell for."""
    for cell in judgement(site, document).cells:
        if message := wrong_cell(cell, lessons):
            fault = Fault(cell.line, "cells", "a cell that there is", f"{cell.reference!r}: {message}")
            yield locate(site, document, fault)


def wrong_cell(cell: Cell, lessons: Lessons) -> str:
    try:
        check_options(dict(cell.options))
        lessons.find(cell.reference)
    except (LookupError, ValueError) as error:
        return str(error)
    return ""


def word_lists(site: Site) -> Iterator[Finding]:
    """Words for the pages, in docs/**/*.yml: text as on a page; those of the interface are printed as they are."""
    for path in sorted(site.docs.rglob("*.yml")):
        if site.is_plain(path):
            for fault in words_of(path.read_text("utf-8", "replace"), bare=path == site.docs / "languages.yml"):
                yield Finding(site.name(path), fault.line, "", fault.rule, fault.expected, fault.found)


def words_of(text: str, *, bare: bool) -> Iterator[Fault]:
    try:
        tree = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, problem = mark.line + 1 if mark else 1, getattr(error, "problem", None) or str(error).splitlines()[0]
        yield Fault(line, "yaml", "valid YAML", str(problem))
        return
    if bare:
        yield from (Fault(each.line, "yaml", each.expected, each.found) for each in front_matter.plain_nodes(tree))
    else:
        yield from judged(tree)


def judged(node: yaml.Node | None) -> Iterator[Fault]:
    if isinstance(node, yaml.ScalarNode):
        if re.search(r"[<&\[$]", node.value):
            line = node.start_mark.line + 1
            yield from (replace(fault, line=line) for fault in judge(node.value).faults)
    elif node is not None:
        for each in node.value:
            yield from (fault for part in (each if isinstance(each, tuple) else (each,)) for fault in judged(part))
