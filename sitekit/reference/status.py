"""The page that shows how far every translation is: pages by languages, in words as well as in colour."""

from collections.abc import Mapping
from typing import Any

from ..i18n.people import edit_url
from ..i18n.site import Site
from ..i18n.state import CURRENT, DRAFT, KEPT, MISSING, STALE, State, state
from ..languages import Language
from .glossary import in_order

MARKS = {"source": "◆", CURRENT: "✓", STALE: "◐", DRAFT: "◔", MISSING: "○", KEPT: "–"}
HELP = "contribute.md#translate"


def render(site: Site, language: Language, words: Mapping[str, Any]) -> str:
    """A count for each language, then a table: one line a page, one column a language."""
    pages, languages = ["index.md", *in_order()], site.languages
    states = {code: {page: state(site, page, code) for page in pages} for code in site.others}
    lines = [f"- {count(languages[code], rows, words)}" for code, rows in states.items()]
    lines += ["", "| " + " | ".join([words["page"], *map(name_of, languages.values())]) + " |"]
    lines.append("|---" * (1 + len(languages)) + "|")
    for page in pages:
        cells = [cell("source", words["source"]), *(page_cell(site, rows[page], words) for rows in states.values())]
        lines.append("| " + " | ".join([link(site, page, language), *cells]) + " |")
    return "\n".join(lines)


def count(language: Language, rows: Mapping[str, State], words: Mapping[str, Any]) -> str:
    required = [row for row in rows.values() if row.kind != KEPT]
    current = sum(row.kind == CURRENT for row in required)
    return words["count"].format(language=name_of(language), current=current, all=len(required))


def name_of(language: Language) -> str:
    return f'<span lang="{language.code}">{language.name}</span>'


def link(site: Site, page: str, language: Language) -> str:
    """The page by its title in the reader's language, or, marked, in the source's."""
    path, its_language = language.find(page)
    document = site.document(page, its_language.code)
    title = document.sections[0].title if document and document.sections else path.stem
    lang = f' lang="{its_language.code}"' if its_language != language else ""
    return f"[<span{lang}>{title}</span>]({page})" if lang else f"[{title}]({page})"


def page_cell(site: Site, row: State, words: Mapping[str, Any]) -> str:
    """One page in one language: how far it is, and how to help where it is not there yet."""
    text = words[row.kind]
    if row.kind == STALE:
        text = words["behind"].format(n=len(row.behind) or 1)
    elif row.kind == CURRENT and row.origin in words["origins"]:
        text = f"{text}{words['separator']}{words['origins'][row.origin]}"
    html = cell(row.kind, text)
    return html if row.kind in (CURRENT, KEPT) else f"{html}<br>[{words['help']}]({help_url(site, row)})"


def cell(kind: str, text: str) -> str:
    return f'<span class="state {kind}">{MARKS[kind]} {text}</span>'


def help_url(site: Site, row: State) -> str:
    """Where one can begin: the file in the browser, or how to go about it."""
    path = site.path(row.page, row.language)
    return edit_url(path) if path.exists() and edit_url(path) else HELP
