"""Numbers are compared by what they are worth: a lost zero, sign or power is found, another spelling is none."""

import pytest

from sitekit.i18n.figures import figures
from tests.i18n.conftest import Fixture

SOURCE, OURS = "zh/two.md", "en/two.md"


def worths(text: str) -> list[str]:
    return [worth for worth, _ in figures(text)]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("1000", "100"), ("1 000", "1 000 000"), ("0.5", "0.05"), (".5", ".05"), ("50 %", "5 %"), ("10⁻⁴", "10⁻⁵"),
        ("10⁴", "10⁻⁴"), ("$10^{-4}$", "$10^{-5}$"), ("−12.5", "12.5"), ("-12.5", "12.5"), ("−1", "1"),
        ("1.5e-4", "1.5e-5"), ("3 × 10⁴", "3 × 10⁵"), ("2¹⁰", "2¹¹"), ("5 million", "5 billion"), ("3.2.1", "3.2.2"),
        ("10–20", "10–30"), ("10-20", "10-30"), ("5％", "6％"),
    ],
)  # fmt: skip
def test_a_slip_in_a_number_changes_its_worth(right: str, wrong: str) -> None:
    assert worths(f"It is {right}, here.") != worths(f"It is {wrong}, here.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("300 万", "3 million"), ("1.2 亿", "120 million"), ("-12.5", "−12.5"), ("50%", "50 %"), ("50％", "50 %"),
        ("10⁻⁴", "1e-4"), ("10⁻⁴", "$10^{-4}$"), ("3 × 10⁴", "30 000"), ("第 392 个", "the 392nd row"), ("0.50", "0.5"),
        ("共 12 个", "共12个"),
    ],
)  # fmt: skip
def test_another_spelling_is_the_same_number(one: str, other: str) -> None:
    assert worths(one) == worths(other) != []


@pytest.mark.parametrize("text", ["the 2 rows", "GPT-2", "float32", "`1000`", "x-12", "chapter 12", "12. An item"])
def test_what_may_be_a_word_and_what_is_a_name_are_no_numbers(text: str) -> None:
    assert worths(text) == []


def test_a_number_beyond_all_floats_breaks_nothing() -> None:
    assert worths("10^{999} and 1e999") == ["inf", "inf"]


@pytest.mark.parametrize(
    ("theirs", "mine", "expected", "actual"),
    [
        ("1000 个", "100 of them", "1000", "100"),
        ("−12.5 分", "12.5 points", "-12.5", "12.5"),
        ("5 %", "50 %", "5 %", "50 %"),
    ],
)
def test_check_names_both_numbers(site: Fixture, theirs: str, mine: str, expected: str, actual: str) -> None:
    site.change(SOURCE, "文字", f"文字，{theirs}")
    site.change(OURS, "Text", f"Text, {mine}")
    site.bless("two")
    (one,) = site.findings()
    assert (one["rule"], one["expected"], one["found"]) == ("numbers", expected, actual)
    site.change(OURS, mine, theirs.split(" ")[0] + (" %" if "%" in theirs else ""))
    assert site.findings() == []


def test_english_may_spell_ten_and_a_hundred(site: Fixture) -> None:
    site.change(SOURCE, "文字", "乘 10，得 100")
    site.change(OURS, "Text", "Ten times, a hundred")
    site.bless("two")
    assert site.findings() == []
    site.change(OURS, "a hundred", "some")
    assert [one["expected"] for one in site.findings()] == ["100"]
