"""The statements of a program that a later one needs: a backward slice over names, at the top level only."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from symtable import SymbolTable, symtable

import numpy as np

SCOPES = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Methods of arrays, texts and dictionaries that change nothing.
PURE = set(dir(str)) | set(dir(tuple)) | {"copy", "get", "items", "keys", "values"}
PURE |= set(dir(np.ndarray)) - {"fill", "itemset", "partition", "put", "resize", "setfield", "setflags", "sort"}
type Names = frozenset[str]
DEFINITE = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def needed(before: list[ast.stmt], program: list[ast.stmt]) -> list[ast.stmt]:
    """Return those of the earlier statements without which the wanted ones would not do what they do.

    A statement is needed if it gives a value to a name that is read later on, or changes what the name stands for:
    `x = ...`, `x[0] = ...`, `x += ...`, `x.append(...)` and, where x is a random generator, `x.normal()`. Going
    backwards, the search for a name ends where it is given a value whatever happens.

    >>> program = ast.parse("x = [1]; y = 2; x.append(3); z = 4; x").body
    >>> [ast.unparse(one) for one in needed(program[:-1], program[-1:])]
    ['x = [1]', 'x.append(3)']
    """
    functions = Functions(before + program)
    drawn = union(map(generators, before))
    modules = union(written(statement) for statement in before if isinstance(statement, ast.Import))
    kept: list[ast.stmt] = []
    missing: Names = frozenset()
    for statement in reversed(program):
        missing = missing - overwritten(statement) | functions.read_by(statement)
    for statement in reversed(before):
        reads = functions.read_by(statement)
        touched = written(statement) | functions.changed_by(statement) - modules | reads & drawn
        if missing & touched:
            kept.insert(0, statement)
            missing = missing - overwritten(statement) | reads
    return kept


class Functions:
    """The functions of a program: what a statement reads and changes is also what those it names do."""

    def __init__(self, program: list[ast.stmt]) -> None:
        self.reads: dict[str, Names] = {}
        self.changes: dict[str, Names] = {}
        for function in (one for one in program if isinstance(one, ast.FunctionDef)):
            self.reads[function.name] = self.reads.get(function.name, frozenset()) | read(function)
            self.changes[function.name] = self.changes.get(function.name, frozenset()) | effect(function)

    def read_by(self, statement: ast.stmt) -> Names:
        """The names read by the statement, by the functions it names, by those that these name, and so on."""
        names, new = read(statement), read(statement)
        while new := union(self.reads[name] for name in new & self.reads.keys()) - names:
            names |= new
        return names

    def changed_by(self, statement: ast.stmt) -> Names:
        """The names whose objects the statement may change; a definition alone changes nothing."""
        if isinstance(statement, ast.FunctionDef):
            return frozenset()
        called = self.read_by(statement) & self.changes.keys()
        return changed(statement).union(*(self.changes[name] for name in called))


@cache
def effect(function: ast.FunctionDef) -> Names:
    """The top-level names whose objects a function changes."""
    own = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    return union(map(changed, function.body)) - union(map(written, function.body)) - own


@cache
def generators(statement: ast.stmt) -> Names:
    """The names that the statement makes stand for a random generator."""
    return frozenset(
        target.id
        for node in outside_scopes(statement)
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("np.random.default_rng(")
        for target in node.targets
        if isinstance(target, ast.Name)
    )


@cache
def read(statement: ast.stmt) -> Names:
    """The names that must have a value before the statement, also where only its functions read them."""
    augmented = frozenset(
        node.target.id
        for node in outside_scopes(statement)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    )
    names = referenced(symtable(ast.unparse(statement), "statement", "exec"))
    if isinstance(statement, ast.For):  # its own variables have a value before its body reads them
        names -= stored(statement.target) - loaded(statement.iter)
    return names | augmented | changed(statement)


def referenced(scope: SymbolTable) -> Names:
    """The top-level names that are read in a scope or in one inside it."""
    top = scope.get_type() == "module"
    here = (one.get_name() for one in scope.get_symbols() if one.is_referenced() and (top or one.is_global()))
    return union([frozenset(here), *map(referenced, scope.get_children())])


def stored(node: ast.AST) -> Names:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))


def loaded(node: ast.AST) -> Names:
    return frozenset(one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))


def overwritten(statement: ast.stmt) -> Names:
    """The names that always have a new value after the statement."""
    return written(statement) if isinstance(statement, DEFINITE) else frozenset()


@cache
def written(statement: ast.stmt) -> Names:
    """The top-level names that the statement, or one inside it, may give a value."""
    names: set[str] = set()
    for node in outside_scopes(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return frozenset(names)


@cache
def changed(statement: ast.stmt) -> Names:
    """The names whose object may be changed in place: an assignment to a part of it, a call of its method, an `out`."""
    names: set[str] = set()
    for node in outside_scopes(statement):
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= root(node)
        elif isinstance(node, ast.Call):
            names |= union(root(keyword.value) for keyword in node.keywords if keyword.arg == "out")
            if isinstance(node.func, ast.Attribute) and node.func.attr not in PURE:
                names |= root(node.func.value)
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
        ):
            names |= union(map(root, node.value.args[:1]))  # np.fill_diagonal(x, 0), rng.shuffle(x)
    return frozenset(names)


def root(node: ast.expr) -> Names:
    """The name at the left end of x, x[0], x.y and x.y[0].z."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return frozenset([node.id] if isinstance(node, ast.Name) else [])


def union(sets: Iterable[Names]) -> Names:
    return frozenset().union(*sets)


def outside_scopes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it that is not inside a function, a class or a comprehension."""
    yield node
    if not isinstance(node, SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from outside_scopes(child)
