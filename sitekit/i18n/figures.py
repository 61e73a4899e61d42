"""The numbers of a text, each as what it is worth, so that two languages can be compared.

The lessons' gate (sitekit/markdown/numbers.py) leaves out what has one significant digit: a lesson need not have
computed it. Here a lost zero, sign or power counts, and so only a bare one-digit integer, which may be spelled as a
word, is left out.
"""

import math
import re
from collections.abc import Iterator

from ..markdown import numbers
from .sections import COMMENT, blanked, line_of

SCALE = {"万": 1e4, "亿": 1e8, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
WORDS = {"en": {"10": "ten", "11": "eleven", "12": "twelve", "100": "hundred", "1000": "thousand"}}
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
POWER = r"(?:[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^\{?[-−]?\d+\}?)"
FIGURE = re.compile(
    r"(?<![A-Za-z0-9_.])(?<![A-Za-z_][-−])"  # not inside a name such as GPT-2, or a longer number
    r"(?P<sign>[-−])?"
    rf"(?P<number>\d{{1,3}}(?:{numbers.GROUP}\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)*|\.\d+)"
    rf"(?:[eE](?P<exponent>[-−+]?\d+)|(?:\s?(?:×|\\times|·|\\cdot)\s?(?P<base>10))?(?P<power>{POWER}))?"
    rf"(?:(?P<percent>\s?(?:\\?%|％))|\s?(?P<scale>[万亿]|(?:{'|'.join(word for word in SCALE if word.isascii())})\b))?"
    r"(?![A-Za-z0-9_])"
)


def figures(text: str) -> Iterator[tuple[str, int]]:
    """The numbers in the prose with their lines: 1.2 亿 and 120 million are the same, 第 392 and 392nd."""
    sentences = ORDINAL.sub("  ", numbers.prose(blanked(text, COMMENT)))
    for match in FIGURE.finditer(sentences):
        if not spelled(match):
            yield worth(match), line_of(sentences, match.start("number"))


def spelled(match: re.Match[str]) -> bool:
    """Whether some language may write this as a word: one digit and nothing else."""
    return len(match["number"]) == 1 and not any(
        match[part] for part in ("sign", "exponent", "power", "percent", "scale")
    )


def in_words(number: str, text: str, language: str) -> bool:
    """Whether the text has a round or small number as a word: ten times, a hundred."""
    word = WORDS.get(language.split("-")[0], {}).get(number)
    return bool(word and re.search(rf"\b{word}\b", text, re.I))


def worth(match: re.Match[str]) -> str:
    """The number in one spelling; 3.2.1 names a section and is worth nothing."""
    written = re.sub(numbers.GROUP, "", match["number"])
    if written.count(".") > 1:
        return written
    value = float(written) * SCALE.get(match["scale"] or "", 1)
    exponent = parse_integer(match["exponent"] or match["power"] or "0")
    if match["power"] and not match["base"]:
        value = power(value, exponent)
    else:
        value *= power(10, exponent)
    return f"{'-' if match['sign'] else ''}{value:.10g}{' %' if match['percent'] else ''}"


def parse_integer(written: str) -> int:
    return int(written.translate(numbers.SUPERSCRIPT).strip("^{}").replace("−", "-"))


def power(base: float, exponent: int) -> float:
    """Base to the exponent, infinite where no float holds it."""
    try:
        return float(base**exponent)
    except (OverflowError, ZeroDivisionError):
        return math.inf
