"""How far the translation of each page is: current, stale, a draft, missing, not to be translated, or an orphan."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from .sections import Document
from .site import Site

CURRENT, STALE, DRAFT, MISSING, KEPT, ORPHAN = "current", "stale", "draft", "missing", "kept", "orphan"


@dataclass(frozen=True)
class State:
    """One page in one language.

    `stale`: sections whose source has changed since they were accepted; `fresh`: sections that were never accepted;
    `gone`: sections accepted once that the source has no longer; `moved`: the source has them in another order now;
    `hint`: for an orphan, what has probably happened.
    """

    page: str
    language: str
    kind: str
    stale: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    moved: bool = False
    origin: str = ""
    accepted: str = ""
    accepted_by: str = ""
    hint: str = ""

    @property
    def behind(self) -> tuple[str, ...]:
        """The sections that have not been accepted as they are in the source now."""
        return (*self.stale, *self.fresh, *self.gone)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def states(site: Site, language: str) -> Iterator[State]:
    """The state of every page in one language, orphans last."""
    pages = dict(site.source_pages())
    for page in pages:
        yield state(site, page, language)
    for page in site.pages(language):
        if page not in pages:
            yield State(page, language, ORPHAN, hint=renamed_to(site, page, language))


def state(site: Site, page: str, language: str) -> State:
    """The state of one page; its source must exist."""
    source, ours = site.document(page, site.source), site.document(page, language)
    if source is None:
        return State(page, language, ORPHAN, hint=renamed_to(site, page, language))
    if ours is None:
        return State(page, language, KEPT if stays(source) else MISSING)
    return compared(page, language, source, ours)


def stays(source: Document) -> bool:
    """Whether the page says that it is not to be translated."""
    return source.meta.values.get("translate") is False


def compared(page: str, language: str, source: Document, ours: Document) -> State:
    accepted = ours.meta.sections
    fresh = tuple(section.id for section in source.sections if section.id not in accepted)
    stale = tuple(
        section.id for section in source.sections if section.id in accepted and accepted[section.id] != section.hash
    )
    ids = [section.id for section in source.sections]
    gone = tuple(name for name in accepted if name not in ids)
    moved = [name for name in accepted if name in ids] != [name for name in ids if name in accepted]
    kind = DRAFT if not accepted else STALE if stale or fresh or gone or moved else CURRENT
    values = ours.meta.values
    who = {name: str(values.get(name, "")) for name in ("origin", "accepted", "accepted_by")}
    return State(page, language, kind, stale, fresh, gone, moved, **who)


def renamed_to(site: Site, page: str, language: str) -> str:
    """The page without a translation that has most sections in common with this orphan, if half of them or more."""
    ours = site.document(page, language)
    ids = {section.id for section in ours.sections} if ours else set()
    best, most = "", 0
    for other, source in site.source_pages():
        common = len(ids & {section.id for section in source.sections})
        if common > most and 2 * common >= len(ids) and not site.path(other, language).exists():
            best, most = other, common
    return f"renamed? git mv docs/{language}/{page} docs/{language}/{best}" if best else ""
