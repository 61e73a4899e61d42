"""`status` in words: what is missing, stale, a draft, an orphan; how many pages are current."""

from collections import Counter
from collections.abc import Iterable

from .report import join_items
from .state import CURRENT, DRAFT, KEPT, MISSING, ORPHAN, STALE, State

SAID = {
    CURRENT: "current",
    STALE: "stale",
    DRAFT: "a draft: no section is accepted yet",
    MISSING: "missing",
    KEPT: "not translated on purpose",
    ORPHAN: "an orphan: no such page in the source",
}


def describe_states(rows: Iterable[State]) -> str:
    """One line for each page that needs somebody, and a summary for each language."""
    listed = list(rows)
    lines = []
    for row in listed:
        if row.kind not in (CURRENT, KEPT):
            lines.append(f"{row.language}/{row.page}: {SAID[row.kind]}{sections(row)}{hint(row)}")
    for language in dict.fromkeys(row.language for row in listed):
        counts = Counter(row.kind for row in listed if row.language == language)
        lines.append(f"{language}: " + join_items(f"{counts[kind]} {kind}" for kind in SAID if counts[kind]))
    return "\n".join(lines)


def sections(row: State) -> str:
    if row.kind != STALE:
        return ""
    marked = [*row.stale, *(f"{name} (new)" for name in row.fresh), *(f"{name} (gone)" for name in row.gone)]
    return ": " + join_items([*(f"#{name}" for name in marked), *(["in another order"] if row.moved else [])])


def hint(row: State) -> str:
    return f" ({row.hint})" if row.hint else ""
