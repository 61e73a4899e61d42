"""Compare a translated page with its source: all but the sentences must be the same, section by section."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import figures, structure
from .report import ERROR, NOTE, Finding, shown
from .sections import FENCED, Document, Section, blanked
from .site import Site
from .state import state
from .structure import Item

DIFFERS = re.compile(r"<!--\s*differs:\s*(?P<rules>[\w ,-]+?)\s*(?:[;:].*?)?-->", re.S)


@dataclass(frozen=True)
class Pair:
    """A source page and its translation, and how messages name the translation."""

    source: Document
    ours: Document
    file: str
    language: str

    def weight(self, theirs: Section) -> str:
        """A difference is a note as long as the section is stale: the source has moved on, nobody made a mistake."""
        return NOTE if self.ours.meta.sections.get(theirs.id, theirs.hash) != theirs.hash else ERROR

    def finding(self, line: int, section: str, rule: str, expected: str, found: str, weight: str = ERROR) -> Finding:
        return Finding(self.file, line, section, rule, expected, found, weight)


def excused(section: Section) -> set[str]:
    """The rules that a section is allowed to break: <!-- differs: numbers; why -->. In code it is an example."""
    said = blanked(section.text, FENCED, structure.CODE)
    return {rule.strip() for match in DIFFERS.finditer(said) for rule in match["rules"].split(",")}


def check_pair(site: Site, page: str, language: str) -> Iterator[Finding]:
    """All findings about the translation of one page."""
    source, ours = site.document(page, site.source), site.document(page, language)
    if source is None or ours is None:
        return
    pair = Pair(source, ours, site.name(ours.path), language)
    yield from headings(pair)
    for theirs in source.sections:
        if mine := ours.section(theirs.id):
            yield from (replace(found, weight=pair.weight(theirs)) for found in check_section(pair, theirs, mine))
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
            yield pair.finding(line, section.id, "headings", expected, f"ids {shown(mine)}", weight)
        elif ours.level != section.level:
            level = f"level {section.level} ({'#' * section.level})"
            found = f"level {ours.level} ({'#' * ours.level})"
            yield pair.finding(line, section.id, "headings", level, found, pair.weight(section))
    for section in pair.ours.sections:
        if section.id not in theirs:
            expected = f"no such heading: the source has {shown(theirs)}"
            weight = NOTE if section.id in accepted else ERROR
            yield pair.finding(section.line, section.id, "headings", expected, f"“{section.title}”", weight)
    if sorted(theirs) == sorted(mine) and theirs != mine:
        first = next(n for n, (a, b) in enumerate(zip(theirs, mine, strict=True)) if a != b)
        section, weight = pair.ours.sections[first], NOTE if mine == accepted else ERROR
        yield pair.finding(section.line, section.id, "headings", f"the order {shown(theirs)}", shown(mine), weight)


def check_section(pair: Pair, theirs: Section, mine: Section) -> Iterator[Finding]:
    """What one section is made of, rule by rule; the reason for an exception stands in the section."""
    allowed = excused(mine)
    for rule, items in structure.ORDERED.items():
        if rule not in allowed:
            yield from ordered(pair, rule, mine, list(items(theirs.text)), list(items(mine.text)))
    for rule, items in structure.COUNTED.items():
        if rule not in allowed:
            yield from counted(pair, rule, mine, list(items(theirs.text)), list(items(mine.text)))
    for rule, items in structure.PRESENT.items():
        if rule not in allowed:
            wanted, got = (dict(items(text)) for text in (theirs.text, mine.text))
            if rule == "numbers":
                said = structure.prose(mine.text)
                wanted = {n: at for n, at in wanted.items() if n in got or not figures.in_words(n, said, pair.language)}
            yield from counted(pair, rule, mine, list(wanted.items()), list(got.items()))


def ordered(pair: Pair, rule: str, mine: Section, theirs: list[Item], ours: list[Item]) -> Iterator[Finding]:
    """The first place where two sequences part."""
    wanted, got = [what for what, _ in theirs], [what for what, _ in ours]
    if wanted == got:
        return
    first = next((n for n, (a, b) in enumerate(zip(wanted, got, strict=False)) if a != b), min(len(wanted), len(got)))
    line = mine.start + (ours[first][1] - 1 if first < len(ours) else mine.text.rstrip().count("\n"))
    number = f"no. {first + 1}: "
    expected = number + wanted[first] if first < len(wanted) else f"no more than {len(wanted)}: {shown(wanted)}"
    found = number + got[first] if first < len(got) else f"no more than {len(got)}: {shown(got)}"
    yield pair.finding(line, mine.id, rule, expected, found)


def counted(pair: Pair, rule: str, mine: Section, theirs: list[Item], ours: list[Item]) -> Iterator[Finding]:
    """What stands more often on one side, whatever the order."""
    wanted, got = (Counter(what for what, _ in items) for items in (theirs, ours))
    missing, extra = wanted - got, got - wanted
    if missing or extra:
        line = next((line for what, line in ours if what in extra), mine.line - mine.start + 1)
        expected = times(missing) if missing else f"only what the source has: {times(wanted)}"
        found = times(extra) if extra else f"not there ({times(got)})"
        yield pair.finding(mine.start + line - 1, mine.id, rule, expected, found)


def times(items: Counter[str]) -> str:
    return shown(f"{count} × {what}" if count > 1 else what for what, count in items.items())


def behind(site: Site, pair: Pair, page: str, language: str) -> Iterator[Finding]:
    """Sections whose source has changed: notes, so that a fix to the source goes through."""
    now = state(site, page, language)
    for name in now.behind:
        mine = pair.ours.section(name)
        why = {"it has changed since": now.stale, "never accepted": now.fresh, "the source has it no longer": now.gone}
        found = next(said for said, names in why.items() if name in names)
        command = f"the source as it was accepted; look: python -m sitekit.i18n diff {page} --lang {language}"
        yield pair.finding(mine.line if mine else 1, name, "stale", command, found, NOTE)
