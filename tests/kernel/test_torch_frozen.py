"""torch was asked once; what it answered is in a file, and our functions must answer the same."""

import pytest

from tests.kernel.torch_answers import OURS, assert_near
from tests.oracles.draws import COUNTS, DTYPES
from tests.oracles.frozen import TORCH_ANSWERS, Case, recorder, thaw

CASES, PROVENANCE = thaw()


def test_the_answers_come_from_the_recorder_as_it_is_now() -> None:
    assert PROVENANCE["recorder"] == recorder(TORCH_ANSWERS), "run: .venv-oracles/bin/python -m tests.oracles.record"


def test_the_answers_name_the_torch_that_gave_them() -> None:
    assert PROVENANCE["versions"] == {"torch": "2.13.0"}


def test_every_kind_is_asked_in_every_dtype() -> None:
    asked = {(kind, dtype) for kind in COUNTS for dtype in DTYPES}
    assert {(case.kind, case.dtype) for case in CASES} == asked
    assert len(CASES) == sum(COUNTS.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_our_answer_is_torch_s(case: Case) -> None:
    ours = OURS[case.kind](case)
    assert ours.keys() == case.answers.keys()
    for name, theirs in case.answers.items():
        assert ours[name].dtype == case.dtype
        assert_near(case, ours[name], theirs)
