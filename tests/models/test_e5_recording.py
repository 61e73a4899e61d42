"""What multilingual-e5-small made of 苹果 and apple is stored; these are the claims the pages may make with it."""

import base64
import gzip
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import yaml

from tests.models import payloads
from tests.models.recorded import FOLDER, ROOT, WAY, Array, Recording, read, rounded

E5 = read("e5")
LANGUAGES, SENSES = ("zh", "en"), ("fruit", "company")
PAYLOADS: dict[str, Callable[[], Recording]] = {
    "e5_zh": lambda: payloads.language_payload("zh"),
    "e5_en": lambda: payloads.language_payload("en"),
    "e5_map": payloads.map_payload,
    "e5_heads": payloads.heads_payload,
}
LAST = 12


def facts(language: str) -> dict[str, Any]:
    return dict(E5.facts[language])


def shown(language: str, name: str) -> dict[str, Any]:
    return dict(facts(language)["shown"][name])


def two(value: float) -> float:
    return round(value, 2)


# --- the sentences --------------------------------------------------------------------------------------------------


@pytest.fixture(params=LANGUAGES)
def file(request: pytest.FixtureRequest) -> Any:
    path = ROOT / "snippets" / "senses" / f"apple.{request.param}.yml"
    return yaml.safe_load(path.read_text("utf-8")) | {"language": request.param}


def test_each_sense_has_forty_sentences_in_brackets_of_two(file: Any) -> None:
    for sense in ("fruit", "company"):
        texts = [text for group in file[sense] for text in group]
        assert len(texts) >= 40
        assert len(set(texts)) == len(texts)
        assert {len(group) for group in file[sense]} == {2}
        assert all(text.count(file["word"]) == 1 for text in texts)


def test_both_languages_show_the_same_kinds_of_sentences() -> None:
    zh, en = (yaml.safe_load((ROOT / f"snippets/senses/apple.{name}.yml").read_text("utf-8")) for name in LANGUAGES)
    assert list(zh) == list(en)
    assert list(zh["shown"]) == list(en["shown"]) == ["ate", "bought", "released"]


def test_the_sentences_shown_are_not_among_those_the_ruler_is_made_of(file: Any) -> None:
    made_of = {text for sense in ("fruit", "company") for group in file[sense] for text in group}
    looked_at = [*file["shown"].values(), *file["measured"].values()]
    assert not made_of & {text.replace("|", "") for text in looked_at}


def test_the_word_stands_at_the_same_places_in_both_senses(file: Any) -> None:
    first = [sum(text.startswith(file["word"]) for group in file[sense] for text in group) for sense in SENSES]
    last = [sum(text[:-1].endswith(file["word"]) for group in file[sense] for text in group) for sense in SENSES]
    assert first[0] == first[1]
    assert abs(last[0] - last[1]) <= 2
    fruit, company = (np.array(facts(file["language"])["rulers"]["mean place"][sense]) for sense in SENSES)
    assert np.abs(fruit - company).max() <= 0.5  # tokens before and after it


def test_english_is_in_small_letters() -> None:
    text = (ROOT / "snippets/senses/apple.en.yml").read_text("utf-8")
    sentences = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    assert sentences == sentences.lower()


# --- payloads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_payload_is_what_the_recording_says(name: str) -> None:
    stored = read(name).facts
    del stored["recorder"]
    assert stored == rounded(PAYLOADS[name]().facts), WAY


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_payload_is_at_most_seven_kilobytes_on_its_way(name: str) -> None:
    assert len(gzip.compress((FOLDER / f"{name}.json").read_bytes(), 9, mtime=0)) <= 7000


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_figure_unpacks_is_what_was_recorded(language: str) -> None:
    payload = read(f"e5_{language}").facts
    for one in payload["sentences"]:
        readings = E5.arrays[f"readings/{language}/{one['name']}"][:, 1:].T  # [layers, sets]
        arcs = E5.arrays[f"arcs/{language}/{one['name']}"].transpose(1, 2, 0)  # [layers, words, sets]
        assert readings.shape == (12, 2 ** (len(one["words"]) - 1))
        assert off(payloads.unpack_readings(one["readings"]), readings) <= 0.5 / payloads.READING + 1e-6
        assert off(payloads.unpack_shares(one["arcs"]), arcs) <= 0.5 / payloads.SHARE + 1e-6
        assert one["words"][one["at"]].strip() == payload["word"]
    for sense, dots in zip(SENSES, E5.arrays[f"left out/{language}"][..., 1:], strict=True):
        inside = np.clip(dots.T, -payloads.LARGEST_DOT, payloads.LARGEST_DOT)
        assert off(payloads.unpack_dots(payload["dots"][sense]), inside) <= 0.5 / payloads.DOT + 1e-6


def off(ours: Array, theirs: Array) -> float:
    return float(np.abs(ours.reshape(theirs.shape) - theirs).max())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sets_are_counted_as_they_are_said_to_be(language: str) -> None:
    for name, one in facts(language)["shown"].items():
        readings = E5.arrays[f"readings/{language}/{name}"]
        others = [word.strip() for word in one["words"] if word.strip() != facts(language)["word"]]
        assert np.allclose(readings[0], one["reading"], atol=1e-4)
        assert np.allclose(readings[-1], one["all hidden"]["reading"], atol=1e-4)
        for digit, word in enumerate(reversed(others)):
            assert np.allclose(readings[2**digit], one["hidden"][word]["reading"], atol=1e-4)
        arcs = E5.arrays[f"arcs/{language}/{name}"]
        assert np.allclose(arcs[0].sum(-1) + one["to marks"], 1, atol=1e-5)
        first = [word.strip() for word in one["words"]].index(others[0])
        assert (arcs[len(readings) // 2, :, first] == 0).all()


# --- claims ---------------------------------------------------------------------------------------------------------


def test_the_chinese_apple_is_one_token_and_one_row_and_its_vectors_part_and_meet() -> None:
    assert (facts("zh")["id"], facts("zh")["same row"]) == (64046, True)
    cosines = facts("zh")["cosine of bought and released"]
    assert [round(c, 3) for c in (cosines[0], cosines[7], cosines[12])] == [0.954, 0.8, 0.935]
    assert min(cosines) == cosines[7]


def test_vectors_of_any_two_words_are_alike_after_the_last_layer_so_a_cosine_alone_says_little() -> None:
    for language, last in (("zh", 0.75), ("en", 0.67)):
        baseline = facts(language)["cosines"]["any two words"]
        assert (two(baseline[-1]), max(baseline)) == (last, baseline[-1])


def test_where_the_ruler_is_right_less_than_85_percent_of_the_time_the_data_say_so() -> None:
    for language, doubtful in (("zh", [0, 1]), ("en", [0, 1, 2, 3])):
        rulers = facts(language)["rulers"]
        assert rulers["trusted"] == [right >= 0.85 for right in rulers["right"]]
        assert [layer for layer, sure in enumerate(rulers["trusted"]) if not sure] == doubtful
        assert read(f"e5_{language}").facts["trusted"] == rulers["trusted"][1:]
        assert rulers["sentences"] == [44, 44]
        for right, (low, high) in zip(rulers["right"], rulers["interval"], strict=True):
            assert low <= right <= high
    assert [two(facts(language)["rulers"]["right"][LAST]) for language in LANGUAGES] == [0.95, 1.0]


def test_no_sentence_stands_so_near_halfway_that_rounding_decides() -> None:
    for language in LANGUAGES:
        assert np.abs(E5.arrays[f"left out/{language}"]).min() > 1e-4


@pytest.mark.parametrize(("language", "readings"), [("zh", [1.05, -0.23, -1.03]), ("en", [1.03, 0.28, -1.27])])
def test_eaten_is_fruit_released_is_the_company_and_bought_is_between(language: str, readings: list[float]) -> None:
    assert [two(shown(language, name)["reading"][LAST]) for name in ("ate", "bought", "released")] == readings
    ate, bought, released = (shown(language, name)["interval"][LAST] for name in ("ate", "bought", "released"))
    assert ate[0] > bought[1]
    assert bought[0] > released[1]


@pytest.mark.parametrize(("language", "word", "shift"), [("zh", "买了", 0.42), ("en", "bought", 0.34)])
def test_hiding_bought_moves_the_reading_towards_fruit(language: str, word: str, shift: float) -> None:
    one = shown(language, "bought")
    assert two(one["hidden"][word]["reading"][LAST] - one["reading"][LAST]) == shift
    assert one["hidden"][word]["shift interval"][LAST][0] > 0


@pytest.mark.parametrize(("language", "word", "shift"), [("zh", "吃", -0.86), ("en", "ate", -0.43)])
def test_hiding_ate_moves_it_away(language: str, word: str, shift: float) -> None:
    one = shown(language, "ate")
    assert two(one["hidden"][word]["reading"][LAST] - one["reading"][LAST]) == shift
    assert one["hidden"][word]["shift interval"][LAST][1] < 0


def test_hiding_an_takes_the_english_apple_to_the_company() -> None:
    one = shown("en", "bought")
    assert (two(one["reading"][LAST]), two(one["hidden"]["an"]["reading"][LAST])) == (0.28, -0.73)
    assert min(one["hidden"], key=lambda word: one["hidden"][word]["reading"][LAST]) == "an"


def test_a_full_stop_weighs_more_than_bought_in_chinese() -> None:
    one = shown("zh", "bought")
    moves = {word: abs(hidden["reading"][LAST] - one["reading"][LAST]) for word, hidden in one["hidden"].items()}
    assert max(moves, key=moves.__getitem__) == "。"
    assert (two(moves["。"]), two(moves["买了"])) == (0.56, 0.42)


def test_one_measure_word_turns_the_needle() -> None:
    assert [two(one["reading"][LAST]) for one in facts("zh")["measured"].values()] == [1.27, 1.18, -0.85]
    assert [two(one["reading"][LAST]) for one in facts("en")["measured"].values()] == [0.57, 0.71, -0.67]


def test_head_7_4_looks_from_apple_at_the_verb_in_both_languages_and_most_heads_at_the_start() -> None:
    tops = {
        (language, one["target"]): (one["heads"][0]["layer"], one["heads"][0]["head"], two(one["heads"][0]["share"]))
        for language in LANGUAGES
        for one in facts(language)["looks"]
    }
    assert tops["zh", "买了"] == (7, 4, 0.41)
    assert tops["zh", "吃"] == (7, 4, 0.7)
    assert tops["en", "bought"] == (7, 4, 0.47)
    assert tops["en", "ate"] == (7, 4, 0.51)
    assert tops["zh", "发布了"] == (2, 6, 0.99)
    most = [one["heads with most on <s>"] for language in LANGUAGES for one in facts(language)["looks"]]
    assert (min(most), max(most)) == (115, 120)  # of 144
    weights = E5.arrays["weights/bought"]
    assert np.abs(weights.sum(-1) - 1).max() <= 4e-3  # each weight is a float16
    assert abs(weights[7, 4, 5, 3] - tops["zh", "买了"][2]) <= 5e-3


def test_cutting_the_link_to_bought_does_what_hiding_bought_does() -> None:
    """Others may still look at 买了, so the word could learn of it from them; it hardly does."""
    (link,) = (one for one in facts("zh")["looks"] if one["target"] == "买了")
    assert two(link["reading without the link"][LAST]) == 0.26
    assert two(shown("zh", "bought")["hidden"]["买了"]["reading"][LAST]) == 0.2


def test_one_model_has_one_meaning_for_two_languages() -> None:
    across = E5.facts["across languages"]
    layer = 7
    means = {pair: two(one["mean"][layer]) for pair, one in across["cosines"].items()}
    assert means == {"fruit fruit": 0.25, "fruit company": -0.27, "company fruit": -0.27, "company company": 0.3}
    assert all(abs(one["mean"][0]) < 0.02 for one in across["cosines"].values())
    assert two(across["cosine of the rulers"][layer]) == 0.94
    assert two(across["cosine of the rulers"][0]) == 0.46  # places alone: there no ruler is to be trusted
    lent = across["right by the other's ruler"]
    assert [two(lent[language]["right"][layer]) for language in LANGUAGES] == [0.94, 0.99]
    assert [two(lent[language]["right"][0]) for language in LANGUAGES] == [0.52, 0.49]


def test_the_map_is_readings_by_both_rulers() -> None:
    for language, own in (("zh", 0), ("en", 1)):
        points = E5.arrays[f"map/{language}"]  # [senses, sentences, layers, 2]
        assert points.shape == (2, 44, 13, 2)
        assert np.allclose(points[..., own], E5.arrays[f"left out/{language}"], atol=1e-6)
        right = ((points[0, ..., 1 - own] > 0).mean(axis=0) + (points[1, ..., 1 - own] < 0).mean(axis=0)) / 2
        assert np.allclose(
            right, E5.facts["across languages"]["right by the other's ruler"][language]["right"], atol=1e-5
        )
    packed = read("e5_map").facts["points"]
    layers = E5.arrays["map/zh"][:, :, 1:].transpose(2, 0, 1, 3)
    inside = np.clip(layers, -payloads.LARGEST_DOT, payloads.LARGEST_DOT)
    assert off(payloads.unpack_dots(packed["zh"]), inside) <= 0.5 / payloads.DOT + 1e-6


def test_the_shares_of_each_head_are_those_of_the_weights() -> None:
    for sentence in read("e5_heads").facts["sentences"]:
        n = len(sentence["words"])
        packed = np.frombuffer(base64.b64decode(sentence["shares"]), "<i2").reshape(12, 12, n) / payloads.HEAD_SHARE
        weights = E5.arrays[f"weights/{sentence['name']}"][:, :, sentence["at"]]
        assert np.abs(packed - weights).max() <= 0.5 / payloads.HEAD_SHARE + 1e-4


def test_in_the_sentence_about_a_cold_heads_look_at_neighbours_and_most_at_the_marks() -> None:
    cold = facts("zh")["cold"]
    assert cold["words"] == ["我", "感冒", "了", "没", "去", "上课"]
    assert (two(min(cold["to marks and points"])), two(max(cold["to marks and points"]))) == (0.67, 0.8)
    strongest = {(one["from"], one["to"], one["layer"], one["head"]) for one in cold["links"][:3]}
    assert strongest == {("没", "去", 2, 6), ("我", "感冒", 2, 6), ("去", "上课", 2, 6)}
    (first, *_) = cold["links beyond neighbours"]
    assert (first["from"], first["to"], first["layer"], first["head"], two(first["share"])) == (
        "感冒",
        "上课",
        11,
        0,
        0.64,
    )
    weights = E5.arrays["weights/cold"]
    assert np.abs(weights.mean(axis=(0, 1)) - cold["mean over all heads"]).max() <= 1e-3
