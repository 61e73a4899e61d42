"""Ask the libraries again: they still answer what is frozen, and we still answer what they do."""

import json
from typing import Any

import numpy as np
import pytest

from tests.kernel.torch_answers import OURS, assert_near
from tests.oracles.callers import Row
from tests.oracles.elsewhere import NOT_RUN, ROWS
from tests.oracles.frozen import ELSEWHERE, Case, thaw
from tests.oracles.probes import measure
from tests.oracles.record import recorded, versions

FROZEN, PROVENANCE = thaw()
LIVE = recorded()
TABLE: list[dict[str, Any]] = json.loads(ELSEWHERE.read_text("utf-8"))["rows"]


def test_this_is_the_torch_that_was_asked() -> None:
    assert versions() == PROVENANCE["versions"]


def test_the_same_cases_are_drawn() -> None:
    assert [case.name for case in LIVE] == [case.name for case in FROZEN]


@pytest.mark.parametrize(("live", "frozen"), [*zip(LIVE, FROZEN, strict=True)], ids=[case.name for case in LIVE])
def test_torch_still_gives_the_frozen_answer(live: Case, frozen: Case) -> None:
    assert (live.dtype, live.settings) == (frozen.dtype, frozen.settings)
    assert live.inputs.keys() == frozen.inputs.keys()
    assert all(np.array_equal(live.inputs[name], frozen.inputs[name]) for name in live.inputs)
    assert live.answers.keys() == frozen.answers.keys()
    for name, answer in live.answers.items():
        assert_near(live, answer, frozen.answers[name])


@pytest.mark.parametrize("case", LIVE, ids=lambda case: case.name)
def test_our_answer_is_the_one_torch_gives_now(case: Case) -> None:
    ours = OURS[case.kind](case)
    assert ours.keys() == case.answers.keys()
    for name, theirs in case.answers.items():
        assert_near(case, ours[name], theirs)


@pytest.mark.parametrize(("row", "expected"), [*zip(ROWS, TABLE[:-1], strict=True)], ids=[row.name for row in ROWS])
def test_a_library_equals_ours_and_behaves_as_the_table_says(row: Row, expected: dict[str, Any]) -> None:
    assert measure(row) == expected


def test_the_table_has_these_rows_and_the_one_that_cannot_run_here() -> None:
    assert [row["name"] for row in TABLE] == [row.name for row in ROWS] + [NOT_RUN["name"]]
    assert TABLE[-1] == NOT_RUN
