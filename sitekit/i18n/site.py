"""The pages of a repository in all its languages."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..languages import Language, languages
from ..markdown.limits import CHARACTERS, too_long
from ..paths import ROOT
from .report import UsageError
from .sections import Document, cut, normal, plain

MOST_BYTES = 4 * CHARACTERS + 1  # a page that needs more has too many characters


@dataclass
class Site:
    """The languages and pages below a root folder; a page is named by its path below docs/<language>."""

    root: Path = ROOT
    languages: dict[str, Language] = field(default_factory=dict)
    read_already: dict[Path, Document] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.languages = self.languages or languages(self.docs)

    @property
    def docs(self) -> Path:
        return self.root / "docs"

    @property
    def source(self) -> str:
        """The code of the language that the others are translated from."""
        return next(iter(self.languages))

    @property
    def others(self) -> list[str]:
        return list(self.languages)[1:]

    def path(self, page: str, language: str) -> Path:
        return self.docs / language / page

    def name(self, path: Path) -> str:
        """The path as messages give it."""
        return path.relative_to(self.root).as_posix()

    def pages(self, language: str) -> list[str]:
        folder = self.docs / language
        return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md") if self.is_plain(path))

    def is_plain(self, path: Path) -> bool:
        """Whether the path is a file of the repository itself, and no way out of it."""
        inside = [path, *path.parents][: len(path.relative_to(self.docs).parts)]
        return path.is_file() and not any(part.is_symlink() for part in inside)

    def document(self, page: str, language: str) -> Document | None:
        """The page as it is on disk, or None; it is read once."""
        path = self.path(page, language)
        if path not in self.read_already and self.is_plain(path):
            text = self.legible(path)
            self.read_already[path] = cut(path, "" if any(too_long(text)) else text)
        return self.read_already.get(path)

    def legible(self, path: Path) -> str:
        """The text of a page, with a mark in place of each byte that is no UTF-8; of a huge one its beginning."""
        with path.open("rb") as file:
            start = file.read(MOST_BYTES)
        return normal(start.decode("utf-8-sig", "replace"))

    def text(self, path: Path) -> str:
        """The text of a page; one that is not in UTF-8 ends the command, with file and line."""
        try:
            return plain(path)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            byte = f"the byte 0x{error.object[error.start]:02x}"
            raise UsageError(f"{self.name(path)}:{line}: expected text in UTF-8, found {byte}") from None

    def documents(self) -> list[Document]:
        """Every page in every language."""
        named = [(page, language) for language in self.languages for page in self.pages(language)]
        return [document for page, language in named if (document := self.document(page, language))]

    def source_pages(self) -> Iterator[tuple[str, Document]]:
        """Every page of the source language."""
        for page in self.pages(self.source):
            document = self.document(page, self.source)
            if document:
                yield page, document

    def language(self, code: str) -> str:
        """The code, if it names a language that pages are translated into; else an error with the nearest one."""
        if code == self.source:
            raise UsageError(f"{code} is the source: nothing is translated into it; try {', '.join(self.others)}")
        if code not in self.languages:
            raise UsageError(f"there is no language {code!r}; languages are {among(code, self.others)}")
        return code

    def page(self, name: str) -> str:
        """The page that a command line names: `softmax`, `softmax.md` or `docs/en/softmax.md`."""
        page_name = Path(name).as_posix()
        for code in self.languages:
            page_name = page_name.removeprefix(f"{self.docs.as_posix()}/{code}/").removeprefix(f"docs/{code}/")
        page_name = page_name if page_name.endswith(".md") else f"{page_name}.md"
        known = sorted({page for code in self.languages for page in self.pages(code)})
        if page_name not in known:
            raise UsageError(f"there is no page {name!r}; pages are {among(page_name, known)}")
        return page_name


def among(page_name: str, known: list[str]) -> str:
    """The known names, and the one that was probably meant."""
    near = difflib.get_close_matches(page_name, known, 1, 0.4)
    return ", ".join(known) + (f". Did you mean {near[0]}?" if near else "")


def save(path: Path, text: str) -> None:
    """Write a page with the line ends it has had."""
    windows = path.exists() and b"\r\n" in path.read_bytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\r\n" if windows else "\n")
