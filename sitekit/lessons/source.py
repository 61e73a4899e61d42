"""The package's own source: a function as a page shows it, or all that a notebook needs to do without the package."""

import ast
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from io import StringIO
from pathlib import Path
from token import NAME, OP
from tokenize import generate_tokens

from ..paths import KIT, PACKAGE, SNIPPETS

MAKER = "attention_package"
CORE = "core"  # other modules say core.softmax, for they have a softmax of their own


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

    def attributes_of(self, name: str) -> list[str]:
        """What it takes from the module of this name, as in `core.softmax`."""
        nodes = (node for node in ast.walk(self.node) if isinstance(node, ast.Attribute))
        return [node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == name]


@dataclass
class Module:
    """What one module defines, takes from its neighbours, and imports from outside."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    neighbours: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)


def read_modules() -> dict[str, Module]:
    """Read every module of the package and of what lessons show with, by its name; a folder goes by its own name."""
    return {dotted(path): parse(path) for root in (PACKAGE, KIT) for path in sorted(root.rglob("*.py"))}


@cache
def dotted(path: Path) -> str:
    parts = path.relative_to(SNIPPETS).with_suffix("").parts
    return short(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


def short(module: str) -> str:
    """The name of a module without that of the package: `attention.core` is core, `lessonkit.table` stays."""
    return module.removeprefix(PACKAGE.name).removeprefix(".") if is_ours(module, PACKAGE) else module


def full(module: str) -> str:
    """The name of a module to import from, where `short` has taken that of the package away."""
    return module if is_ours(module, KIT) else f"{PACKAGE.name}.{module}".rstrip(".")


def is_ours(module: str, *roots: Path) -> bool:
    """Whether the module lies in one of these packages."""
    return module.partition(".")[0] in {root.name for root in roots}


def neighbour(path: Path, node: ast.ImportFrom) -> str:
    """The name of the module, one of ours, that an import names."""
    folder = path.relative_to(SNIPPETS).parent.parts
    up = folder[: len(folder) - node.level + 1] if node.level else ()
    return short(".".join([*up, *filter(None, [node.module])]))


def parse(path: Path) -> Module:
    text, module = path.read_text("utf-8"), Module()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.level or is_ours(node.module or "", PACKAGE, KIT)):
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
    result = Needed()
    taken: dict[tuple[str, str], Definition] = {}

    def take(here: Definition) -> None:
        if (here.module, here.name) in taken:
            return
        taken[here.module, here.name] = here
        module = known[here.module]
        for name in here.names_used:
            if name in module.imports:
                result.imports.add(module.imports[name])
            elif name in module.neighbours and f"{module.neighbours[name]}.{name}" == f".{CORE}":  # from . import core
                for attribute in here.attributes_of(CORE):
                    take(definition(attribute, CORE, known))
            elif name in module.neighbours:
                take(definition(name, module.neighbours[name], known))
            elif name in module.definitions:
                take(module.definitions[name])
        taken[here.module, here.name] = taken.pop((here.module, here.name))  # after all that it uses

    for name, module in wanted.items():
        take(definition(name, module, known))
    names = flat_names(taken.values())
    for here in taken.values():
        result.where[names[here.module, here.name]] = here.module
        result.texts.append(renamed(here, names, known[here.module]))
    return result


def flat_names(definitions: Iterable[Definition]) -> dict[tuple[str, str], str]:
    """Name what several modules define so that it can stand in one: `core.softmax` is core_softmax there."""
    every = list(definitions)
    names, only_core = {}, all(here.module == CORE for here in every)
    for here in every:
        prefix = "" if only_core or here.module != CORE or not isinstance(here.node, ast.FunctionDef) else f"{CORE}_"
        names[here.module, here.name] = prefix + here.name
    for key, name in names.items():
        if clash := next((other for other in names if names[other] == name and other != key), None):
            raise LookupError(f"{name} is defined in {key[0]} and in {clash[0]}; names must differ")
    return names


def renamed(here: Definition, names: dict[tuple[str, str], str], module: Module) -> str:
    """The brief source, with the flat names of the core's definitions."""
    text = brief(here)
    tokens = [token for token in generate_tokens(StringIO(text).readline) if token.type in (NAME, OP)]
    lines = text.splitlines()
    for before, dot, token in reversed([*zip([None, None, *tokens], [None, *tokens], tokens, strict=False)]):
        start, (row, end) = token.start[1], token.end
        if before and dot and before.string == CORE and dot.string == "." and CORE in module.neighbours:
            start = before.start[1]
        elif here.module != CORE or (dot and dot.string == ".") or token.string not in module.definitions:
            continue
        lines[row - 1] = lines[row - 1][:start] + names[CORE, token.string] + lines[row - 1][end:]
    return "\n".join(lines)


def standalone(wanted: dict[str, str], known: dict[str, Module]) -> str:
    """Source that defines the wanted names (name -> module it is imported from) with NumPy alone.

    All that they need stands inside one function, where no variable of a notebook can get in its way.
    """
    names = ", ".join(wanted)
    body = needed(wanted, known).code() + f"\nreturn {names}"
    return f"def {MAKER}():\n{textwrap.indent(body, '    ')}\n\n\n{names} = {MAKER}()\n"
