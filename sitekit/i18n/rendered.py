"""What Markdown makes of a section: a line can become something else than its counterpart."""

import re
from collections.abc import Iterator

from markdown import Markdown

from .sections import COMMENT, FENCED, HEADING

MADE = re.compile(r"<(ol|ul|li|blockquote|hr|pre|h[1-6]|table)\b")
NAMES = {
    "ol": "numbered list", "ul": "list", "li": "list item", "blockquote": "quotation", "hr": "rule",
    "pre": "block of code", "table": "table",
}  # fmt: skip
EXTENSIONS = ["admonition", "attr_list", "md_in_html", "tables", "pymdownx.arithmatex", "pymdownx.details"]


def made(text: str) -> Iterator[tuple[str, int]]:
    """The blocks that Markdown makes of a section, fences aside."""
    for pattern in (FENCED, COMMENT, HEADING):
        text = pattern.sub("", text)
    html = Markdown(extensions=EXTENSIONS).convert(text)
    for match in MADE.finditer(html):
        yield NAMES.get(match[1], f"heading of level {match[1][1:]}"), 1
