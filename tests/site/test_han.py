"""Lines of a Chinese sentence join without a gap; whatever begins something new in Markdown stays a line of its own."""

import pytest

from sitekit.markdown.han import join


def test_a_sentence_goes_on_without_a_gap() -> None:
    assert join(["第一行", "接着，", "QK 再接着。"]) == ["第一行接着，QK 再接着。"]


def test_between_han_and_latin_a_line_break_is_a_space() -> None:
    assert join(["第一行", "softmax"]) == ["第一行", "softmax"]


@pytest.mark.parametrize(
    "line",
    [
        "[^2]: 第二条注。",
        "[r]: other.md",
        "*[KV]: 键值。",
        "{: .class }",
        "---",
        "***",
        "- - -",
        "====",
        '=== "标签"',
        "[TOC]",
        ":   定义",
        "~~~python",
        "\x02wzxhzdk:0\x03",  # where a fenced block was
        "- 一项",
        "3. 一项",
        "> 引用",
        "| 表 |",
        "# 标题",
        "$$",
        "!!! note",
    ],
)
def test_what_begins_something_new_is_not_joined(line: str) -> None:
    assert join(["一句话。", line]) == ["一句话。", line]
