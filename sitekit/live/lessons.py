"""The lessons as the browser runs them, and which of their cells it can run."""

import json

from nbformat import NotebookNode

from ..lessons.cells import PACKAGE, labels_of

# Cells that a browser cannot run in a time that anybody would wait, or not in the memory it has.
TOO_HEAVY: dict[str, set[str]] = {}


def runnable(lesson: str, cell: str) -> bool:
    """Whether the reader can run a cell of a page; the package's source is there to be read."""
    return lesson != PACKAGE and cell not in TOO_HEAVY.get(lesson, set())


def as_json(lesson: NotebookNode) -> str:
    """The lesson's cells in order, as pairs of name and code, and its labels; its facts stay here, for the tests."""
    pairs = [[cell.metadata.name, cell.source] for cell in lesson.cells if cell.metadata.name != "facts"]
    bundle = {"cells": pairs, "labels": labels_of(lesson)}
    return json.dumps(bundle, ensure_ascii=False, separators=(",", ":"))
