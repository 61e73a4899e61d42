"""The hooks of MkDocs: they only name who does what. One `mkdocs build` builds the site in every language."""

from typing import Any, Literal

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext
from pymdownx.superfences import SuperFencesException

from sitekit.mkdocs import edits, generated_files, head, languages, logs, notebook_pages, pages, settings


def on_startup(command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
    settings.command = command


@event_priority(100)  # before Material's search looks at its language
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    return settings.configure(config)


@event_priority(100)  # before mkdocs-jupyter, which takes the notebooks over
def on_files(files: Files, config: MkDocsConfig) -> Files:
    edits.edits.go_on()
    return generated_files.add(files, config)


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    pages.name_parts(nav, config)
    if settings.command == "serve":
        config.extra["nav"] = nav


def on_pre_page(page: Page, config: MkDocsConfig, files: Files) -> Page:
    if settings.command == "serve":
        edits.keep_page(page, config)
    return page


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> None:
    if settings.command == "serve":
        edits.keep_templates(env, config, files)


@event_priority(200)  # before mkdocs-jupyter renders a notebook
def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    pages.begin(page, config)
    return markdown


def on_page_content(text: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    opened = pages.open_chapter(pages.add_hint(text, page, config), page, config)
    marked = pages.mark_language(opened, page, config)
    head.fill(text, page, config)
    return marked


@event_priority(100)  # before Material's search reads the page
def begin_page_context(context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    pages.spell_for_search(page, config)


@event_priority(-100)  # after it
def end_page_context(context: TemplateContext, page: Page, config: MkDocsConfig, nav: Navigation) -> TemplateContext:
    pages.show_formulas(page, config)
    return pages.add_notice(context, page, config)


on_page_context = CombinedEvent(begin_page_context, end_page_context)


def on_build_error(error: Exception) -> None:
    if isinstance(error, SuperFencesException):  # a fault of a page, already logged with its line: no traceback
        raise Abort("Aborted: a page cannot be built")
    if isinstance(error, OSError):  # a full disk, a folder that cannot be written
        raise Abort(f"Aborted: {error}")


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> None:
    edits.edits.attach(server, builder)
    logs.tell_addresses(config)


def on_post_build(config: MkDocsConfig) -> None:
    languages.build_others(config)


notebook_pages.take_over()
