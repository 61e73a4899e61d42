"""KaTeX's style sheet and fonts, served by the site itself, the fonts cut down to the characters its formulas use."""

import hashlib
import re
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from ..paths import CACHE, NODE_MODULES
from ..store import read_or_make

DIST = NODE_MODULES / "katex" / "dist"
STORE = CACHE / "fonts"
FALLBACK = re.compile(r',url\(fonts/[^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)')


def katex_css() -> str:
    """The style sheet with the WOFF2 fonts alone: every browser of today reads them."""
    css = (DIST / "katex.min.css").read_text("utf-8")
    return FALLBACK.sub("", css) + "\n"


def write_fonts(folder: Path, characters: set[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((DIST / "fonts").glob("*.woff2")):
        (folder / path.name).write_bytes(cut(path, "".join(sorted(characters))))


def cut(path: Path, characters: str) -> bytes:
    """Return the font with these characters only; stored, since it takes long."""
    key = Path(__file__).read_bytes() + path.read_bytes() + characters.encode() + version("fonttools").encode()
    stored = STORE / f"{path.stem}-{hashlib.sha256(key).hexdigest()[:24]}.woff2"
    return read_or_make(stored, lambda: subset(path, characters))


def subset(path: Path, characters: str) -> bytes:
    """The font with these characters; its licence reserves its name for the unchanged one."""
    font = TTFont(path, recalcTimestamp=False)
    options = Options()
    options.flavor = "woff2"
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[ord(character) for character in characters])
    subsetter.subset(font)
    for record in font["name"].names:
        record.string = str(record).replace("KaTeX", "Formulas")
    font.flavor = "woff2"
    buffer = BytesIO()
    font.save(buffer)
    return buffer.getvalue()
