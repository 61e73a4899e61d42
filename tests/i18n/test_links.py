"""Every way to write a link or a footnote is compared, and how deep lists go."""

import pytest

from sitekit.i18n.structure import links, lists
from tests.i18n.conftest import Fixture
from tests.i18n.test_programs import write


@pytest.mark.parametrize(
    ("theirs", "mine", "rule", "expected", "actual"),
    [
        ("[r]: https://a.org", "[r]: https://b.org", "links", "https://a.org", "https://b.org"),
        ("见 <https://a.org>。", "See <https://b.org>.", "links", "https://a.org", "https://b.org"),
        ("见 <https://a.org>。", "See it.", "links", "https://a.org", "not there (nothing)"),
        ("文字[^1]。\n\n[^1]: 注。", "Text.\n\n[^1]: A note.", "footnotes", "[^1]", "not there ([^1]:)"),
        ("文字[^a]。", "Text[^b].", "footnotes", "[^a]", "[^b]"),
        ("- 一\n    - 二", "- one\n- two", "lists", "bullet (depth 1)", "bullet"),
        ("- 一\n    - 二", "- one\n  - two", "lists", "bullet (depth 1)", "bullet"),
    ],
)
def test_what_differs_is_found(site: Fixture, theirs: str, mine: str, rule: str, expected: str, actual: str) -> None:
    write(site, theirs, mine)
    (one,) = site.findings()
    assert (one["rule"], one["expected"], one["found"]) == (rule, expected, actual)


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        ("[r]: https://a.org", '[r]: <https://a.org> "title"'),
        ("[甲](https://a.org)", "[a](<https://a.org>)"),
        ("见 <https://a.org> 和 <mailto:a@b.org>。", "See <mailto:a@b.org> and <https://a.org>."),
        ("甲[^1]，乙[^2]。", "B[^2], A[^1]."),
        ("见 `<https://a.org>`，`[^1]`。", "See `<https://a.org>`, `[^1]`."),
        ("- 一\n\n    - 二\n\n文字。\n\n- 三", "- one\n    - two\n\nText.\n\n- three"),
    ],
)
def test_what_is_the_same_passes(site: Fixture, theirs: str, mine: str) -> None:
    write(site, theirs, mine)
    assert site.findings() == []


def test_a_page_that_is_not_there_is_found_behind_a_reference(site: Fixture) -> None:
    write(site, "[r]: three.md", "[r]: three.md")
    assert [(one["rule"], one["found"]) for one in site.findings()] == [("links", "three.md")] * 2


def test_a_footnote_is_no_link() -> None:
    assert list(links("Text[^1].\n\n[^1]: https://a.org\n")) == []


def test_a_list_in_a_box_begins_at_the_top() -> None:
    text = '- one\n    1. two\n        - three\n\n!!! note "x"\n\n    - four\n'
    assert [what for what, _ in lists(text)] == [
        "bullet", "numbered item (depth 1)", "bullet (depth 2)", "bullet",
    ]  # fmt: skip
