"""The fact-check: claims in docs/claims.yml, each settled by a fact that a lesson has computed."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import yaml

from ..languages import Language, chosen
from ..live import figures
from ..markdown.han import together
from ..paths import DOCS

VERDICTS = ("holds", "condition", "rounding", "fails", "open")
MARKS = {"holds": "✓", "condition": "◐", "rounding": "≈", "fails": "✗", "open": "?"}
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """One claim in our words: `quoted` is the figure that goes around, `value` and `holds` compute ours over facts."""

    id: str
    claim: dict[str, str]
    verdict: str
    note: dict[str, str]
    at: str  # page#anchor of the computation
    value: str
    show: str
    holds: str
    quoted: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"claim {self.id}: verdict is {self.verdict!r}; it must be one of {', '.join(VERDICTS)}")

    @property
    def lesson(self) -> str:
        return self.at.partition("#")[0]

    def computed(self, facts: Facts) -> Any:
        """The value, from the lesson's facts, `f["name"]`."""
        return eval(self.value, {"f": facts, "np": np, "math": math})

    def is_so(self, facts: Facts) -> bool:
        """Whether what is claimed is what was computed."""
        return bool(eval(self.holds, {"value": self.computed(facts), "f": facts, "np": np, "math": math}))


def claims() -> list[Claim]:
    listed = yaml.safe_load((DOCS / "claims.yml").read_text("utf-8"))
    return [Claim(id=name, **entry) for name, entry in listed.items()]


def render(language: Language, words: Mapping[str, str], facts_of: Callable[[str], Facts]) -> str:
    """The whole fact-check as HTML: a figure to sort it by verdict, then claim by claim."""
    listed = claims()
    cards = (card(claim, language.code, words, facts_of(claim.lesson)) for claim in listed)
    drawn = figures.render(figure(listed, language.code, words), language.code)
    return together(
        "\n\n".join([f'<section class="cell" data-search-exclude><div class="output">{drawn}</div></section>', *cards])
    )


def figure(listed: list[Claim], code: str, words: Mapping[str, str]) -> dict[str, Any]:
    """What the figure starts from: the verdict of each claim, and how many there are of each."""
    squares = [
        {"id": one.id, "verdict": one.verdict, "mark": MARKS[one.verdict], "title": escape(chosen(one.claim, code))}
        for one in listed
    ]
    verdicts = [{"verdict": verdict, "name": words[verdict], "mark": MARKS[verdict]} for verdict in VERDICTS]
    counts = [sum(one.verdict == verdict for one in listed) for verdict in VERDICTS]
    return {"name": "sort-claims", "data": {"claims": squares, "verdicts": verdicts}, "numbers": {"counts": counts}}


def card(claim: Claim, code: str, words: Mapping[str, str], facts: Facts) -> str:
    """One claim as a fold: verdict, claim and what was computed; below, what is quoted, a note, and where."""
    figure = escape(claim.show.format(claim.computed(facts)).replace("%", " %").replace("-", "−"))
    quoted = f"{words['quoted']} {escape(claim.quoted)} · " if claim.quoted else ""
    page, _, anchor = claim.at.partition("#")
    link = f'<a href="../{page}/#{anchor}">{words["where"]}</a>'
    verdict = f'<strong class="verdict">{MARKS[claim.verdict]} {words[claim.verdict]}</strong>'
    computed, text, note = words["computed"], escape(chosen(claim.claim, code)), escape(chosen(claim.note, code))
    return (
        f'<details class="claim {claim.verdict}" id="claim-{claim.id}">'
        f'<summary>{verdict}{text} <span class="figure">{computed} {figure}</span></summary>'
        f'<p class="figures">{quoted}{computed} <strong>{figure}</strong> · {link}</p>'
        f"<p>{note}</p></details>"
    )
