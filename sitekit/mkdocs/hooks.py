"""MkDocs hooks: one `mkdocs build` executes the lessons and builds the site in every language."""

import html
import logging
import re
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import jieba
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils import get_relative_url
from mkdocs.utils.templates import TemplateContext
from mkdocs_jupyter import convert
from pymdownx.superfences import SuperFencesException

from sitekit import live
from sitekit.exports import notebooks, offline, policy, scripts
from sitekit.i18n.translation import notice, translations
from sitekit.languages import Language, languages, source
from sitekit.lessons import cells
from sitekit.lessons.execute import LessonError
from sitekit.live import wheel
from sitekit.markdown import fonts
from sitekit.markdown.page import Page, current
from sitekit.mkdocs.links import Where
from sitekit.paths import THEME
from sitekit.reference import heads
from sitekit.remember import remembered

log = logging.getLogger("mkdocs.sitekit")
logging.getLogger("mkdocs.mkdocs-jupyter").setLevel(logging.WARNING)  # two lines for each notebook
convert.nb2html = remembered(convert.nb2html)
jieba.setLogLevel(logging.WARNING)
logging.getLogger("mkdocs.structure.pages").addFilter(Where())
MARKED = re.compile(r'<pre class="nb-md">(.*?)</pre>', re.S)  # notebook.html.j2
PALETTE = (("light", "default", "weather-night", "theme_dark"), ("dark", "slate", "weather-sunny", "theme_light"))


def language(config: MkDocsConfig) -> Language:
    return languages()[Path(config.docs_dir).name]


@event_priority(100)  # before Material's search looks at its language
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    here = language(config)
    if here == source():
        try:
            cells.load()
        except LessonError as error:
            raise PluginError(str(error)) from None
    config.site_name, config.site_description = here.site_name, here.site_description
    config.copyright = here.labels["copyright"]
    config.theme["language"] = here.code
    config.theme["palette"] = [palette(here, *row) for row in PALETTE]
    config.extra["language"] = here
    config.extra["up"] = up = "../" if here.prefix else ""
    config.extra["alternate"] = [
        {"name": other.name, "link": up + other.prefix, "lang": other.code, "prefix": other.prefix}
        for other in languages().values()
    ]
    config.extra["site_root"] = (config.site_url or "").removesuffix(here.prefix)
    config.extra["scope"] = (
        urlsplit(config.extra["site_root"]).path or "/"
    )  # colours chosen here hold in every language
    config.mdx_configs["toc"] |= {"permalink_title": here.labels["permalink"]}
    config.mdx_configs["footnotes"] = {"BACKLINK_TITLE": here.labels["footnote_back"]}
    config.plugins["material/search"].config.lang = here.search
    config.extra["languages"] = languages()
    config.extra["zip"] = offline.FILE
    config.extra["translations"] = translations
    current.set(Page(here.docs, here))
    config.extra["notebooks"] = notebooks.write_notebooks(here, config.site_url or "")
    return config


def palette(here: Language, media: str, scheme: str, icon: str, label: str) -> dict[str, Any]:
    return {
        "media": f"(prefers-color-scheme: {media})",
        "scheme": scheme,
        "primary": "custom",
        "accent": "custom",
        "toggle": {"icon": f"material/{icon}", "name": here.labels[label]},
    }


@event_priority(100)  # before mkdocs-jupyter, which takes the notebooks over
def on_files(files: Files, config: MkDocsConfig) -> Files:
    css = fonts.katex_css() + (THEME / "site.css").read_text("utf-8")
    files.append(File.generated(config, "assets/site.css", content=css))
    here = language(config)
    for page, its_language in here.pages():  # what is not translated is shown as it is in the source
        if its_language != here:
            uri = page.relative_to(its_language.docs).as_posix()
            files.append(File(uri, str(its_language.docs), config.site_dir, config.use_directory_urls))
    for path, content in heads.files().items():
        files.append(File.generated(config, path, content=content))
    if here == source():  # what runs in the browser is the same for all
        for path, content in live.files().items():
            files.append(File.generated(config, path, content=content))
    install = f"pip install {config.extra['site_root']}{live.FOLDER}/{wheel.name()}"
    for path, text in scripts.files(here, install).items():
        files.append(File.generated(config, path, content=text))
    home = str(notebooks.folder(here))
    for slug in config.extra["notebooks"]:
        files.append(File(f"notebooks/{slug}.ipynb", home, config.site_dir, config.use_directory_urls))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    parts = language(config).parts
    for item in nav.items:
        if isinstance(item, Section):
            item.title = parts[item.title]


def on_page_markdown(markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
    current.set(Page(Path(page.file.abs_src_path or ""), written_in(page, config)))
    if not page.file.src_uri.endswith(".ipynb"):
        return markdown
    page.meta["search"] = {"exclude": True}  # the chapter itself is in the index
    markdown = re.sub(r"\s*<style>.*?</style>\s*\Z", "\n", markdown, flags=re.S)  # nbconvert's list of colours
    return MARKED.sub(lambda m: "\n" + html.unescape(m[1]) + "\n", markdown)


def written_in(page: MkDocsPage, config: MkDocsConfig) -> Language:
    """The language of the page's text: the source's where there is no translation. A notebook goes with its chapter."""
    uri = page.file.src_uri
    if uri.endswith(".ipynb"):
        uri = f"{Path(uri).stem}.md"
    return language(config).find(uri)[1]


def on_page_content(text: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
    """Text in another language than the site's says so: to screen readers, in the menu, and to search engines."""
    its = written_in(page, config)
    if its == language(config):
        return text
    page.title = f"{page.title} ({its.name})"
    page.canonical_url = f"{config.extra['site_root']}{its.prefix}{page.url}"
    return f'<div lang="{its.code}" dir="{its.direction}">{text}</div>'


def on_page_context(
    context: TemplateContext, page: MkDocsPage, config: MkDocsConfig, nav: Navigation
) -> TemplateContext:
    if page.file.src_uri.endswith(".md"):
        here, up = language(config), get_relative_url(".", page.url)
        address = page.url if page.url != "./" else ""
        original = f"{up}/{config.extra['alternate'][0]['link']}{address}"
        told = notice(here, page.file.src_uri, original)
        page.edit_url = told.edit_url or None
        cast(dict[str, Any], context)["notice"] = told
    return context


def on_build_error(error: Exception) -> None:
    if isinstance(error, SuperFencesException):  # a fault of a page, already logged with its line: no traceback
        raise Abort("Aborted: a page cannot be built")


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Any) -> None:
    for here in languages().values():
        log.info(f"Look at {config.site_url}{here.prefix} ({here.name})")


def on_post_build(config: MkDocsConfig) -> None:
    if language(config) != source():
        return
    for other in list(languages().values())[1:]:
        log.info(f"Building {other.name} ({other.code})")
        other.docs.mkdir(exist_ok=True)
        nested = load_config(
            config.config_file_path,
            docs_dir=str(other.docs),
            site_dir=str(Path(config.site_dir) / other.prefix),
            site_url=f"{config.site_url}{other.prefix}",
            strict=config.strict,
        )
        build(nested)
    for every in languages().values():  # now that all formulas are known
        fonts.write_fonts(Path(config.site_dir) / every.prefix / "assets" / "fonts")
    site = Path(config.site_dir)
    (site / "_headers").write_text(policy.headers(site), "utf-8")
    offline.write(site, config.site_url or "")
