"""What a page needs beside its text: the language it is in, and the notice of how far its translation is."""

import re
from pathlib import Path
from typing import Any, cast

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils import get_relative_url
from mkdocs.utils.templates import TemplateContext

from ..build import Build
from ..chapters import number_of
from ..i18n.translation import notice
from ..languages import Language
from ..markdown.katex import spell_formulas
from ..markdown.page import Page, current
from . import journey, search


def name_parts(nav: Navigation, config: MkDocsConfig) -> None:
    """Give the parts of the navigation their names in the site's language."""
    for item in nav.items:
        if isinstance(item, Section):
            item.title = config.extra["language"].parts[item.title]


def begin(page: MkDocsPage, config: MkDocsConfig) -> None:
    """Make the page the current one: Markdown extensions ask for its language and its file."""
    current.set(Page(Path(page.file.abs_src_path or ""), language_of(page, config)))
    if page.file.src_uri.endswith(".ipynb"):
        page.meta["search"] = {"exclude": True}  # the chapter itself is in the index
    elif number_of(page.file.src_uri) is not None:
        page.meta["search"] = {"boost": 4}  # a chapter comes before the reference of what it explains
        build: Build = config.extra["build"]
        page.meta["tags"] = search.words(Path(page.file.src_uri).stem, build.languages)


def language_of(page: MkDocsPage, config: MkDocsConfig) -> Language:
    """The language of the page's text: the source's where there is no translation. A notebook goes with its chapter."""
    here: Language = config.extra["language"]
    uri = page.file.src_uri
    return here.find(f"{Path(uri).stem}.md" if uri.endswith(".ipynb") else uri)[1]


def spell_for_search(page: MkDocsPage, config: MkDocsConfig) -> None:
    """Spell formulas out while Material reads the page into its search index."""
    config.extra["content"] = page.content
    page.content = spell_formulas(page.content or "")


def show_formulas(page: MkDocsPage, config: MkDocsConfig) -> None:
    """Have the formulas back, now that the index has been filled."""
    page.content = config.extra.pop("content")


def open_chapter(text: str, page: MkDocsPage, config: MkDocsConfig) -> str:
    """A chapter's number stands in its name, and below its title how long it takes and where the word has got to."""
    uri = page.file.src_uri
    if (number := number_of(uri)) is None:
        return text
    page.title = f"{number}. {page.title}"
    lines = journey.opening(uri, page.markdown or "", language_of(page, config))
    return text.replace("</h1>", f"</h1>{lines}", 1)


def mark_language(text: str, page: MkDocsPage, config: MkDocsConfig) -> str:
    """Text in another language than the site's says so: to screen readers, in the menu, and to search engines."""
    language = language_of(page, config)
    if language == config.extra["language"]:
        return text
    page.title = f"{page.title} ({language.name})"
    page.canonical_url = f"{config.extra['site_root']}{language.prefix}{page.url}"
    return f'<div lang="{language.code}" dir="{language.direction}">{text}</div>'


def add_hint(text: str, page: MkDocsPage, config: MkDocsConfig) -> str:
    """The first table that can explain its numbers says so, rather one that is not folded away."""
    tables = [match.start() for match in re.finditer(r" data-of=", text)]
    if not tables:
        return text
    opened = (at for at in tables if text.count("<details", 0, at) == text.count("</details>", 0, at))
    end = text.index("</table></div>", next(opened, tables[0])) + len("</table></div>")
    hint = f'<div class="why hint"><span>{language_of(page, config).labels["explain_hint"]}</span></div>'
    return text[:end] + hint + text[end:]


def add_notice(context: TemplateContext, page: MkDocsPage, config: MkDocsConfig) -> TemplateContext:
    """Add what the templates say of the page's translation, and where the page can be edited."""
    if page.file.src_uri.endswith(".md"):
        build: Build = config.extra["build"]
        up, address = get_relative_url(".", page.url), page.url if page.url != "./" else ""
        original = f"{up}/{config.extra['alternate'][0]['link']}{address}"
        about = notice(build.site, build.contributors, config.extra["language"], page.file.src_uri, original)
        page.edit_url = about.edit_url or None
        cast(dict[str, Any], context)["notice"] = about
    return context
