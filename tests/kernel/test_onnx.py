"""Others wrote these tests: the node tests that come with the `onnx` package judge our functions."""

import importlib
from typing import Any

import numpy as np
import pytest
from onnx import helper

import attention
from tests.kernel.onnx_adapter import onnx_attention

BFLOAT16_TOLERANCE = 2.0**-6  # two steps of a number with 8 significant bits; the tests' own 1e-3 is finer than one

# operator: the module of onnx.backend.test.case.node with its tests, how many they are, how ours is called
OPERATORS: dict[str, tuple[str, int, Any]] = {
    "Attention": ("attention", 93, onnx_attention),
    "Softmax": ("softmax", 7, attention.softmax),
    "LogSoftmax": ("logsoftmax", 7, attention.log_softmax),
}


def cases_of(operator: str) -> list[Any]:
    """Load the tests of one operator in base form; the expanded form is the same answer spelt in smaller operators.

    Their modules are imported one by one: loading all of them makes `onnx` overflow casts on purpose, with warnings.
    """
    importlib.import_module(f"onnx.backend.test.case.node.{OPERATORS[operator][0]}")
    from onnx.backend.test.case.node import _NodeTestCases

    of_operator = [case for case in _NodeTestCases if case.model.graph.node[0].op_type == operator]
    return [case for case in of_operator if "_expanded" not in case.name]


CASES = {operator: cases_of(operator) for operator in OPERATORS}


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_case_of_an_operator_is_left_out(operator: str) -> None:
    assert len(CASES[operator]) == OPERATORS[operator][1]


@pytest.mark.parametrize("case", [case for cases in CASES.values() for case in cases], ids=lambda case: case.name)
def test_our_answer_is_the_one_onnx_asks_for(case: Any) -> None:
    node = case.model.graph.node[0]
    settings = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    ((given, wanted),) = case.data_sets
    arrays = iter(given)
    arguments = [next(arrays) if name else None for name in node.input]
    answers = OPERATORS[node.op_type][2](*arguments, **settings)
    answers = answers if isinstance(answers, tuple) else (answers,)
    named = [answer for answer, name in zip(answers, node.output, strict=False) if name]
    assert len(named) == len(wanted)
    for ours, theirs in zip(named, wanted, strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert_close(ours, theirs, case.rtol, case.atol)


def assert_close(ours: Any, theirs: Any, rtol: float, atol: float) -> None:
    """Compare at the test's own tolerances; a NaN fails."""
    if theirs.dtype.name == "bfloat16":
        rtol = BFLOAT16_TOLERANCE
    np.testing.assert_allclose(
        ours.astype(np.float64), theirs.astype(np.float64), rtol=rtol, atol=atol, equal_nan=False
    )
