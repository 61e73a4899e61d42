"""A line break inside a Chinese sentence leaves no gap, and no line ends inside a number or before its unit."""

import re

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

HAN = r"[\u3400-\u9fff\uf900-\ufaff]"
FULL_WIDTH = r"[，。；：？！、）》”’…—]"
NUMBER = re.compile(r"(?<=\d) (?=%|\d{3}(?!\d)|[kKMGT]i?B\b)")
# Lists, headings, quotations, tables, code, formulas and boxes; then rules, definitions and references.
BLOCK = re.compile(r"\s*(?:[-*+] |\d+\. |[#>|`$!?\x02]|~~~|(?:[-*_=]\s*){3,}|:\s{3}|\{:|\[TOC\]|\*?\[[^\]]+\]:|\Z)")


def continues(before: str, line: str) -> bool:
    """Whether `line` goes on with the Chinese sentence that `before` breaks off."""
    if not before.strip() or BLOCK.match(line) or before.lstrip().startswith(("#", "|", "!!!", "???")):
        return False
    after_stop = re.search(f"{FULL_WIDTH}$", before)
    return bool(after_stop or (re.search(f"{HAN}$", before) and re.match(rf"\s*(?:{HAN}|[“‘（《])", line)))


def join(lines: list[str]) -> list[str]:
    joined: list[str] = []
    for line in lines:
        if joined and continues(joined[-1], line):
            joined[-1] += line.strip()
        else:
            joined.append(line)
    return joined


def together(text: str) -> str:
    """The text with no line end inside a number or before its unit."""
    return NUMBER.sub("\N{NO-BREAK SPACE}", text)


class JoinHan(Preprocessor):
    """Works on the lines that are left once fenced blocks have been taken out."""

    def run(self, lines: list[str]) -> list[str]:
        return [together(line) for line in join(lines)]


class HanExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.preprocessors.register(JoinHan(md), "join-han", 15)  # after superfences (25) and raw HTML (20)


def makeExtension(**options: object) -> HanExtension:  # noqa: N802 (the name Markdown calls)
    return HanExtension(**options)
