"""What a reader is told about a page: whether it is a translation, how far behind, and how to help."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from ..languages import Language
from ..paths import ROOT
from .people import edit_url
from .site import Site
from .state import CURRENT, DRAFT, STALE, State, state

UNTRANSLATED, ORIGINAL = "untranslated", "original"


@dataclass(frozen=True)
class Notice:
    """What the templates of one page say, in the words of the reader's language."""

    kind: str  # original, untranslated, draft, stale, current
    top: str  # above the text: what a reader must know first
    changed: list[tuple[str, str]]  # sections that have fallen behind: id on this page (or none), title
    foot: str  # below the text: where it comes from
    file: str
    edit_url: str
    people: list[str]


def notice(site: Site, contributors: Mapping[str, list[str]], here: Language, page: str, original: str) -> Notice:
    """The notice of a page (`softmax.md`); `original` is the address of the page in the source language."""
    path, language = here.find(page)
    labels, code = here.labels, site.source
    link = f'<a href="{escape(original)}" hreflang="{code}">{labels["source_name"]}</a>'
    now = None if language.code == code else state(site, page, here.code)
    kind = now.kind if now else ORIGINAL if here.code == code else UNTRANSLATED
    top = labels[f"notice_{kind}"].format(source=link) if kind in (UNTRANSLATED, DRAFT, STALE) else ""
    file = path.relative_to(ROOT).as_posix()
    foot = origin(now, labels, link) if now and now.kind in (CURRENT, STALE) else ""
    return Notice(kind, top, changed(site, now, page, here), foot, file, edit_url(path), contributors.get(file, []))


def origin(now: State, labels: dict[str, str], link: str) -> str:
    """Translated from what, by whom it was accepted, and when."""
    text = labels["translated_from"].format(source=link, date=escape(now.accepted), by=escape(now.accepted_by))
    return f"{text} {labels[f'origin_{now.origin}']}" if f"origin_{now.origin}" in labels else text


def changed(site: Site, now: State | None, page: str, here: Language) -> list[tuple[str, str]]:
    """The sections that have fallen behind, by the title that this page gives them, or the source's."""
    if now is None or now.kind != STALE:
        return []
    ours, theirs = site.document(page, here.code), site.document(page, site.source)
    sections = []
    for name in (*now.stale, *now.fresh, *now.gone):
        mine, its = (each.section(name) if each else None for each in (ours, theirs))
        section = mine or its
        sections.append((name if mine else "", section.title if section else name))
    return [*sections, ("", here.labels["notice_moved"])] if now.moved else sections


def translations(site: Site, page: str) -> list[str]:
    """The languages that a page really is in."""
    return [code for code in site.languages if site.path(page, code).exists()]
