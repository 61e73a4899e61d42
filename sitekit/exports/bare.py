"""The package's functions as a script that stands alone brings them: without checks, annotations and module names."""

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from token import FSTRING_END, FSTRING_START, NAME, OP, STRING
from tokenize import COMMENT, generate_tokens

from attention import MODELS
from lessonkit.plain import FORMS

from ..lessons import source
from ..lessons.source import CORE, Definition, Module

PLAIN = "lessonkit.plain"
Key = tuple[str, str]  # module and name


@dataclass
class Bare:
    """Definitions in the order in which they can stand, and the imports they need."""

    imports: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)

    def code(self) -> str:
        return "\n\n".join(self.texts)


@dataclass(frozen=True)
class Piece:
    """A definition as a script has it: its text, the tree of that text, and its arguments' names."""

    text: str
    tree: ast.AST
    arguments: frozenset[str]


def bare(names: Iterable[str], nodes: Sequence[ast.AST], occupied: Collection[str], known: dict[str, Module]) -> Bare:
    """Collect what a program of these nodes needs, which uses these public names; `occupied` names are its own."""
    chosen = {form(name, nodes, known): name for name in names if name != "MODELS"}
    return collect(chosen, nodes, occupied, known, models="MODELS" in names)


def collect(
    chosen: dict[Key, str], nodes: Sequence[ast.AST], occupied: Collection[str], known: dict[str, Module], models: bool
) -> Bare:
    """Collect the definitions that were chosen, each by the name it is to have, and all that they need."""
    taken: dict[Key, Definition] = {}
    result = Bare()

    def take(here: Definition) -> None:
        key = here.module, here.name
        if key in taken:
            return
        taken[key] = here
        module = known[here.module]
        for node in ast.walk(piece(here).tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == CORE:
                take(source.definition(node.attr, CORE, known))
            elif isinstance(node, ast.Name) and node.id in module.imports:
                result.imports.add(module.imports[node.id])
            elif isinstance(node, ast.Name) and node.id in module.definitions:
                take(module.definitions[node.id])
            elif isinstance(node, ast.Name) and node.id in module.neighbours and node.id != CORE:
                take(source.definition(node.id, module.neighbours[node.id], known))
        taken[key] = taken.pop(key)  # after all that it uses

    for key in [*chosen, *([(PLAIN, "Config")] if models else [])]:
        take(source.definition(key[1], key[0], known))
    aliases = flat_names(taken, chosen, {*occupied, *(name for one in taken.values() for name in piece(one).arguments)})
    result.texts = [renamed(here, aliases, known[here.module]) for here in taken.values()]
    if models:
        result.texts.append(models_used(nodes))
    if any("namedtuple(" in text for text in result.texts):
        result.imports.add("from collections import namedtuple")
    result.imports.discard("from typing import NamedTuple")
    return result


def form(name: str, nodes: Sequence[ast.AST], known: dict[str, Module]) -> Key:
    """The shortest form of a public function that has every argument with which the program calls it."""
    forms = [(CORE, one.removeprefix(f"{CORE}.")) if "." in one else (PLAIN, one) for one in FORMS.get(name, (name,))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and called(node) == name]
    options, takes_care = mentioned(nodes), careful(name, nodes)
    for key in forms[:-1]:
        here = source.definition(key[1], key[0], known)
        if not takes_care and all(fits(call, here, options) for call in calls):
            return key
    return forms[-1]


def fits(call: ast.Call, here: Definition, options: Collection[str]) -> bool:
    """Whether the function has every argument of the call and needs no other; the core wants arrays, no lists.

    Which arguments hide in **options is not written there: `options` are all that the program mentions.
    """
    assert isinstance(here.node, ast.FunctionDef)
    parameters = here.node.args
    names = [one.arg for one in [*parameters.args, *parameters.kwonlyargs]]
    given = {keyword.arg for keyword in call.keywords if keyword.arg}
    if any(keyword.arg is None for keyword in call.keywords):
        given.update(options)
    if not given <= set(names) or len(call.args) > len(parameters.args):
        return False
    if here.module == CORE and any(isinstance(one, ast.List | ast.ListComp) for one in call.args):
        return False
    required = names[: len(parameters.args) - len(parameters.defaults)]
    spread = any(isinstance(one, ast.Starred) for one in call.args)
    return spread or set(required) <= {*names[: len(call.args)], *given}


def mentioned(nodes: Sequence[ast.AST]) -> set[str]:
    """The options of attention and of its layers that a program names, as an argument or in a text."""
    names = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    names |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return names & {"mask", "bias", "causal", "window", "scale", "b_q", "b_k", "b_v", "b_o"}


def careful(name: str, nodes: Sequence[ast.AST]) -> bool:
    """Whether a program relies on what the shortest forms do not promise: NaN, heads that share keys, a refusal."""
    tries = [node for node in nodes if isinstance(node, ast.Try)]
    refused = (node for one in tries for statement in one.body for node in ast.walk(statement))
    words = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
    }
    return bool({"nan", "n_kv_heads", "repeat_heads"} & words) or any(
        isinstance(node, ast.Call) and called(node) == name for node in refused
    )


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def models_used(nodes: Sequence[ast.AST]) -> str:
    """Of the table of models the rows that the program names, or all where it goes through them."""
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == "MODELS"]
    keys = {
        node.slice.value
        for node in nodes
        if isinstance(node, ast.Subscript) and node.value in uses and isinstance(node.slice, ast.Constant)
    }
    complete = len(uses) != sum(
        isinstance(node, ast.Subscript) and node.value in uses and isinstance(node.slice, ast.Constant)
        for node in nodes
    )
    rows = []
    for name, config in MODELS.items():
        if complete or name in keys:
            numbers = [config.n_layers, config.d_model, config.n_heads, config.n_kv_heads, config.d_head, config.d_ff]
            rest = [config.gated, config.window, config.n_windowed_layers]
            while rest and not rest[-1]:
                rest.pop()
            rows.append(f'    "{name}": Config({", ".join(map(repr, [*numbers, *rest]))}),')
    return "\n".join(["MODELS = {", *rows, "}"])


@cache
def piece(here: Definition) -> Piece:
    """The definition without annotations, and a tuple with names in one line."""
    text = named_tuple(here.node) if is_named_tuple(here.node) else without_annotations(source.brief(here))
    tree = ast.parse(text)
    arguments = frozenset(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg))
    return Piece(text, tree, arguments)


def without_annotations(text: str) -> str:
    """The source of functions and assignments, each def in one line, its comment kept."""
    lines = text.splitlines()
    tree = ast.parse(text)
    fields = {one for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AnnAssign)]
    nodes = [node for node in nodes if isinstance(node, ast.FunctionDef) or node not in fields]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        if isinstance(node, ast.AnnAssign):
            before = lines[node.lineno - 1]
            lines[node.lineno - 1] = re.sub(r"^(\s*\w+): .*? = ", r"\1 = ", before)
            continue
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        end = node.body[0].lineno - 1
        comment = comment_of("\n".join(lines[node.lineno - 1 : end]))
        header = " " * node.col_offset + f"def {node.name}({ast.unparse(node.args)}):"
        lines[node.lineno - 1 : end] = [f"{header}  {comment}".rstrip()]
    return double_quoted(re.sub("  # noqa.*", "", "\n".join(lines)))


def comment_of(header: str) -> str:
    """The comment at the end of a def."""
    tokens = generate_tokens(StringIO(header + "\n    ...\n").readline)
    return " ".join(token.string for token in tokens if token.type == COMMENT)


def is_named_tuple(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and [ast.unparse(base) for base in node.bases] == ["NamedTuple"]


def named_tuple(node: ast.stmt) -> str:
    """A NamedTuple as a namedtuple, with its methods if it has any."""
    assert isinstance(node, ast.ClassDef)
    fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    names = " ".join(one.target.id for one in fields if isinstance(one.target, ast.Name))
    defaults = [ast.unparse(one.value) for one in fields if one.value]
    more = f", defaults=({', '.join(defaults)})" if defaults else ""
    made = f'namedtuple("{node.name}", "{names}"{more})'
    methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    if not methods:
        return f"{node.name} = {made}"
    body = "\n\n".join(ast.unparse(one) for one in methods)
    return without_annotations(f"class {node.name}({made}):\n" + re.sub("^(?=.)", "    ", body, flags=re.M))


def flat_names(taken: Iterable[Key], chosen: dict[Key, str], occupied: Collection[str]) -> dict[Key, str]:
    """The name of each definition in a script: the public one where it was asked for, else its own if it is free."""
    names = dict(chosen)
    for key in taken:
        if key not in names:
            name = key[1]
            while name in occupied or name in names.values():
                name = f"_{name}"
            names[key] = name
    return names


def renamed(here: Definition, names: dict[Key, str], module: Module) -> str:
    """The bare text with the names that its script has for what it uses."""
    text = piece(here).text
    tokens = [token for token in generate_tokens(StringIO(text).readline) if token.type in (NAME, OP)]
    lines = text.splitlines()
    own = piece(here).arguments
    for before, dot, token in reversed([*zip([None, None, *tokens], [None, *tokens], tokens, strict=False)]):
        start, (row, end) = token.start[1], token.end
        if before and dot and before.string == CORE and dot.string == "." and CORE in module.neighbours:
            start, key = before.start[1], (CORE, token.string)
        elif (dot and dot.string == ".") or token.string in own:
            continue
        elif token.string in module.definitions:
            key = here.module, token.string
        elif token.string in module.neighbours and (CORE, token.string) in names:
            key = CORE, token.string
        else:
            continue
        lines[row - 1] = lines[row - 1][:start] + names.get(key, token.string) + lines[row - 1][end:]
    return "\n".join(lines)


def double_quoted(text: str) -> str:
    """The text with the quotation marks that its surroundings use; `ast.unparse` writes the others."""
    lines, depth = text.splitlines(), 0
    for token in reversed([*generate_tokens(StringIO(text).readline)]):
        (row, start), (last, end) = token.start, token.end
        depth += (token.type == FSTRING_END) - (token.type == FSTRING_START)
        if token.type == STRING and not depth and row == last and re.fullmatch(r"'[^'\"\\]*'", token.string):
            lines[row - 1] = f'{lines[row - 1][:start]}"{token.string[1:-1]}"{lines[row - 1][end:]}'
    return "\n".join(lines)
