"""The box `!!! guess`: a question, a list of choices right below it, and the answer below the list.

The script of the page makes buttons of the choices and covers the answer. A box without choices would cover nothing, or
the wrong thing.
"""

import re
from collections.abc import Iterator

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor
from pymdownx.superfences import SuperFencesException

from .page import current

BOX = re.compile(r"^(?P<indent> *)!!! guess\b.*\n?(?P<body>(?: *\n|(?P=indent) {4}.*\n?)*)", re.M)
FENCED = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,})[^`\n]*\n(?:.*\n)*?(?P=indent)(?P=ticks)`* *$", re.M)
RULE = "a list of at least two choices right below the question, and below the list the answer"


class GuessError(SuperFencesException):
    """A page asks to guess and gives no choices; the message names file and line."""


def faults(text: str) -> Iterator[tuple[int, str]]:
    """The line of each box that breaks the rule, and what was found in it. What is shown as code is no box."""
    code = FENCED.sub(lambda fence: re.sub(r"(?m)^( *).*$", r"\1code", fence[0]), text)
    for box in BOX.finditer(code):
        lines = [line.removeprefix(box["indent"] + " " * 4) for line in box["body"].splitlines() if line.strip()]
        choices = [line.startswith("- ") for line in lines]
        rest = lines[choices.index(False) :] if False in choices else []
        count = len(lines) - len(rest)
        if count < 2 or not rest:
            found = f"{count} choices, {'an answer' if rest else 'no answer'}"
            yield text.count("\n", 0, box.start()) + 1, found


class Choices(Preprocessor):
    """Refuse the first box without choices or answer."""

    def run(self, lines: list[str]) -> list[str]:
        page = current.get()
        for line, found in faults(page.path.read_text("utf-8") if page.path.exists() else ""):
            raise GuessError(f"{page.name}:{line}: a guess needs {RULE}; it has {found}")
        return lines


class GuessExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 (the name Markdown calls)
        md.preprocessors.register(Choices(md), "choices", 40)


def makeExtension(**options: object) -> GuessExtension:  # noqa: N802 (the name Markdown calls)
    return GuessExtension(**options)
