"""The page that shows how far every translation is: pages by languages, in words as well as in colour."""

from collections.abc import Mapping
from typing import Any

from ..i18n.people import edit_url
from ..i18n.state import CURRENT, DRAFT, KEPT, MISSING, STALE, State
from ..i18n.translation import stamp, standing, whole
from ..languages import Language, languages, source
from .glossary import in_order

MARKS = {"source": "◆", CURRENT: "✓", STALE: "◐", DRAFT: "◔", MISSING: "○", KEPT: "–"}
HELP = "contribute.md#translate"


def render(language: Language, words: Mapping[str, Any]) -> str:
    """A count for each language, then a table: one line a page, one column a language."""
    pages = ["index.md", *in_order()]
    states = {code: {page: standing(page, code) for page in pages} for code in languages() if code != source().code}
    lines = [f"- {count(languages()[code], rows, words)}" for code, rows in states.items()]
    lines += ["", "| " + " | ".join([words["page"], *(named(each) for each in languages().values())]) + " |"]
    lines.append("|---" * (1 + len(languages())) + "|")
    for page in pages:
        cells = [cell("source", words["source"]), *(one(rows[page], words) for rows in states.values())]
        lines.append("| " + " | ".join([link(page, language), *cells]) + " |")
    return "\n".join(lines)


def count(language: Language, rows: Mapping[str, State], words: Mapping[str, Any]) -> str:
    wanted = [row for row in rows.values() if row.kind != KEPT]
    current = sum(row.kind == CURRENT for row in wanted)
    return words["count"].format(language=named(language), current=current, all=len(wanted))


def named(language: Language) -> str:
    return f'<span lang="{language.code}">{language.name}</span>'


def link(page: str, language: Language) -> str:
    """The page by its title in the reader's language, or, marked, in the source's."""
    path, its_language = language.find(page)
    document = whole(stamp()).document(page, its_language.code)
    title = document.sections[0].title if document and document.sections else path.stem
    lang = f' lang="{its_language.code}"' if its_language != language else ""
    return f"[<span{lang}>{title}</span>]({page})" if lang else f"[{title}]({page})"


def one(row: State, words: Mapping[str, Any]) -> str:
    """One page in one language: how far it is, and how to help where it is not there yet."""
    said = words[row.kind]
    if row.kind == STALE:
        said = words["behind"].format(n=len(row.behind) or 1)
    elif row.kind == CURRENT and row.origin in words["origins"]:
        said = f"{said}{words['separator']}{words['origins'][row.origin]}"
    shown = cell(row.kind, said)
    return shown if row.kind in (CURRENT, KEPT) else f"{shown}<br>[{words['help']}]({help_url(row)})"


def cell(kind: str, said: str) -> str:
    return f'<span class="state {kind}">{MARKS[kind]} {said}</span>'


def help_url(row: State) -> str:
    """Where one can begin: the file in the browser, or how to go about it."""
    path = languages()[row.language].docs / row.page
    return edit_url(path) if path.exists() and edit_url(path) else HELP
