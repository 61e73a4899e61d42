"""Chinese that is left over in a page of another language.

A page may keep Chinese on purpose: terms in brackets, code, and the words and sentences it talks about. The source sets
those apart as well, in quotation marks, in code or as a quotation, so that all else is what nobody has translated.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..markdown.han import HAN
from . import front_matter, structure
from .checks import excused
from .report import ERROR, NOTE, Finding
from .sections import COMMENT, FENCED, HEADING, Document, blanked, line_of
from .site import Site
from .state import state
from .words import glossary

MARKS = "，。；：？！、（）《》「」『』【】％"
LEFT = re.compile(rf"(?:{HAN}|[{MARKS}])+")
# A term in another language, with one Latin word in it at most: no sentence, and no remark with a word left over.
BRACKETS = re.compile(r"\([^()，。；：？！A-Za-z]*(?:[A-Za-z][\w.-]*)?[^()，。；：？！A-Za-z]*\)", re.A)
QUOTED = re.compile(r"“[^”\n]+”|「[^」\n]+」|《[^》\n]+》|`[^`\n]+`|^ *>.*$", re.M)
QUOTATION = re.compile(r"^ *>[> ]*(?P<said>.*\S)", re.M)
NO_TEXT = (
    re.compile(r"<pre>.*?</pre>", re.S),
    re.compile(r"\$\$?[^$]+\$\$?"),
    re.compile(r"\]\([^)\n]*\)|\{[:#. ][^}\n]*\}"),
    re.compile(r"<[^>]+>"),
)
TITLE = re.compile(r"(?:title|description):")
STRONG = re.compile(r"\*+")
SENTENCE = 8  # characters of Chinese from which on two paragraphs are not the same by chance


def applies(language: str) -> bool:
    """Whether Chinese characters are foreign to a language."""
    return language.split("-")[0] not in ("zh", "ja")


@dataclass(frozen=True)
class Apart:
    """What a source sets apart: words and runs of words, and complete lines of quotations."""

    words: frozenset[str]
    lines: tuple[str, ...]


def check(site: Site, page: str, language: str) -> Iterator[Finding]:
    """All Chinese in a translation that its source does not set apart; notes where the source has moved on."""
    source, ours = site.document(page, site.source), site.document(page, language)
    if source is None or ours is None:
        return
    if not applies(language):
        yield from identical(site, source, ours, language)
        return
    apart = set_apart("\n".join(section.text for section in source.sections))
    weight = NOTE if state(site, page, language).stale else ERROR
    required = "a translation; Chinese only in brackets, in code, or where the source quotes it"

    def finding(line: int, section: str, run: str) -> Finding:
        return Finding(site.name(ours.path), line, section, "untranslated", required, f"“{run}”", weight)

    head, _ = front_matter.split(site.legible(ours.path))
    titles = "\n".join(line if TITLE.match(line) else "" for line in head.split("\n"))
    for line, run in left(titles, apart):
        yield finding(line, "", run)
    for section in ours.sections:
        if "untranslated" not in excused(section):
            for line, run in left(section.text, apart):
                yield finding(section.start + line - 1, section.id, run)


def identical(site: Site, source: Document, ours: Document, language: str) -> Iterator[Finding]:
    """Headings and paragraphs that are the same in two languages that share characters; terms may be."""
    terms = {str(concept.get(language)) for concept in glossary(site.docs / "glossary.yml").values()}
    file, required = site.name(ours.path), "a translation; this stands in the source as it is"
    for theirs in source.sections:
        mine = ours.section(theirs.id)
        if mine is None or "untranslated" in excused(mine):
            continue
        if mine.title == theirs.title and re.search(HAN, mine.title) and mine.title not in terms:
            yield Finding(file, mine.line, mine.id, "untranslated", required, f"“{mine.title}”")
        known = {"".join(text.split()) for _, text in paragraphs(theirs.text)}
        for line, text in paragraphs(mine.text):
            if "".join(text.split()) in known:
                yield Finding(file, mine.start + line - 1, mine.id, "untranslated", required, f"“{text.strip()[:40]}”")


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs that hold a sentence, or words enough to be one, and the lines they begin in."""
    sentences = blanked(structure.prose(text), HEADING, *NO_TEXT)
    for match in re.finditer(r"(?:^.*\S.*\n?)+", sentences, re.M):
        if len(re.findall(HAN, match[0])) >= SENTENCE:
            yield line_of(sentences, match.start()), match[0]


def set_apart(text: str) -> Apart:
    sentences = STRONG.sub("", blanked(text, FENCED, COMMENT))
    quoted = [match[0].strip("“”「」《》") for match in QUOTED.finditer(sentences)]
    fenced = [match[0] for match in FENCED.finditer(text)]
    runs = {run for each in (*quoted, *fenced) for run in LEFT.findall(each)}
    words = {word for run in runs for word in (run, *re.split(f"[{MARKS}]", run)) if re.search(HAN, word)}
    lines = {match["said"] for match in QUOTATION.finditer(sentences) if re.search(HAN, match["said"])}
    return Apart(frozenset(words), tuple(sorted(lines, key=len, reverse=True)))


def left(text: str, apart: Apart) -> Iterator[tuple[int, str]]:
    """The lines and runs of Chinese that are not made of what the source sets apart."""
    sentences = STRONG.sub("", blanked(structure.prose(text), *NO_TEXT))
    for line in apart.lines:
        sentences = sentences.replace(line, "")
    sentences = blanked(sentences, BRACKETS)
    for match in LEFT.finditer(sentences):
        if not made_of(match[0], apart.words):
            yield line_of(sentences, match.start()), match[0]


def made_of(run: str, words: frozenset[str]) -> bool:
    """Whether the words, one behind the other, make up the run."""
    reached = {0}
    for end in range(1, len(run) + 1):
        if any(run[start:end] in words for start in reached):
            reached.add(end)
    return len(run) in reached
