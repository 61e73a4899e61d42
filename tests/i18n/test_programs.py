"""Programs and formulas say the same in every language; comments and words in them are translated."""

import pytest

from tests.i18n.conftest import Fixture

PAGES = ("zh/two.md", "en/two.md")


def write(site: Fixture, theirs: str, mine: str) -> None:
    """Add to the last section of both pages, and accept it."""
    for page, text in zip(PAGES, (theirs, mine), strict=True):
        with site.path(page).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
    site.bless("two")


@pytest.mark.parametrize(
    ("theirs", "mine", "expected", "actual"),
    [
        ("```python\nx = 1\ny = 2\n```", "```python\nx = 1\ny = 3\n```", "no. 2: y = 2", "no. 2: y = 3"),
        ("```sh\npip install a\n```", "```sh\npip install b\n```", "no. 1: pip install a", "no. 1: pip install b"),
        ('```py\nsay("#1")\n```', '```py\nsay("#2")\n```', 'no. 1: say("#1")', 'no. 1: say("#2")'),
        ("```python\nif a:\n    b()\n```", "```python\nif a:\nb()\n```", "no. 2:     b()", "no. 2: b()"),
        ("```js\nf() // 一\n```", "```js\ng() // one\n```", "no. 1: f()", "no. 1: g()"),
        ("    ```sh\n    ls\n    ```", "    ```sh\n    ll\n    ```", "no. 1: ls", "no. 1: ll"),
    ],
)
def test_a_program_that_differs_is_shown_by_its_line(
    site: Fixture, theirs: str, mine: str, expected: str, actual: str
) -> None:
    write(site, theirs, mine)
    (one,) = site.findings()
    assert (one["rule"], one["expected"], one["found"]) == ("programs", expected, actual)
    lines = site.path(PAGES[1]).read_text("utf-8").split("\n")
    assert actual.partition(": ")[2] in lines[one["line"] - 1]


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ("```python\nx = 1  # 一\n# 二\n```", "```python\nx = 1  # one\n```"),
        ("```sh\n# 先\nls # 看\n```", "```sh\n# first\nls # look\n```"),
        ("```js\n/* 一\n二 */\nf() // 三\n```", "```js\n/* one */\nf() // three\n```"),
        ("```text\n一句话\n```", "```text\nA sentence\n```"),
        ("```generated python\n一\n```", "```generated python\n一\ntwo\n```"),
    ],
)
def test_comments_and_texts_in_fences_are_translated(site: Fixture, theirs: str, mine: str) -> None:
    write(site, theirs, mine)
    assert site.findings() == []


@pytest.mark.parametrize(
    ("theirs", "mine", "expected", "actual"),
    [
        ("是 $a + b$。", "It is $a - b$.", "$a+b$", "$a-b$"),
        ("是$a$的。", "It is $b$.", "$a$", "$b$"),
        ("$$\nQK^\\top\n$$", "$$\nKQ^\\top\n$$", "$QK^\\top$", "$KQ^\\top$"),
        ("是 $a$。", "It is $a$, and $a$.", "only what the source has: $a$", "$a$"),
    ],
)
def test_a_formula_that_differs_is_found(site: Fixture, theirs: str, mine: str, expected: str, actual: str) -> None:
    write(site, theirs, mine)
    (one,) = site.findings()
    assert (one["rule"], one["expected"], one["found"]) == ("formulas", expected, actual)


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ("先 $a + b$，后 $c$。", "First $c$, then $a+b$."),
        ("$$x = \\text{份额} y$$", "$$\nx = \\text{share} y\n$$"),
        ("五元和六元。", "From $5 to $6."),
        ("写成 `$a$`。", "Written `$a$`."),
    ],
)
def test_spaces_order_and_words_make_no_other_formula(site: Fixture, theirs: str, mine: str) -> None:
    write(site, theirs, mine)
    assert site.findings() == []


@pytest.mark.parametrize(
    ("rule", "theirs", "mine"),
    [("programs", "```sh\nls\n```", "```sh\ndir\n```"), ("formulas", "是 $a$。", "It is $b$.")],
)
def test_a_section_may_differ_in_these_too(site: Fixture, rule: str, theirs: str, mine: str) -> None:
    write(site, theirs, f"{mine}\n\n<!-- differs: {rule}; why not -->")
    assert site.findings() == []
