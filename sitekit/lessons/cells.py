"""What a `cell` fence refers to: `by-hand.scores` is a lesson's cell, `attention.softmax` the package's source."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from . import source
from .execute import execute_all
from .files import lesson_scripts

PACKAGE = "attention"


def labels_of(lesson: NotebookNode) -> dict[str, Any]:
    """The labels of an executed lesson, by language."""
    return dict(json.loads(lesson.metadata.get("labels", "{}")))


@dataclass(frozen=True)
class Lessons:
    """Every lesson's executed notebook by its name, and the modules of the package by theirs."""

    notebooks: dict[str, NotebookNode]
    modules: dict[str, source.Module]

    def lesson(self, name: str) -> NotebookNode:
        if name not in self.notebooks:
            known = ", ".join(sorted(self.notebooks)) or "none"
            raise LookupError(f"there is no lesson {name!r}; lessons are {known}")
        return self.notebooks[name]

    def facts(self, name: str) -> dict[str, Any]:
        """What the lesson has computed, as plain numbers and lists."""
        return dict(self.lesson(name).metadata.facts)

    def labels(self, name: str) -> dict[str, Any]:
        """The labels of a lesson, by language."""
        return labels_of(self.lesson(name))

    def find(self, reference: str) -> NotebookNode:
        """Return the code cell that a reference names."""
        name, _, title = reference.partition(".")
        if name == PACKAGE:
            module, _, name = title.rpartition(".")
            return new_code_cell(source.brief(source.definition(name, module, self.modules)))
        cells = self.lesson(name).cells
        for cell in cells:
            if cell.metadata.name == title:
                return cell
        names = ", ".join(cell.metadata.name for cell in cells)
        raise LookupError(f"lesson {name!r} has no cell {title!r}; its cells are {names}")


def execute_lessons(report: Callable[[str], None] = print) -> Lessons:
    """Execute the lessons that have changed since the last build, and read the package's source."""
    return Lessons(execute_all(lesson_scripts(), report), source.read_modules())
