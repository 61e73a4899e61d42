"""The style sheets of every page in one, the theme's without what nothing here can use; PurgeCSS takes it out."""

import hashlib
import json
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from .. import node

DATA = re.compile(r"\.dataset\.(\w+)", re.A)  # dataset.mdState is the attribute data-md-state
UPPER = re.compile("[A-Z]")
WORD = re.compile(r"[A-Za-z_][\w-]*", re.A)
LINK = re.compile(r'\s*<link rel="stylesheet" href="[^"]*assets/(?:stylesheets/)?([^"/]+)"[^>]*>')
OURS = "assets/site.css"
SHEETS = "assets/stylesheets/*.css"
STYLES = "assets/**/*.css"
PROPERTY = re.compile(r"""(?<=[{;])(--[\w-]+):((?:"[^"]*"|'[^']*'|[^;{}"'])*);?""")
DECLARED = re.compile(r"(?<=[{;])(--[\w-]+):")
PROPERTY_NAME = re.compile(r"--[\w-]+(?![\w-]|:)")
# What the theme has rules for and this site does not use; its script names all of it, for it could be on a page.
FEATURES = ("mermaid", "md-annotation", "md-source__fact", "md-status", "md-tag", "md-version", "tabbed-")
SCRIPTS = ("assets/*.js", "assets/javascripts/bundle.*.js", "assets/run/*.js", "assets/run/figures/*.js")


def words(text: str) -> set[str]:
    """Every word of a text: among them is each name of an element, a class or an attribute."""
    return {f"data-{UPPER.sub(lower, name)}" for name in DATA.findall(text)} | set(WORD.findall(text))


def lower(match: re.Match[str]) -> str:
    return f"-{match[0].lower()}"


def drop_properties(css: str, others: str) -> str:
    """The style sheet without custom properties that neither it nor the other files ask for."""
    elsewhere = set(PROPERTY_NAME.findall(others))
    while unused := set(DECLARED.findall(css)) - elsewhere - set(PROPERTY_NAME.findall(css)):
        css = PROPERTY.sub(partial(leave_out, unused), css)
    return css


def leave_out(names: set[str], match: re.Match[str]) -> str:
    return "" if match[1] in names else match[0]


def read_all(files: Iterable[Path]) -> str:
    return "\n".join(path.read_text("utf-8") for path in files)


def purge(site: Path) -> dict[str, str]:
    """Join the theme's style sheets, without what is unused, and the site's; return the names that pages give.

    The first of the old names stands for the new one, the others for nothing. The new name carries the hash of its
    content, so no browser shows a page with an older style.
    """
    ours = site / OURS
    first, *others = sheets = sorted(site.glob(SHEETS))  # main before palette, as pages have them
    pages = read_all(site.rglob("*.html"))
    scripts = read_all(path for one in SCRIPTS for path in site.glob(one))
    own = read_all(path for path in site.glob(STYLES) if path not in sheets)
    given = {
        "words": sorted(words(pages) | words(scripts)),
        "off": [name for name in FEATURES if name not in pages],
        "style": "".join(path.read_text("utf-8") for path in sheets),
    }
    purged = node.run(Path(__file__).with_suffix(".js"), given=json.dumps(given))
    css = drop_properties(purged, pages + scripts + own) + ours.read_text("utf-8").replace(
        "url(fonts/", "url(../fonts/"
    )
    name = f"theme.{hashlib.sha256(css.encode()).hexdigest()[:8]}.min.css"
    first.with_name(name).write_text(css, "utf-8")
    for path in (*sheets, ours):
        path.unlink()
    return {first.name: name} | {path.name: "" for path in (*others, ours)}


def rename(html: str, names: dict[str, str]) -> str:
    """The page with the new names of its style sheets, and without links to those that are part of another now."""
    return LINK.sub(lambda link: link[0].replace(link[1], new) if (new := names.get(link[1], link[1])) else "", html)
