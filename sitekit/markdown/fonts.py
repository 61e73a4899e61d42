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
STYLE, FILE = "assets/site.css", "fonts/formula.woff2"
NAME = "Formula"  # what its authors ask for: a changed font has another name
STORE = CACHE / "fonts"
UNUSED = ["GSUB", "GPOS", "GDEF", "FFTM"]


@cache
def available() -> frozenset[str]:
    """The characters that the font has."""
    with TTFont(FONT, lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


def write(site: Path, characters: set[str], stretched: set[str]) -> None:
    """Write the font; its name, and so the style sheet that asks for it, says which one it is."""
    style, font = site / STYLE, cut(characters, stretched)
    name = FILE.replace(".", f".{hashlib.sha256(font).hexdigest()[:8]}.")
    path = style.with_name("fonts") / Path(name).name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(font)
    style.write_text(style.read_text("utf-8").replace(FILE, name), "utf-8")


def cut(characters: set[str], stretched: set[str]) -> bytes:
    """Return the font with these characters only, larger sizes for some, as WOFF2; stored, since it takes long."""
    wanted, larger = ("".join(sorted(some & available())) for some in (characters, stretched))
    key = Path(__file__).read_bytes() + FONT.read_bytes() + f"{wanted} {larger} {version('fonttools')}".encode()
    stored = STORE / f"formula-{hashlib.sha256(key).hexdigest()[:24]}.woff2"
    return read_or_make(stored, lambda: subset(wanted, larger))


def subset(characters: str, stretched: str) -> bytes:
    font = TTFont(FONT, recalcTimestamp=False)
    limit_roots(font)
    keep_sizes(font, {font.getBestCmap()[ord(one)] for one in stretched})
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


def keep_sizes(font: TTFont, glyphs: set[str]) -> None:
    """Keep the larger sizes of these glyphs alone."""
    variants = font["MATH"].table.MathVariants
    for way in ("Vert", "Horiz"):
        coverage = getattr(variants, f"{way}GlyphCoverage")
        constructions = zip(coverage.glyphs, getattr(variants, f"{way}GlyphConstruction"), strict=True)
        kept = {glyph: construction for glyph, construction in constructions if glyph in glyphs}
        coverage.glyphs = list(kept)
        setattr(variants, f"{way}GlyphConstruction", list(kept.values()))
        setattr(variants, f"{way}GlyphCount", len(kept))


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
