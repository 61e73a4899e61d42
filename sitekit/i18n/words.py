"""What a page must keep to by itself: headings with ids, a front matter that can be read, the glossary's terms."""

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ..chapters import number_of
from ..markdown import guess
from ..markdown.han import HAN
from . import characters, structure, typography
from .checks import excused
from .report import Finding, join_items
from .sections import HEADING, Document, Section, blanked, line_of
from .site import Site, among

PRE = re.compile(r"<pre>.*?</pre>", re.S)
NOT_RUNNING = (
    PRE,
    HEADING,
    re.compile(r"^ *(?:!!!|\?\?\?\+?|===).*$", re.M),
    re.compile(r"\$\$?[^$]+\$\$?"),
    structure.TABLE,
)
LINKED = re.compile(r"\[[^\]（(]*\]\([^)\n]*\)(?!\s?[（(])")  # leads to where the words are explained
SOURCES = "references"
GLOSS = re.compile(rf"[(（]\s*{HAN}[^()（）A-Za-z]*[)）]")
HEAD = re.compile(r"\b[Hh]eads? \d+\.\d+|头 ?`?\d+\.\d+|第 ?\d+ ?层的? ?第? ?\d+ ?[号个]头")
CHAPTER_LINK = re.compile(
    r"\[(?P<text>[^\]\n]*(?:第 ?|[Cc]hapter )(?P<number>\d+)[^\]\n]*)\]\((?P<page>[\w-]+\.md)(?:#[^)\n]*)?\)"
)
TARGET = re.compile(r"\]\([^)\n]*\)|\{[:#. ][^}\n]*\}")


def check_words(site: Site, document: Document, language: str) -> Iterator[Finding]:
    """All findings about one page by itself."""
    file, concepts = site.name(document.path), glossary(site.docs / "glossary.yml")
    yield from twice(file, document)
    yield from hidden(file, site.legible(document.path), document)
    for section in document.sections:
        allowed = excused(section)
        yield from (lost for lost in moved(file, section, site) if "links" not in allowed)
        if "glossary" not in allowed:
            yield from avoided(file, section, language, concepts)
        if typography.applies(language):
            yield from (finding for finding in typography.check(file, section) if finding.rule not in allowed)
    if site.languages[language].glosses:
        yield from introduced(file, document, site, language, concepts)
    elif retold(site, document.path.name):
        yield from glossed(file, document)
    if retold(site, document.path.name):
        yield from miscounted(file, document)
    yield from misnumbered(file, document)
    for line, found in guess.faults(site.text(document.path)):
        yield Finding(file, line, section_at(document, line), "guess", guess.RULE, found)


def section_at(document: Document, line: int) -> str:
    """The id of the section that a line stands in."""
    return next((section.id for section in reversed(document.sections) if section.start <= line), "")


def twice(file: str, document: Document) -> Iterator[Finding]:
    """Headings that share an id: a link reaches only one of them."""
    first: dict[str, int] = {}
    for section in document.sections:
        line = first.setdefault(section.id, section.line)
        if line != section.line:
            required = f"an id of its own: line {line} has {{ #{section.id} }} already"
            actual = f"{{ #{section.id} }} in lines {line} and {section.line}"
            yield Finding(file, section.line, section.id, "headings", required, actual)


def hidden(file: str, text: str, document: Document) -> Iterator[Finding]:
    """Characters that are not seen, front matter and code included; a section may say that it needs them."""
    for line, required, actual in (*characters.unseen(text), *characters.mixed(text)):
        section = next((each for each in reversed(document.sections) if each.start <= line), None)
        if section is None or "characters" not in excused(section):
            yield Finding(file, line, section.id if section else "", "characters", required, actual)


def moved(file: str, section: Section, site: Site) -> Iterator[Finding]:
    """Links to pages that are not there, or there no longer."""
    pages = site.pages(site.source)
    for target, line in structure.links(section.text):
        page = target.partition("#")[0]
        if page.endswith(".md") and "://" not in page and page not in pages:
            yield Finding(file, section.start + line - 1, section.id, "links", f"one of {among(page, pages)}", target)


def glossary(path: Path) -> dict[str, dict[str, Any]]:
    return parse_glossary(path.read_text("utf-8")) if path.exists() else {}


@functools.cache
def parse_glossary(text: str) -> dict[str, dict[str, Any]]:
    return dict(yaml.safe_load(text))


def running(text: str, *also: re.Pattern[str]) -> str:
    """Running text only: no code, headings, titles of boxes, formulas, targets of links."""
    return blanked(structure.prose(text), *NOT_RUNNING, *also, TARGET)


def term(words: str, language: str) -> re.Pattern[str]:
    """A term as it stands in running text: across a line break, in English as one or as several."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    return re.compile(rf"\b{one_or_several(pattern)}\b" if re.match("[A-Za-z]", words) else pattern, re.I)


def one_or_several(word: str) -> str:
    """The forms of an English word: query and queries, weights and weight; bias and loss have no s to lose."""
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}(?:y|ies)"
    return f"{word}?" if re.search("[^aisu]s$", word) else f"{word}(?:s|es)?"


def avoided(file: str, section: Section, language: str, concepts: dict[str, Any]) -> Iterator[Finding]:
    """Words that the glossary says not to use."""
    sentences = running(section.text)
    for concept in concepts.values():
        for word in (concept.get("avoid") or {}).get(language, []):
            for match in term(word, language).finditer(sentences):
                line = section.start + line_of(sentences, match.start()) - 1
                yield Finding(file, line, section.id, "glossary", f"“{concept[language]}”", f"“{word}”")


def introduced(file: str, document: Document, site: Site, language: str, concepts: dict[str, Any]) -> Iterator[Finding]:
    """Where a page gives a term's name in another language, it does so at the first use.

    Words with an everyday sense and single characters are left alone, and so are lists of sources and the texts of
    links.
    """
    sections = [each for each in document.sections if "glossary" not in excused(each) and each.id != SOURCES]
    sentences = "".join(running(section.text, LINKED) for section in sections)
    places = [(section, n) for section in sections for n in range(len(section.text.splitlines()))]
    for concept in concepts.values():
        here, others = concept.get(language, ""), {concept[code] for code in site.languages if code in concept}
        if not here or others == {here} or concept.get("everyday") or short(here):
            continue
        if not (first := term(here, language).search(sentences)):
            continue
        introduction = re.search(with_other_name(here, others - {here}, language), sentences, re.I)
        if introduction is None or introduction.start() > first.start():
            section, line = places[sentences.count("\n", 0, first.start())]
            required = f"“{here}” with its other name at its first use: {here} ({join_items(sorted(others - {here}))})"
            actual = f"“{sentences[first.start() : first.end() + 12].strip()}”, and the name " + (
                "later" if introduction else "nowhere"
            )
            yield Finding(file, section.start + line, section.id, "glossary", required, actual)


def retold(site: Site, page: str) -> bool:
    """Whether a page is told the second time: not yet a chapter whose source names no stage."""
    source = site.document(page, site.source)
    return number_of(page) is None or (source is not None and "stage" in source.meta.values)


def glossed(file: str, document: Document) -> Iterator[Finding]:
    """Chinese in brackets behind its translation: the glossary and the tooltip have it."""
    required = "the term alone; what is itself Chinese comes first, its meaning in brackets: 苹果 (apple)"
    for section in document.sections:
        if "glosses" not in excused(section):
            sentences = running(section.text)
            for match in GLOSS.finditer(sentences):
                line = section.start + line_of(sentences, match.start()) - 1
                yield Finding(file, line, section.id, "glosses", required, match[0])


def miscounted(file: str, document: Document) -> Iterator[Finding]:
    """Heads of a model that are not named as layer and head, both from 0."""
    for section in document.sections:
        sentences = running(section.text)
        for match in HEAD.finditer(sentences):
            line = section.start + line_of(sentences, match.start()) - 1
            yield Finding(file, line, section.id, "heads", "L0·H2: layer and head, both counted from 0", match[0])


def misnumbered(file: str, document: Document) -> Iterator[Finding]:
    """Links to a chapter under another number than it has."""
    for section in document.sections:
        for match in CHAPTER_LINK.finditer(structure.prose(section.text)):
            number = number_of(match["page"])
            if number != int(match["number"]):
                line = section.start + line_of(section.text, match.start()) - 1
                required = f"{match['page']} is chapter {number}" if number else f"{match['page']} is no chapter"
                yield Finding(file, line, section.id, "chapters", required, match["text"])


def short(word: str) -> bool:
    """One character of Chinese: it is part of too many other words."""
    return len(word) == 1 and not word.isascii()


def with_other_name(here: str, others: set[str], language: str) -> str:
    return rf"{term(here, language).pattern}\w{{0,3}}[\]*]*\s*[（(](?:{'|'.join(map(re.escape, sorted(others)))})"
