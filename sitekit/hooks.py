"""MkDocs hooks: one `mkdocs build` executes the lessons and builds the site in every language."""

import html
import logging
import re
from pathlib import Path
from typing import Any

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
from mkdocs_jupyter import convert
from pymdownx.superfences import SuperFencesException

from sitekit import cells, fonts, heads, notebooks, scripts
from sitekit.execute import LessonError
from sitekit.languages import Language, languages, source
from sitekit.links import Where
from sitekit.page import Page, current
from sitekit.paths import THEME
from sitekit.remember import remembered

log = logging.getLogger("mkdocs.sitekit")
logging.getLogger("mkdocs.mkdocs-jupyter").setLevel(logging.WARNING)  # two lines for each notebook
convert.nb2html = remembered(convert.nb2html)
jieba.setLogLevel(logging.WARNING)
logging.getLogger("mkdocs.structure.pages").addFilter(Where())
INSTALL = ""
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
    up = "../" if here.prefix else ""
    config.extra["alternate"] = [
        {"name": other.name, "link": up + other.prefix, "lang": other.code, "prefix": other.prefix}
        for other in languages().values()
    ]
    config.extra["site_root"] = (config.site_url or "").removesuffix(here.prefix)
    config.plugins["material/search"].config.lang = here.search
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
    for path, content in heads.files().items():
        files.append(File.generated(config, path, content=content))
    for path, text in scripts.files(language(config), INSTALL).items():
        files.append(File.generated(config, path, content=text))
    home = str(notebooks.folder(language(config)))
    for slug in config.extra["notebooks"]:
        files.append(File(f"notebooks/{slug}.ipynb", home, config.site_dir, config.use_directory_urls))
    return files


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> None:
    parts = language(config).parts
    for item in nav.items:
        if isinstance(item, Section):
            item.title = parts[item.title]


def on_page_markdown(markdown: str, page: MkDocsPage, config: MkDocsConfig, files: Files) -> str:
    current.set(Page(Path(page.file.abs_src_path or ""), language(config)))
    if not page.file.src_uri.endswith(".ipynb"):
        return markdown
    page.meta["search"] = {"exclude": True}  # the chapter itself is in the index
    markdown = re.sub(r"\s*<style>.*?</style>\s*\Z", "\n", markdown, flags=re.S)  # nbconvert's list of colours
    return MARKED.sub(lambda m: "\n" + html.unescape(m[1]) + "\n", markdown)


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
