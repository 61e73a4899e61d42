"""How Chinese is set: as autocorrect sets it, and with no line break inside a sentence that shows as a gap."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from ..markdown import han
from . import front_matter
from .report import Finding
from .sections import COMMENT, FENCED, Section, blanked
from .structure import CODE

FULL = r"[\u3400-\u9fff\uf900-\ufaff，。；：？！、（）《》“”‘’「」…—]"
ENDS = re.compile(rf"{FULL}[*_\]]*(?:\([^)\n]*\))?[*_]*$")
BEGINS = re.compile(rf"\s*[*_\[]*{FULL}")
BLOCK = re.compile(r"\s*(?:[-*+] |\d+\. |[#>|!?=:]|\Z)")
# Off: spaces at brackets (they would stand around links), dashes, and $ (formulas).
SETTINGS = '{"rules": {"space-bracket": 0, "space-dash": 0, "space-dollar": 0}}'
# A half-width mark, a straight quotation mark or a bracket that touches a Chinese character.
HALF = re.compile(
    rf"(?<={FULL})[,;:?!](?=\s|$|{FULL}|\*\*)|(?<=\*\*)[,;:](?={FULL})"
    rf"|\"(?={FULL})|(?<={FULL})\"|(?<!\])\((?={FULL})|(?<={FULL})(?<!\])\((?!http)"
)
PERCENT = re.compile(r"(?P<number>[\d.]*) ?％")
NOT_SET = (  # titles of boxes stand between straight quotation marks, attributes and targets are no text
    re.compile(r"\]\([^)\n]*\)"),
    re.compile(r"^ *(?:!!!|\?\?\?\+?|===).*$", re.M),
    re.compile(r"<[^>]+>"),
    re.compile(r"\$[^$]+\$"),
)
STAND_IN = "Xq{}X"


def applies(language: str) -> bool:
    return language.split("-")[0] == "zh"


@cache
def autocorrect() -> Any:
    import autocorrect_py

    module: Any = autocorrect_py  # its types leave out load_config
    module.load_config(SETTINGS)
    return module


def corrected(line: str) -> str:
    """The line as autocorrect would have it; inline code and links' targets are put aside, so is the indentation."""
    aside: list[str] = []

    def put(match: re.Match[str]) -> str:
        aside.append(match[0])
        return STAND_IN.format(len(aside) - 1)

    indent = line[: len(line) - len(line.lstrip())]
    text = CODE.sub(put, line.strip())
    if not re.search(FULL, text):
        return line
    better = autocorrect().format(text)
    for number, code in enumerate(aside):
        better = better.replace(STAND_IN.format(number), code)
    return f"{indent}{better}"


def gap(before: str, line: str) -> bool:
    """Whether the break between two lines shows as a space between two Chinese characters or marks."""
    if not before.strip() or BLOCK.match(line) or re.match(r"\s*(?:[#|]|!!!|\?\?\?|===)", before):
        return False
    return bool(ENDS.search(before.rstrip()) and BEGINS.match(line)) and not han.continues(before, line)


def check(file: str, section: Section) -> Iterator[Finding]:
    """All findings about the setting of one section."""
    lines = blanked(section.text, FENCED, COMMENT).split("\n")
    bare = blanked(section.text, FENCED, COMMENT, CODE, *NOT_SET).split("\n")
    for number, line in enumerate(lines):
        if (better := corrected(line).strip()) != line.strip():
            yield Finding(file, section.start + number, section.id, "typography", better, line.strip())
        elif half := HALF.search(bare[number]):
            around = bare[number][max(0, half.start() - 8) : half.end() + 8].strip()
            required = "full-width marks in Chinese text: ，。：；？！（）“”"
            yield Finding(file, section.start + number, section.id, "typography", required, f"{half[0]} in “{around}”")
        if percent := PERCENT.search(bare[number]):
            required = f"{percent['number']} %: a half-width sign behind a space"
            yield Finding(file, section.start + number, section.id, "typography", required, percent[0])
    for number, (line, following) in enumerate(pairwise(lines)):
        if gap(line, following):
            excerpt = f"…{line.strip()[-10:]}⏎{following.strip()[:10]}…"
            required = "no line break here: it would show as a space"
            yield Finding(file, section.start + number, section.id, "line breaks", required, excerpt)


def fixed(text: str) -> str:
    """The page with its Chinese set right; what is no running text stays as it is."""
    head, body = front_matter.split(text)
    lines = body.split("\n")
    prose = blanked(body, FENCED, COMMENT).split("\n")
    corrected_lines = [
        corrected(line) if line.strip() and line == visible else line
        for line, visible in zip(lines, prose, strict=True)
    ]
    joined: list[str] = []
    for number, line in enumerate(corrected_lines):
        if joined and lines[number] == prose[number] and gap(joined[-1], line):
            joined[-1] = joined[-1].rstrip() + line.strip()
        else:
            joined.append(line)
    return head + "\n".join(joined)
