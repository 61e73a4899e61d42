"""The languages of the site, as docs/languages.yml lists them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import yaml

from .paths import DOCS

RIGHT_TO_LEFT = ("ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi")


@dataclass(frozen=True)
class Language:
    """One language: its code, its names, and the words of its interface."""

    code: str
    name: str
    site_name: str
    site_description: str
    search: list[str]
    parts: dict[str, str]
    labels: dict[str, str]
    run: dict[str, str]
    lab: dict[str, str]
    microscope: dict[str, str]
    stages: dict[str, str]  # the stops on the way of a word to its meaning, and the word
    pace: int = 200  # words, in Chinese characters, that a reader takes in a minute
    main_path: tuple[int, int] = (600, 900)  # how many of them the main path of a chapter has
    glosses: bool = False  # a term's first use carries its name in the other languages; else only its tooltip does
    complete: bool = False  # every page is translated, and a release waits until none is behind
    original: "Language | None" = field(default=None, repr=False)  # translated from it; None: this is the source

    @property
    def docs(self) -> Path:
        return DOCS / self.code

    @property
    def direction(self) -> str:
        """Which way it is written."""
        return "rtl" if self.code.split("-")[0] in RIGHT_TO_LEFT else "ltr"

    def find(self, page: str) -> tuple[Path, "Language"]:
        """The file of a page, and the language that it is in: the source language where there is no translation."""
        path = self.docs / page
        if self.original is None or path.exists():
            return path, self
        return self.original.docs / page, self.original

    @property
    def prefix(self) -> str:
        """The path of this language below the site's root: empty for the source language."""
        return "" if self.original is None else f"{self.code}/"

    def pages(self) -> list[tuple[Path, "Language"]]:
        """Every page that this language's part of the site shows, and the language that it is in."""
        folders = [self.docs, *([self.original.docs] if self.original else [])]
        names = {path.relative_to(folder).as_posix() for folder in folders for path in folder.rglob("*.md")}
        return [self.find(name) for name in sorted(names)]


def languages(docs: Path = DOCS) -> dict[str, Language]:
    """Read the languages that the list in this folder names, the source first."""
    return parse_languages((docs / "languages.yml").read_text("utf-8"))


@lru_cache(maxsize=4)  # keyed by the text itself: what has been edited is parsed anew
def parse_languages(text: str) -> dict[str, Language]:
    entries = yaml.safe_load(text)
    model = chosen(entries, "en")
    for entry in entries.values():
        for words in (
            "parts",
            "labels",
            "run",
            "lab",
            "microscope",
            "stages",
        ):  # what a language does not say yet, it says in English
            entry[words] = model.get(words, {}) | entry.get(words, {})
    first, *others = entries
    source = Language(code=first, **entries[first])
    return {first: source} | {code: Language(code=code, **entries[code], original=source) for code in others}


def chosen[T](texts: Mapping[str, T], code: str) -> T:
    """The text in this language; where there is none, in English; else in whatever language comes first."""
    return texts[next((known for known in (code, "en") if known in texts), next(iter(texts)))]


def source() -> Language:
    """The language the other languages are translated from: the first in the list."""
    return next(iter(languages().values()))
