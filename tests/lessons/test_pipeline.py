"""The figures of chapter 12 are what its page says they are; its ids are those of GPT-2's own files."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT, lesson

Facts = dict[str, Any]
RECORD = json.loads((ROOT / "snippets" / "lessons" / "data" / "gpt2_ids.json").read_text("utf-8"))


@pytest.fixture(name="fact")
def pipeline(facts: Callable[[str], Facts]) -> Facts:
    return facts("pipeline")


def test_the_ids_are_10449_345_845_881(fact: Facts) -> None:
    assert fact["ids"] == [10449, 345, 845, 881] == RECORD["ids"]["Thank you very much"]
    assert [256 + rank for rank in fact["last ranks"]] == fact["ids"]


@pytest.mark.parametrize("text", RECORD["ids"])
def test_the_excerpt_gives_the_ids_of_the_whole_table(text: str) -> None:
    assert lesson("pipeline")["encode"](text) == RECORD["ids"][text]


def test_the_excerpt_is_what_was_recorded() -> None:
    recorded = {(left.encode(), right.encode()): rank for rank, left, right in RECORD["excerpt"]}
    assert lesson("pipeline")["ranks"] == recorded


def test_much_without_its_space_is_29482(fact: Facts) -> None:
    assert fact["ids without their space"]["much"] == [29482]


def test_apple_in_chinese_is_six_tokens(fact: Facts) -> None:
    assert len(fact["ids of 苹果"]) == 6


def test_50257_is_the_size_of_the_vocabulary_and_no_id(fact: Facts) -> None:
    assert fact["vocabulary"] == 50257 == RECORD["n_vocab"] == 256 + RECORD["n_merges"] + 1
    assert fact["largest id"] == 50256 == RECORD["largest_id"] == RECORD["end_of_text"]
    here = lesson("pipeline")
    with pytest.raises(ValueError, match="needs 50258 rows, it has 50257"):
        here["embed"]([50257], here["token_table"])


def test_the_trace_has_the_shapes_of_gpt2_small(fact: Facts) -> None:
    rows, head, square, logits = [4, 768], [4, 64], [4, 4], [4, 50257]
    layer = [rows, rows, head, head, head, square, square, head, rows, rows, [4, 3072], rows]
    assert fact["shapes"] == [*layer, rows, rows, logits, logits]
    assert fact["steps"] == 16


def test_step_by_step_and_the_function_agree(fact: Facts) -> None:
    assert fact["step error"] < 1e-6


def test_probabilities_sum_to_1_and_random_parameters_leave_them_nearly_flat(fact: Facts) -> None:
    probabilities = lesson("pipeline")["probabilities"]
    np.testing.assert_allclose(probabilities.sum(axis=-1), 1, rtol=1e-4, equal_nan=False)
    assert f"{fact['largest probability']:.3%}" == "0.023%"
    assert f"{fact['even share']:.3%}" == "0.002%"


def test_parameters_are_124_439_808(fact: Facts) -> None:
    assert fact["total"] == 124_439_808 == sum(fact["parts"])
    assert fact["one layer"] == 7_087_872
    here = lesson("pipeline")
    assert sum(array.size for array in here["layer"](1).values()) == 7_087_872
    assert round(100 * fact["share of the token table"], 1) == 31.0


def test_random_parameters_have_the_spread_that_is_claimed(fact: Facts) -> None:
    assert fact["measured standard deviation"] == pytest.approx(0.02, rel=1e-3)


def test_the_last_token_leaves_the_rows_before_it_alone(fact: Facts) -> None:
    assert fact["moved"][:3].max() < 1e-5
    assert fact["moved"][3] > 0.1


def test_the_figure_that_goes_around_is_declared_and_not_computed(fact: Facts) -> None:
    assert "99.2" in lesson("pipeline")["declared"]


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["ids without their space"]["you"] == [256 + 5576] == [5832]
    assert fact["sizes of GPT-2"]["gpt2"] == fact["total"]
    assert fact["sizes of GPT-2"]["gpt2-xl"] == 1_557_611_200


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        ("check_id", 5576),
        ("check_count", lambda n_layers, d: n_layers * 12 * d * d + 50257 * d),
        ("check_rows", [3]),
    ],
)
def test_checks_refuse_a_plausible_wrong_answer(check: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match="given"):
        lesson("pipeline")[check](wrong)
