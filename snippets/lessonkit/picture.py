"""What is drawn as SVG: on a page it stands in the page; a notebook has it as an image of its own."""

import re
from abc import abstractmethod
from html import escape

from .labels import LABELS, LANGUAGE, Label, Shown, text, width, words

INK, LINE_HEIGHT, LETTER_WIDTH = "#23211d", 18, 7  # of the caption of an image
SHORTEST = 50  # letters of a line of it


class Picture(Shown):
    """A drawing with a caption below it; `alt` tells what is to be seen, with its numbers."""

    def __init__(self, caption: Label, alt: Label) -> None:
        self.caption, self.alt = caption, alt

    @abstractmethod
    def svg(self, language: str) -> str:
        """Return the drawing alone, with its texts in one language."""

    def plain(self, language: str) -> str:
        """Return caption and finding."""
        return f"{text(self.caption, language)}: {text(self.alt, language)}"

    def html(self, language: str) -> str:
        """Return the drawing with its caption, in a box of its own in which it may scroll."""
        caption = escape(text(self.caption, language))
        box = f'<div class="scroll" role="group" tabindex="0" aria-label="{caption}">{self.svg(language)}</div>'
        return f'<figure class="picture">{box}<figcaption>{caption}</figcaption></figure>'

    def image(self, language: str) -> str:
        """Return an SVG file: drawing and caption on paper of their own, without the style of a page."""
        drawing, caption = self.svg(language), text(self.caption, language)
        across, down = map(float, re.findall(r' (?:width|height)="([\d.]+)"', drawing.partition(">")[0]))
        lines = wrap(caption, max(SHORTEST, int(across) // LETTER_WIDTH))
        breadth = max(across, LETTER_WIDTH * max(map(width, lines)))
        size = f'width="{breadth:g}" height="{down + LINE_HEIGHT * len(lines) + 10:g}"'
        look = f'color="{INK}" fill="{INK}" font-family="sans-serif" font-size="12"'
        paper = '<rect class="paper" width="100%" height="100%" fill="#fff"/>'
        parts = paper + drawing
        parts += "".join(words(4, down + LINE_HEIGHT * (i + 1), line) for i, line in enumerate(lines))
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {look}>{parts}</svg>'

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """Return an image in place of HTML: of SVG in HTML a notebook that is not trusted keeps the loose words."""
        offered = super()._repr_mimebundle_(include, exclude)
        del offered["text/html"]
        images = {language: self.image(language) for language in LABELS["query"]}
        return offered | {"image/svg+xml": self.image(LANGUAGE), "application/vnd.attention.svg+json": images}


def wrap(shown: str, columns: int) -> list[str]:
    """Return the text as lines of so many columns; Chinese may break anywhere but before a mark."""
    lines = [""]
    for piece in re.findall(r"[!-~]+ ?|.[，。：；、？！”）]*", shown):
        if lines[-1] and width(lines[-1] + piece.rstrip()) > columns:
            lines.append("")
        lines[-1] += piece
    return lines
