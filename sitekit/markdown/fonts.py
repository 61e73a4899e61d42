"""The font of formulas: Latin Modern Math, cut down to the characters that the site's formulas use."""

import hashlib
from functools import cache
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

from fontTools.misc.transform import Scale
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from ..paths import CACHE, ROOT
from ..store import read_or_make

FONT = ROOT / "vendor" / "latinmodern-math.otf"
FILE = "assets/fonts/formula.woff2"
NAME = "Formula"  # what its authors ask for: a changed font has another name
STORE = CACHE / "fonts"
SIZES = 8  # of a bracket or a root sign; larger ones are put together from pieces, with gaps in Chromium
UNUSED = ["GSUB", "GPOS", "GDEF", "FFTM"]


@cache
def available() -> frozenset[str]:
    """The characters that the font has."""
    with TTFont(FONT, lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


def write(path: Path, characters: set[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(cut(characters))


def cut(characters: set[str]) -> bytes:
    """Return the font with these characters only, as WOFF2; stored, since it takes long."""
    wanted = "".join(sorted(characters & available()))
    key = Path(__file__).read_bytes() + FONT.read_bytes() + wanted.encode() + version("fonttools").encode()
    stored = STORE / f"formula-{hashlib.sha256(key).hexdigest()[:24]}.woff2"
    return read_or_make(stored, lambda: subset(wanted))


def subset(characters: str) -> bytes:
    font = TTFont(FONT, recalcTimestamp=False)
    limit_sizes(font)
    limit_roots(font)
    subsetter = Subsetter(Options(flavor="woff2", drop_tables=UNUSED, name_IDs=[0, 1, 2, 13], notdef_outline=False))
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID == 1:
            record.string = NAME
    set_line_height(font)
    font.flavor = "woff2"
    buffer = BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def limit_sizes(font: TTFont) -> None:
    variants = font["MATH"].table.MathVariants
    for construction in [*variants.VertGlyphConstruction, *variants.HorizGlyphConstruction]:
        del construction.MathGlyphVariantRecord[SIZES:]
        construction.VariantCount = len(construction.MathGlyphVariantRecord)


def limit_roots(font: TTFont) -> None:
    """Keep two sizes of the root sign, equally wide: Chromium leaves room for the widest after each root."""
    variants, root = font["MATH"].table.MathVariants, font.getBestCmap()[ord("√")]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    construction.GlyphAssembly = None
    del construction.MathGlyphVariantRecord[2:]
    construction.VariantCount = 2
    advance, _ = font["hmtx"][root]
    larger = construction.MathGlyphVariantRecord[1].VariantGlyph
    wider, bearing = font["hmtx"][larger]
    glyphs, top = font.getGlyphSet(), font["CFF "].cff.topDictIndex[0]
    old, pen = top.CharStrings[larger], T2CharStringPen(advance, glyphs)
    glyphs[larger].draw(TransformPen(pen, Scale(advance / (wider - bearing), 1).translate(-bearing, 0)))
    top.CharStrings[larger] = pen.getCharString(old.private, old.globalSubrs)
    font["hmtx"][larger] = (advance, 0)


def set_line_height(font: TTFont) -> None:
    """Give Windows the line that other systems take; its own would be four times as high."""
    line, metrics = font["hhea"], font["OS/2"]
    metrics.usWinAscent, metrics.usWinDescent = line.ascent, -line.descent
