"""A page without the indentation of its templates, which no reader sees and every reader loads."""

import re

KEPT = re.compile(r"<(pre|textarea|script|style|code|samp)\b.*?</\1>", re.S)  # where white space is part of the text
INDENTATION = re.compile(r"\n\s+")


def drop_indentation(html: str) -> str:
    """Lines begin at their first letter, and none is empty; what is preformatted stays."""
    shorter, end = "", 0
    for kept in KEPT.finditer(html):
        shorter += INDENTATION.sub("\n", html[end : kept.start()]) + kept[0]
        end = kept.end()
    return shorter + INDENTATION.sub("\n", html[end:])
