"""A page cut into sections: each heading with an explicit id begins one; the text before the first belongs to it."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from . import front_matter
from .front_matter import Meta

FENCED = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})[^`<\n]*\n.*?^(?P=indent)(?P=ticks)[`~]* *$", re.M | re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
HEADING = re.compile(r"^(?P<level>#{1,6}) +(?P<title>.*?)(?: *\{:? *#(?P<id>[\w.-]+)[^}\n]*\})? *$", re.M)


@dataclass(frozen=True)
class Section:
    """A part of a page; `line` is that of its heading in the file, `start` that of its first line of text."""

    id: str
    level: int
    title: str
    line: int
    start: int
    text: str

    @property
    def hash(self) -> str:
        """What the text says, white space and comments aside, in twelve characters."""
        sentences = re.sub(r"\s+", "", COMMENT.sub("", self.text))
        return hashlib.sha256(sentences.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Document:
    """One page in one language: its front matter and its sections."""

    path: Path
    meta: Meta
    sections: tuple[Section, ...]
    unnamed: tuple[tuple[int, str], ...]  # headings without an id: line and title

    def section(self, name: str) -> Section | None:
        return next((section for section in self.sections if section.id == name), None)


def plain(path: Path) -> str:
    """The text of a file, with any line ends, with or without a byte order mark."""
    return normal(path.read_text("utf-8-sig"))


def normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def blanked(text: str, *patterns: re.Pattern[str]) -> str:
    """The text with all that matches turned into spaces; every character keeps its line and column."""
    for pattern in patterns:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def read(path: Path) -> Document:
    """Read a page and cut it."""
    return cut(path, plain(path))


def cut(path: Path, text: str) -> Document:
    head, body = front_matter.split(text)
    offset = head.count("\n")
    headings = list(HEADING.finditer(blanked(body, FENCED, COMMENT)))
    named = [heading for heading in headings if heading["id"]]
    unnamed = tuple(
        (offset + line_of(body, heading.start()), heading["title"]) for heading in headings if not heading["id"]
    )
    starts = [0, *(heading.start() for heading in named[1:])] if named else []
    ends = [*starts[1:], len(body)] if named else []
    meta = front_matter.read(text)
    sections = []
    for heading, start, end in zip(named, starts, ends, strict=True):
        line, first = offset + line_of(body, heading.start()), offset + line_of(body, start)
        title = heading["title"]
        sections.append(Section(heading["id"], len(heading["level"]), title, line, first, body[start:end]))
    return Document(path, meta, tuple(sections), unnamed)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
