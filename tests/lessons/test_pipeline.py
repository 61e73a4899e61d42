"""The figures of chapter 12 are what its page says they are; its ids are those of GPT-2's own files."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lessonkit.recordings import recording
from tests.conftest import lesson
from toy.corpus import build

Facts = dict[str, Any]
GPT2 = recording("gpt2_tokens")


@pytest.fixture(name="fact")
def pipeline(facts: Callable[[str], Facts]) -> Facts:
    return facts("pipeline")


def test_the_ids_are_10449_345_845_881(fact: Facts) -> None:
    assert fact["ids"] == [10449, 345, 845, 881] == GPT2["texts"]["Thank you very much"]["ids"]
    assert [256 + rank for rank in fact["last ranks"]] == fact["ids"]


@pytest.mark.parametrize("text", [*GPT2["excerpt"]["words"], "Thank you very much"])
def test_the_excerpt_gives_the_ids_of_the_whole_table(text: str) -> None:
    assert lesson("pipeline")["encode"](text) == GPT2["texts"][text]["ids"]


def test_much_without_its_space_is_29482(fact: Facts) -> None:
    assert fact["ids without their space"]["much"] == [29482]


def test_apple_in_chinese_is_six_tokens(fact: Facts) -> None:
    assert len(fact["ids of 苹果"]) == 6


def test_50257_is_the_size_of_the_vocabulary_and_no_id(fact: Facts) -> None:
    assert fact["vocabulary"] == 50257 == GPT2["n_vocab"] == 256 + GPT2["n_merges"] + 1
    assert fact["largest id"] == 50256 == GPT2["largest id"] == GPT2["end of text"]
    here = lesson("pipeline")
    for table in (here["table"], here["token_table"]):
        with pytest.raises(ValueError, match="needs 50258 rows, it has 50257"):
            here["embed"]([50257], table)


def test_the_trained_model_has_its_own_ids_and_sizes(fact: Facts) -> None:
    assert fact["SmolLM2's ids"] == [19503, 346, 1035, 1083]
    assert fact["SmolLM2's parameters"] == 134_515_008
    assert fact["sizes"] == [[12, 30], [768, 576], [12, 9], [12, 3], [3072, 1536], [50257, 49152]]


def test_a_real_head_computed_here_gives_the_weights_the_model_got(fact: Facts) -> None:
    assert fact["head error"] < 1e-5
    assert [f"{score:.2f}" for score in fact["scores of one head"]] == ["1.15", "1.80", "2.34"]
    assert [f"{weight:.1%}" for weight in fact["weights of one head"]] == ["16.2%", "30.8%", "53.0%"]
    assert fact["a ratio of weights"] == pytest.approx(np.exp(fact["a difference of scores"]))
    assert f"{fact['a difference of scores']:.2f} {fact['a ratio of weights']:.2f}" == "1.19 3.28"
    here = lesson("pipeline")
    np.testing.assert_allclose(here["output"][2, :3], here["sample"]["outputs"], rtol=1e-4, equal_nan=False)


def test_the_trace_has_the_shapes_of_smollm2(fact: Facts) -> None:
    here = lesson("pipeline")
    rows, square = [4, 576], [9, 4, 4]
    heads = [[9, 4, 64], [3, 4, 64], [3, 4, 64]]
    shapes = [here["shapes_of"][name.removeprefix("last ")] for name in here["steps"]]
    assert shapes == [rows, *heads, square, square, [9, 4, 64], rows, rows, [4, 49152]]
    assert (fact["steps"], fact["last layer"]) == (10, 29)
    assert [f"{x:.3f}" for x in fact["samples"][0]] == ["0.104", "0.040", "0.020"]
    assert [f"{x:.3f}" for x in fact["samples"][8]] == ["-33.684", "-16.978", "4.838"]


def test_the_answer_comes_in_the_last_layers(fact: Facts) -> None:
    here = lesson("pipeline")
    p, top = fact["P of much by layer"], here["top"]
    assert len(p) == 31
    assert f"{p[20]:.1e}" == "1.4e-08"
    assert [f"{p[n]:.1%}" for n in (27, 28, 29, 30)] == ["1.2%", "4.4%", "13.0%", "63.7%"]
    assert top[0] == "␣very"
    assert fact["P of the likeliest by layer"][0] > 0.999
    assert top[27:] == ["␣well", "␣well", "␣well", "␣much"]
    for token, p_of in fact["P of others by layer"].items():
        led = [n for n, name in enumerate(top) if name == token.replace(" ", "␣")]
        assert [p_of[n] for n in led] == [fact["P of the likeliest by layer"][n] for n in led]
    assert max(p[:27]) < 0.01
    assert set(top[3:27]) == {",", "-", "."}
    assert (top[10], f"{fact['P of the likeliest by layer'][10]:.0%}") == (",", "72%")


def test_half_way_much_is_unlikely_but_not_far_down_the_list(fact: Facts) -> None:
    places = fact["place of much by layer"]
    assert max(places) == 392 == places[10]
    assert f"{fact['farthest place in percent']:.1f}" == "0.8"
    assert places[-1] == 1


def test_smollm2_says_much_with_0_637(fact: Facts) -> None:
    (first, p), (second, q) = list(fact["said"]["Thank you very"].items())[:2]
    assert (first, f"{p:.3f}", second, f"{q:.3f}") == (" much", "0.637", " well", "0.061")
    assert fact["P of much"] == p
    first, p = next(iter(fact["said"]["Thank you"].items()))
    assert (first, f"{p:.3f}") == (" for", "0.164")


def test_the_toy_has_read_nothing_but_much_after_thank_you_very(fact: Facts) -> None:
    assert {word: f"{p:.1%}" for word, p in fact["P of much, our toy"].items()} == {"much": "99.9%"}
    corpus = build()
    followers = {
        sentence[at + 3]
        for family in corpus.training.values()
        for sentences in family
        for sentence in sentences
        for at in range(len(sentence) - 3)
        if sentence[at : at + 3] == ("thank", "you", "very")
    }
    assert followers == {"much"}
    assert fact["toy's sentences"] == corpus.counts["training"] == 4614


def test_probabilities_sum_to_1_and_random_parameters_leave_them_nearly_flat(fact: Facts) -> None:
    probabilities = lesson("pipeline")["probabilities"]
    assert probabilities.shape == (4, 50257)
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


def test_a_full_stop_follows_and_the_model_is_not_half_sure(fact: Facts) -> None:
    (first, p), (second, _) = list(fact["said"]["Thank you very much"].items())[:2]
    assert (first, f"{p:.1%}", second) == (".", "28.4%", ",")
    assert f"{fact['said in all']['Thank you very much']:.1%}" == "74.8%"


def test_exercises_are_solved(fact: Facts) -> None:
    assert fact["ids without their space"]["you"] == [256 + 5576] == [5832]


@pytest.mark.parametrize(("check", "wrong"), [("check_next", "much"), ("check_id", 5576), ("check_rows", [3])])
def test_checks_refuse_a_plausible_wrong_answer(check: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match="given"):
        lesson("pipeline")[check](wrong)
