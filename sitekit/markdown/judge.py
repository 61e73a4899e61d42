"""Judge a page's Markdown as the site renders it, with a placeholder for all that our own code puts in."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import yaml
from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

from ..paths import ROOT
from . import katex
from .allowed import RULE, removed
from .limits import Fault, too_long
from .page import GENERATED

LOCATED = 20  # findings whose line is looked for, which takes some renderings each


@dataclass(frozen=True)
class Cell:
    """A `cell` fence as Markdown has read it, and its line."""

    line: int
    reference: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Judgement:
    faults: tuple[Fault, ...]
    cells: tuple[Cell, ...] = ()


class Settings(yaml.SafeLoader):
    """Reads mkdocs.yml, which may ask for variables of the environment."""


Settings.add_constructor("!ENV", lambda loader, node: None)


def extensions() -> tuple[list[str], dict[str, Any]]:
    """The extensions of mkdocs.yml and their settings; our own, which put in what the build makes, are left out."""
    listed = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Settings)["markdown_extensions"]
    settings: dict[str, Any] = {}
    for entry in listed:
        settings |= entry if isinstance(entry, dict) else {entry: {}}
    return [name for name in settings if not name.startswith("sitekit.")], {
        name: each or {} for name, each in settings.items()
    }


class Placeholders(Extension):
    """A fence that the build fills, and a formula, become a placeholder; what they ask for is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[tuple[str, dict[str, str]]] = []
        self.formulas: list[tuple[str, str]] = []

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.preprocessors.register(Replace(md, self.generated), "generated", 28)  # where the real one stands
        md.postprocessors.register(Finish(md, self.formula), "katex", -10)

    def validate(self, language: str, inputs: dict[str, str], options: dict[str, Any], *rest: Any) -> bool:
        options["options"] = dict(inputs)
        inputs.clear()
        return True

    def cell(self, source: str, language: str, kind: str, options: dict[str, Any], *rest: Any, **more: Any) -> str:
        self.cells.append((source, options["options"]))
        return "<div></div>"

    def generated(self, text: str) -> str:
        return GENERATED.sub("\ngenerated\n", text)

    def formula(self, html: str) -> str:
        return katex.FORMULA.sub(self.rendered, html)

    def rendered(self, match: re.Match[str]) -> str:
        try:
            katex.render_formula(match)
        except ValueError as error:
            self.formulas.append((katex.source(match).strip(), str(error)))
        return "<var></var>" if match[1] == "span" else "<div></div>"


class Replace(Preprocessor):
    def __init__(self, md: Markdown, change: Callable[[str], str]) -> None:
        super().__init__(md)
        self.change = change

    def run(self, lines: list[str]) -> list[str]:
        return self.change("\n".join(lines)).split("\n")


class Finish(Postprocessor):
    def __init__(self, md: Markdown, change: Callable[[str], str]) -> None:
        super().__init__(md)
        self.change = change

    def run(self, text: str) -> str:
        return self.change(text)


@cache
def renderer() -> tuple[Markdown, Placeholders]:
    names, settings = extensions()
    placeholders = Placeholders()
    fence = {"name": "cell", "class": "cell", "validator": placeholders.validate, "format": placeholders.cell}
    configured = {name: settings.get(name, {}) for name in names}
    configured["pymdownx.superfences"] = {"custom_fences": [fence]}
    return Markdown(extensions=["toc", "tables", *names, placeholders], extension_configs=configured), placeholders


def rendered(text: str) -> str:
    md, placeholders = renderer()
    placeholders.cells.clear()
    placeholders.formulas.clear()
    return md.reset().convert(text)


@lru_cache(maxsize=1000)  # keyed by the text itself: what has been edited is judged anew
def judge(text: str, first: int = 1) -> Judgement:
    """Judge the text of a page without its front matter; it begins in line `first` of the page."""
    if faults := tuple(too_long(text, first)):
        return Judgement(faults)
    try:
        html = rendered(text)
    except Exception as error:  # Markdown and its extensions promise nothing about strange texts
        return Judgement(
            (Fault(first, "markdown", "Markdown that can be rendered", f"{type(error).__name__}: {error}"),)
        )
    _, placeholders = renderer()
    cells, formulas = list(placeholders.cells), list(placeholders.formulas)
    losses = removed(html)
    faults = (
        *(Fault(first + line - 1, "html", RULE, what) for line, what in located(text, losses)),
        *(Fault(first + line_with(text, tex) - 1, "formula", "a formula that KaTeX renders", e) for tex, e in formulas),
    )
    placed = (Cell(first + line_with(text, cell) - 1, cell.strip(), tuple(options.items())) for cell, options in cells)
    return Judgement(faults, tuple(placed))


def located(text: str, losses: list[str]) -> Iterator[tuple[int, str]]:
    """Each finding with its line: the first up to which the text alone has as many findings."""
    lines = text.split("\n")
    low = 0
    for number, what in enumerate(losses[:LOCATED], 1):
        high = len(lines)
        while low + 1 < high:
            middle = (low + high) // 2
            if findings_in("\n".join(lines[:middle])) >= number:
                high = middle
            else:
                low = middle
        yield high, what
        low = max(high - 1, 0)
    if (more := len(losses) - LOCATED) > 0:
        yield len(lines), f"{more} more like these"


def findings_in(text: str) -> int:
    try:
        return len(removed(rendered(text)))
    except Exception:  # half a page may be stranger than all of it
        return 0


def line_with(text: str, needle: str) -> int:
    """The first line that holds the beginning of this text; the first of all where none does."""
    start = needle.strip().partition("\n")[0].strip()
    return next((n for n, line in enumerate(text.split("\n"), 1) if start and start in line), 1)
