"""What each language's build writes for itself, and the site needs once: styles, scripts, what searches."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.exceptions import PluginError

from ..languages import Language

FOLDER = "assets"
LUNR = f"{FOLDER}/javascripts/lunr"
SEGMENTERS = {"ja": "tinyseg.js", "th": "wordcut.js", "hi": "wordcut.js"}  # what cuts a text in words
MAPPED = re.compile(r"^/[/*]# sourceMappingURL=.*$", re.M)
EVERY = {"min/lunr.stemmer.support.min.js", "min/lunr.multi.min.js"}


def share(site: Path, url: str, languages: Iterable[Language]) -> None:
    """Let the pages of every language, below a site at this address, ask for the assets of its root."""
    for language in languages:
        if not language.prefix:
            continue
        own = site / language.prefix
        refuse_different(own / FOLDER, site / FOLDER)
        shutil.rmtree(own / FOLDER)
        for page in own.rglob("*.html"):
            up = "../" * len(page.parent.relative_to(own).parts)
            html = page.read_text("utf-8").replace(f'"{up}{FOLDER}/', f'"../{up}{FOLDER}/')
            path = urlsplit(url).path  # which the page for a wrong address has: it may be shown at any depth
            page.write_text(html.replace(f'"{path}{language.prefix}{FOLDER}/', f'"{path}{FOLDER}/'), "utf-8")


def refuse_different(own: Path, shared: Path) -> None:
    for path in own.rglob("*"):
        other = shared / path.relative_to(own)
        if path.is_file() and not (other.is_file() and other.read_bytes() == path.read_bytes()):
            raise PluginError(f"{path.relative_to(own.parents[1])} is not the file of the other languages")


def drop_other_languages(site: Path, languages: Iterable[Language]) -> None:
    """Keep of what searches the languages that the site is in."""
    codes = {code for language in languages for code in language.search}
    kept = (
        EVERY | {f"min/lunr.{code}.min.js" for code in codes} | {SEGMENTERS[code] for code in codes & set(SEGMENTERS)}
    )
    for path in (site / LUNR).rglob("*.js"):
        if path.relative_to(site / LUNR).as_posix() not in kept:
            path.unlink()


def drop_source_maps(site: Path) -> None:
    """Remove the maps of minified files, which nobody reads here, and the lines that point to them."""
    for path in site.rglob("*.map"):
        minified = path.with_suffix("")
        minified.write_text(MAPPED.sub("", minified.read_text("utf-8")), "utf-8")
        path.unlink()
