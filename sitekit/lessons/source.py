"""The package's own source: a function as a page shows it, or all that a notebook needs to do without the package."""

import ast
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

from ..paths import PACKAGE

MAKER = "attention_package"


@dataclass(frozen=True)
class Definition:
    """A top-level function, class or constant of a module of the package."""

    module: str
    name: str
    text: str
    node: ast.stmt

    @cached_property
    def names_used(self) -> list[str]:
        return [node.id for node in ast.walk(self.node) if isinstance(node, ast.Name)]


@dataclass
class Module:
    """What one module defines, takes from its neighbours, and imports from outside."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    neighbours: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)


def read_modules() -> dict[str, Module]:
    """Read every module of the package, by its dotted name; a folder goes by its own name."""
    return {dotted(path): parse(path) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def neighbour(path: Path, node: ast.ImportFrom) -> str:
    """The dotted name of the module that a relative import names."""
    folder = path.relative_to(PACKAGE).parent.parts
    up = folder[: len(folder) - node.level + 1]
    return ".".join([*up, *filter(None, [node.module])])


def parse(path: Path) -> Module:
    text, module = path.read_text("utf-8"), Module()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            module.neighbours |= {alias.asname or alias.name: neighbour(path, node) for alias in node.names}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                kind = f"from {node.module} import " if isinstance(node, ast.ImportFrom) else "import "
                module.imports[alias.asname or alias.name] = (
                    kind + alias.name + (f" as {alias.asname}" if alias.asname else "")
                )
        else:
            for name in defined(node):
                module.definitions[name] = Definition(dotted(path), name, segment(text, node), node)
    return module


def defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.TypeAlias):
        return [node.name.id]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    each = [one for target in targets for one in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [target.id for target in each if isinstance(target, ast.Name)]


def segment(text: str, node: ast.stmt) -> str:
    """The node's lines, decorators included."""
    return "\n".join(text.splitlines()[first_line(node) - 1 : node.end_lineno])


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def definition(name: str, module: str, known: dict[str, Module]) -> Definition:
    """Find what `from attention.module import name` gives, wherever in the package it is defined."""
    while module in known and name not in known[module].definitions:
        if name not in known[module].neighbours:
            break
        module = known[module].neighbours[name]
    if module not in known or name not in known[module].definitions:
        raise LookupError(f"the package defines no {name!r}" + (f" in attention.{module}" if module else ""))
    return known[module].definitions[name]


@cache
def brief(here: Definition) -> str:
    """Its source with each docstring cut to the first line, as a page shows it."""
    lines, offset = here.text.splitlines(), first_line(here.node)
    for docstring in reversed(docstrings(here.node)):
        start, end = docstring.lineno - offset, (docstring.end_lineno or 0) - offset
        if start < end:
            lines[start : end + 1] = [lines[start].rstrip() + '"""']
    return "\n".join(lines)


def docstrings(node: ast.stmt) -> list[ast.Expr]:
    """The docstrings of a definition and of those inside it, from top to bottom."""
    bodies = (one.body for one in ast.walk(node) if isinstance(one, ast.FunctionDef | ast.ClassDef))
    firsts = (body[0] for body in bodies)
    nodes = [one for one in firsts if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)]
    return sorted(nodes, key=lambda one: one.lineno)


@dataclass
class Needed:
    """What some names of the package need in order to be defined with NumPy alone."""

    imports: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)
    where: dict[str, str] = field(default_factory=dict)  # each name defined -> its module

    def code(self) -> str:
        """Return the imports and definitions as source, each definition after those it uses."""
        return import_block(self.imports) + "\n\n\n" + "\n\n\n".join(dict.fromkeys(self.texts)) + "\n"


def import_block(lines: Iterable[str]) -> str:
    """Import statements in order, those from one module as one line."""
    plain = sorted(line for line in lines if line.startswith("import "))
    names: dict[str, set[str]] = {}
    for line in lines:
        if line.startswith("from "):
            module, _, given = line.removeprefix("from ").partition(" import ")
            names.setdefault(module, set()).update(given.split(", "))
    return "\n".join(
        [*plain, *(f"from {module} import {', '.join(sorted(names[module]))}" for module in sorted(names))]
    )


def needed(wanted: dict[str, str], known: dict[str, Module]) -> Needed:
    """Collect all that the wanted names (name -> module it is imported from) need."""
    found = Needed()

    def take(here: Definition) -> None:
        if found.where.get(here.name) == here.module:
            return
        if here.name in found.where:
            raise LookupError(
                f"{here.name} is defined in {found.where[here.name]} and in {here.module}; names must differ"
            )
        found.where[here.name] = here.module
        module = known[here.module]
        for name in here.names_used:
            if name in module.imports:
                found.imports.add(module.imports[name])
            elif name in module.neighbours:
                take(definition(name, module.neighbours[name], known))
            elif name in module.definitions:
                take(module.definitions[name])
        found.texts.append(brief(here))

    for name, module in wanted.items():
        take(definition(name, module, known))
    return found


def standalone(wanted: dict[str, str], known: dict[str, Module]) -> str:
    """Source that defines the wanted names (name -> module it is imported from) with NumPy alone.

    All that they need stands inside one function, where no variable of a notebook can get in its way.
    """
    names = ", ".join(wanted)
    body = needed(wanted, known).code() + f"\nreturn {names}"
    return f"def {MAKER}():\n{textwrap.indent(body, '    ')}\n\n\n{names} = {MAKER}()\n"
