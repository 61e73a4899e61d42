"""Numbers in prose, and whether a lesson has computed them."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import yaml

from .page import FENCE

SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
GROUP = "[ ,\u00a0\u202f]"
NUMBER = re.compile(
    r"(?<![\w.⁰-⁹])(?<![A-Za-z0-9]-)"  # not inside a name such as GPT-2, float32, or a longer number
    rf"(?P<number>\d{{1,3}}(?:{GROUP}\d{{3}})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)*)"
    r"(?:\s?(?:×|\\times|·)\s?10(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|\^\{?-?\d+\}?))?"
    r"(?P<percent>\s?\\?%)?(?![\w])"
)
CHAPTER = re.compile(r"第 ?\d+ ?[章节步行列课]|\b[Cc]hapters? \d+(?: (?:and|to) \d+)?")
# What is not prose: front matter, fenced blocks, code, links' targets, ids, addresses, characters by number.
NOT_PROSE = (
    re.compile(r"\A---\n.*?\n---\n", re.S),
    FENCE,
    re.compile(r"^( *)(`{3,}).*?^\1\2`* *$", re.M | re.S),
    re.compile(r"`[^`\n]*`"),
    re.compile(r"\]\([^)\n]*\)"),
    re.compile(r"\{[:#.][^}\n]*\}|\{ [#.][^}\n]*\}"),
    re.compile(r"https?://\S+"),
    re.compile(r"&#?\w+;"),
    re.compile(r"^ *\d+\. ", re.M),
    CHAPTER,
)


PLACE = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True)
class Number:
    """A number as it is written, and its line."""

    line: int
    text: str
    value: float
    places: int  # decimal places of the value as written: 0.25 has 2, 3.4 × 10⁻⁴ has 5
    percent: bool

    @property
    def significant(self) -> int:
        digits = re.sub(r"\D", "", re.split(r"[×\\·]", self.text)[0])
        return len(digits.lstrip("0").rstrip("0") if "." not in self.text else digits.lstrip("0"))

    def matches(self, fact: float) -> bool:
        """Whether the fact, rounded as the number is written, is this number; a percentage may be stated as a share."""
        candidates = [fact, 100 * fact] if self.percent else [fact]
        half = 0.5 * 10.0**-self.places
        return any(
            abs(abs(c) - self.value) <= half * (1 + 1e-9) + 1e-12 * abs(c) for c in candidates if math.isfinite(c)
        )


def prose(text: str) -> str:
    """The page with everything that is not prose blanked out; lines keep their numbers."""
    for pattern in NOT_PROSE:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def numbers(text: str) -> Iterator[Number]:
    """Every number with at least two significant digits."""
    return (number for number, _ in located(text))


def located(text: str) -> Iterator[tuple[Number, int]]:
    """These numbers, each with the position in the text where it ends."""
    for match in NUMBER.finditer(text):
        written = match["number"]
        if written.count(".") > 1:
            continue  # 3.2.1 is a section: declared as text
        plain = re.sub(GROUP, "", written)
        power = int((match["power"] or "0").translate(SUPERSCRIPT).strip("^{}"))
        places = len(plain.partition(".")[2]) - power
        line = text.count("\n", 0, match.start()) + 1
        number = Number(line, match[0].strip(), float(plain) * 10.0**power, places, bool(match["percent"]))
        if number.significant >= 2:
            yield number, match.end()


def flatten(value: object) -> Iterator[float]:
    """Every number in a fact, however deep: dicts, lists, arrays, numbers."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from flatten(inner)
    elif isinstance(value, str | bytes) or value is None:
        return
    elif isinstance(value, Iterable) and not isinstance(value, np.ndarray):
        for inner in value:
            yield from flatten(inner)
    else:
        yield from (float(number) for number in np.asarray(value, dtype=float).ravel())


def unsupported(text: str, facts: Iterable[float], declared: Iterable[str]) -> list[tuple[Number, list[float]]]:
    """The numbers that no fact supports, each with the facts nearest to it."""
    known, allowed = list(facts), set(declared)
    missing = []
    for number in numbers(text):
        if re.sub(r"\s?\\?%$", "", number.text) in allowed or any(number.matches(fact) for fact in known):
            continue
        scale = [fact * k for fact in known for k in ((1, 100) if number.percent else (1,)) if math.isfinite(fact)]
        missing.append((number, sorted(set(scale), key=lambda fact: abs(abs(fact) - number.value))[:3]))
    return missing


def captions(labels: str) -> Iterator[tuple[int, str]]:
    """The texts of a file of labels, with their lines; what stands for a value, as in {n:.2f}, is left out."""
    root = yaml.compose(labels, Loader=yaml.SafeLoader)
    nodes = [root] if root else []
    while nodes:
        node = nodes.pop()
        if isinstance(node, yaml.MappingNode):
            nodes += [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value
        else:
            yield node.start_mark.line + 1, PLACE.sub("…", node.value)
