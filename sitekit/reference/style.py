"""The visual language of the figures: a colour for each role, a sign for each thing, drawn by the figures' own code."""

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

from .. import node
from ..languages import Language, chosen
from ..live import figures
from ..markdown.han import together

ROLES = ("query", "key", "value", "scores", "weights", "output")


@cache
def drawn(sources: str) -> dict[str, dict[str, str]]:
    """Language -> glyph -> SVG, as these sources draw them."""
    return dict(json.loads(node.run(figures.FOLDER / "glyphs.js")))


def render(language: Language, words: Mapping[str, Any]) -> str:
    """The colours, then the signs, each with what it stands for; as HTML, in which Markdown changes nothing."""
    signs = chosen(drawn(figures.sources()), language.code)
    colours = [(f'<span class="role {role}">{words["roles"][role]}</span>', words["means"][role]) for role in ROLES]
    pictures = [(signs[name], words["signs"][name]) for name in signs]
    return "\n\n".join(
        [table(words["colour"], words["stands"], colours), table(words["sign"], words["stands"], pictures)]
    )


def table(first: str, second: str, rows: list[tuple[str, str]]) -> str:
    """One table of two columns."""
    body = "".join(f"<tr><td>{sign}</td><td>{escape(together(meaning))}</td></tr>" for sign, meaning in rows)
    head = f"<tr><th>{first}</th><th>{second}</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
