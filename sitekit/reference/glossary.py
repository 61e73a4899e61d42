"""The glossary page: every concept of docs/glossary.yml, and the page on which a reader first meets it."""

import re
from collections.abc import Iterable
from typing import Any

from ..languages import Language, chosen
from ..paths import DOCS, ROOT
from .lists import read_list

HEADING = re.compile(r"^#+ (?P<title>.*?) \{ #(?P<id>[\w-]+) \}$", re.M)


def concepts() -> dict[str, dict[str, Any]]:
    return read_list(DOCS / "glossary.yml")


def render(codes: Iterable[str], language: Language, words: dict[str, Any]) -> str:
    """A table: the term here, the term in the other languages, what it means, where it comes first."""
    codes = list(codes)
    others = [code for code in codes if code != language.code]
    lines = ["| {term} | {other} | {means} | {first} |".format(**words), "|---|---|---|---|"]
    for name, concept in concepts().items():
        here = f'<span id="{name.replace(" ", "-")}">{chosen(concept, language.code)}</span>'
        there = " ".join(f'<span lang="{code}">{concept[code]}</span>' for code in others if code in concept)
        means = chosen(concept["means"], language.code)
        lines.append(f"| {here} | {there} | {means} | {first_use(concept, language, codes)} |")
    table = "\n".join(lines)
    return f'<div class="terms" markdown>\n\n{table}\n\n</div>'


def first_use(concept: dict[str, Any], language: Language, codes: Iterable[str]) -> str:
    """A link to the first heading, in the order of the navigation, under which the source introduces the term."""
    source = language.original or language
    pattern = introduction(concept, source, [code for code in codes if code != source.code])
    for page in in_order():
        path, its_language = language.find(page)
        original = source.docs / page
        text = original.read_text("utf-8") if original.exists() and its_language == language else ""
        if match := pattern.search(text):
            above = [heading["id"] for heading in HEADING.finditer(text) if heading.start() < match.start()]
            anchor = f"#{above[-1]}" if len(above) > 1 else ""
            title = HEADING.search(path.read_text("utf-8"))
            return f"[{title['title'] if title else page}]({page}{anchor})"
    return "—"


def introduction(concept: dict[str, Any], language: Language, others: list[str]) -> re.Pattern[str]:
    """How a page introduces the term: with the other language's in brackets; where that is the same, by its name."""
    here = chosen(concept, language.code)
    terms = [concept[code] for code in others if code in concept]
    if {here} == set(terms):
        return re.compile(re.escape(here), re.I)
    there = "|".join(map(re.escape, terms))
    term = r"\s+".join(map(re.escape, here.split()))  # a line may break inside it
    return re.compile(rf"{term}\w{{0,3}}\**\s?[（(](?:{there})[^（(]{{0,12}}[)）]", re.I)


def in_order() -> list[str]:
    """The pages as the navigation lists them; the home page is no chapter."""
    pages = re.findall(r"^ +- ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    return [page for page in pages if page != "index.md"]
