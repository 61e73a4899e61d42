"""What a section is made of, apart from its sentences: all that must be the same in every language."""

import re
from collections.abc import Callable, Iterator

from ..markdown.page import FENCE
from .figures import figures
from .programs import programs
from .sections import COMMENT, FENCED, blanked, line_of

Item = tuple[str, int]  # what it is, and its line within the section
CODE = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)", re.S)
LINK = re.compile(r"\]\(\s*<?(?P<target>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|\bhref=\"(?P<href>[^\"]+)\"")
DEFINED = re.compile(r"^ *\[(?!\^)[^\]\n]+\]: *<?(?P<target>[^\s>]+)", re.M)
AUTOLINK = re.compile(r"(?<!\]\()(?<!\]: )<(?P<target>(?:https?://|mailto:)[^\s>]+)>")
FOOTNOTE = re.compile(r"\[\^[\w-]+\]:?")
BLOCK = re.compile(r"^(?P<indent> *)(?P<marker>!!!|\?\?\?\+?|===)\+? +(?P<kind>[\w-]+|\")", re.M)
INDENT = 4  # what Python-Markdown asks of an item inside an item
ITEM = re.compile(r" *(?:([-*+])|\d+\.) +\S")
FORMULA = re.compile(
    r"(?<!\\)\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\$A-Za-z0-9])\$(?=\S)(?P<inline>(?:(?!\n\s*\n)[^$])+?)(?<=\S)\$(?![A-Za-z0-9])",
    re.S,
)
TABLE = re.compile(r"(?:^ *\|.*\n?)+", re.M)


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


def formulas(text: str) -> Iterator[Item]:
    """The formulas, white space and the words in them aside."""
    sentences = prose(text)
    for match in FORMULA.finditer(sentences):
        formula = re.sub(r"\\text\{[^{}]*\}|\s+", "", match["block"] or match["inline"])
        yield f"${formula}$", line_of(sentences, match.start())


def blocks(text: str) -> Iterator[Item]:
    """Admonitions, folds and tabs, with how deep they stand."""
    for match in BLOCK.finditer(blanked(text, FENCED, COMMENT)):
        kind = "tab" if match["kind"] == '"' else match["kind"]
        depth = len(match["indent"]) // 4
        yield f"{match['marker']} {kind}{f' (depth {depth})' if depth else ''}", line_of(text, match.start())


def links(text: str) -> Iterator[Item]:
    """Where links lead: those in the text, then addresses in angle brackets and the targets of reference links."""
    sentences = prose(text)
    for match in LINK.finditer(sentences):
        yield match["target"] or match["href"], line_of(text, match.start())
    for pattern in (AUTOLINK, DEFINED):
        for match in pattern.finditer(sentences):
            yield match["target"], line_of(text, match.start())


def footnotes(text: str) -> Iterator[Item]:
    """Footnotes, and where the text calls them."""
    sentences = prose(text)
    for match in FOOTNOTE.finditer(sentences):
        yield match[0], line_of(sentences, match.start())


def lists(text: str) -> Iterator[Item]:
    """List items, with how deep they stand; a number that begins a line inside a paragraph is none."""
    before = ""
    around: list[int] = []  # the indentations of the items that this line is inside of
    for line, written in enumerate(prose(text).split("\n"), 1):
        indent = len(written) - len(written.lstrip())
        if (match := ITEM.match(written)) and (not before or ITEM.match(before) or before.startswith(" ")):
            around = [outer for outer in around if indent >= outer + INDENT]
            kind = "bullet" if match[1] else "numbered item"
            yield f"{kind}{f' (depth {len(around)})' if around else ''}", line
            around.append(indent)
        elif written.strip() and not before:
            around = [outer for outer in around if indent > outer]
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


# How each rule compares: in order, as often, or whether at all.
ORDERED: dict[str, Callable[[str], Iterator[Item]]] = {
    "cells": cells,
    "fences": fences,
    "programs": programs,
    "blocks": blocks,
}
COUNTED: dict[str, Callable[[str], Iterator[Item]]] = {
    "lists": lists,
    "tables": tables,
    "links": links,
    "footnotes": footnotes,
    "formulas": formulas,
}
PRESENT: dict[str, Callable[[str], Iterator[Item]]] = {"code": code, "numbers": figures}
