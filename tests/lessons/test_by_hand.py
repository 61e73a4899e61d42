"""The figures of chapter 3 are what its page says they are."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def by_hand(facts: Callable[[str], Facts]) -> Facts:
    return facts("by-hand")


def test_scores_are_ten_and_six(fact: Facts) -> None:
    assert np.array_equal(fact["scores"], [[10, 6], [6, 10]])


def test_exponentials_add_up_to_22430_not_22429(fact: Facts) -> None:
    assert np.array_equal(np.floor(fact["exps"]), [22026, 403])
    assert round(fact["sum of exps"]) == 22430
    assert sum(np.floor(fact["exps"])) == 22429


def test_weights_are_98_2_and_1_8_per_cent(fact: Facts) -> None:
    assert np.array_equal((100 * fact["weights"]).round(1), [[98.2, 1.8], [1.8, 98.2]])


def test_outputs_are_5_90_and_0_60(fact: Facts) -> None:
    assert np.array_equal(fact["output"].round(2), [[5.90, 0.60], [0.60, 5.90]])


def test_with_the_division_everything_is_milder(fact: Facts) -> None:
    assert np.array_equal(fact["scaled scores"].round(2), [[7.07, 4.24], [4.24, 7.07]])
    assert np.array_equal((100 * fact["scaled weights"]).round(1), [[94.4, 5.6], [5.6, 94.4]])
    assert np.array_equal(fact["scaled output"].round(2), [[5.69, 0.81], [0.81, 5.69]])


def test_a_third_token_takes_28_7_per_cent_and_keeps_the_ratio(fact: Facts) -> None:
    assert fact["scores with 买"][0, 2] == pytest.approx(9.109, abs=1e-12)
    assert np.array_equal((100 * fact["weights with 买"]).round(1), [[70.0, 1.3, 28.7]])
    assert fact["ratio"] == pytest.approx(math.exp(4), rel=1e-12)
    assert fact["ratio with 买"] == pytest.approx(math.exp(4), rel=1e-12)


def test_the_diagonal_need_not_win(fact: Facts) -> None:
    assert np.array_equal((100 * fact["turned weights"]).round(1), [[5.6, 94.4], [94.4, 5.6]])


def test_an_even_split_is_accepted_and_others_are_told_why(capsys: pytest.CaptureFixture[str]) -> None:
    check = lesson("by-hand")["check_half"]
    for key in ([2, 4], [0, 10], [4, -2]):
        check(key)
    assert capsys.readouterr().out.count("is right") == 3
    with pytest.raises(ValueError, match="is there already"):
        check([3, 1])
    with pytest.raises(ValueError, match=r"\[1, 3\] gives the shares"):
        check([1, 3])


def test_the_order_of_the_keys_does_not_count(capsys: pytest.CaptureFixture[str]) -> None:
    check = lesson("by-hand")["check_order"]
    check(False)
    check(True)
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("right")
    assert said[1].startswith("not so")


def test_four_ways_agree() -> None:
    ways = lesson("by-hand")["ways"]
    assert list(ways) == ["by hand", "loops", "NumPy", "onnx"]
    for answer in ways.values():
        np.testing.assert_allclose(answer, ways["NumPy"], rtol=0, atol=1e-14, equal_nan=False)


def test_the_recorded_answer_is_what_onnx_says() -> None:
    names = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [1, 1, 2, 2]) for name in "qkvy"]
    graph = helper.make_graph([helper.make_node("Attention", ["q", "k", "v"], ["y"])], "step", names[:3], names[3:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    here = lesson("by-hand")
    given = {name: here[name.upper()].reshape(1, 1, 2, 2) for name in "qkv"}
    (answer,) = ReferenceEvaluator(model).run(None, given)
    np.testing.assert_allclose(here["library"], answer[0, 0], rtol=0, atol=1e-14, equal_nan=False)
