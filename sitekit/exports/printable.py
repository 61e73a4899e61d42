"""A lesson's code as a script has it: in one language, tables and pictures as text, recordings as literals."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from string import Formatter
from typing import Any

from lessonkit import recording
from lessonkit.labels import LABELS

from ..languages import chosen
from ..lessons.execute import LessonError
from .bare import double_quoted

TABLE, TOGETHER, PICTURES = "Table", "Together", ("Flow", "Heat", "Maps", "Plot")
PARTS = {"Box", "Labels", "Line"}  # of pictures, and where their words come from
FIGURE = "Figure"  # answers the hand on the site; elsewhere its last argument is shown
SHOWN = (TABLE, TOGETHER, FIGURE, *PICTURES, *PARTS, "recording")
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Assert)
BLOCKS = (ast.For, ast.While, ast.If, ast.With, ast.Try)


class Printable(ast.NodeTransformer):
    """Puts texts in one language for labels, and text for what a page shows."""

    def __init__(self, language: str, entries: Mapping[str, Any]) -> None:
        self.language, self.entries, self.changed = language, entries, False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """labels["key"] as a literal."""
        if not is_name(node.value, "labels"):
            return self.generic_visit(node)
        if not isinstance(node.slice, ast.Constant):
            raise LessonError(f'{ast.unparse(node)}: a script needs the label\'s name in quotes, labels["name"]')
        self.changed = True
        return literal(self.entries[str(node.slice.value)], None)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """labels("key", n=3) as a literal; what a page shows as text."""
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "labels" and isinstance(node.args[0], ast.Constant):
            self.changed = True
            return literal(self.entries[str(node.args[0].value)], node.keywords)
        node.keywords = [one for keyword in node.keywords for one in unpacked(keyword)]
        if name not in (TABLE, TOGETHER, FIGURE, *PICTURES):
            return node
        self.changed = True
        if name == TABLE:
            return self.table(node)
        if name == FIGURE:
            return node.args[-1]
        if name == TOGETHER:
            return ast.Call(ast.Attribute(ast.Constant("\n\n"), "join"), node.args, [])
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        return joined(given["caption"], ast.Constant(": "), given["alt"])

    def table(self, node: ast.Call) -> ast.Call:
        """The call of `table` in place of one of `Table`: a role's caption in words, nothing that only a page has."""
        values, *positional = node.args
        given: dict[str | None, ast.expr] = {}
        for name, value in zip(("role", "rows", "cols"), positional, strict=False):
            given[name] = value
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        role = given.pop("role", ast.Constant(""))
        if "caption" not in given and isinstance(role, ast.Constant) and role.value:
            given["caption"] = ast.Constant(chosen(LABELS[str(role.value)], self.language))
        if isinstance(role, ast.Constant) and role.value == "weights":
            given.setdefault("percent", ast.Constant(True))
        if "percent" in given:
            given.setdefault("digits", ast.Constant(1))
        kept = [
            ast.keyword(name, given[name]) for name in ("rows", "cols", "caption", "digits", "percent") if name in given
        ]
        kept += [keyword for keyword in node.keywords if keyword.arg is None]
        return ast.Call(ast.Name("table"), [values], kept)


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def unpacked(keyword: ast.keyword) -> Iterator[ast.keyword]:
    """The arguments in **{"name": value}, or the argument itself."""
    if keyword.arg is None and isinstance(keyword.value, ast.Dict):
        for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
            if isinstance(key, ast.Constant):
                yield ast.keyword(str(key.value), value)
    else:
        yield keyword


def literal(entry: Any, values: list[ast.keyword] | None) -> ast.expr:
    """An entry of labels as code; with `values`, its texts have places for them."""
    if isinstance(entry, dict):
        return ast.Dict([ast.Constant(key) for key in entry], [literal(inner, values) for inner in entry.values()])
    if isinstance(entry, list):
        return ast.List([literal(inner, values) for inner in entry])
    text = str(entry)
    return ast.Constant(text) if values is None else filled(text, values)


def filled(text: str, values: list[ast.keyword]) -> ast.expr:
    """A text with values in it: an f-string where each place names a value, else a call of format."""
    given = {keyword.arg: keyword.value for keyword in values if keyword.arg}
    pieces = [*Formatter().parse(text)]
    places = [field for _, field, _, _ in pieces if field is not None]
    if not places:
        return ast.Constant("".join(before for before, _, _, _ in pieces))
    if not all(place in given for place in places):
        used = {re.split(r"[.\[]", place)[0] for place in places}
        kept = [keyword for keyword in values if keyword.arg is None or keyword.arg in used]
        return ast.Call(ast.Attribute(ast.Constant(text), "format"), [], kept)
    parts: list[ast.expr] = []
    for before, field, spec, _ in pieces:
        parts += [ast.Constant(before)] if before else []
        if field is not None:
            form = ast.JoinedStr([ast.Constant(spec)]) if spec else None
            parts.append(ast.FormattedValue(given[field], -1, form))
    return ast.JoinedStr(parts)


def joined(*parts: ast.expr) -> ast.expr:
    """Texts one behind the other: as one literal where they are literals, else added."""
    if all(isinstance(part, ast.Constant | ast.JoinedStr) for part in parts):
        values = [one for part in parts for one in (part.values if isinstance(part, ast.JoinedStr) else [part])]
        if all(isinstance(one, ast.Constant) for one in values):
            return ast.Constant("".join(str(one.value) for one in values if isinstance(one, ast.Constant)))
        return ast.JoinedStr(values)
    first, *rest = parts
    for part in rest:
        first = ast.BinOp(first, ast.Add(), part)
    return first


def printable(code: str, language: str, entries: Mapping[str, Any]) -> str:
    """The code with what `Printable` changes, statement by statement; all else stands as it was written."""
    lines = code.splitlines()
    for statement in reversed([*simple_statements(ast.parse(code).body)]):
        transformer = Printable(language, entries)
        result = transformer.visit(statement)
        end = statement.end_lineno or statement.lineno
        if PARTS & {
            node.id for node in ast.walk(result) if isinstance(node, ast.Name)
        }:  # of a picture that is words now
            lines[statement.lineno - 1 : end] = []
        elif transformer.changed:
            text = double_quoted(ast.unparse(ast.fix_missing_locations(result)))
            lines[statement.lineno - 1 : end] = [" " * statement.col_offset + text]
    return "\n".join(lines)


def simple_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that hold no others, in order, however deep they stand."""
    for statement in body:
        if isinstance(statement, SIMPLE):
            yield statement
        for name in ("body", "handlers", "orelse", "finalbody"):
            inner = getattr(statement, name, [])
            for one in inner if isinstance(inner, list) else []:
                if isinstance(one, ast.ExceptHandler):
                    yield from simple_statements(one.body)
                elif isinstance(one, ast.stmt):
                    yield from simple_statements([one])


@cache
def without_prints(code: str) -> str:
    """The code without what only prints, and without blocks in which nothing else was."""
    lines = code.splitlines()

    def prints(node: ast.stmt) -> bool:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return isinstance(node.value.func, ast.Name) and node.value.func.id == "print"
        return isinstance(node, BLOCKS) and all(prints(one) for one in node.body) and not others(node)

    def others(node: ast.stmt) -> bool:
        parts = [*getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
        parts += [one for handler in getattr(node, "handlers", []) for one in handler.body]
        return not all(prints(one) for one in parts)

    def drop(body: list[ast.stmt]) -> None:
        for node in body:
            if prints(node):
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
            elif isinstance(node, BLOCKS):
                drop(node.body)

    drop(ast.parse(code).body)
    return "\n".join(lines)


def with_recordings(program: list[ast.stmt]) -> dict[str, str]:
    """For each statement of a program that reads a recording: it with the part that the program uses as a literal."""
    result = {}
    for statement in program:
        if not any(isinstance(node, ast.expr) and recorded(node) for node in ast.walk(statement)):
            continue
        reader = Recordings(program, statement)
        changed = reader.visit(ast.parse(ast.unparse(statement)))
        if reader.literals:
            text = ast.unparse(ast.fix_missing_locations(changed))
            for name, literal_text in reader.literals.items():
                text = text.replace(name, literal_text)
            result[ast.unparse(statement)] = text
    return result


class Recordings(ast.NodeTransformer):
    """Puts what was recorded in place of recording("name"), but for what the program does not look up."""

    def __init__(self, program: list[ast.stmt], statement: ast.stmt) -> None:
        self.program, self.statement = program, statement
        self.literals: dict[str, str] = {}  # by the name that stands for it until the statement is text

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        base, path = path_of(node)
        if path and recorded(base):
            return self.stand_in(at(recording(recorded(base)), path))
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not recorded(node):
            return self.generic_visit(node)
        value: Any = recording(recorded(node))
        if isinstance(self.statement, ast.Assign) and recorded(self.statement.value):
            assert isinstance(self.statement.targets[0], ast.Name)
            value = pruned(value, paths_used(self.statement.targets[0].id, self.program))
        return self.stand_in(value)

    def stand_in(self, value: Any) -> ast.Name:
        """A name for the value, whose literal may be too long to go through a tree."""
        name = f"__recorded_{len(self.literals)}__"
        self.literals[name] = compact(value)
        return ast.Name(name)


def compact(value: Any) -> str:
    """The value as a literal without spaces."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(key)}:{compact(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return repr(value)


def recorded(node: ast.expr) -> str:
    """The name in recording("name"), or nothing."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "recording":
        return str(ast.literal_eval(node.args[0]))
    return ""


Path = tuple[str, ...]
EACH = "*"  # a step of a path: whatever the key


def path_of(node: ast.expr) -> tuple[ast.expr, Path]:
    """What x["a"][name] looks up: x, and a, then each."""
    path: Path = ()
    while isinstance(node, ast.Subscript):
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            path = (node.slice.value, *path)
        elif isinstance(node.slice, ast.Name | ast.Subscript):
            path = (EACH, *path)
        else:
            path = ()  # a number, or a part of a list: all of the list is needed
        node = node.value
    return node, path


def paths_used(name: str, program: list[ast.stmt], seen: frozenset[str] = frozenset()) -> set[Path]:
    """The paths below a name that a program looks up, also by other names that it gives them."""
    result: set[Path] = set()
    inner: set[ast.AST] = set()
    for statement in program:
        aliases, loops = dict(assigned(statement)), dict(loops_of(statement))
        for node in ast.walk(statement):
            base, path = path_of(node) if isinstance(node, ast.Subscript | ast.Name) else (None, ())
            if not isinstance(base, ast.Name) or base.id != name or not isinstance(base.ctx, ast.Load) or node in inner:
                continue
            alias = next((key for key, value in aliases.items() if value is node), loops.get(node))
            step = (EACH,) if node in loops else ()
            while isinstance(node, ast.Subscript):
                node = node.value
                inner.add(node)
            below: set[Path] = {()}
            if alias and alias not in {name, *seen}:
                below = paths_used(alias, program, seen | {name}) or {("",)}  # "": its being there
            result |= {(*path, *step, *rest) for rest in below}
    return result


def loops_of(statement: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """What a statement goes through, as x or x.values(), and the name that stands for each."""
    for node in ast.walk(statement):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
            through = node.iter
            if isinstance(through, ast.Call) and isinstance(through.func, ast.Attribute) and not through.args:
                if through.func.attr != "values":
                    continue
                through = through.func.value
            yield through, node.target.id


def assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment gives to whole expressions: a = x, and a, b = x, y."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Name):
            yield target.id, value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, its_value in zip(target.elts, value.elts, strict=True):
                if isinstance(one, ast.Name):
                    yield one.id, its_value


def at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def pruned(value: Any, paths: set[Path]) -> Any:
    """The value with nothing but what lies at these paths."""
    if () in paths:
        return value
    if isinstance(value, list) and all(path[0] in (EACH, "") for path in paths):
        return [pruned(inner, {path[1:] if path[0] == EACH else path for path in paths}) for inner in value]
    if not isinstance(value, dict):
        return value
    return {
        key: pruned(inner, {path[1:] for path in paths if path[0] in (key, EACH)})
        for key, inner in value.items()
        if any(path[0] in (key, EACH) for path in paths)
    }
