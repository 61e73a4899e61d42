"""Texts in several languages, and how anything shown offers itself in all of them."""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape

Label = str | Mapping[str, str]  # one text for all languages, or one for each

LANGUAGE = "en"
LONG = 16  # columns of `width`: a longer row heading may wrap on a narrow screen
LABELS: dict[str, dict[str, str]] = {
    "query": {"zh": "查询", "en": "query"},
    "key": {"zh": "键", "en": "key"},
    "value": {"zh": "值", "en": "value"},
    "scores": {"zh": "分数", "en": "scores"},
    "weights": {"zh": "权重", "en": "weights"},
    "output": {"zh": "输出", "en": "output"},
    "mask": {"zh": "掩码：✓ 可以看，· 看不见", "en": "mask: ✓ may attend, · may not"},
}
COLOURS = {
    "query": "#0072b2",
    "key": "#b34a06",
    "value": "#00805c",
    "scores": "#6d4bb0",
    "weights": "#8a5a00",
    "output": "#b3487f",
    "mask": "#6b665c",
}
STYLE = "<style>.matrix td{background:color-mix(in srgb,#2563eb var(--v,0%),transparent)}</style>"


class Shown(ABC):
    """What a page shows: it can be had as plain text and as HTML, in each language."""

    @abstractmethod
    def plain(self, language: str) -> str:
        """Return it as text for a terminal, in one language."""

    @abstractmethod
    def html(self, language: str) -> str:
        """Return it as HTML, in one language."""

    def __repr__(self) -> str:
        """Return it as text, in the language set above."""
        return self.plain(LANGUAGE)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        """Return what Jupyter asks of an object: text and HTML in one language, and for this site in every language."""
        return {
            "text/plain": repr(self),
            "text/html": STYLE + self.html(LANGUAGE),
            "application/vnd.attention.text+json": {language: self.plain(language) for language in LABELS["query"]},
            "application/vnd.attention.html+json": {language: self.html(language) for language in LABELS["query"]},
        }


def colour(role: str) -> str:
    """Return a role's colour in CSS: the page's own where it has one; the text's where there is no role."""
    return f"var(--{role},{COLOURS[role]})" if role else "currentColor"


def check_role(role: str) -> str:
    """Return the role, or refuse one that no colour belongs to."""
    if role and role not in COLOURS:
        raise ValueError(f"role is {role!r}; it must be one of {', '.join(COLOURS)}")
    return role


def words(x: float, y: float, shown: str, anchor: str = "start", kind: str = "") -> str:
    """Return a text of a picture, standing at, ending at or centred on (x, y)."""
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{mark}>{escape(shown)}</text>'


def text(label: Label, language: str) -> str:
    """Return the label in one language, in English where that language has none."""
    if isinstance(label, str):
        return label
    if language not in label and "en" not in label:
        raise ValueError(f"a label has no {language!r}, nor 'en' to fall back to; given {dict(label)}")
    return label[language] if language in label else label["en"]


def heading(label: Label, scope: str, language: str) -> str:
    """Return a header cell; Chinese on a page of another language says so, and a long row heading that it is long."""
    shown = text(label, language)
    mark = ' lang="zh"' if language != "zh" and any("\u4e00" <= c <= "\u9fff" for c in shown) else ""
    if scope == "row" and width(shown) > LONG:
        mark += ' class="long"'
    return f'<th scope="{scope}"{mark}>{escape(shown)}</th>'


def width(shown: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)
