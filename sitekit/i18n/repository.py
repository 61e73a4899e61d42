"""Check a repository, or one page of it in all its languages."""

from collections.abc import Iterable, Iterator

from . import checks, labels, typography, untranslated, words
from .malformed import unreadable
from .refusals import refusals, refused_page
from .report import ERROR, NOTE, Finding
from .site import Site, save
from .state import DRAFT, MISSING, ORPHAN, STALE, State, states

TO_DO = "<!-- translate:"  # what skeleton.py puts before a paragraph of the source


def findings(site: Site, pages: list[str] | None = None, *, release: bool = False) -> Iterator[Finding]:
    """Everything that is wrong: what stops a build, then language by language, page by page, then lessons' labels."""
    files = {f"docs/{language}/{page}" for language in site.languages for page in pages or []}
    yield from (finding for finding in refusals(site) if pages is None or finding.file in files)
    for language in site.languages:
        for page in site.pages(language):
            if pages is None or page in pages:
                yield from check_words(site, page, language)
    yield from labels.check(site, None if pages is None else {page.removesuffix(".md") for page in pages})
    for language in site.others:
        for row in states(site, language):
            if pages is None or row.page in pages:
                yield from check_state(site, row, release=release)


def check_page(site: Site, page: str, language: str) -> Iterator[Finding]:
    """What is wrong on one page."""
    if document := site.document(page, language):
        yield from refused_page(site, document)
        yield from check_words(site, page, language)


def check_words(site: Site, page: str, language: str) -> Iterator[Finding]:
    """What is wrong with the words of one page, unless it cannot even be read.

    Sections that are still to be translated count as one finding, whatever they lack.
    """
    document = site.document(page, language)
    if document is None or any(unreadable(site, document.path)):
        return
    found = list(words.check_words(site, document, language))
    if language != site.source:
        found += [*checks.check_pair(site, page, language), *untranslated.check(site, page, language)]
    left = {section.id: section.text.count(TO_DO) for section in document.sections if TO_DO in section.text}
    if left:
        first = next(section for section in document.sections if section.id in left)
        line = first.start + first.text[: first.text.index(TO_DO)].count("\n")
        count = f"{sum(left.values())} paragraphs left, in {', '.join(f'#{name}' for name in left)}"
        required = f"a translation in place of each comment {TO_DO} …"
        yield Finding(site.name(document.path), line, first.id, "unfinished", required, count)
    yield from (finding for finding in found if finding.section not in left)


def check_state(site: Site, row: State, *, release: bool) -> Iterator[Finding]:
    """Pages that are missing, orphaned, or, for a release, behind."""
    file, complete = f"docs/{row.language}/{row.page}", site.languages[row.language].complete
    source = f"docs/{site.source}/{row.page}"
    if row.kind == ORPHAN:
        yield Finding(
            file, 1, "", "orphan", f"a source page {source}", f"none; {row.hint or 'rename it, or delete it'}"
        )
    elif row.kind == MISSING:
        begin = f"a translation of {source}; begin: python -m sitekit.i18n new {row.page} --lang {row.language}"
        weight = ERROR if complete and release else NOTE
        yield Finding(file, 1, "", "missing", begin, "no such file", weight)
    elif row.kind in (STALE, DRAFT) and complete and release:
        sections = ", ".join(f"#{name}" for name in row.behind) or "in another order"
        yield Finding(file, 1, "", "release", "every section accepted as its source is now", f"behind: {sections}")


def fix(site: Site, pages: Iterable[str] | None) -> Iterator[str]:
    """Set the Chinese pages right; yield the names of those that changed."""
    for language in filter(typography.applies, site.languages):
        for page in site.pages(language):
            path = site.path(page, language)
            if any(unreadable(site, path)):
                continue  # the check says so
            before = site.text(path)
            if (pages is None or page in pages) and (after := typography.fixed(before)) != before:
                save(path, after)
                yield site.name(path)
