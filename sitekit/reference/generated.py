"""The `generated` fence of a page: a part of the reference, written by the build from what the repository holds.

It becomes Markdown before any other extension looks, so that its headings stand in the table of contents and in the
search index like those of any page.
"""

import re
from collections.abc import Callable
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesException

from ..build import Build
from ..languages import Language, chosen
from ..markdown.page import GENERATED, current
from ..paths import DOCS
from . import api, claims, costs, elsewhere, glossary, heads, house, microscope, questions, speed, status, style
from .lists import read_list

PARTS: dict[str, Callable[[Build, Language, elsewhere.Terms], str]] = {
    "api": lambda build, language, terms: api.render(build.lessons.modules),
    "claims": lambda build, language, terms: claims.render(language, terms["claims"], build.lessons.facts),
    "costs": lambda build, language, terms: costs.render(terms["costs"]),
    "elsewhere": lambda build, language, terms: elsewhere.table(terms),
    "glossary": lambda build, language, terms: glossary.render(build.languages, language, terms),
    "house": lambda build, language, terms: house.render(language, terms["house"]),
    "heads": lambda build, language, terms: heads.render(language, terms["heads"]),
    "questions": lambda build, language, terms: questions.render(current.get().path.stem, language, terms["questions"]),
    "microscope": lambda build, language, terms: microscope.render(language.microscope),
    "speed": lambda build, language, terms: speed.render(terms["speed"]),
    "libraries": lambda build, language, terms: elsewhere.libraries(terms),
    "style": lambda build, language, terms: style.render(language, terms["style"]),
    "status": lambda build, language, terms: status.render(build.site, language, terms["status"]),
}


class GeneratedError(SuperFencesException):
    """A page asks for a part that nothing generates; the message names file and line."""


def vocabulary() -> dict[str, elsewhere.Terms]:
    """The words of the generated parts in every language."""
    return read_list(DOCS / "reference.yml")


def render(name: str, language: Language, build: Build) -> str:
    """One part of the reference as Markdown."""
    if name not in PARTS:
        raise LookupError(f"nothing generates {name!r}; the parts are {', '.join(sorted(PARTS))}")
    return PARTS[name](build, language, chosen(vocabulary(), language.code))


class Generated(Preprocessor):
    def __init__(self, md: Markdown, build: Build) -> None:
        super().__init__(md)
        self.build = build

    def run(self, lines: list[str]) -> list[str]:
        return GENERATED.sub(self.part, "\n".join(lines)).split("\n")

    def part(self, match: re.Match[str]) -> str:
        page = current.get()
        try:
            return "\n" + render(match["body"].strip(), page.language, self.build) + "\n"
        except LookupError as error:
            raise GeneratedError(f"{page.where(match[0])}: {error}") from None


class GeneratedExtension(Extension):
    """Writes the parts; MkDocs tries every extension once before there is a build, and gives it one later."""

    def __init__(self, build: Build | None = None) -> None:
        super().__init__()
        self.build = build

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        if self.build:
            # after line ends (30), before superfences (25)
            md.preprocessors.register(Generated(md, self.build), "generated", 28)


def makeExtension(**options: Any) -> GeneratedExtension:  # noqa: N802 (the name Markdown calls)
    return GeneratedExtension(**options)
