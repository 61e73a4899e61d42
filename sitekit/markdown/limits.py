"""How long a page may be.

The time of Markdown, and of the regular expressions that look over a page, grows with the square of some texts. Within
these limits none takes longer than seconds; our longest page has half of what is allowed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

CHARACTERS, PARAGRAPH, BRACKETS, ANGLES = 40_000, 3_000, 200, 1_000


@dataclass(frozen=True)
class Fault:
    """What may not stand in a text: in which line, which rule, what was expected, what was found."""

    line: int
    rule: str
    expected: str
    found: str


def too_long(text: str, first: int = 1) -> Iterator[Fault]:
    """Where the text, which begins in line `first` of its file, goes beyond a limit."""
    if len(text) > CHARACTERS:
        yield Fault(first, "size", f"a page of at most {CHARACTERS} characters", f"{len(text)}")
        return
    if (angles := text.count("<")) > ANGLES:
        yield Fault(first, "size", f"at most {ANGLES} times < on a page", f"{angles}")
    line = first
    for paragraph in re.split(r"(\n[ \t]*(?=\n))", text):
        if len(paragraph) > PARAGRAPH:
            yield Fault(line, "size", f"at most {PARAGRAPH} characters before an empty line", f"{len(paragraph)}")
        elif (brackets := paragraph.count("[")) > BRACKETS:
            yield Fault(line, "size", f"at most {BRACKETS} times [ before an empty line", f"{brackets}")
        line += paragraph.count("\n")
