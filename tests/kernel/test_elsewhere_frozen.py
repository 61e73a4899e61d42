"""The table of the same call in other libraries was measured once; these are the claims our own pages make with it."""

import json

from tests.oracles.frozen import ELSEWHERE, recorder

TABLE = json.loads(ELSEWHERE.read_text("utf-8"))
OURS, *OTHERS = TABLE["rows"]
RAN = [row for row in OTHERS if row["equal_within"] is not None]


def test_the_table_comes_from_the_probes_as_they_are_now() -> None:
    way = "run: PYTHONPATH=snippets .venv-oracles/bin/python -m tests.oracles.probes"
    assert TABLE["recorder"] == recorder(ELSEWHERE), way


def test_every_row_says_the_same_things() -> None:
    assert {frozenset(row) for row in TABLE["rows"]} == {frozenset(OURS)}


def test_only_what_needs_a_gpu_was_not_run() -> None:
    assert [row["name"] for row in OTHERS if row not in RAN] == ["flash_attn.flash_attn_func"]
    assert {row["name"].split(".")[0].split(" ")[0] for row in RAN} == {"torch", "jax", "keras", "ONNX"}


def test_every_row_that_ran_equals_ours_to_rounding() -> None:
    assert all(row["equal_within"] <= 1e-6 for row in RAN)


def test_our_conventions_are_the_ones_we_state() -> None:
    assert OURS["mask_true_means"] == "attend"
    assert OURS["causal_alignment"] == "bottom-right"
    assert OURS["default_scale"] == "1/√d_k"
    assert OURS["empty_row"] == "zeros"
    assert OURS["hidden_nan"] == "leaves no trace"
