"""The tests are tested: every fault put in on purpose is noticed, and the untouched package is not."""

import pytest

from tests.kernel.mutants import MUTANTS, PACKAGE, Mutant, killer, killers


def test_there_are_enough_of_them_and_no_two_alike() -> None:
    assert len(MUTANTS) >= 20
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({mutant[1:] for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_fault_changes_exactly_one_place(mutant: Mutant) -> None:
    assert (PACKAGE / mutant.file).read_text("utf-8").count(mutant.old) == 1
    assert mutant.old != mutant.new


@pytest.mark.thorough
def test_a_copy_without_a_fault_passes() -> None:
    assert killer(None) == ""


@pytest.mark.thorough
def test_every_fault_is_noticed() -> None:
    noticed = dict(zip(MUTANTS, killers(MUTANTS), strict=True))
    assert [mutant.name for mutant, test in noticed.items() if not test] == []
