"""Formulas: KaTeX reads them, its MathML is mended for browsers, and their font has what they show."""

import hashlib
import re
from io import BytesIO

import pytest
from fontTools.ttLib import TTFont
from markdown import Markdown

from sitekit.markdown import fonts, mathml
from sitekit.markdown.katex import render

GENERIC = {"pymdownx.arithmatex": {"generic": True}}
GAP = '<mspace width="0.1667em" />'


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        (r"x\,y", f"<mi>x</mi>{GAP}<mi>y</mi>"),
        (r"x\!y", '<mspace width="-0.1667em" />'),
        (r"d \log d", f"<mi>d</mi>{GAP}<mi>log</mi>{GAP}<mi>d</mi>"),
        (r"\cos(x)", '<mi>cos</mi><mo>\u2061</mo><mo stretchy="false">(</mo>'),
        (r"\cos\!\left(x\right)", '<mi>cos</mi><mrow><mo fence="true">(</mo>'),
        ("a = -b", '<mo>=</mo><mo form="prefix">−</mo>'),
        ("a, -b", '<mo form="prefix">−</mo>'),
        ("(a) - b", "<mo>−</mo>"),
        (r"a + \dots + b", "<mo>⋯</mo><mo>+</mo>"),
        ("|x|", '<mo stretchy="false" lspace="0" rspace="0">∣</mo><mi>x</mi>'),
        ("h_{t-1}", '<mo lspace="0" rspace="0">−</mo>'),
        (r"\partial x", "<mi>∂</mi>"),
        (r"\hat{x}", '<mo stretchy="false" lspace="0" rspace="0">^</mo>'),
        (r"\operatorname{softmax}", "<mi>softmax</mi>"),
        ("K^\\top", '<mi mathvariant="normal">⊤</mi>'),
    ],
)
def test_what_browsers_draw_badly_is_mended(tex: str, part: str) -> None:
    assert part in render(tex, False)


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"\mathbf{x}", "bold letters"),
        (r"\mathbb{R}", "double-struck letters"),
        (r"\begin{matrix} a & b \end{matrix}", "mtable"),
        (r"\cancel{x}", "menclose"),
        (r"\sqrt{\frac{1}{d}}", "a root over a fraction"),
        (r"\left\|x\right\|", "at its full height"),
    ],
)
def test_what_not_every_browser_draws_is_refused(tex: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        render(tex, True)


def test_a_sign_that_the_font_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    render.cache_clear()
    without = fonts.available() - {"√"}
    monkeypatch.setattr(fonts, "available", lambda: without)
    with pytest.raises(ValueError, match="lacks √"):
        render(r"\sqrt{d}", False)


def test_the_length_of_a_formula_is_what_it_shows() -> None:
    assert mathml.length(render(r"\operatorname{Var}(s) = \sqrt{d_k}", False)) == len("Var(s)=√dk")


def test_no_line_breaks_between_a_formula_and_its_full_stop() -> None:
    html = Markdown(extensions=["pymdownx.arithmatex", "sitekit.markdown.katex"], extension_configs=GENERIC).convert
    assert re.search(r'除以 <span class="nowrap"><var.*?</var>：</span>走', html("除以 $d$：走"))
    assert re.search(r'<span class="nowrap">（<var.*?</var>）</span>', html("宽度（$d$）和"))
    assert "nowrap" not in html("$d$ 步 $e$")


def test_words_of_any_script_come_from_the_fonts_of_the_page() -> None:
    assert "字节" in render(r"\text{字节}", False)


def test_the_font_is_the_published_one_and_what_is_cut_from_it_draws_formulas() -> None:
    published = "6075562b771f8b82f0c179e363389684f2dd09de30038269e2628e504bd7be0f"
    assert hashlib.sha256(fonts.FONT.read_bytes()).hexdigest() == published
    formulas = [render(r"\sqrt{d_k} \text{ of }\alpha h = (x)", False)]
    characters, stretched = mathml.characters(formulas), mathml.stretched(formulas)
    assert characters == set("√𝑑𝑘of𝛼ℎ=(𝑥)\u00a0")
    assert stretched == set("√=")
    font = TTFont(BytesIO(fonts.cut(characters | {"字"}, stretched)))
    assert set(font.getBestCmap()) == set(map(ord, characters))
    assert font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs == ["radical"]
    assert font["name"].getDebugName(1) == fonts.NAME
