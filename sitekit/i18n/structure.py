"""What a section is made of, apart from its sentences: all that must be the same in every language."""

import re
from collections.abc import Callable, Iterator

from .. import numbers
from ..page import FENCE
from .sections import COMMENT, FENCED, blanked, line_of

Item = tuple[str, int]  # what it is, and its line within the section
CODE = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)", re.S)
LINK = re.compile(r"\]\(\s*<?(?P<target>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|\bhref=\"(?P<href>[^\"]+)\"")
BLOCK = re.compile(r"^(?P<indent> *)(?P<marker>!!!|\?\?\?\+?|===)\+? +(?P<kind>[\w-]+|\")", re.M)
ITEM = re.compile(r" *(?:([-*+])|\d+\.) +\S")
TABLE = re.compile(r"(?:^ *\|.*\n?)+", re.M)
SCALE = {"万": 1e4, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
UNIT = re.compile(rf"\s?({'|'.join(SCALE)})\b|\s?([万亿])")


def prose(text: str) -> str:
    """The section without fenced blocks, comments and inline code; lines stay."""
    return blanked(text, FENCED, COMMENT, CODE)


def cells(text: str) -> Iterator[Item]:
    for match in FENCE.finditer(text):
        options = match["options"].strip()
        yield f"{match['body'].strip()}{f' {options}' if options else ''}", line_of(text, match.start())


def fences(text: str) -> Iterator[Item]:
    """Fenced blocks that are no cells: their language."""
    for match in FENCED.finditer(text):
        first = match[0].strip().partition("\n")[0].strip()
        if not re.match(r"`{3,}cell\b", first):
            body = f" {match[0].split(chr(10))[1].strip()}" if "generated" in first else ""
            yield first + body, line_of(text, match.start())


def blocks(text: str) -> Iterator[Item]:
    """Admonitions, folds and tabs, with how deep they stand."""
    for match in BLOCK.finditer(blanked(text, FENCED, COMMENT)):
        kind = "tab" if match["kind"] == '"' else match["kind"]
        depth = len(match["indent"]) // 4
        yield f"{match['marker']} {kind}{f' (depth {depth})' if depth else ''}", line_of(text, match.start())


def links(text: str) -> Iterator[Item]:
    for match in LINK.finditer(prose(text)):
        yield match["target"] or match["href"], line_of(text, match.start())


def lists(text: str) -> Iterator[Item]:
    """List items; a number that begins a line inside a paragraph is none."""
    before = ""
    for line, written in enumerate(prose(text).split("\n"), 1):
        if (found := ITEM.match(written)) and (not before or ITEM.match(before) or before.startswith(" ")):
            yield ("bullet" if found[1] else "numbered item"), line
        before = written if written.strip() else ""


def tables(text: str) -> Iterator[Item]:
    for match in TABLE.finditer(blanked(text, FENCED, COMMENT)):
        rows = [row for row in match[0].split("\n") if row.strip()]
        ruled = next((row for row in rows if re.fullmatch(r"[\s|:-]+", row)), rows[0])
        columns = len([cell for cell in ruled.strip().strip("|").split("|")])
        yield f"table of {len(rows)} rows, {columns} columns", line_of(text, match.start())


def code(text: str) -> Iterator[Item]:
    for match in CODE.finditer(blanked(text, FENCED, COMMENT)):
        yield " ".join(match["code"].split()), line_of(text, match.start())


def figures(text: str) -> Iterator[Item]:
    """The numbers in the prose, each as what it is worth: 1.2 亿 and 120 million are the same, 第 392 and 392nd."""
    said = ORDINAL.sub("  ", numbers.prose(blanked(text, COMMENT)))
    for number, end in numbers.located(said):
        unit = UNIT.match(said, end)
        scale = SCALE[unit[1] or unit[2]] if unit else 1
        yield f"{number.value * scale:.10g}{' %' if number.percent else ''}", number.line


# How each rule compares: in order, as often, or whether at all.
ORDERED: dict[str, Callable[[str], Iterator[Item]]] = {"cells": cells, "fences": fences, "blocks": blocks}
COUNTED: dict[str, Callable[[str], Iterator[Item]]] = {"lists": lists, "tables": tables, "links": links}
PRESENT: dict[str, Callable[[str], Iterator[Item]]] = {"code": code, "numbers": figures}
