"""Others wrote these tests: the node tests that come with the `onnx` package judge our functions."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from onnx import helper

import attention
from tests.kernel import onnx_adapter

BFLOAT16_TOLERANCE = 2.0**-6  # two steps of a number with 8 significant bits; the tests' own 1e-3 is finer than one


class Operator(NamedTuple):
    """One operator: its tests' module in onnx.backend.test.case.node, how many there are, and how ours is called."""

    module: str
    n_cases: int
    function: Callable[..., Any]


OPERATORS = {
    "Attention": Operator("attention", 93, onnx_adapter.onnx_attention),
    "Softmax": Operator("softmax", 7, attention.softmax),
    "LogSoftmax": Operator("logsoftmax", 7, attention.log_softmax),
    "LayerNormalization": Operator("layernormalization", 19, onnx_adapter.onnx_layer_norm),
    "RMSNormalization": Operator("rmsnormalization", 19, onnx_adapter.onnx_rms_norm),
    "Gelu": Operator("gelu", 4, onnx_adapter.onnx_gelu),
    "RotaryEmbedding": Operator("rotaryembedding", 8, onnx_adapter.onnx_rotary),
}
BY_PRODUCTS = {"LayerNormalization": ["Mean", "InvStdDev"]}  # outputs that our function does not return


def cases_of(operator: str) -> list[Any]:
    """Load the tests of one operator in base form; the expanded form is the same answer spelt in smaller operators.

    Their modules are imported one by one: loading all of them makes `onnx` overflow casts on purpose, with warnings.
    """
    importlib.import_module(f"onnx.backend.test.case.node.{OPERATORS[operator].module}")
    from onnx.backend.test.case.node import _NodeTestCases

    of_operator = [case for case in _NodeTestCases if case.model.graph.node[0].op_type == operator]
    return [case for case in of_operator if "_expanded" not in case.name]


CASES = {operator: cases_of(operator) for operator in OPERATORS}


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_case_of_an_operator_is_left_out(operator: str) -> None:
    assert len(CASES[operator]) == OPERATORS[operator].n_cases


@pytest.mark.parametrize("case", [case for cases in CASES.values() for case in cases], ids=lambda case: case.name)
def test_our_answer_is_the_one_onnx_asks_for(case: Any) -> None:
    node = case.model.graph.node[0]
    settings = {item.name: helper.get_attribute_value(item) for item in node.attribute}
    ((inputs, expected),) = case.data_sets
    arrays = iter(inputs)
    answers = OPERATORS[node.op_type].function(*(next(arrays) if name else None for name in node.input), **settings)
    by_name = zip(node.output, answers if isinstance(answers, tuple) else (answers,), strict=False)
    named = [answer for name, answer in by_name if name]
    assert len(named) == len(expected) - len(BY_PRODUCTS.get(node.op_type, []))
    for ours, theirs in zip(named, expected, strict=False):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert_close(ours, theirs, case.rtol, case.atol)


def assert_close(ours: Any, theirs: Any, rtol: float, atol: float) -> None:
    """Compare at the test's own tolerances; a NaN fails."""
    if theirs.dtype.name == "bfloat16":
        rtol = BFLOAT16_TOLERANCE
    np.testing.assert_allclose(
        ours.astype(np.float64), theirs.astype(np.float64), rtol=rtol, atol=atol, equal_nan=False
    )
