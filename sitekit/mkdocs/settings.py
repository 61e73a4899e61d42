"""What mkdocs.yml cannot say: the settings that depend on the language, and the build that they hand on."""

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from .. import live
from ..build import Build, begin
from ..exports import notebooks, offline
from ..i18n.refusals import refusals
from ..i18n.report import describe_findings
from ..i18n.site import Site
from ..i18n.translation import translations
from ..languages import Language
from ..lessons.execute import LessonError
from ..live import wheel
from ..markdown.fence import cell_fence
from ..markdown.page import Page, current
from . import beside
from .logs import log

PALETTE = (("light", "default", "weather-night", "theme_dark"), ("dark", "slate", "weather-sunny", "theme_light"))

command = "build"  # what mkdocs was called for


def configure(config: MkDocsConfig) -> MkDocsConfig:
    """Set what depends on the language; the source's settings begin the build, the others' are handed it."""
    if "build" not in config.extra:
        config.extra["build"] = begin_build()
        beside.begin(config)
    build: Build = config.extra["build"]
    here = build.languages[Path(config.docs_dir).name]
    current.set(Page(here.docs, here))
    config.site_name, config.site_description = here.site_name, here.site_description
    config.copyright = here.labels["copyright"]
    config.theme["language"] = here.code
    config.theme["palette"] = [palette(here, *row) for row in PALETTE]
    config.plugins["material/search"].config.lang = here.search
    config.mdx_configs["toc"] |= {"permalink_title": here.labels["permalink"]}
    config.mdx_configs["footnotes"] = {"BACKLINK_TITLE": here.labels["footnote_back"]}
    configure_markdown(config, build)
    config.extra.update(extra(build, here, config.site_url or ""))
    return config


def configure_markdown(config: MkDocsConfig, build: Build) -> None:
    """Hand the build to the Markdown extensions that show what it knows."""
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [cell_fence(build.lessons)]}
    config.mdx_configs["sitekit.markdown.katex"] = {"formulas": build.formulas}
    config.mdx_configs["sitekit.reference.generated"] = {"build": build}


def begin_build() -> Build:
    """Begin with what may stand in docs/; without a build, nothing of it is copied, rendered or executed."""
    if refused := list(refusals(Site())):
        raise PluginError(f"docs/ holds what no build takes\n{describe_findings(refused)}")
    try:
        return begin(log.info)
    except LessonError as error:
        raise PluginError(str(error)) from None


def extra(build: Build, here: Language, url: str) -> dict[str, Any]:
    """What hooks and templates find in `config.extra`."""
    up, root = "../" if here.prefix else "", url.removesuffix(here.prefix)
    return {
        "build": build,
        "language": here,
        "languages": build.languages,
        "alternate": [
            {"name": other.name, "link": up + other.prefix, "lang": other.code, "prefix": other.prefix}
            for other in build.languages.values()
        ],
        "translations": partial(translations, build.site),
        "up": up,
        "site_root": root,
        "scope": urlsplit(root).path or "/",  # colours chosen here hold in every language
        "zip": offline.FILE,
        "figures": live.figures.names(),
        "wheel": f"{live.FOLDER}/{wheel.name()}",
        "notebooks": notebooks.write_notebooks(build.lessons, here, url),
    }


def palette(here: Language, media: str, scheme: str, icon: str, label: str) -> dict[str, Any]:
    return {
        "media": f"(prefers-color-scheme: {media})",
        "scheme": scheme,
        "primary": "custom",
        "accent": "custom",
        "toggle": {"icon": f"material/{icon}", "name": here.labels[label]},
    }
