"""Characters that nobody sees, and two headings with one id, are found on every page."""

import pytest

from tests.i18n.conftest import Fixture


@pytest.mark.parametrize("page", ["zh/two.md", "en/two.md"])
@pytest.mark.parametrize(
    ("character", "actual"),
    [
        ("\u200b", "U+200B ZERO WIDTH SPACE"), ("\u200d", "U+200D ZERO WIDTH JOINER"),
        ("\u200f", "U+200F RIGHT-TO-LEFT MARK"), ("\u202a", "U+202A LEFT-TO-RIGHT EMBEDDING"),
        ("\u202e", "U+202E RIGHT-TO-LEFT OVERRIDE"), ("\u2060", "U+2060 WORD JOINER"),
        ("\ufeff", "U+FEFF ZERO WIDTH NO-BREAK SPACE"), ("\u00ad", "U+00AD SOFT HYPHEN"),
    ],
)  # fmt: skip
def test_an_invisible_character_is_named_with_its_place(site: Fixture, page: str, character: str, actual: str) -> None:
    end, line, column = ("字。", 5, 2) if page.startswith("zh") else ("xt.", 14, 3)
    site.change(page, end, f"{character}{end}")
    (one,) = [one for one in site.findings() if one["rule"] == "characters"]
    assert (one["file"], one["line"], one["section"]) == (f"docs/{page}", line, "second")
    assert (one["expected"], one["found"]) == ("no invisible character", f"{actual}, in column {column}")


def test_a_kangxi_radical_is_named_with_the_character_meant(site: Fixture) -> None:
    site.change("zh/two.md", "文字。", "\u2f42字。")
    (one,) = site.findings()
    assert (one["expected"], one["found"]) == ("文 (U+6587)", "U+2F42 KANGXI RADICAL SCRIPT, in column 1")


def test_a_character_in_code_or_in_the_head_is_as_unseen(site: Fixture) -> None:
    site.change("en/index.md", "title: Home", "title: Ho\u200bme")
    site.change("en/index.md", "tiny.table", "tiny.\u200btable")
    places = [(one["line"] == 2, one["section"]) for one in site.findings() if one["rule"] == "characters"]
    assert places == [(True, ""), (False, "home")]


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f469\u200d\U0001f4bb", "\U0001f469\U0001f3fd\u200d\U0001f680", "\u2764\ufe0f\u200d\U0001f525",
        "a\u00a0b, a\u202fb", "e\u0301", "− × · … —",
    ],
)  # fmt: skip
def test_emoji_may_be_joined_and_spaces_be_narrow(site: Fixture, text: str) -> None:
    site.change("en/two.md", "Text.", f"Text {text}.")
    assert site.findings() == []


def test_a_section_may_need_what_is_not_seen(site: Fixture) -> None:
    site.change("en/two.md", "Text.", "A\u200cB. <!-- differs: characters; shown to be found -->")
    assert site.findings() == []


@pytest.mark.parametrize("page", ["zh/two.md", "en/two.md"])
def test_two_headings_with_one_id_are_an_error_that_names_both_lines(site: Fixture, page: str) -> None:
    with site.path(page).open("a", encoding="utf-8") as file:
        file.write("\n## 2 { #second }\n")
    line = len(site.path(page).read_text("utf-8").split("\n")) - 1
    first = site.path(page).read_text("utf-8").split("\n").index("## 2 { #second }") - 3
    mine = [one for one in site.findings() if "in lines" in one["found"]]
    assert [(one["file"], one["line"], one["section"], one["rule"]) for one in mine] == [
        (f"docs/{page}", line, "second", "headings")
    ]
    assert mine[0]["expected"] == f"an id of its own: line {first} has {{ #second }} already"
    assert mine[0]["found"] == f"{{ #second }} in lines {first} and {line}"


def test_one_id_on_two_pages_is_none_too_many(site: Fixture) -> None:
    for language in ("zh", "en"):
        site.change(f"{language}/two.md", "{ #two }", "{ #home }")
    site.bless("two")
    assert site.findings() == []
