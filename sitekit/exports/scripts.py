"""A script for each piece of code on a page: what a reader takes away runs by itself and prints what the page shows."""

import ast
import textwrap
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from nbformat import NotebookNode

from ..languages import Language
from ..lessons import cells, source
from ..lessons.slices import Names, needed, outside_scopes, read, union, written
from ..markdown.fence import BY_LANGUAGE, script_path
from ..markdown.page import FENCE
from .packed import from_package, package_imports, recordings_read, settled

BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Statement:
    """One statement of a lesson, with the comment above it; `apart` where an empty line stands before."""

    node: ast.stmt
    text: str
    apart: bool


def script(reference: str, language: Language, install: str = "") -> str:
    """The code of `lesson.cell` after those statements of the lesson that it needs.

    The package's functions come along as source, or, where `install` says how, are imported from the package.
    """
    name, _, title = reference.partition(".")
    if name == cells.PACKAGE:
        module, _, name = title.rpartition(".")
        return source.needed({name: module}).code()
    before: list[Statement] = []
    for cell in cells.lesson(name).cells:
        if cell.metadata.name == title:
            return assembled(gathered(tuple(before), tuple(statements(shown(cell)))), language, install)
        before += statements(cell.source)
    raise LookupError(f"lesson {name!r} has no cell {title!r}")


def whole(name: str, printing: Collection[str], language: Language) -> str:
    """The lesson as one script, up to the last cell that a page shows; the cells named print what they show."""
    lesson = cells.lesson(name).cells
    last = max(i for i, cell in enumerate(lesson) if cell.metadata.name in printing)
    wanted: list[Statement] = []
    for cell in lesson[: last + 1]:
        if cell.metadata.name in printing:
            wanted += statements(shown(cell))
        else:
            wanted += [silent(one) for one in statements(cell.source) if not one.text.startswith("print(")]
    return assembled(gathered((), tuple(wanted)), language, "")


def shown(cell: NotebookNode) -> str:
    """The cell's code; what a notebook shows of itself, its last expression, is printed."""
    last = ast.parse(cell.source).body[-1]
    results = [out for out in cell.outputs if out.output_type == "execute_result"]
    if not results or not isinstance(last, ast.Expr):
        return str(cell.source)
    lines = cell.source.splitlines()
    first = "\n".join(lines[: last.lineno - 1])
    value = "\n".join(lines[last.lineno - 1 : last.end_lineno])
    value = value if BY_LANGUAGE in results[0].data else f"repr({value})"
    if "\n" in value:
        value = "\n" + textwrap.indent(value, "    ") + "\n"
    return f"{first}\nprint({value})"


@cache
def statements(code: str) -> list[Statement]:
    """Cut code into its top-level statements."""
    lines, position, found = code.splitlines(), 0, []
    for node in ast.parse(code).body:
        cut = lines[position : node.end_lineno]
        found.append(Statement(node, "\n".join(cut).strip("\n"), not position or not cut[0]))
        position = node.end_lineno or position
    return found


@dataclass(frozen=True)
class Parts:
    """What a script is put together from, the same in every language and however it gets the package."""

    imports: frozenset[str]  # of others than the package
    package: tuple[tuple[str, str], ...]  # each name taken from the package, and its module
    code: str
    defined: Names


@cache
def gathered(before: tuple[Statement, ...], wanted: tuple[Statement, ...]) -> Parts:
    """The wanted statements, those before that they need, and what all of these import."""
    nodes = needed([one.node for one in before], [one.node for one in wanted])
    kept = [silent(one) for one in before if one.node in nodes] + list(wanted)
    brought = [one.node for one in kept if imports(one.node)]
    body = [one for one in kept if not imports(one.node)]
    used = union(read(one.node) for one in body)
    package = {name: module for name, module in package_imports(brought).items() if name in used}
    others = (ast.unparse(node) for node in brought if not from_package(node) and written(node) & used)
    defined = union(written(one.node) for one in body)
    return Parts(frozenset(others), tuple(package.items()), joined(body), defined)


def assembled(parts: Parts, language: Language, install: str) -> str:
    """Imports, then what is needed of the package, then the code."""
    package = dict(parts.package)
    if not package:
        top = source.import_block(parts.imports)
    elif install:
        top = f"# {install}\n{source.import_block([*parts.imports, *import_lines(package)])}"
    else:
        top = settled(taken(package, parts), recordings_read(parts.code), language).strip()
    return f"{top}\n\n\n{parts.code}\n".lstrip()


def files(language: Language, install: str) -> dict[str, str]:
    """Every script that the pages of a language offer, by its path in the site.

    A cell's is scripts/<lesson>/<cell>.py, with .pip.py beside it, which installs the package; a chapter's is
    scripts/<lesson>.py.
    """
    made: dict[str, str] = {}
    for page, its_language in language.pages():
        printing: set[str] = set()
        shown_code: list[str] = []
        for fence in FENCE.finditer(page.read_text("utf-8")):
            reference = fence["body"].strip()
            name, _, title = reference.partition(".")
            if name == page.stem:
                printing.add(title)
            if 'show="output"' not in fence["options"]:
                with suppress(LookupError):  # the fence itself says what it cannot find, and where
                    cells.find(reference)
                    shown_code.append(reference)
        for reference in shown_code:
            path = script_path(reference)
            made[path] = script(reference, its_language)
            made[path.replace(".py", ".pip.py")] = script(reference, its_language, install)
        if printing:
            made[f"scripts/{page.stem}.py"] = whole(page.stem, printing, its_language)
    return made


def joined(body: list[Statement]) -> str:
    """The statements one below the other, with the empty lines that Python's style asks for."""
    text = ""
    for before, one in zip([None, *body], body, strict=False):
        define = isinstance(one.node, DEFINITIONS) or (before is not None and isinstance(before.node, DEFINITIONS))
        gap = 3 if define else 2 if one.apart else 1
        text += ("\n" * gap if before else "") + one.text
    return text


def silent(statement: Statement) -> Statement:
    """The statement without the lines inside it that only print."""
    lines = statement.text.splitlines()
    offset = (statement.node.end_lineno or 0) - len(lines) + 1
    for block in (node.body for node in outside_scopes(statement.node) if isinstance(node, BLOCKS)):
        prints = [one for one in block if ast.unparse(one).startswith("print(")]
        for one in prints:
            first, last = one.lineno - offset, (one.end_lineno or one.lineno) - offset
            lines[first] = " " * one.col_offset + "pass" if prints == block and one is block[0] else ""
            lines[first + 1 : last + 1] = [""] * (last - first)
    return Statement(statement.node, "\n".join(line for line in lines if line.strip()), statement.apart)


def imports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def import_lines(package: dict[str, str]) -> list[str]:
    """The lines that import these names (name -> module) from the package."""
    return [f"from {f'{cells.PACKAGE}.{module}'.rstrip('.')} import {name}" for name, module in package.items()]


def taken(package: dict[str, str], parts: Parts) -> str:
    """The imports and the source that the names of the package need, apart where the lesson's names would clash."""
    found = source.needed(package)
    if parts.defined & found.where.keys():
        return source.import_block(parts.imports) + "\n\n\n" + source.standalone(package)
    found.imports |= parts.imports
    return found.code()
