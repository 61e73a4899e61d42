"""What code of a lesson takes from the package: the functions it imports, and the recordings it reads."""

import ast
import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..languages import Language, chosen
from ..lessons.cells import PACKAGE as PACKAGE_NAME
from ..lessons.source import short
from ..paths import KIT


def from_package(node: ast.stmt) -> bool:
    """Whether the statement imports names from the package, or from what lessons show with."""
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in (PACKAGE_NAME, KIT.name)


def package_imports(nodes: Iterable[ast.stmt]) -> dict[str, str]:
    """The names that statements import from the package, and the module each names, if any."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and from_package(node):
            names |= {alias.name: short(node.module or "") for alias in node.names}
    return names


@cache
def recordings_read(code: str) -> frozenset[str]:
    """The names of the recordings that a cell reads: recording("name")."""
    return frozenset(
        node.args[0].value
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "recording"
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    )


def settle(code: str, language: Language, recorded: Iterable[str], reader: str, labels: dict[str, Any]) -> str:
    """The package's source, made to speak one language and to hold these recordings, and labels by lesson, itself.

    Of a recording comes what `reader`, the code that reads it, names.
    """
    texts = {name: compact(named_in(reader, read_recording(name))) for name in sorted(recorded)}
    code = re.sub(r"^( *)LANGUAGE = .*$", rf'\1LANGUAGE = "{language.code}"', code, flags=re.M)
    bundled = {lesson: {language.code: chosen(each, language.code)} for lesson, each in labels.items() if each}
    code = re.sub(r"^( *BUNDLED: .* = )\{\}.*$", lambda match: match[1] + repr(bundled), code, flags=re.M)
    return re.sub(r"^( *RECORDED: .* = )\{\}.*$", lambda match: match[1] + repr(texts), code, flags=re.M)


def read_recording(name: str) -> dict[str, Any]:
    return dict(json.loads((KIT / "recorded" / f"{name}.json").read_text("utf-8")))


def named_in(reader: str, recording: dict[str, Any]) -> dict[str, Any]:
    """The entries, and the entries of these, whose names stand in the code that reads them."""
    names = {node.value for node in ast.walk(ast.parse(reader)) if isinstance(node, ast.Constant)}

    def pick(entries: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in entries.items() if key in names}

    return {key: (pick(value) or value) if isinstance(value, dict) else value for key, value in pick(recording).items()}


def compact(recording: dict[str, Any]) -> str:
    return json.dumps(recording, ensure_ascii=False, separators=(",", ":"))
