"""The chapters, in the order and with the numbers that readers see."""

import re

from .paths import ROOT

NAV = re.compile(r"^nav:\n(?P<chapters>.*?)^  - part-reference:", re.M | re.S)
NO_CHAPTERS = ("index.md", "lab.md", "microscope.md")


def chapters() -> list[str]:
    """The chapters' pages, in the order of the navigation; the first is chapter 1. A site without parts has none."""
    match = NAV.search((ROOT / "mkdocs.yml").read_text("utf-8"))
    pages = re.findall(r"^ +- ([\w-]+\.md)$", match["chapters"], re.M) if match else []
    return [page for page in pages if page not in NO_CHAPTERS]


def number_of(page: str) -> int | None:
    """The number of a chapter; None for a page that is none."""
    known = chapters()
    return known.index(page) + 1 if page in known else None
