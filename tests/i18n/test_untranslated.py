"""Chinese that nobody has translated is found; the words that a page is about may stay."""

import pytest

from sitekit.i18n import untranslated
from tests.i18n.conftest import Fixture

SOURCE, OURS = "zh/two.md", "en/two.md"
QUOTING = """\
文字，“苹果”和“买、了”，写成 `梨`。**这一句很要紧**。

> 我买了**苹果**，iPhone 没有。
"""


@pytest.mark.parametrize(
    ("mine", "actual"),
    [
        ("这一段没有翻译。", ["“这一段没有翻译。”"]),
        ("This 是没翻译的 sentence.", ["“是没翻译的”"]),
        ("Two words，and more。", ["“，”", "“。”"]),
        ("Two words (这一段，没有翻译).", ["“这一段，没有翻译”"]),
        ("Two words (a remark 没翻译 here).", ["“没翻译”"]),
        ("Brackets（like these）.", ["“（”", "“）”"]),
        ("5％ of them.", ["“％”"]),
        ("**这一句很要紧**.", ["“这一句很要紧”"]),
        ("A bold **没翻译** word.", ["“没翻译”"]),
        ('!!! note "没翻译"', ["“没翻译”"]),
        ("- 没翻译", ["“没翻译”"]),
        ("| 没翻译 |", ["“没翻译”"]),
        ("[没翻译](two.md)", ["“没翻译”"]),
        ("苹果在桌上", ["“苹果在桌上”"]),
    ],
)
def test_what_is_left_in_chinese_is_found(site: Fixture, mine: str, actual: list[str]) -> None:
    site.change(SOURCE, "文字。", QUOTING)
    site.change(OURS, "Text.", mine)
    site.bless("two")
    ours = [one for one in site.findings() if one["rule"] == "untranslated"]
    assert [one["found"] for one in ours] == actual
    assert {(one["file"], one["line"], one["section"]) for one in ours} == {
        (f"docs/{OURS}", line(site, mine), "second")
    }


def line(site: Fixture, text: str) -> int:
    return site.path(OURS).read_text("utf-8").split("\n").index(text) + 1


@pytest.mark.parametrize(
    "mine",
    [
        "A word (分数), another (在线 softmax), a third (循环神经网络, RNN).",
        "苹果 and 买, `没翻译`, 梨.",
        "苹果了 runs together, 买苹果 too.",
        "> 我买了**苹果**，iPhone 没有。 — I bought it.",
        'Straight "quotes", curly “quotes”, a dash — and dots…',
        "<!-- 没翻译 -->",
        '<span title="没翻译">x</span> and [x](没翻译.md#没翻译){ .没翻译 }',
        "```text\n没翻译\n```",
        "$\\text{没翻译}$",
        "没翻译\n\n<!-- differs: untranslated; it is the point -->",
    ],
)
def test_terms_code_and_what_the_source_quotes_may_stay(site: Fixture, mine: str) -> None:
    site.change(SOURCE, "文字。", QUOTING)
    site.change(OURS, "Text.", mine)
    site.bless("two")
    assert [one["found"] for one in site.findings() if one["rule"] == "untranslated"] == []


def test_a_title_in_the_head_of_a_page_is_translated_too(site: Fixture) -> None:
    site.change("en/index.md", "title: Home", "title: 首页")
    (one,) = site.findings()
    assert (one["file"], one["line"], one["rule"], one["found"]) == ("docs/en/index.md", 2, "untranslated", "“首页”")


@pytest.mark.parametrize(("language", "foreign"), [("en", True), ("pt-BR", True), ("ja", False), ("zh-TW", False)])
def test_languages_written_with_chinese_characters_are_left_alone(language: str, foreign: bool) -> None:
    assert untranslated.applies(language) == foreign


def test_a_source_that_no_longer_quotes_a_word_fails_nothing(site: Fixture) -> None:
    site.change(SOURCE, "文字。", QUOTING)
    site.change(OURS, "Text.", "苹果.")
    site.bless("two")
    site.change(SOURCE, "“苹果”", "别的")
    assert [one for one in site.findings() if one["rule"] == "untranslated"] == []
    assert "[untranslated] (note)" in site.run("check", "--notes")[1]


def test_a_term_broken_over_two_lines_moves_no_line() -> None:
    nothing = untranslated.set_apart("")
    assert list(untranslated.left("A term (在线\nsoftmax), and\n没翻译.", nothing)) == [(3, "没翻译")]


@pytest.mark.parametrize(
    ("mine", "actual"),
    [
        ("# 二ページ { #two }\n\n## 第二 { #second }\n\n本文。\n", ["“第二”"]),
        ("# 权重 { #two }\n\n## 二番目 { #second }\n\n本文。\n", []),  # a term that is the same in both
        ("# 二 { #two }\n\n## 二番目 { #second }\n\n这一段话还没有\n人来翻译。\n", ["“这一段话还没有\n人来翻译。”"]),
        ("# 二 { #two }\n\n## 第二 { #second }\n\n<!-- differs: untranslated; the same word -->\n\n本文。\n", []),
    ],
)
def test_what_stands_there_as_in_the_source_is_untranslated_in_any_language(
    site: Fixture, mine: str, actual: list[str]
) -> None:
    assert site.run("add-language", "ja", "--name", "日本語")[0] == 0
    site.change("glossary.yml", "weights: {zh: 权重,", "weights: {zh: 权重, ja: 权重,")
    site.change(SOURCE, "# 第二页", "# 权重" if "权重" in mine else "# 第二页")
    site.change(SOURCE, "文字。", "这一段话还没有人来翻译。")
    site.path("ja/two.md").write_text(f"---\norigin: human\n---\n\n{mine}", "utf-8")
    found = [one["found"] for one in site.findings("two") if one["file"] == "docs/ja/two.md"]
    assert [text for text in found if text in actual] == actual
    assert not [one for one in site.findings("two") if one["rule"] == "untranslated" and one["found"] not in actual]
