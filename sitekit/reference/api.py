"""The reference of the package's functions, made from its source: signatures and docstrings as Markdown."""

import ast
import inspect
import re
from collections.abc import Iterator

from ..lessons import source
from ..lessons.source import Module
from ..paths import PACKAGE

SECTION = re.compile(r"^(Parameters|Returns|Raises|References|Examples)\n-+\n", re.M)
ENTRY = re.compile(r"^(?P<names>\S.*)\n(?P<text>(?: {4}.*(?:\n|\Z)|\n(?= {4}))+)", re.M)
SHAPE = re.compile(r"\[\.\.\.,[^\]]*\]")


def render(modules: dict[str, Module]) -> str:
    """Every public name under its module, after a list of links to all of them."""
    listed = [f"- `{module}`: {', '.join(map(link, names))}" for module, names in by_module(modules).items()]
    parts = ["\n".join(listed)]
    for module, names in by_module(modules).items():
        parts.append(f"## {module} {{ #attention.{module} }}")
        parts.append(
            english(markdown(documentation(ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_text("utf-8")))))
        )
        parts += [entry(source.definition(name, "", modules)) for name in names]
    return "\n\n".join(parts)


def public(modules: dict[str, Module]) -> list[str]:
    """The names that `attention` exports."""
    node = source.definition("__all__", "", modules).node
    assert isinstance(node, ast.Assign)
    return list(ast.literal_eval(node.value))


def by_module(modules: dict[str, Module]) -> dict[str, list[str]]:
    """The public names of each module, in the order in which they stand there."""
    names = set(public(modules))
    homes = sorted({source.definition(name, "", modules).module for name in names})
    return {home: [name for name in modules[home].definitions if name in names] for home in homes}


def link(name: str) -> str:
    return f"[`{name}`](#attention.{name})"


def entry(definition: source.Definition) -> str:
    """One name: its heading, how it is called, what its docstring says, and its methods."""
    parts = [heading(3, definition.name), fence("python", signature(definition.node, definition.text))]
    if isinstance(definition.node, ast.ClassDef | ast.FunctionDef):
        parts.append(english(markdown(documentation(definition.node))))
    for node in methods(definition.node):
        text = "\n".join(definition.text.splitlines()[node.lineno - source.first_line(definition.node) :])
        parts += [heading(4, f"{definition.name}.{node.name}"), fence("python", signature(node, text))]
        parts.append(english(markdown(documentation(node))))
    return "\n\n".join(parts)


def heading(level: int, name: str) -> str:
    title = f"len({name.removesuffix('.__len__')})" if name.endswith(".__len__") else name.replace("_", r"\_")
    return f"{'#' * level} {title} {{ #attention.{name.replace('__', '')} }}"


def methods(node: ast.stmt) -> Iterator[ast.FunctionDef]:
    """What a class offers: its public methods, and `len()` of it."""
    for inner in getattr(node, "body", []) if isinstance(node, ast.ClassDef) else []:
        if isinstance(inner, ast.FunctionDef) and (inner.name[0] != "_" or inner.name == "__len__"):
            yield inner


def signature(node: ast.stmt, text: str) -> str:
    """What one needs to see to call it: the lines up to the docstring; a class's fields; a constant as it is."""
    lines = text.splitlines()
    if isinstance(node, ast.FunctionDef):
        decorated = [f"@{ast.unparse(each)}\n" for each in node.decorator_list]
        head = "\n".join(lines[: node.body[0].lineno - node.lineno])
        return "".join(decorated) + inspect.cleandoc(head).removesuffix(":")
    if isinstance(node, ast.ClassDef):
        fields = [f"    {ast.unparse(inner)}" for inner in node.body if isinstance(inner, ast.AnnAssign)]
        constructors = [inner for inner in node.body if isinstance(inner, ast.FunctionDef) and inner.name == "__init__"]
        signatures = [f"    def __init__({ast.unparse(one.args)}) -> None: ..." for one in constructors]
        start = node.lineno - source.first_line(node)
        return "\n".join([*lines[: start + 1], *fields, *signatures])
    return text


def documentation(node: ast.AST) -> str:
    assert isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    return ast.get_docstring(node) or ""


def markdown(docstring: str) -> str:
    """A docstring in numpydoc's form as Markdown: sections get their names in bold, entries become a list."""
    first, *rest = SECTION.split(docstring)
    parts = [paragraphs(first)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        listed = ENTRY.sub(item, body.strip("\n") + "\n") if title in ("Parameters", "Raises") else paragraphs(body)
        parts.append(f"**{title}**\n\n{listed.strip()}")
    return "\n\n".join(parts)


def item(match: re.Match[str]) -> str:
    names = ", ".join(f"`{name}`" for name in match["names"].split(", "))
    return f"- {names}: {SHAPE.sub(r'`\g<0>`', ' '.join(match['text'].split()))}\n"


def paragraphs(text: str) -> str:
    """Prose as it is; shapes and examples as code."""
    return "\n\n".join(paragraph(block) for block in re.split(r"\n{2,}", text.strip()))


def paragraph(block: str) -> str:
    if block.startswith(">>>"):
        return fence("pycon", block.replace("<BLANKLINE>", ""))
    return fence("text", block) if block.startswith(("[", "-> ")) else SHAPE.sub(r"`\g<0>`", block)


def fence(kind: str, text: str) -> str:
    return f"```{kind}\n{text}\n```"


def english(text: str) -> str:
    """Text that stays in English on every page, and says so to screen readers."""
    return f'<div class="docstring" lang="en" markdown="1">\n\n{text}\n\n</div>'
