"""A script for each piece of code on a page: what a reader takes away runs by itself and prints what the page shows.

It stands alone: what it needs of the package is written out between two comments. Where readers copy a script, the
browser installs the package and puts the import that the first comment names in its place (`shorten` in
mkdocs/take.js).
"""

import ast
import json
import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from nbformat import NotebookNode

from ..languages import Language, chosen
from ..lessons import source
from ..lessons.cells import PACKAGE, Lessons
from ..lessons.slices import Names, needed, read, union, written
from ..markdown.fence import BY_LANGUAGE, script_path
from ..markdown.page import FENCE
from .bare import PLAIN, bare, collect, piece
from .packed import from_package, package_imports
from .printable import FIGURE, SHOWN, printable, with_recordings, without_prints

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
BEGIN = "# From the package, without its checks. Where it is installed, this does the same:"
END = "# End of what is from the package."
# A terminal whose alphabet lacks a character prints what it can.
ALPHABET = 'if hasattr(sys.stdout, "reconfigure"):\n    sys.stdout.reconfigure(errors="replace")'


@dataclass(frozen=True)
class Statement:
    """One statement of a lesson, with the comment above it; `apart` if there is an empty line before it."""

    node: ast.stmt
    text: str
    apart: bool


def script(lessons: Lessons, reference: str, language: Language) -> str:
    """The code of `lesson.cell` after the earlier statements that it needs, and what they need of the package."""
    name, _, title = reference.partition(".")
    if name == PACKAGE:
        return package_script(lessons, title, language)
    before: list[Statement] = []
    for cell in lessons.lesson(name).cells:
        code = in_language(cell.source, language.code, lessons.lesson(name).metadata.labels)
        if cell.metadata.name == title:
            program = shown_alone(cell, statements(printing_code(cell, code, language)))
            return assemble(lessons, gather(tuple(before), tuple(program)))
        before += statements(without_prints(code))
    raise LookupError(f"lesson {name!r} has no cell {title!r}")


def package_script(lessons: Lessons, title: str, language: Language) -> str:
    """A function of the package as a page shows it, with all that it needs, without annotations."""
    module, _, name = title.rpartition(".")
    here = source.definition(name, module, lessons.modules)
    needs = collect({(here.module, name): name}, [], (), lessons.modules, models=False)
    return f"{source.import_block(needs.imports)}\n\n\n{needs.code()}\n\n\nprint({ready([name], language)!r})\n"


def chapter_script(lessons: Lessons, name: str, printing: Collection[str], language: Language) -> str:
    """The lesson as one script, up to the last cell that a page shows; the cells named print what they show."""
    cells = lessons.lesson(name).cells
    before: list[Statement] = []
    kept: set[ast.stmt] = set()  # what cells on the page print, and what they need
    for cell in cells:
        code = in_language(cell.source, language.code, lessons.lesson(name).metadata.labels)
        if cell.metadata.name in printing:
            program = shown_alone(cell, statements(printing_code(cell, code, language, says=False)))
            nodes = [one.node for one in program]
            kept.update(nodes, needed([one.node for one in before], nodes))
            before += program
        else:
            before += statements(without_prints(code))
    program = [one for one in before if one.node in kept or imports(one.node)]
    return assemble(lessons, gather((), tuple(program)))


@cache
def in_language(code: str, language: str, labels: str) -> str:
    """The code of a cell in one language; `labels` are those of its lesson, as JSON."""
    return printable(code, language, chosen(json.loads(labels) or {language: {}}, language))


def printing_code(cell: NotebookNode, code: str, language: Language, says: bool = True) -> str:
    """The cell's code, given in one language; what a notebook shows of itself, its last expression, is printed.

    A cell that puts nothing out says in one line what it has defined, if it `says` so.
    """
    body = ast.parse(code).body
    results = [out for out in cell.outputs if out.output_type == "execute_result"]
    if says and not cell.outputs:
        names = [name for one in body if not imports(one) for name in sorted(written(one))]
        return f"{code}\n\nprint({ready(list(dict.fromkeys(names)), language)!r})"
    last = body[-1]
    if not results or not isinstance(last, ast.Expr):
        return code
    lines = code.splitlines()
    value = ast.unparse(last) if last.lineno != last.end_lineno else lines[last.lineno - 1]
    value = value if BY_LANGUAGE in results[0].data else f"repr({value})"
    return "\n".join([*lines[: last.lineno - 1], f"print({value})"])


def shown_alone(cell: NotebookNode, program: list[Statement]) -> list[Statement]:
    """Of a cell that shows a figure what the table in its place needs; of another all."""
    if f"\n{FIGURE}(" not in f"\n{cell.source}":
        return program
    *before, last = program
    kept = needed([one.node for one in before], [last.node])
    return [*(one for one in before if one.node in kept), last]


def ready(names: list[str], language: Language) -> str:
    return language.labels["script_ready"].format(names=", ".join(names))


@cache
def statements(code: str) -> list[Statement]:
    """Cut code into its top-level statements."""
    lines, position, result = code.splitlines(), 0, []
    for node in ast.parse(code).body:
        cut = lines[position : node.end_lineno]
        text = re.sub(r"\n(?:\s*\n)+", lambda match: "\n\n", "\n".join(cut).strip("\n"))
        result.append(Statement(node, text, not position or not cut[0]))
        position = node.end_lineno or position
    return result


@dataclass(frozen=True)
class Parts:
    """What a script is put together from."""

    imports: frozenset[str]  # of others than the package
    package: tuple[str, ...]  # the names taken from the package
    nodes: tuple[ast.AST, ...]  # of all its statements
    code: str
    defined: Names


@cache
def gather(before: tuple[Statement, ...], program: tuple[Statement, ...]) -> Parts:
    """Collect the program's statements, those before that they need, and what all of these import."""
    nodes = needed([one.node for one in before], [one.node for one in program])
    kept = [one for one in before if one.node in nodes] + list(program)
    import_nodes = [one.node for one in kept if imports(one.node)]
    body = [one for one in kept if not imports(one.node)]
    literals = with_recordings([one.node for one in body])
    body = [Statement(one.node, literals.get(ast.unparse(one.node), one.text), one.apart) for one in body]
    used = union(read(one.node) for one in body)
    package = [name for name in package_imports(import_nodes) if name in used and name not in SHOWN]
    others = (ast.unparse(node) for node in import_nodes if not from_package(node) and written(node) & used)
    defined = union(written(one.node) for one in body)
    nodes_kept = tuple(node for one in body for node in ast.walk(one.node))
    return Parts(frozenset(others), tuple(sorted(package)), nodes_kept, join_statements(body), defined)


def assemble(lessons: Lessons, parts: Parts) -> str:
    """Imports, what is needed of the package, a printer of tables, then the code."""
    imports, blocks, code = set(parts.imports), [], parts.code
    if parts.package:
        definitions = bare(parts.package, parts.nodes, {*parts.defined, "table"}, lessons.modules)
        imports |= definitions.imports
        names = f"# from {PACKAGE} import {', '.join(parts.package)}"
        blocks.append(f"{BEGIN}\n{names}\n{definitions.code()}\n{END}")
    if re.search(r"\btable\(", code):
        here = source.definition("table", PLAIN, lessons.modules)
        name = "table" if "table" not in parts.defined else "text_table"
        code = re.sub(r"\btable\(", f"{name}(", code)
        blocks.append(piece(here).text.replace("def table(", f"def {name}("))
        imports |= {"import numpy as np", "from unicodedata import east_asian_width"}
    if not (code + "".join(blocks[1:])).isascii() or "def table" in "".join(blocks):
        imports.add("import sys")
        blocks.insert(0, ALPHABET)
    top = [source.import_block(imports)] if imports else []
    return "\n\n".join([*top, *blocks, code]).replace("\n\n\n\n", "\n\n\n") + "\n"


def files(lessons: Lessons, language: Language) -> dict[str, str]:
    """Every script that the pages of a language offer, by its path in the site.

    A cell's is scripts/<lesson>/<cell>.py, a chapter's scripts/<lesson>.py.
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
            result[script_path(reference)] = script(lessons, reference, its_language)
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


def imports(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)
