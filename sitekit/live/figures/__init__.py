"""Figures that answer the hand: a custom element each, drawn at build time as it is drawn in the browser.

`<name>.model.js` is a figure without a browser: its first state, its view (state -> attributes of its parts), its
words. `<name>.js` is its element: what the hand does. The build fills the first view into the markup and makes sure
that the figure computes the numbers of the cell; the browser updates the same markup. esbuild makes one file a figure.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...languages import chosen
from ...node import NodeError, run
from ...paths import NODE_MODULES

FOLDER = Path(__file__).parent
SERVED = "figures"  # below what runs in the browser
LANGUAGES = ("zh", "en")  # that the figures speak; a page in another one has them in English
PLAIN = ("loader", "explain")  # scripts that are no figure
FIGURE = "application/vnd.attention.figure+json"


class FigureError(Exception):
    """A figure cannot be drawn, or does not show what its cell has computed."""


def names() -> list[str]:
    return sorted(path.name.removesuffix(".model.js") for path in FOLDER.glob("*.model.js"))


def sources() -> str:
    """All that the figures are made from, so that what is remembered of them is made anew after an edit."""
    return "".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.*s")))


def files() -> dict[str, bytes]:
    """What the site serves of the figures, by path: the loader and what all share, a script and a style a figure."""
    return bundle_all(sources())


@cache
def bundle_all(sources: str) -> dict[str, bytes]:
    """Bundle what these sources are in the folder."""
    scripts = {
        **{f"{name}.js": FOLDER / f"{name}.js" for name in PLAIN},
        **{f"{name}.js": FOLDER / f"{name}.js" for name in names()},
    }
    bundled = {name: bundle(f'import "./{path.name}";', "js") for name, path in scripts.items()}
    bundled |= {path.name: bundle(f'@import "./{path.name}";', "css") for path in sorted(FOLDER.glob("*.css"))}
    return {f"{SERVED}/{name}": text.encode() for name, text in bundled.items()}


def bundle(entry: str, kind: str, *options: str) -> str:
    """One file of all that the entry imports, without comments and long names."""
    return minify(entry, kind, "--bundle", *(options or ["--format=iife"]))


def minify(code: str, kind: str, *options: str) -> str:
    """The code without comments and long names."""
    every = ["--minify", "--target=es2022", f"--loader={kind}", "--log-level=warning", "--charset=utf8", *options]
    return run(NODE_MODULES / "esbuild" / "bin" / "esbuild", *every, given=code, folder=FOLDER)


def render(shown: Mapping[str, Any], language: str) -> str:
    """The figure as the page brings it: its data, and the picture of its first state."""
    return chosen(pictures(json.dumps(shown, ensure_ascii=False, sort_keys=True), sources()), language)


@cache
def pictures(shown: str, sources: str) -> dict[str, str]:
    """The figure in each language that it speaks, as these sources draw it."""
    figure = json.loads(shown)
    if figure["name"] not in names():
        raise FigureError(f"there is no figure {figure['name']!r}; there are {', '.join(names())}")
    try:
        stills = json.loads(run(FOLDER / "still.js", given=json.dumps([figure, LANGUAGES])))
    except NodeError as error:
        raise FigureError(str(error)) from None
    return {language: element(figure["name"], language, **one) for language, one in stills.items()}


def element(name: str, language: str, data: Any, still: str) -> str:
    data = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<{name} class="hand" lang="{language}" data-figure="{name}">'
        f'<script type="application/json">{data}</script>{still}</{name}>'
    )
