"""The recording of the toy is what the committed weights answer now; these are the claims pages may make with it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.models.recorded import FOLDER, read, write
from tests.models.same import assert_same
from tests.models_live.record_toy import record

TOY = read("toy")
PAIRS, LOOKS, HIDDEN = (TOY.facts[name] for name in ("pairs", "looks", "hidden"))


def row(looks: dict[str, Any], layer: int, head: int) -> list[float]:
    return list(looks["weights"][layer][head])


def answer(variant: str, text: str, hidden: str) -> dict[str, Any]:
    """The answer about "it", with some words hidden."""
    (match,) = (row for row in HIDDEN[variant] if (row["text"], row["hidden"]) == (text, hidden))
    return dict(match)


def test_the_recording_is_what_the_committed_weights_answer_now(tmp_path: Path) -> None:
    write("toy", record(), tmp_path)
    now = read("toy", tmp_path)
    assert_same(TOY.facts, now.facts)
    assert TOY.arrays.keys() == now.arrays.keys()
    for key, array in TOY.arrays.items():
        assert np.abs(array - now.arrays[key]).max() <= 1e-3


def test_what_lessons_read_is_small() -> None:
    assert (FOLDER / "toy.json").stat().st_size <= 20_000


def test_it_is_labelled_as_a_toy_with_the_number_of_its_sentences() -> None:
    assert TOY.facts["model"] == f"toy, trained on {TOY.facts['sentences']['training']} template sentences"


def test_every_row_is_a_distribution_and_the_rows_are_those_of_the_maps() -> None:
    for name, pair in LOOKS.items():
        variant, _, key = name.partition(", ")
        for side, looks, tokens in zip(("fruit", "firm"), pair, PAIRS[variant][key]["tokens"], strict=True):
            map_ = TOY.arrays[f"{variant}/{key}/{side}"]
            at = tokens.split().index(looks["word"])
            assert map_.shape == (2, 4, len(tokens.split()), len(tokens.split()))
            assert np.abs(map_.sum(axis=-1) - 1).max() <= 4e-3
            assert np.abs(map_[:, :, at] - looks["weights"]).max() <= 1.5e-3


def test_much_follows_thank_you_very() -> None:
    first = TOY.facts["thank you very"][0]
    assert first["word"] == "much"
    assert first["p"] >= 0.99


def test_masked_one_word_further_left_makes_two_vectors_of_the_same_one() -> None:
    pair = PAIRS["masked"]["one word"]
    assert pair["cosines"]["苹果"][0] == 1  # same row, same place
    assert [round(c, 2) for c in pair["cosines"]["苹果"]] == [1, 0.96, 0.60]
    assert [round(c, 2) for c in PAIRS["masked"]["two futures"]["cosines"]["苹果"]] == [1, 0.67, 0.49]
    assert pair["cosines without cues"] == [1, 1, 1]


def test_masked_two_heads_of_the_second_layer_look_at_bought_but_hardly_at_visited() -> None:
    bought, visited = LOOKS["masked, one word"]
    at = PAIRS["masked"]["one word"]["tokens"][0].split().index("买")
    assert [round(row(bought, 1, head)[at], 2) for head in (2, 3)] == [0.97, 0.95]
    assert max(row(visited, 1, head)[at] for head in (2, 3)) < 0.07
    assert (visited["most"]["layer"], visited["most"]["head"], round(visited["most"]["weight"], 2)) == (0, 2, 0.39)


def test_masked_in_the_sentences_of_the_chapter() -> None:
    bought, launched = (looks["most"] for looks in LOOKS["masked, chapter"])
    assert (bought["layer"], bought["head"], round(bought["weight"], 2)) == (1, 3, 0.84)
    assert (launched["layer"], launched["head"], round(launched["weight"], 2)) == (0, 3, 0.46)


def test_masked_with_the_word_that_tells_hidden_the_vector_changes_sides() -> None:
    pair = PAIRS["masked"]["one word"]
    fruit, firm = (scores[-1] for scores in pair["scores"])
    blind = [scores[-1] for scores in pair["scores without cues"]]
    assert fruit > 0.4
    assert firm < -0.4
    assert blind[0] == blind[1] < 0


def test_masked_where_several_words_tell_hiding_one_does_little() -> None:
    pair = PAIRS["masked"]["chapter"]
    moved = np.subtract(pair["scores"], pair["scores without cues"])[:, -1]
    assert np.abs(moved).max() < 0.15


def test_causal_apple_at_the_start_is_the_same_under_both_futures_and_it_is_not() -> None:
    pair = PAIRS["causal"]["two futures"]
    assert pair["same but for rounding"] == {"苹果": True, "它": False}
    assert [round(c, 2) for c in pair["cosines"]["它"]] == [0.86, 0.55, 0.15]
    bought, launched = (looks["most"] for looks in LOOKS["causal, two futures"])
    assert (bought["layer"], bought["head"], round(bought["weight"], 2)) == (0, 3, 0.27)
    assert (launched["layer"], launched["head"], round(launched["weight"], 2)) == (0, 0, 0.22)


def test_causal_it_looks_back_at_the_one_word_that_tells() -> None:
    bought, visited = (looks["most"] for looks in LOOKS["causal, one word"])
    assert (bought["layer"], bought["head"], round(bought["weight"], 2)) == (0, 0, 0.63)
    assert (visited["layer"], visited["head"], round(visited["weight"], 2)) == (0, 0, 0.65)
    cosines = PAIRS["causal"]["one word"]["cosines"]
    assert [round(c, 2) for c in cosines["它"]] == [1, 0.47, 0.29]
    assert [round(c, 2) for c in cosines["苹果"]] == [1, 0.98, 0.97]  # although 苹果 sees 买 and 参观


@pytest.mark.parametrize("variant", HIDDEN)
def test_hiding_the_only_word_that_tells_leaves_no_difference(variant: str) -> None:
    bought, visited = "我今天买了苹果，它", "我今天参观了苹果，它"
    assert answer(variant, bought, "")["fruit"] > 0.97
    assert answer(variant, visited, "")["firm"] > 0.95
    blind = answer(variant, bought, "买"), answer(variant, visited, "参观")
    for kind in ("fruit", "device", "firm"):
        assert blind[0][kind] == pytest.approx(blind[1][kind], abs=1e-3)
    assert blind[0]["firm"] > 0.7 > blind[0]["fruit"]


@pytest.mark.parametrize("variant", HIDDEN)
def test_hiding_one_of_several_words_that_tell_changes_next_to_nothing(variant: str) -> None:
    launched = "苹果今天发布了一款新手机，它"
    for word in ("", "发布", "一款", "新", "手机"):
        assert answer(variant, launched, word)["device"] > 0.98


def test_with_all_four_hidden_only_the_masked_variant_still_says_device() -> None:
    launched, all_four = "苹果今天发布了一款新手机，它", "发布 一款 新 手机"
    assert round(answer("masked", launched, all_four)["device"], 2) == 0.97
    assert round(answer("causal", launched, all_four)["device"], 2) == 0.57
