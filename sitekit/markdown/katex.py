"""Formulas become MathML at build time: KaTeX reads them, browsers draw them, without any JavaScript."""

import atexit
import json
import re
import subprocess
import threading
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from pymdownx.superfences import SuperFencesException

from ..node import node
from .mathml import length, mend
from .page import current

# what pymdownx.arithmatex leaves in its generic mode: \( ... \) in a span, \[ ... \] in a div
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)
LONGEST = 1_000  # characters
LONG = 20  # characters that a formula shows: browsers break no line in it, so on a phone it scrolls by itself
BUSY = threading.Lock()
# A formula in a line, and the brackets and full stops at it: browsers would break the line between them.
INLINE = r'<var class="math[^>]*>(?:(?!</var>).)*</var>'
WITH_SIGNS = re.compile(f"[（(“]+{INLINE}[，。；：、？！）”,.;:?!)]*|{INLINE}[，。；：、？！）”,.;:?!)]+", re.S)
RENDERED = re.compile(r'<(var|div) class="math(?: long)?" data-search-exclude>.*?>([^<]*)</annotation>.*?</\1>', re.S)
# How a formula is typed in one line; what else TeX says is about how it looks.
BRACED = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
SPELLED = [
    (rf"\\frac{BRACED}{BRACED}", r"\1/\2"),
    (r"\\sqrt(?![a-z])\s*", "√"),
    (r"\\top(?![a-z])", "T"),
    (r"\\(?:cdot|times)(?![a-z])", "×"),
    (r"\\approx(?![a-z])", "≈"),
    (r"\\dots(?![a-z])", "…"),
    (r"\\partial(?![a-z])", "∂"),
    (r"\\sum(?![a-z])", "Σ"),
    (r"\\ne(?![a-z])", "≠"),
    (r"\\!|\\(?:operatorname|text|left|right)(?![a-z])", ""),
    (r"\\q?quad(?![a-z])|\\[,;]", " "),
    (r"[{}]", ""),
    (r"\\(?=[a-z])", " "),
    (r"\s+", " "),
]


class FormulaError(SuperFencesException):
    """KaTeX refuses a formula; the message names file and line."""


@cache
def renderer() -> subprocess.Popen[str]:
    """One Node process for the whole build."""
    script = Path(__file__).with_suffix(".js")
    process = subprocess.Popen(
        [node(), script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(stop, process)
    return process


def stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@cache
def render(tex: str, block: bool) -> str:
    """Return the formula as MathML; a `ValueError` says why KaTeX or some browser does not render it."""
    if len(tex) > LONGEST:
        raise ValueError(f"a formula has at most {LONGEST} characters, this one has {len(tex)}")
    with BUSY:
        process = renderer()
        print(json.dumps([tex.strip(), block]), file=process.stdin, flush=True)
        answer = json.loads(process.stdout.readline() if process.stdout else "")
    if "error" in answer:
        raise ValueError(answer["error"])
    return mend(str(answer["html"]))


def source(match: re.Match[str]) -> str:
    """The LaTeX of a formula that FORMULA has matched."""
    return unescape(match[2])


def render_formula(match: re.Match[str]) -> str:
    return render(source(match), match[1] == "div")


def spell(tex: str) -> str:
    """The formula in one line, as somebody types it into a search field: softmax(QK^T/√d_k)V."""
    for pattern, instead in SPELLED:
        tex = re.sub(pattern, instead, tex)
    return tex.strip()


def spell_formulas(html: str) -> str:
    """The HTML of a page with its rendered formulas spelled out, for the search index."""
    return RENDERED.sub(lambda match: escape(spell(unescape(match[2]))), html)


class Katex(Postprocessor):
    def __init__(self, md: Markdown, formulas: set[str]) -> None:
        super().__init__(md)
        self.formulas = formulas

    def run(self, text: str) -> str:
        return WITH_SIGNS.sub(r'<span class="nowrap">\g<0></span>', FORMULA.sub(self.formula, text))

    def formula(self, match: re.Match[str]) -> str:
        tag = "div" if match[1] == "div" else "var"  # no other element that ends inside: the index takes up at its end
        try:
            html = render_formula(match)
        except ValueError as error:
            raise FormulaError(f"{current.get().where(source(match).strip())}: {error}") from None
        self.formulas.add(html)
        long = " long" if length(html) > LONG else ""
        return f'<{tag} class="math{long}" data-search-exclude>{html}</{tag}>'


class KatexExtension(Extension):
    """Renders formulas, and notes them in `formulas`."""

    def __init__(self, formulas: set[str] | None = None) -> None:
        super().__init__()
        self.formulas = set() if formulas is None else formulas

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.postprocessors.register(Katex(md, self.formulas), "katex", -10)  # after arithmatex and raw HTML


def makeExtension(**options: Any) -> KatexExtension:  # noqa: N802 (the name Markdown calls)
    return KatexExtension(**options)
