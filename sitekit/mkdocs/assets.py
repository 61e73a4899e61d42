"""The assets of the built site: what no page loads goes, and what is equal in all languages is kept once."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

MAPPED = re.compile(r"^/[/*]# sourceMappingURL=.*$", re.M)
SEARCH = "assets/javascripts/lunr"
SUPPORT = {"min/lunr.stemmer.support.min.js", "min/lunr.multi.min.js"}
CUTTERS = {"ja": {"tinyseg.js"}, "hi": {"wordcut.js"}, "th": {"wordcut.js"}}


def drop_source_maps(site: Path) -> None:
    """Remove the maps of minified files, which nobody reads here, and the lines that point to them."""
    for path in site.rglob("*.map"):
        minified = path.with_suffix("")
        minified.write_text(MAPPED.sub("", minified.read_text("utf-8")), "utf-8")
        path.unlink()


def drop_search_languages(part: Path) -> None:
    """Remove what the theme's search would need for languages that this part of the site is not in."""
    index = part / "search" / "search_index.json"
    languages = json.loads(index.read_text("utf-8"))["config"]["lang"] if index.exists() else []
    needed = SUPPORT | {f"min/lunr.{language}.min.js" for language in languages}
    needed = needed.union(*(CUTTERS.get(language, set()) for language in languages))
    for path in (part / SEARCH).rglob("*.js"):
        if path.relative_to(part / SEARCH).as_posix() not in needed:
            path.unlink()


def share(site: Path, url: str, prefixes: Iterable[str]) -> None:
    """Let the pages below each prefix use the assets at the root of the site where they have the same bytes."""
    for prefix in prefixes:
        own, shared = site / prefix / "assets", set()
        for path in sorted([own, *own.rglob("*")], reverse=True):  # what a folder holds before it
            name = path.relative_to(site / prefix).as_posix()
            if path.is_dir():
                if not any(path.iterdir()):
                    shared.add(f"{name}/")
                    path.rmdir()
            elif (site / name).is_file() and (site / name).read_bytes() == path.read_bytes():
                shared.add(name)
                path.unlink()
        for page in (site / prefix).rglob("*.html"):
            html = page.read_text("utf-8")
            page.write_text(refer(html, page.relative_to(site / prefix), urlsplit(url).path, prefix, shared), "utf-8")


def refer(html: str, page: Path, root: str, prefix: str, shared: set[str]) -> str:
    """The page with references to the shared assets at the root: relative ones, and absolute ones as 404.html has."""
    up = "../" * (len(page.parts) - 1)
    reference = re.compile(rf"""(?<=["'])(?:(?P<own>{up})|{re.escape(root + prefix)})(?P<name>assets/[^"'?#]+)""")

    def at_the_root(match: re.Match[str]) -> str:
        if match["name"] not in shared:
            return match[0]
        depth = prefix.count("/")
        return (root if match["own"] is None else "../" * depth + up) + match["name"]

    return reference.sub(at_the_root, html)
