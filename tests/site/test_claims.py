"""Every verdict of the fact-check is what the lessons compute, and the page says so in every language."""

import re
from collections import Counter

import pytest

from sitekit.languages import languages
from sitekit.markdown import numbers
from sitekit.markdown.han import together
from sitekit.reference import claims
from tests.conftest import ROOT, Built, lesson

CLAIMS = claims.claims()


def test_there_are_at_least_thirty() -> None:
    assert len(CLAIMS) >= 30
    assert set(Counter(claim.verdict for claim in CLAIMS)) == set(claims.VERDICTS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_is_what_the_lesson_computes(claim: claims.Claim) -> None:
    so = claim.is_so(lesson(claim.lesson)["facts"])
    assert so == (claim.verdict != "fails"), "of rounding and of an open claim, `holds` says that it is so"


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_is_told_in_every_language_and_leads_to_its_computation(claim: claims.Claim) -> None:
    page, _, anchor = claim.at.partition("#")
    for code in languages():
        assert claim.claim[code].strip()
        assert claim.note[code].strip()
        assert f"{{ #{anchor} }}" in (ROOT / "docs" / code / f"{page}.md").read_text("utf-8")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_what_we_add_to_a_claim_says_only_what_was_computed(claim: claims.Claim) -> None:
    """The claim itself may be wrong in its numbers; our note may not."""
    here = lesson(claim.lesson)
    figures = [number.text for text in (claim.quoted, *claim.claim.values()) for number in numbers.numbers(text)]
    declared = [re.sub(r"\s?%$", "", text) for text in figures] + [str(name) for name in here.get("declared", {})]
    for note in claim.note.values():
        missing = numbers.unsupported(numbers.prose(note), numbers.flatten(here["facts"]), declared)
        assert [number.text for number, _ in missing] == []


def test_the_page_shows_every_claim_with_its_value(built: Built) -> None:
    for language in languages().values():
        page = (built.folder / language.prefix / "claims" / "index.html").read_text("utf-8")
        for claim in CLAIMS:
            card = re.search(rf'<details class="claim {claim.verdict}" id="claim-{claim.id}">.*?</details>', page, re.S)
            assert card, claim.id
            assert together(claim.quoted) in card[0]
            assert re.search(r"<strong>[^<]*\d[^<]*</strong> ·", card[0])


def test_an_unknown_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match=r"verdict is 'maybe'; it must be one of holds, condition, .*, open"):
        claims.Claim("x", {}, "maybe", {}, "a#b", "1", "{}", "True")
