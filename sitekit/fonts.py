"""KaTeX's style sheet and fonts, served by the site itself, the fonts cut down to the characters its formulas use."""

import re
from functools import cache
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from .katex import characters
from .paths import NODE_MODULES

DIST = NODE_MODULES / "katex" / "dist"
FALLBACK = re.compile(r',url\(fonts/[^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)')


def katex_css() -> str:
    """The style sheet with the WOFF2 fonts alone: every browser of today reads them."""
    css = (DIST / "katex.min.css").read_text("utf-8")
    return FALLBACK.sub("", css) + "\n"


def write_fonts(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((DIST / "fonts").glob("*.woff2")):
        (folder / path.name).write_bytes(cut(path, frozenset(characters)))


@cache
def cut(path: Path, wanted: frozenset[str]) -> bytes:
    """The font with the wanted characters only; a formula never asks for another."""
    font = TTFont(path, recalcTimestamp=False)
    options = Options()
    options.flavor = "woff2"
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[ord(character) for character in wanted])
    subsetter.subset(font)
    font.flavor = "woff2"
    written = BytesIO()
    font.save(written)
    return written.getvalue()
