"""The main path of a page: what a reader meets without opening anything, how long it is, and how long that takes."""

import re

from ..languages import Language
from .han import HAN
from .page import FENCE

# A fold and all that is indented below it; blank lines inside belong to it.
FOLD = re.compile(r"^(?P<indent> *)\?\?\?\+? .*\n(?:(?P=indent) {4}.*\n|[ \t]*\n)*", re.M)
SOURCES = re.compile(r"^## [^\n]*\{ #references \}.*?(?=^## |\Z)", re.M | re.S)
NO_WORDS = (
    re.compile(r"\A---\n.*?\n---\n", re.S),
    re.compile(r"<!--.*?-->", re.S),
    FENCE,
    re.compile(r"^( *)(`{3,}).*?^\1\2`* *$", re.M | re.S),
    re.compile(r"\$\$.*?\$\$", re.S),
    re.compile(r"^ *\|.*$", re.M),
    re.compile(r"\]\([^)\n]*\)"),
    re.compile(r"\{[:#.][^}\n]*\}|\{ [#.][^}\n]*\}"),
)
WORD = re.compile(rf"{HAN}|[A-Za-z0-9√][A-Za-z0-9'’.,·_/-]*")


def main_path(text: str) -> str:
    """The page without folds and its list of sources."""
    return SOURCES.sub("", FOLD.sub("", text + "\n"))


def count_words(text: str) -> int:
    """Words; in Chinese, characters. Code, formulas and tables are looked at, not read out."""
    for pattern in NO_WORDS:
        text = pattern.sub(" ", text)
    return len(WORD.findall(text))


def minutes(text: str, language: Language) -> int:
    """How many minutes it takes to read, at the language's pace."""
    return max(1, round(count_words(text) / language.pace))
