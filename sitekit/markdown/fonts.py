"""KaTeX's style sheet and fonts, served by the site itself, the fonts cut down to the characters its formulas use."""

import hashlib
import re
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from ..paths import CACHE, NODE_MODULES
from ..remember import kept
from .katex import characters

DIST = NODE_MODULES / "katex" / "dist"
STORE = CACHE / "fonts"
FALLBACK = re.compile(r',url\(fonts/[^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)')


def katex_css() -> str:
    """The style sheet with the WOFF2 fonts alone: every browser of today reads them."""
    css = (DIST / "katex.min.css").read_text("utf-8")
    return FALLBACK.sub("", css) + "\n"


def write_fonts(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((DIST / "fonts").glob("*.woff2")):
        (folder / path.name).write_bytes(cut(path, "".join(sorted(characters))))


def cut(path: Path, wanted: str) -> bytes:
    """The font with the wanted characters only; a formula never asks for another. Remembered on disk."""
    given = path.read_bytes() + wanted.encode() + version("fonttools").encode()
    stored = STORE / f"{path.stem}-{hashlib.sha256(given).hexdigest()[:24]}.woff2"
    return kept(stored, lambda: subset(path, wanted))


def subset(path: Path, wanted: str) -> bytes:
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
