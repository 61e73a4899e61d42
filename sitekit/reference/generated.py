"""The `generated` fence of a page: a part of the reference, written by the build from what the repository holds.

It becomes Markdown before any other extension looks, so that its headings stand in the table of contents and in the
search index like those of any page.
"""

import re
from collections.abc import Callable
from functools import cache

import yaml
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesException

from ..languages import Language, chosen
from ..lessons import cells
from ..markdown.page import current
from ..paths import DOCS
from . import api, claims, costs, elsewhere, glossary, heads, speed, status

GENERATED = re.compile(r"^```generated[^\n]*\n(?P<body>.*?)^``` *$", re.M | re.S)
PARTS: dict[str, Callable[[Language, elsewhere.Terms], str]] = {
    "api": lambda language, terms: api.render(),
    "claims": lambda language, terms: claims.render(language, terms["claims"], cells.facts),
    "costs": lambda language, terms: costs.render(terms["costs"]),
    "elsewhere": lambda language, terms: elsewhere.table(terms),
    "glossary": glossary.render,
    "heads": lambda language, terms: heads.render(language, terms["heads"]),
    "speed": lambda language, terms: speed.render(terms["speed"]),
    "libraries": lambda language, terms: elsewhere.libraries(terms),
    "status": lambda language, terms: status.render(language, terms["status"]),
}


class GeneratedError(SuperFencesException):
    """A page asks for a part that nothing generates; the message names file and line."""


@cache
def vocabulary() -> dict[str, elsewhere.Terms]:
    """The words of the generated parts in every language."""
    return dict(yaml.safe_load((DOCS / "reference.yml").read_text("utf-8")))


def render(name: str, language: Language) -> str:
    """One part of the reference as Markdown."""
    if name not in PARTS:
        raise LookupError(f"nothing generates {name!r}; the parts are {', '.join(sorted(PARTS))}")
    return PARTS[name](language, chosen(vocabulary(), language.code))


class Generated(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return GENERATED.sub(self.part, "\n".join(lines)).split("\n")

    @staticmethod
    def part(match: re.Match[str]) -> str:
        page = current.get()
        try:
            return "\n" + render(match["body"].strip(), page.language) + "\n"
        except LookupError as error:
            raise GeneratedError(f"{page.where(match[0])}: {error}") from None


class GeneratedExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.preprocessors.register(Generated(md), "generated", 28)  # after line ends (30), before superfences (25)


def makeExtension(**options: object) -> GeneratedExtension:  # noqa: N802 (the name Markdown calls)
    return GeneratedExtension(**options)
