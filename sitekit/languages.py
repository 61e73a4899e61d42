"""The languages of the site, as docs/languages.yml lists them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from .paths import DOCS


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
    complete: bool = False  # every page is translated, and a release waits until none is behind

    @property
    def docs(self) -> Path:
        return DOCS / self.code

    @property
    def prefix(self) -> str:
        """The path of this language below the site's root: empty for the source language."""
        return "" if self.code == source().code else f"{self.code}/"


@cache
def languages() -> dict[str, Language]:
    return listed(DOCS)


def listed(docs: Path) -> dict[str, Language]:
    """The languages that the list in this folder names."""
    entries = yaml.safe_load((docs / "languages.yml").read_text("utf-8"))
    return {code: Language(code=code, **entry) for code, entry in entries.items()}


def source() -> Language:
    """The language the other languages are translated from: the first in the list."""
    return next(iter(languages().values()))
