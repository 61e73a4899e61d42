"""What a `cell` fence refers to: `by-hand.scores` is a lesson's cell, `attention.softmax` the package's source."""

import logging
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from . import source
from .execute import execute_all, lesson_scripts

log = logging.getLogger("mkdocs.sitekit")
PACKAGE = "attention"

_lessons: dict[str, NotebookNode] = {}


def load() -> dict[str, NotebookNode]:
    """Execute what has changed since the last build and make every lesson's cells available."""
    source.modules.cache_clear()
    _lessons.clear()
    _lessons.update(execute_all(lesson_scripts(), report=log.info))
    return _lessons


def lessons() -> dict[str, NotebookNode]:
    """Every lesson's executed notebook, by slug."""
    return _lessons


def lesson(name: str) -> NotebookNode:
    if name not in _lessons:
        raise LookupError(f"there is no lesson {name!r}; lessons are {', '.join(sorted(_lessons)) or 'none'}")
    return _lessons[name]


def facts(name: str) -> dict[str, Any]:
    """What the lesson has computed, as plain numbers and lists."""
    return dict(lesson(name).metadata.facts)


def find(reference: str) -> NotebookNode:
    """Return the code cell that a reference names."""
    name, _, title = reference.partition(".")
    if name == PACKAGE:
        module, _, name = title.rpartition(".")
        return new_code_cell(source.brief(source.definition(name, module)))
    for cell in lesson(name).cells:
        if cell.metadata.name == title:
            return cell
    names = ", ".join(cell.metadata.name for cell in lesson(name).cells)
    raise LookupError(f"lesson {name!r} has no cell {title!r}; its cells are {names}")
