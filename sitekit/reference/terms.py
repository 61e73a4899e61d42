"""The first use of a term leads to the glossary; its tooltip has the meaning, and the name in the other language."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from markdown.util import AtomicString

from ..i18n.words import short, term
from ..languages import Language, chosen, languages
from ..markdown.page import current
from .glossary import concepts

TEXT = ("p", "li", "em", "strong", "ul", "ol", "div", "blockquote")
NO_TEXT = ("admonition-title", "terms", "doc")


class Terms(Treeprocessor):
    """Marks the first use of each term on a page; words that have an everyday sense only where they are bold."""

    def run(self, root: Element) -> None:
        page = current.get()
        if page.path.suffix != ".md" or page.path.stem == "glossary":
            return
        open_terms = dict(entries(page.language))
        for element, before in list(running(root)):
            mark(element, before, open_terms)


def entries(language: Language) -> Iterator[tuple[str, tuple[re.Pattern[str], str, str, bool]]]:
    """By name: how a term is found, its names elsewhere, what it means, and whether it is an everyday word."""
    codes = [code for code in languages() if code != language.code]
    for name, concept in concepts().items():
        here = str(chosen(concept, language.code))
        other = ", ".join(dict.fromkeys(str(concept[code]) for code in codes if concept.get(code, here) != here))
        everyday = bool(concept.get("everyday")) or short(here)
        yield name, (term(here, language.code), other, str(chosen(concept["means"], language.code)), everyday)


def running(element: Element) -> Iterator[tuple[Element, Element | None]]:
    """The places of a page's running text, in order: before an element's children, or behind one of them."""
    for child in list(element):
        choices = child.tag == "ul" and "guess" in element.get("class", "").split()  # which become buttons
        if child.tag in TEXT and child.get("class", "") not in NO_TEXT and not choices:
            yield child, None
            yield from running(child)
        if element.tag in TEXT:
            yield element, child


def mark(element: Element, before: Element | None, open_terms: dict[str, Any]) -> None:
    """Mark what is first used in the text at one place."""
    text = element.text if before is None else before.tail
    while text and not isinstance(text, AtomicString):
        found = first(text, element.tag == "strong", open_terms)
        if found is None:
            break
        name, match = found
        _, other, means, _ = open_terms.pop(name)
        link = Element("a", {"class": "term", "href": f"glossary.md#{name.replace(' ', '-')}"})
        link.set("title", f"{other} · {means}" if other else means)
        if other:
            link.set("data-other", other)
        link.text = AtomicString(match[0])
        link.tail = text[match.end() :]
        if before is None:
            element.text = text[: match.start()]
            element.insert(0, link)
        else:
            before.tail = text[: match.start()]
            element.insert(list(element).index(before) + 1, link)
        before, text = link, link.tail


def first(text: str, bold: bool, open_terms: dict[str, Any]) -> tuple[str, re.Match[str]] | None:
    """The first term in a text that has not been used before; of two that begin together, the longer."""
    matches = [
        (match.start(), -match.end(), name, match)
        for name, (pattern, _, _, everyday) in open_terms.items()
        if (match := pattern.search(text)) and (not everyday or (bold and match[0] == text.strip()))
    ]
    return min(matches, key=lambda each: each[:2])[2:] if matches else None


class TermsExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.treeprocessors.register(Terms(md), "terms", 12)  # after inline (20), before MkDocs resolves links (0)


def makeExtension(**options: object) -> TermsExtension:  # noqa: N802 (the name Markdown calls)
    return TermsExtension(**options)
