"""One MkDocs build for each language: the source's builds the others, then what holds for the whole site."""

from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.commands.build import build as build_site
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

from ..build import Build
from ..exports import notices, offline, policy
from ..live import models
from ..markdown import mathml
from . import assets, beside, edits, search, settings, styles
from .logs import log
from .whitespace import drop_indentation


def build_others(config: MkDocsConfig) -> None:
    """After the source language build the others, each below its prefix; then finish the site."""
    build: Build = config.extra["build"]
    if config.extra["language"] != build.source:
        return
    for language in list(build.languages.values())[1:]:
        log.info(f"Building {language.name} ({language.code})")
        language.docs.mkdir(exist_ok=True)
        nested = load_config(
            config.config_file_path,
            docs_dir=str(language.docs),
            site_dir=str(Path(config.site_dir) / language.prefix),
            site_url=f"{config.site_url}{language.prefix}",
            strict=config.strict,
            extra={"build": build},
        )
        build_site(nested)
    finish(build, Path(config.site_dir), config.site_url or "", serving=settings.command == "serve")
    beside.publish(config)


def finish(build: Build, site: Path, url: str, *, serving: bool) -> None:
    """Write the font, now that all formulas are known, then what is made of all pages: assets, policy, notices, zip.

    A server that reloads pages adds a script of its own: there, pages carry no policy, and nobody takes a zip home. Its
    languages keep their own assets, for a page that is rendered alone asks for them.
    """
    models.publish(site)
    for language in build.languages.values():
        search.trim(site / language.prefix / "search" / "search_index.json")
        if serving:
            edits.edits.go_on()
            mathml.write_font(site / language.prefix, build.formulas)
    if serving:
        return
    assets.share(site, url, build.languages.values())
    assets.drop_other_languages(site, build.languages.values())
    assets.drop_source_maps(site)
    mathml.write_font(site, build.formulas)
    names = styles.purge(site)
    for page in site.rglob("*.html"):
        page.write_text(drop_indentation(styles.rename(page.read_text("utf-8"), names)), "utf-8")
    try:
        policy.write(site, urlsplit(url).path or "/")
    except policy.PolicyError as error:
        raise PluginError(str(error)) from None
    notices.write(site)
    offline.write(site, url, build.languages)
