"""The figures of chapter 13 are what its page says they are."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conftest import lesson

Facts = dict[str, Any]


@pytest.fixture(name="fact")
def apple_again(facts: Callable[[str], Facts]) -> Facts:
    return facts("apple-again")


@pytest.fixture(name="here")
def everything() -> Facts:
    return lesson("apple-again")


def test_the_vectors_are_identical_going_in(fact: Facts) -> None:
    assert fact["difference going in"] == 0


def test_the_two_part_layer_by_layer(fact: Facts) -> None:
    assert np.array_equal(fact["cosines"].round(2), [1, 0.84, 0.55])
    assert (fact["reading, bought"][2].round(2), fact["reading, launched"][2].round(2)) == (1.79, -2.31)


def test_apple_takes_from_the_cues_in_each_sentence(fact: Facts) -> None:
    assert np.array_equal((100 * fact["weights, bought"][0]).round(1), [4.0, 4.0, 67.6, 4.0, 16.4, 4.0])
    assert np.array_equal((100 * fact["weights, launched"][0]).round(1), [2.5, 42.3, 2.5, 10.3, 42.3])


def test_causally_a_first_word_stays_what_it_was(fact: Facts, here: Facts) -> None:
    assert fact["causal change"] == 0
    deeper, _ = here["run"](here["launched"], n_layers=12, causal=True)
    assert np.array_equal(deeper[12, 0], deeper[0, 0])


def test_a_later_word_carries_the_sense(fact: Facts) -> None:
    carriers = fact["carriers"]
    assert np.array_equal(carriers["苹果, causal"], [0, 0, 0])
    assert carriers["它, causal"][2].round(2) == -1.60
    assert carriers["它, encoder"][2].round(2) == -1.82


def test_what_words_hand_over_adds_up_to_the_change(fact: Facts) -> None:
    assert fact["gifts"].sum() == pytest.approx(fact["reading, launched"][1], rel=1e-12)
    assert np.array_equal(fact["gifts"][1], np.zeros(5))


def test_the_largest_weight_has_no_effect_on_what_is_read(fact: Facts) -> None:
    largest = fact["weights, launched"].argmax()
    assert largest == 5 + 2  # head B, 了
    assert fact["reading without 了 in B"] == fact["reading, launched"][2]
    assert fact["vector moved"].round(2) == 2.05


def test_one_cue_stands_in_for_another(fact: Facts) -> None:
    after = dict(zip(["none", "发布", "iPhone", "both", "all"], fact["readings, words hidden"][:, 2], strict=True))
    assert {name: reading.round(2) for name, reading in after.items()} == {
        "none": -2.31,
        "发布": -2.04,
        "iPhone": -2.04,
        "both": -0.87,
        "all": 0,
    }


def test_apple_is_the_same_row_and_parts_layer_by_layer(fact: Facts) -> None:
    assert fact["same row"] is True
    assert fact["id of apple"] == 6207
    assert fact["layers, heads"] == [6, 12]
    assert fact["heads in all"] == 72
    cosines = [0.955, 0.859, 0.839, 0.822, 0.844, 0.841, 0.789]
    assert np.array_equal(fact["apple, two senses"].round(3), cosines)


def test_one_sense_parts_apple_as_far_as_two(fact: Facts) -> None:
    firms = fact["apple, company twice"]
    assert (firms[0].round(6), firms[-1].round(3)) == (1, 0.792)
    assert fact["apple, bought and shares"].round(3) == 0.929


def test_bank_is_closer_within_a_sense_after_every_layer(fact: Facts) -> None:
    within, across = fact["bank, one sense"], fact["bank, two senses"]
    assert np.array_equal(within[-1].round(2), [0.85, 0.83])
    assert (across[-1].min().round(2), across[-1].max().round(2)) == (0.61, 0.81)
    assert (within.min(axis=1) > across.max(axis=1))[1:].all()
    assert within[0].min() < across[0].max()  # not yet going in


def test_some_heads_look_as_the_story_has_it(fact: Facts) -> None:
    bought, released = (fact[f"looks, {name}"].round(3) for name in ("bought", "released"))
    assert fact["named heads"] == [0.1, 0.2, 0.3, 2.0]
    assert (bought[2, 2], bought[3, 2], released[0, 5]) == (0.563, 0.522, 0.976)
    assert (bought[1].argmax(), released[1].argmax()) == (4 - 1, 1 - 1)  # head 0.2: the token before
    assert fact["uniform"] == 0.125
    assert (fact["most, bought"]["bought"], fact["most, released"]["iphone"]) == (2, 3)


def test_the_first_token_takes_35_to_79_percent(fact: Facts) -> None:
    assert (fact["[CLS] by layer"].min().round(2), fact["[CLS] by layer"].max().round(2)) == (0.35, 0.79)
    assert [fact[f"most, {name}"]["[CLS]"] for name in ("bought", "released")] == [66, 62]
    assert [fact[f"looks, {name}"][4, 0].round(3) for name in ("bought", "released")] == [0.680, 0.625]


@pytest.mark.parametrize(
    ("sentence", "hidden", "own", "both"),
    [
        ("bought", "", 0.198, 0.152),
        ("bought", "bought", 0.199, 0.160),
        ("bought", "link", 0.189, 0.145),
        ("bought", "[CLS]", 0.119, 0.095),
        ("bought", "words", 0.169, 0.144),
        ("released", "", -0.179, -0.090),
        ("released", "iphone", -0.058, -0.010),
        ("released", "link", -0.137, -0.049),
        ("released", "[CLS]", -0.101, -0.036),
        ("released", "words", 0.045, 0.070),
    ],
)
def test_hiding_words_moves_the_score_so_far(fact: Facts, sentence: str, hidden: str, own: float, both: float) -> None:
    row = fact[f"hidden, {sentence}"][hidden]
    assert (round(row["own"], 3), round(row["both"], 3)) == (own, both)


def test_no_single_token_matters_to_the_company_as_iphone_does(fact: Facts) -> None:
    rows = fact["hidden, released"]
    for ruler in ("own", "both"):
        effects = {key: abs(row[ruler] - rows[""][ruler]) for key, row in rows.items() if key != "words"}
        assert max(effects, key=effects.__getitem__) == "iphone"


def test_hiding_the_first_token_moves_the_vector_furthest(fact: Facts) -> None:
    for sentence, cosine in (("bought", 0.628), ("released", 0.622)):
        rows = fact[f"hidden, {sentence}"]
        assert round(rows["[CLS]"]["cosine"], 3) == cosine == min(round(row["cosine"], 3) for row in rows.values())


def test_apple_stock_ends_on_the_side_of_fruit(fact: Facts, here: Facts) -> None:
    stock, shares = (
        here["minilm"]["sentences"].index(s)
        for s in ("Apple stock rose after earnings.", "I sold my apple shares today.")
    )
    assert fact["scores, own"][[stock, shares], 1].round(3).tolist() == [0.104, 0.110]
    assert (fact["scores, both"][[stock, shares], 1] > 0).all()


def test_the_second_ruler_does_not_know_the_place(fact: Facts) -> None:
    assert fact["scores, own"][:2, 0].round(3).tolist() == [0.044, -0.102]
    assert fact["scores, both"][:2, 0].round(3).tolist() == [-0.033, -0.038]


def test_exercises_are_solved_and_their_checks_refuse(fact: Facts, here: Facts) -> None:
    assert [round(share, 2) for share in fact["share of the link"]] == [0.35, 0.51]
    with pytest.raises(ValueError, match=r"gave 4\.0, not 0\.25"):
        here["check_share"](lambda part, whole: whole)
    with pytest.raises(ValueError, match=r"still hands over"):
        here["check_zero"](lambda w: w)
    with pytest.raises(ValueError, match=r"head B"):
        here["check_zero"](lambda w: 0 * w)


def test_the_trained_toy_parts_apple_where_it_sees_the_cue_and_needs_it(fact: Facts) -> None:
    rows = np.round(fact["toy: cosines"], 2).tolist()
    masked_verb, masked_first, causal_verb, causal_first, causal_it_verb, causal_it_first = rows
    assert (masked_verb, masked_first) == ([1, 0.96, 0.60], [1, 0.67, 0.49])
    assert (causal_verb, causal_first) == ([1, 0.98, 0.97], [1, 1, 1])
    assert (causal_it_verb, causal_it_first) == ([1, 0.47, 0.29], [0.86, 0.55, 0.15])


def test_hiding_the_toy_s_only_cue_takes_the_difference_away_and_one_of_many_does_not(fact: Facts) -> None:
    bought, bought_hidden, visited, visited_hidden = np.array(fact["toy: one word tells"])
    assert np.abs(bought_hidden - visited_hidden).max() <= 1e-3
    assert bought[0] > 0.97 > 0.3 > bought_hidden[0]
    assert visited[1] > 0.96 > 0.75 > visited_hidden[1]
    many = np.array(fact["toy: several words tell"])
    assert many[:-1].min() > 0.98
    assert np.round(many[-1], 3).tolist() == [0.971, 0.572]


def test_the_toy_says_much(fact: Facts) -> None:
    assert fact["toy: much"] >= 0.99
