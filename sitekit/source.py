"""The package's own source: a function as a page shows it, or all that a notebook needs to do without the package."""

import ast
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .paths import PACKAGE


@dataclass(frozen=True)
class Definition:
    """A top-level function, class or constant of a module of the package."""

    module: str
    name: str
    text: str
    node: ast.stmt

    @property
    def names_used(self) -> list[str]:
        return [node.id for node in ast.walk(self.node) if isinstance(node, ast.Name)]


@dataclass
class Module:
    """What one module defines, takes from its neighbours, and imports from outside."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    neighbours: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)


def modules() -> dict[str, Module]:
    """Every module of the package, as it is on disk now."""
    found = (path.relative_to(PACKAGE).with_suffix("") for path in sorted(PACKAGE.rglob("*.py")))
    return {".".join(name.parts): parse(PACKAGE / name.with_suffix(".py"), stamp(name)) for name in found}


def stamp(name: Path) -> int:
    return (PACKAGE / name.with_suffix(".py")).stat().st_mtime_ns


@cache
def parse(path: Path, changed: int) -> Module:
    text, module = path.read_text("utf-8"), Module()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            module.neighbours |= {alias.asname or alias.name: node.module or "" for alias in node.names}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                kind = f"from {node.module} import " if isinstance(node, ast.ImportFrom) else "import "
                module.imports[alias.asname or alias.name] = (
                    kind + alias.name + (f" as {alias.asname}" if alias.asname else "")
                )
        else:
            for name in defined(node):
                module.definitions[name] = Definition(path.stem, name, segment(text, node), node)
    return module


def defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def segment(text: str, node: ast.stmt) -> str:
    """The node's lines, decorators included."""
    return "\n".join(text.splitlines()[first_line(node) - 1 : node.end_lineno])


def first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])


def definition(name: str, module: str | None = None) -> Definition:
    """Find what `attention.name` means: `name` is a public function or class, wherever in the package it stands."""
    known = modules()
    home = (
        module or known["__init__"].neighbours.get(name) or next((m for m in known if name in known[m].definitions), "")
    )
    if home not in known or name not in known[home].definitions:
        raise LookupError(f"the package defines no {name!r}" + (f" in attention.{module}" if module else ""))
    return known[home].definitions[name]


def brief(found: Definition) -> str:
    """Its source with the docstring cut to the first line, as a page shows it."""
    body = getattr(found.node, "body", [])
    if not (body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)):
        return found.text
    lines, offset = found.text.splitlines(), first_line(found.node)
    start, end = body[0].lineno - offset, (body[0].end_lineno or 0) - offset
    first = lines[start].rstrip()
    return "\n".join([*lines[:start], first if start == end else first + '"""', *lines[end + 1 :]])


def standalone(wanted: dict[str, str | None]) -> str:
    """Source that defines the wanted names (name -> module, None: any) and all they need, with NumPy alone."""
    known = modules()
    imports: set[str] = set()
    texts: list[str] = []
    done: dict[str, str] = {}

    def take(found: Definition) -> None:
        if done.get(found.name) == found.module:
            return
        if found.name in done:
            raise LookupError(f"{found.name} is defined in {done[found.name]} and in {found.module}; names must differ")
        done[found.name] = found.module
        module = known[found.module]
        for name in found.names_used:
            if name in module.imports:
                imports.add(module.imports[name])
            elif name in module.neighbours:
                take(definition(name, module.neighbours[name]))
            elif name in module.definitions:
                take(module.definitions[name])
        texts.append(brief(found))

    for name, module in wanted.items():
        take(definition(name, module))
    return "\n".join(sorted(imports)) + "\n\n\n" + "\n\n\n".join(dict.fromkeys(texts)) + "\n"
