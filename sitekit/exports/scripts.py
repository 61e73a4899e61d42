"""A script for each piece of code on a page: what a reader takes away runs by itself and prints what the page shows."""

import ast
import textwrap
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from nbformat import NotebookNode

from ..languages import Language
from ..lessons import source
from ..lessons.cells import PACKAGE, Lessons
from ..lessons.slices import Names, needed, outside_scopes, read, union, written
from ..markdown.fence import BY_LANGUAGE, script_path
from ..markdown.page import FENCE
from .packed import from_package, package_imports, recordings_read, settle

BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Statement:
    """One statement of a lesson, with the comment above it; `apart` if there is an empty line before it."""

    node: ast.stmt
    text: str
    apart: bool


def script(lessons: Lessons, reference: str, language: Language, install: str = "") -> str:
    """The code of `lesson.cell` after those statements of the lesson that it needs.

    The package's functions come along as source, or, where `install` says how, are imported from the package.
    """
    name, _, title = reference.partition(".")
    if name == PACKAGE:
        module, _, name = title.rpartition(".")
        return source.needed({name: module}, lessons.modules).code()
    before: list[Statement] = []
    for cell in lessons.lesson(name).cells:
        if cell.metadata.name == title:
            parts = gather(tuple(before), tuple(statements(printing_code(cell))))
            return assemble(lessons, parts, language, install)
        before += statements(cell.source)
    raise LookupError(f"lesson {name!r} has no cell {title!r}")


def chapter_script(lessons: Lessons, name: str, printing: Collection[str], language: Language) -> str:
    """The lesson as one script, up to the last cell that a page shows; the cells named print what they show."""
    cells = lessons.lesson(name).cells
    last = max(i for i, cell in enumerate(cells) if cell.metadata.name in printing)
    program: list[Statement] = []
    for cell in cells[: last + 1]:
        if cell.metadata.name in printing:
            program += statements(printing_code(cell))
        else:
            program += [without_prints(one) for one in statements(cell.source) if not one.text.startswith("print(")]
    return assemble(lessons, gather((), tuple(program)), language, "")


def printing_code(cell: NotebookNode) -> str:
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
    lines, position, result = code.splitlines(), 0, []
    for node in ast.parse(code).body:
        cut = lines[position : node.end_lineno]
        result.append(Statement(node, "\n".join(cut).strip("\n"), not position or not cut[0]))
        position = node.end_lineno or position
    return result


@dataclass(frozen=True)
class Parts:
    """What a script is put together from, the same in every language and however it gets the package."""

    imports: frozenset[str]  # of others than the package
    package: tuple[tuple[str, str], ...]  # each name taken from the package, and its module
    code: str
    defined: Names


@cache
def gather(before: tuple[Statement, ...], program: tuple[Statement, ...]) -> Parts:
    """Collect the program's statements, those before that they need, and what all of these import."""
    nodes = needed([one.node for one in before], [one.node for one in program])
    kept = [without_prints(one) for one in before if one.node in nodes] + list(program)
    import_nodes = [one.node for one in kept if imports(one.node)]
    body = [one for one in kept if not imports(one.node)]
    used = union(read(one.node) for one in body)
    package = {name: module for name, module in package_imports(import_nodes).items() if name in used}
    others = (ast.unparse(node) for node in import_nodes if not from_package(node) and written(node) & used)
    defined = union(written(one.node) for one in body)
    return Parts(frozenset(others), tuple(package.items()), join_statements(body), defined)


def assemble(lessons: Lessons, parts: Parts, language: Language, install: str) -> str:
    """Imports, then what is needed of the package, then the code."""
    package = dict(parts.package)
    if not package:
        top = source.import_block(parts.imports)
    elif install:
        top = f"# {install}\n{source.import_block([*parts.imports, *import_lines(package)])}"
    else:
        top = settle(package_source(lessons, package, parts), recordings_read(parts.code), language).strip()
    return f"{top}\n\n\n{parts.code}\n".lstrip()


def files(lessons: Lessons, language: Language, install: str) -> dict[str, str]:
    """Every script that the pages of a language offer, by its path in the site.

    A cell's is scripts/<lesson>/<cell>.py, with .pip.py beside it, which installs the package; a chapter's is
    scripts/<lesson>.py.
    """
    result: dict[str, str] = {}
    for page, its_language in language.pages():
        printing: set[str] = set()
        references: list[str] = []
        for fence in FENCE.finditer(page.read_text("utf-8")):
            reference = fence["body"].strip()
            name, _, title = reference.partition(".")
            if name == page.stem:
                printing.add(title)
            if 'show="output"' not in fence["options"]:
                with suppress(LookupError):  # the fence itself says what it cannot find, and where
                    lessons.find(reference)
                    references.append(reference)
        for reference in references:
            path = script_path(reference)
            result[path] = script(lessons, reference, its_language)
            result[path.replace(".py", ".pip.py")] = script(lessons, reference, its_language, install)
        if printing:
            result[f"scripts/{page.stem}.py"] = chapter_script(lessons, page.stem, printing, its_language)
    return result


def join_statements(body: list[Statement]) -> str:
    """The statements one below the other, with the empty lines that Python's style asks for."""
    text = ""
    for before, one in zip([None, *body], body, strict=False):
        define = isinstance(one.node, DEFINITIONS) or (before is not None and isinstance(before.node, DEFINITIONS))
        gap = 3 if define else 2 if one.apart else 1
        text += ("\n" * gap if before else "") + one.text
    return text


def without_prints(statement: Statement) -> Statement:
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
    return [f"from {source.full(module)} import {name}" for name, module in package.items()]


def package_source(lessons: Lessons, package: dict[str, str], parts: Parts) -> str:
    """The imports and the source that the names of the package need, apart where the lesson's names would clash."""
    definitions = source.needed(package, lessons.modules)
    if parts.defined & definitions.where.keys():
        return source.import_block(parts.imports) + "\n\n\n" + source.standalone(package, lessons.modules)
    definitions.imports |= parts.imports
    return definitions.code()
