"""The theme's style sheets without what no page and no script of the site can use; PurgeCSS takes it out."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from .. import node

DATA = re.compile(r"\.dataset\.(\w+)", re.A)  # dataset.mdState is the attribute data-md-state
UPPER = re.compile("[A-Z]")
WORD = re.compile(r"[A-Za-z_][\w-]*", re.A)
SHEETS = "assets/stylesheets/*.css"
SCRIPTS = ("assets/*.js", "assets/javascripts/bundle.*.js", "assets/run/*.js", "assets/run/figures/*.js")


def words(files: Iterable[Path]) -> set[str]:
    """Every word of these files: among them is each name of an element, a class or an attribute."""
    texts = [path.read_text("utf-8") for path in files]
    data = {f"data-{UPPER.sub(lower, name)}" for text in texts for name in DATA.findall(text)}
    return data | {word for text in texts for word in WORD.findall(text)}


def lower(match: re.Match[str]) -> str:
    return f"-{match[0].lower()}"


def purge(site: Path, prefixes: Iterable[str]) -> dict[str, str]:
    """Purge the style sheets of a built site in each language; return their new names by their old ones.

    A name carries the hash of its content, so a new name keeps browsers from showing a page with an older one.
    """
    folders = [site / prefix for prefix in prefixes]
    sheets = [path for folder in folders for path in sorted(folder.glob(SHEETS))]
    used = words([*site.rglob("*.html"), *(path for folder in folders for one in SCRIPTS for path in folder.glob(one))])
    given = {"words": sorted(used), "styles": [path.read_text("utf-8") for path in sheets]}
    purged = json.loads(node.run(Path(__file__).with_suffix(".js"), given=json.dumps(given)))
    names = {}
    for path, css in zip(sheets, purged, strict=True):
        stem = path.name.partition(".")[0]
        names[path.name] = f"{stem}.{hashlib.sha256(css.encode()).hexdigest()[:8]}.min.css"
        path.unlink()
        path.with_name(names[path.name]).write_text(css, "utf-8")
    return names


def rename(html: str, names: dict[str, str]) -> str:
    """The page with the new names of its style sheets."""
    for old, new in names.items():
        html = html.replace(f"assets/stylesheets/{old}", f"assets/stylesheets/{new}")
    return html
