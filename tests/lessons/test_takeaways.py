"""The figures of chapter 14 are what its page says they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention import layer_norm
from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def takeaways(facts: Callable[[str], Facts]) -> Facts:
    return facts("takeaways")


@pytest.fixture(name="here")
def everything() -> Facts:
    return lesson("takeaways")


def test_an_rnn_forgets_or_explodes_exponentially(fact: Facts) -> None:
    curves = fact["curves"]
    assert f"{curves['RNN, 0.9'][-1]:.1e}" == "8.7e-18"
    assert f"{curves['RNN, 3'][-1]:.1e}" == "4.3e+04"
    assert np.all(np.diff(curves["RNN, 0.9"]) < 0)


def test_the_gradients_are_those_of_finite_differences(here: Facts) -> None:
    assert np.linalg.norm(here["by_nudging"]) == pytest.approx(here["rnn_gradient"](4, 0.9), rel=1e-6)
    x, n, step = here["x"], 8, 1e-6

    def last(first: Any) -> Any:
        q, k, v = here["project_qkv"](np.vstack([first, x[1 : n + 1]]), here["w_q"], here["w_k"], here["w_v"])
        return here["attention"](q[-1:], k, v).output[0]

    nudged = [(last(x[0] + e) - last(x[0] - e)) / (2 * step) for e in step * np.eye(here["d"])]
    assert np.linalg.norm(nudged) == pytest.approx(here["attention_gradient"](n), rel=1e-6)


def test_attention_reaches_any_distance_in_one_step(fact: Facts) -> None:
    matched, random = fact["curves"]["matched"], fact["curves"]["attention"]
    assert [round(matched[0], 1), round(matched[-1], 1)] == [5.8, 5.2]
    assert [round(random[0], 1), round(random[-1], 3)] == [3.8, 0.032]
    assert fact["path"] == {"rnn": 1023, "attention": 1}
    assert fact["kept"] == {"rnn": 768, "attention": 1_572_864}


def test_attention_is_a_third_of_a_layer_of_gpt2(fact: Facts) -> None:
    assert fact["counts"] == {"attn": 2_362_368, "mlp": 4_722_432, "ln": 3_072}
    assert fact["layer"] == fact["numbers in the layer"] == 7_087_872
    assert fact["total"] == 124_439_808
    assert round(100 * fact["attention's share of a layer"], 1) == 33.3
    assert round(100 * fact["shares"]["attention"], 1) == 22.8
    assert round(100 * fact["shares"]["tokens"], 1) == 31.0


def test_a_third_is_no_law(fact: Facts) -> None:
    shares = {model: round(100 * share, 1) for model, share in fact["model shares"].items()}
    assert shares == {"gpt2": 33.3, "gpt2-xl": 33.3, "llama-2-7b": 33.2, "llama-3-8b": 19.2, "qwen2-7b": 12.6}


def test_only_attention_moves_anything_between_tokens(fact: Facts) -> None:
    assert np.array_equal(fact["moves"]["attend"] > 0, [False, True, True, True])
    assert np.array_equal(fact["moves"]["digest"] > 0, [False, True, False, False])


def test_only_the_feed_forward_network_bends_a_single_token(fact: Facts) -> None:
    assert fact["bend of attention"] < 1e-12
    assert fact["bend of feed-forward"] > 1


def test_each_part_left_out_breaks_something_else(fact: Facts) -> None:
    reach, spread, size = np.array(list(fact["trials"].values())).T
    assert list(fact["trials"]) == ["None", "attend", "digest", "residual", "norm"]
    assert np.array_equal(reach > 0, [True, False, True, True, True])
    assert np.array_equal(spread < 0.01, [False, False, False, True, False])
    assert np.array_equal(size > 100, [False, False, False, False, True])
    assert [round(spread[3], 3), round(size[4]), round(size[0], 1)] == [0.003, 564, 3.5]


def test_with_every_part_the_variant_is_the_block(here: Facts) -> None:
    np.testing.assert_allclose(
        here["variant"](here["tokens"], here["w"], here["everything"]),
        here["block"](here["tokens"], here["w"]),
        rtol=1e-12,
    )


def test_exercises_are_solved_and_their_checks_refuse(fact: Facts, here: Facts) -> None:
    assert round(100 * fact["one key-value head"], 1) == 21.3
    assert fact["shear radius"] == 1
    assert fact["shear"] > 100
    with pytest.raises(ValueError, match=r"llama-3-8b: .* given, not 19\.2%"):
        here["check_share"](
            lambda c: 2 * c.n_heads * c.d_head / (2 * c.n_heads * c.d_head + (1 + c.gated / 2) * c.d_ff)
        )
    with pytest.raises(ValueError, match=r"radius 1\.00"):
        here["check_memory"](here["shear"])
    with pytest.raises(ValueError, match=r"spreads"):
        here["check_post"](here["block"])
    with pytest.raises(ValueError, match=r"only the end"):
        here["check_post"](lambda x, w: layer_norm(here["block"](x, w)))
