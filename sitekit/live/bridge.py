"""Run cells of a lesson and say what they put out. Works in the reader's browser, and in CPython for the tests.

A cell runs after those earlier statements of its lesson that it needs. What they made is kept, so that the same cell
runs again at once, on a fresh copy.
"""

import ast
import contextlib
import copy
import io
import json
import sys
import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from lessonkit import texts
from lessonkit.labels import Shown
from sitekit.lessons.slices import needed

MOST_TEXT = 20_000  # characters that one cell may print
MOST_HTML = 400_000
SHARED = (types.ModuleType, types.FunctionType, type)  # not copied: code changes nothing of itself

Emit = Callable[[str, str], object]
Namespace = dict[str, Any]


class Printed(io.TextIOBase):
    """What a cell prints: handed on as it comes, up to a limit."""

    def __init__(self, emit: Callable[[str], object]) -> None:
        self.emit, self.left, self.text, self.capped = emit, MOST_TEXT, "", False

    def write(self, text: str) -> int:
        kept = text[: self.left]
        self.left -= len(kept)
        self.capped |= len(kept) < len(text)
        self.text += kept
        if kept:
            self.emit(kept)
        return len(text)


class Cell:
    """A cell's name, its code as the reader has it, and the statements in it."""

    def __init__(self, name: str, code: str) -> None:
        self.name, self.code = name, code
        self.body = ast.parse(code, f"<{name}>").body

    def execute(self, statements: list[ast.stmt], namespace: Namespace) -> None:
        exec(compile(ast.Module(statements, []), f"<{self.name}>", "exec"), namespace)

    def value(self, namespace: Namespace) -> Any:
        """Execute the cell; return the value of its last line, as a notebook does."""
        last = self.body[-1] if self.body else None
        if not isinstance(last, ast.Expr):
            self.execute(self.body, namespace)
            return None
        self.execute(self.body[:-1], namespace)
        return eval(compile(ast.Expression(last.value), f"<{self.name}>", "eval"), namespace)


class SetUp:
    """What the statements before a cell have made: remembered, to start from it again."""

    def __init__(self) -> None:
        self.key: list[ast.stmt] | None = None
        self.snapshot: Namespace = {}
        self.namespace: Namespace = {}

    def restore(self, key: list[ast.stmt]) -> bool:
        """Put the namespace back to where set-up left it, if it was this set-up."""
        if key != self.key:
            return False
        fresh = duplicate(self.snapshot)
        self.namespace.clear()
        self.namespace.update(fresh)
        return True

    def remember(self, key: list[ast.stmt], namespace: Namespace) -> None:
        self.key, self.snapshot, self.namespace = None, {}, namespace
        with contextlib.suppress(Exception):  # something in it cannot be copied: set up anew each time
            self.snapshot = duplicate(namespace)
            self.key = key


def duplicate(namespace: Namespace) -> Namespace:
    """A copy of the data in it; what two names share they share in the copy, too."""
    memo = {id(value): value for value in namespace.values() if isinstance(value, SHARED)}
    return {name: copy.deepcopy(value, memo) for name, value in namespace.items() if name != "__builtins__"}


class Session:
    """What one reader runs, one job after the other: it remembers the last set-up."""

    def __init__(self) -> None:
        self.set_up = SetUp()

    def run(self, lesson: str, job: str, emit: Emit) -> str:
        """Run the job's wanted cells of a lesson; return JSON: the outputs of each, or the error that ended it.

        `lesson` is JSON: its `cells` as pairs of name and code, and its `labels`. So is `job`: the `lesson`'s name,
        `wanted` names of cells, `edits` name -> code in place of the lesson's, and a `language`.
        """
        asked, bundle = json.loads(job), json.loads(lesson)
        texts.BUNDLED[asked["lesson"]] = bundle["labels"]
        sources = dict(bundle["cells"]) | asked["edits"]
        names = [name for name, _ in bundle["cells"]]
        results: list[dict[str, Any]] = []
        error = None
        with untouched():
            try:
                self.run_cells(names, sources, asked, results, emit)
            except BaseException as raised:  # SystemExit and KeyboardInterrupt, too
                error = explain(raised, sources)
        return json.dumps({"results": results, "error": error}, ensure_ascii=False)

    def run_cells(
        self, names: list[str], sources: dict[str, str], asked: dict[str, Any], results: list[Any], emit: Emit
    ) -> None:
        """Set up for the first wanted cell, then run all up to the last one, noting what the wanted ones put out."""
        places = [names.index(name) for name in asked["wanted"]]
        first, last = min(places), max(places)
        edited = [name for name in names[:first] if name in asked["edits"]]
        rest = [cell_of(name, sources[name]) for name in names[first : last + 1]]
        earlier = [cell_of(name, sources[name]) for name in names[:first]]
        statements = chosen(earlier, rest, edited)
        if not self.set_up.restore(statements):
            self.set_up.remember(statements, prepare(earlier, statements))
        for cell in rest:
            result: dict[str, Any] = {"cell": cell.name, "outputs": [], "capped": False}
            if cell.name in asked["wanted"]:
                results.append(result)
            self.put_out(cell, asked["language"], result, emit)

    def put_out(self, cell: Cell, language: str, result: dict[str, Any], emit: Emit) -> None:
        """Run one cell; add what it prints, and the value of its last line, to the result."""
        printed = Printed(lambda text: emit(cell.name, text))
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                output = display(cell.value(self.set_up.namespace), language)
            finally:
                if printed.text:
                    result["outputs"].append({"text": printed.text})
                    result["capped"] = printed.capped
        if output:
            result["capped"] |= output.pop("capped", False)
            result["outputs"].append(output)


@cache
def cell_of(name: str, code: str) -> Cell:
    """The same cell for the same code, so that its statements can be told apart by identity."""
    return Cell(name, code)


def chosen(earlier: list[Cell], rest: list[Cell], edited: list[str]) -> list[ast.stmt]:
    """The statements of earlier cells that the rest needs, and all of those that the reader has edited."""
    before: list[ast.stmt] = []
    statements: set[ast.stmt] = set()
    for cell in earlier:
        if cell.name in edited:
            statements.update(cell.body, needed(before, cell.body))
        else:
            before += cell.body
    statements.update(needed(before, [statement for cell in rest for statement in cell.body]))
    return [statement for cell in earlier for statement in cell.body if statement in statements]


def prepare(earlier: list[Cell], statements: list[ast.stmt]) -> Namespace:
    """Execute statements of earlier cells, and discard what they print."""
    namespace: Namespace = {"__name__": "__main__"}
    required = set(statements)
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        for cell in earlier:
            cell.execute([statement for statement in cell.body if statement in required], namespace)
    return namespace


def display(value: Any, language: str) -> dict[str, Any] | None:
    """What a value looks like on the page: a table or a picture of ours in the page's language, else text."""
    if value is None:
        return None
    if isinstance(value, Shown):
        html = value.html(language)
        return {"html": html} if len(html) <= MOST_HTML else {"text": "", "capped": True}
    text = repr(value)
    return {"text": text[:MOST_TEXT], "capped": len(text) > MOST_TEXT}


def explain(raised: BaseException, sources: dict[str, str]) -> dict[str, Any]:
    """Name the error, and the lines of the reader's own code that led to it, the outermost first."""
    frames = []
    trace = raised.__traceback__
    while trace:
        frames.append((trace.tb_frame.f_code.co_filename.strip("<>"), trace.tb_lineno))
        trace = trace.tb_next
    if isinstance(raised, SyntaxError) and raised.lineno:
        frames.append(((raised.filename or "").strip("<>"), raised.lineno))
    lines = [(name, number, sources[name].splitlines()[number - 1 :][:1]) for name, number in frames if name in sources]
    return {
        "name": type(raised).__name__,
        "text": raised.msg if isinstance(raised, SyntaxError) else str(raised),
        "frames": [{"cell": name, "line": number, "text": "".join(text).strip()} for name, number, text in lines[-8:]],
        "memory": isinstance(raised, MemoryError),
    }


@contextlib.contextmanager
def untouched() -> Iterator[None]:
    """Whatever a run changes in NumPy or the package, the next run finds them as they were."""
    modules = [module for name, module in sys.modules.items() if name in ("builtins", "math", "numpy")]
    modules += [module for name, module in sys.modules.items() if name.partition(".")[0] in ("attention", "lessonkit")]
    before = [(module, dict(vars(module))) for module in modules]
    printing, errors, drawn = np.get_printoptions(), np.geterr(), np.random.get_state()
    try:
        yield
    finally:
        for module, kept in before:
            for name in vars(module).keys() - kept.keys():
                if not isinstance(vars(module)[name], types.ModuleType):  # imported meanwhile
                    del vars(module)[name]
            vars(module).update(kept)
        np.set_printoptions(**printing)
        np.seterr(**errors)
        np.random.set_state(drawn)
