"""Each exercise has a check that takes the reader's answer and says what became of it."""

import ast

import pytest

from sitekit.lessons import execute, files

CELLS = {
    f"{files.slug(script)}.{cell.metadata.name}": cell.source
    for script in files.lesson_scripts()
    for cell in execute.read(script).cells
    if cell.metadata.name.startswith("check-")
}


def test_each_chapter_has_two_or_three_but_the_fact_check_and_the_laboratory() -> None:
    lessons = [name.partition(".")[0] for name in CELLS]
    assert {lessons.count(lesson) for lesson in set(lessons)} == {2, 3}
    assert len(set(lessons)) == 15


@pytest.mark.parametrize("name", CELLS)
def test_a_check_is_one_function_that_says_what_an_answer_gave(name: str) -> None:
    functions = [node for node in ast.parse(CELLS[name]).body if isinstance(node, ast.FunctionDef)]
    assert len(functions) == 1, "the page offers to call the one function of the cell"
    assert functions[0].name.startswith("check_")
    assert [*functions[0].args.args, functions[0].args.vararg] != [None], "it takes an answer"
    assert any(isinstance(node, ast.FormattedValue) for node in ast.walk(functions[0])), "not only right or wrong"
