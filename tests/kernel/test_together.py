"""Several tables or pictures as the output of one cell."""

import pytest

from lessonkit import Table, Together


def test_the_parts_keep_their_order_as_text_and_as_html() -> None:
    both = Together([Table([[1]], caption={"zh": "一", "en": "one"}), Table([[2]], caption={"zh": "二", "en": "two"})])
    assert both.plain("zh") == "一\n  1.00\n\n二\n  2.00"
    assert both.html("en").index("one") < both.html("en").index("two")
    assert both.html("en").count("<table") == 2


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(TypeError, match=r"parts holds 3; it may hold what lessonkit makes"):
        Together([3])  # type: ignore[list-item]
