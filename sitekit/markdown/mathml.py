"""KaTeX makes MathML to be read aloud; here it is mended to be looked at, or refused where browsers draw it badly."""

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from . import fonts

NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # HTML needs none
APPLY = "\u2061"  # stands between the name of a function and its argument
THIN = 3  # eighteenths of an em
TAKEN_BACK = "\u2009\u2063"
# KaTeX writes a space as characters, a negative one with U+2063 at their end, which browsers draw as a gap.
SPACES = {
    "\u200a": 1,
    "\u2009": THIN,
    "\u2005": 4,
    "\u2005\u200a": 5,
    "\u200a\u2063": -1,
    TAKEN_BACK: -THIN,
    "\u205f\u2063": -4,
    "\u2005\u2063": -5,
}
TIGHT = set("∣∥/")  # KaTeX calls these letters, and Firefox puts a gap between a letter and an upright one
NO_SPACE = {"lspace": "0", "rspace": "0"}
SCRIPTS = ("msub", "msup", "msubsup", "munder", "mover", "munderover")
SIGNS = set("−+±∓")
CLOSING = set(")]}⟩!…⋯")
TALL = ("mfrac", "munder", "mover", "munderover")
ROOTS = ("msqrt", "mroot")
DOUBLE_BARS = ("‖", "∥")
# A letter and its italic one, which Unicode names as the same letter in another font
ITALIC_BLOCKS = ("\u210e", *map(chr, range(0x1D434, 0x1D468)), *map(chr, range(0x1D6E2, 0x1D71C)))
ITALICS = {chr(int(code.split()[1], 16)): one for one in ITALIC_BLOCKS if (code := unicodedata.decomposition(one))}


def mend(html: str) -> str:
    """Return KaTeX's MathML as browsers draw it well; a `ValueError` names what they draw badly."""
    math = ElementTree.fromstring(html.replace(NAMESPACE, ""))[0]
    for node in list(math.iter()):
        mend_variant(node)
        mend_tight(node)
        mend_accent(node)
        mend_scripts(node)
        mend_spaces(node)
        mend_functions(node)
        mend_signs(node)
    refuse(math)
    return ElementTree.tostring(math, encoding="unicode")


def mend_variant(node: Element) -> None:
    """MathML knows the upright style for a single letter alone: words and signs are upright anyway, TeX's ∂ is not."""
    if node.get("mathvariant") == "normal" and (node.tag != "mi" or len(text(node)) > 1 or text(node) == "∂"):
        del node.attrib["mathvariant"]


def mend_tight(node: Element) -> None:
    if text(node) in TIGHT and (node.tag == "mi" or node.get("stretchy") == "false"):
        node.tag, node.attrib = "mo", {"stretchy": "false", **NO_SPACE}


def mend_scripts(node: Element) -> None:
    """Below and above, signs stand close: t−1."""
    if node.tag in SCRIPTS:
        for script in node[1:]:
            for sign in script.iter("mo"):
                sign.attrib |= NO_SPACE


def mend_accent(node: Element) -> None:
    r"""A hat is as wide as a hat; a \widehat says that it stretches."""
    if node.get("accent") and node[-1].get("stretchy") is None:
        node[-1].set("stretchy", "false")


def mend_spaces(node: Element) -> None:
    if node.tag == "mtext" and text(node) in SPACES:
        become_space(node, SPACES[text(node)])


def become_space(node: Element, width: int) -> None:
    node.tag, node.text = "mspace", None
    node.set("width", f"{width / 18:.4f}em")


def mend_functions(parent: Element) -> None:
    r"""Put TeX's thin spaces beside the name of a function: d log d, but no space before a bracket or a \!."""
    children = list(parent)
    for at, apply in reversed(list(enumerate(children))):
        if text(apply) != APPLY:
            continue
        if at + 1 < len(children) and text(after := children[at + 1]) != "(":
            if text(after) == TAKEN_BACK:
                parent.remove(apply)
                parent.remove(after)
            else:
                become_space(apply, THIN)
        if at > 1 and children[at - 2].tag not in ("mo", "mspace"):
            become_space(gap := Element("mspace"), THIN)
            parent.insert(at - 1, gap)


def mend_signs(parent: Element) -> None:
    """A sign after another sign, a comma or an opening bracket belongs to what follows: x = −y."""
    before = None
    for child in parent:
        if text(child) in SIGNS and before is not None and before.tag == "mo" and text(before) not in CLOSING:
            child.set("form", "prefix")
        if child.tag != "mspace":
            before = child


def refuse(math: Element) -> None:
    """Raise a `ValueError` for what browsers draw differently, and for characters that the font of formulas lacks."""
    for node in math.iter():
        if reason := drawn_badly(node):
            raise ValueError(f"a formula has {reason}")
    if missing := {one for node in math.iter() if node.tag != "mtext" for one in drawn(node)} - set(fonts.available()):
        raise ValueError(f"the font of formulas lacks {' '.join(sorted(missing))}")


def drawn_badly(node: Element) -> str | None:
    if node.tag in ("mtable", "menclose"):
        return f"{node.tag}, which not every browser draws as TeX does"
    if node.tag in ROOTS and any(inner.tag in TALL for inner in node.iter()):
        return "a root over a fraction or a large sign, for which the font has no root sign"
    if node.get("mathvariant", "normal") != "normal":
        return f"{node.get('mathvariant')} letters, which not every browser draws"
    if node.get("fence") and text(node) in DOUBLE_BARS:
        return f"{text(node)} at its full height, which not every browser draws"
    return None


def characters(formulas: Iterable[str]) -> set[str]:
    """Return the characters that these mended formulas show."""
    return {one for node in nodes(formulas) for one in drawn(node)}


def stretched(formulas: Iterable[str]) -> set[str]:
    """Return the characters that grow with what is beside or below them, or in a formula with a line of its own."""
    signs = (node for node in nodes(formulas) if node.tag in ROOTS or node.tag == "mo")
    return {drawn(sign) for sign in signs if sign.get("stretchy") != "false"}


def write_font(folder: Path, formulas: set[str]) -> None:
    """Write the font that these formulas need where the style sheet of this part of the site looks for it."""
    fonts.write(folder, characters(formulas), stretched(formulas))


def length(html: str) -> int:
    """How many characters a mended formula shows."""
    return sum(len(drawn(node)) for node in nodes([html]))


def nodes(formulas: Iterable[str]) -> Iterator[Element]:
    return (node for html in formulas for node in ElementTree.fromstring(html).iter())


def drawn(node: Element) -> str:
    """The characters that browsers draw for this node itself: a root sign, and a single letter in italics."""
    if node.tag in ROOTS:
        return "√"
    if node.tag not in ("mi", "mn", "mo", "mtext"):
        return ""
    content = text(node).replace(APPLY, "")
    return ITALICS.get(content, content) if node.tag == "mi" and not node.get("mathvariant") else content


def text(node: Element) -> str:
    return node.text or ""
