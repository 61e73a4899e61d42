"""A chapter's questions, from docs/questions.yml: each answer waits in a fold of its own."""

from typing import Any

from ..languages import Language, chosen
from ..markdown.han import together
from ..paths import DOCS
from .lists import read_list

Question = dict[str, dict[str, str]]  # by language: what is asked, and the right answer


def questions() -> dict[str, list[Question]]:
    return read_list(DOCS / "questions.yml")


def render(chapter: str, language: Language, words: dict[str, Any]) -> str:
    """A numbered list of what is asked, and a fold with the answers."""
    asked = [chosen(question, language.code) for question in questions()[chapter]]
    lines = ['<div id="questions" markdown>', "", f'??? question "{words["title"]}"', ""]
    for n, one in enumerate(asked, 1):
        lines += [f"    {n}. {together(one['ask'])}"]
    lines += ["", f'    ??? success "{words["answers"]}"', ""]
    lines += [f"        {n}. {together(one['answer'])}" for n, one in enumerate(asked, 1)]
    return "\n".join([*lines, "", "</div>"])
