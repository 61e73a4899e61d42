"""Compare a translated page with its source: all but the sentences must be the same, section by section."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import figures, rendered, structure
from .report import ERROR, NOTE, Finding, join_items
from .sections import FENCED, Document, Section, blanked
from .site import Site
from .state import state
from .structure import Item

DIFFERS = re.compile(r"<!--\s*differs:\s*(?P<rules>[\w ,-]+?)\s*(?:[;:].*?)?-->", re.S)

RENDERED = {"rendered", "lists", "tables", "blocks", "fences"}  # a difference in these shows in what is rendered, too


@dataclass(frozen=True)
class Pair:
    """A source page and its translation, and how messages name the translation."""

    source: Document
    ours: Document
    file: str
    language: str

    def weight(self, theirs: Section) -> str:
        """A difference in a stale section is only a note: the source has changed, and nobody made a mistake."""
        return NOTE if self.ours.meta.sections.get(theirs.id, theirs.hash) != theirs.hash else ERROR

    def finding(self, line: int, section: str, rule: str, expected: str, actual: str, weight: str = ERROR) -> Finding:
        return Finding(self.file, line, section, rule, expected, actual, weight)


def excused(section: Section) -> set[str]:
    """The rules that a section is allowed to break: <!-- differs: numbers; why -->. In code it is an example."""
    sentences = blanked(section.text, FENCED, structure.CODE)
    return {rule.strip() for match in DIFFERS.finditer(sentences) for rule in match["rules"].split(",")}


def check_pair(site: Site, page: str, language: str) -> Iterator[Finding]:
    """All findings about the translation of one page."""
    source, ours = site.document(page, site.source), site.document(page, language)
    if source is None or ours is None:
        return
    pair = Pair(source, ours, site.name(ours.path), language)
    yield from headings(pair)
    for theirs in source.sections:
        if mine := ours.section(theirs.id):
            yield from (replace(finding, weight=pair.weight(theirs)) for finding in check_section(pair, theirs, mine))
    yield from behind(site, pair, page, language)


def headings(pair: Pair) -> Iterator[Finding]:
    """The same headings, in the same order and on the same level; a note where it is the source that has changed."""
    theirs, mine = [section.id for section in pair.source.sections], [section.id for section in pair.ours.sections]
    accepted = list(pair.ours.meta.sections)
    line = 1
    for section in pair.source.sections:
        ours = pair.ours.section(section.id)
        line = ours.line if ours else line
        if ours is None:
            expected = f"a heading {'#' * section.level} … {{ #{section.id} }} for “{section.title}”"
            weight = ERROR if section.id in accepted or not accepted else NOTE
            yield pair.finding(line, section.id, "headings", expected, f"ids {join_items(mine)}", weight)
        elif ours.level != section.level:
            level = f"level {section.level} ({'#' * section.level})"
            actual = f"level {ours.level} ({'#' * ours.level})"
            yield pair.finding(line, section.id, "headings", level, actual, pair.weight(section))
    for section in pair.ours.sections:
        if section.id not in theirs:
            expected = f"no such heading: the source has {join_items(theirs)}"
            weight = NOTE if section.id in accepted else ERROR
            yield pair.finding(section.line, section.id, "headings", expected, f"“{section.title}”", weight)
    if sorted(theirs) == sorted(mine) and theirs != mine:
        first = next(n for n, (a, b) in enumerate(zip(theirs, mine, strict=True)) if a != b)
        section, weight = pair.ours.sections[first], NOTE if mine == accepted else ERROR
        yield pair.finding(
            section.line, section.id, "headings", f"the order {join_items(theirs)}", join_items(mine), weight
        )


def check_section(pair: Pair, theirs: Section, mine: Section) -> Iterator[Finding]:
    """Compare one section as it is written; if that agrees, as Markdown renders it."""
    found = list(check_written(pair, theirs, mine))
    yield from found
    if not excused(mine) & RENDERED and not RENDERED & {finding.rule for finding in found}:
        yield from counted(pair, "rendered", mine, list(rendered.made(theirs.text)), list(rendered.made(mine.text)))


def check_written(pair: Pair, theirs: Section, mine: Section) -> Iterator[Finding]:
    """Compare one section rule by rule; an exception and its reason are written in the section itself."""
    allowed = excused(mine)
    for rule, items in structure.ORDERED.items():
        if rule not in allowed:
            yield from ordered(pair, rule, mine, list(items(theirs.text)), list(items(mine.text)))
    for rule, items in structure.COUNTED.items():
        if rule not in allowed:
            yield from counted(pair, rule, mine, list(items(theirs.text)), list(items(mine.text)))
    for rule, items in structure.PRESENT.items():
        if rule not in allowed:
            required, present = (dict(items(text)) for text in (theirs.text, mine.text))
            if rule == "numbers":
                sentences = structure.prose(mine.text)
                required = {
                    n: at
                    for n, at in required.items()
                    if n in present or not figures.in_words(n, sentences, pair.language)
                }
            yield from counted(pair, rule, mine, list(required.items()), list(present.items()))


def ordered(pair: Pair, rule: str, mine: Section, theirs: list[Item], ours: list[Item]) -> Iterator[Finding]:
    """The first place where two sequences part."""
    required, present = [what for what, _ in theirs], [what for what, _ in ours]
    if required == present:
        return
    first = next(
        (n for n, (a, b) in enumerate(zip(required, present, strict=False)) if a != b), min(len(required), len(present))
    )
    line = mine.start + (ours[first][1] - 1 if first < len(ours) else mine.text.rstrip().count("\n"))
    number = f"no. {first + 1}: "
    expected = (
        number + required[first] if first < len(required) else f"no more than {len(required)}: {join_items(required)}"
    )
    actual = number + present[first] if first < len(present) else f"no more than {len(present)}: {join_items(present)}"
    yield pair.finding(line, mine.id, rule, expected, actual)


def counted(pair: Pair, rule: str, mine: Section, theirs: list[Item], ours: list[Item]) -> Iterator[Finding]:
    """What occurs more often on one side, in any order."""
    required, present = (Counter(what for what, _ in items) for items in (theirs, ours))
    missing, extra = required - present, present - required
    if missing or extra:
        line = next((line for what, line in ours if what in extra), mine.line - mine.start + 1)
        expected = times(missing) if missing else f"only what the source has: {times(required)}"
        actual = times(extra) if extra else f"not there ({times(present)})"
        yield pair.finding(mine.start + line - 1, mine.id, rule, expected, actual)


def times(items: Counter[str]) -> str:
    return join_items(f"{count} × {what}" if count > 1 else what for what, count in items.items())


def behind(site: Site, pair: Pair, page: str, language: str) -> Iterator[Finding]:
    """Sections whose source has changed: notes, so that a fix to the source goes through."""
    now = state(site, page, language)
    for name in now.behind:
        mine = pair.ours.section(name)
        why = {"it has changed since": now.stale, "never accepted": now.fresh, "the source has it no longer": now.gone}
        actual = next(reason for reason, names in why.items() if name in names)
        command = f"the source as it was accepted; look: python -m sitekit.i18n diff {page} --lang {language}"
        yield pair.finding(mine.line if mine else 1, name, "stale", command, actual, NOTE)
