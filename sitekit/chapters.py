"""The chapters, in the order and with the numbers that readers see."""

import re

from .paths import ROOT

NAV = re.compile(r"^nav:\n(?P<chapters>.*?)^  - part-reference:", re.M | re.S)
NO_CHAPTERS = ("index.md", "lab.md", "microscope.md")


def chapters() -> list[str]:
    """The pages that are chapters, as the navigation lists them; the first is chapter 1."""
    match = NAV.search((ROOT / "mkdocs.yml").read_text("utf-8"))
    if match is None:
        raise ValueError("mkdocs.yml: expected a nav with a part-reference behind the chapters")
    pages = re.findall(r"^ +- ([\w-]+\.md)$", match["chapters"], re.M)
    return [page for page in pages if page not in NO_CHAPTERS]


def number_of(page: str) -> int | None:
    """The number of a chapter; None for a page that is none."""
    known = chapters()
    return known.index(page) + 1 if page in known else None
