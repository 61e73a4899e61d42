"""What real models answered is stored; these are the claims the pages may make with it."""

import re

import numpy as np
import pytest

from attention.models.tokens import byte_letters
from lessonkit import recording, recordings
from tests.models.programs import PROGRAMS
from tests.models.recorded import FOLDER, WAY, Recording, read, recorder

RECORDINGS: dict[str, Recording] = {name: read(name) for name in PROGRAMS}
MINILM, SMOLLM2, GPT2 = (RECORDINGS[name] for name in ("minilm", "smollm2", "gpt2_tokens"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_comes_from_its_recorder_as_it_is_now(name: str) -> None:
    recording = RECORDINGS[name]
    assert recording.facts["recorder"] == recorder(name), WAY
    assert recording.facts.get("recorder of the arrays", recorder(name)) == recorder(name), WAY
    assert bool(recording.arrays) == ("recorder of the arrays" in recording.facts)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_names_the_package_and_the_hash_of_its_files(name: str) -> None:
    facts = RECORDINGS[name].facts
    assert re.fullmatch(r"[\w-]+==\d+\.\d+\.\d+", facts["package"])
    files = facts.get("weights") or facts["files"]
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in files.values())
    assert files


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_is_small(name: str) -> None:
    assert all(path.stat().st_size < 300_000 for path in FOLDER.glob(f"{name}.*"))


def test_every_row_of_attention_is_a_distribution() -> None:
    maps = [array for key, array in MINILM.arrays.items() if key.startswith("weights/")]
    for weights in (*maps, SMOLLM2.arrays["weights"]):
        assert (weights >= 0).all()
        assert np.abs(weights.sum(axis=-1) - 1).max() <= 4e-3  # each weight is a float16
    assert {weights.shape[:2] for weights in maps} == {(6, 12)}
    assert SMOLLM2.arrays["weights"].shape == (30, 9, 4, 4)


def test_apple_starts_as_the_same_row_and_ends_apart() -> None:
    apple = MINILM.facts["apple"]
    assert apple["same row"] is True
    assert [round(c, 3) for c in apple["cosines"]] == [0.955, 0.859, 0.839, 0.822, 0.844, 0.841, 0.789]
    stored = MINILM.arrays["vectors/apple-fruit"], MINILM.arrays["vectors/apple-firm"]
    for a, b, cosine in zip(*stored, apple["cosines"], strict=True):
        assert abs(a @ b / np.sqrt((a @ a) * (b @ b)) - cosine) <= 1e-3


def test_one_head_of_the_first_layer_puts_most_of_apple_on_iphone() -> None:
    looks = MINILM.facts["apple"]["looks at"]
    iphone, bought = looks["apple-firm"]["iphone"], looks["apple-fruit"]["bought"]
    assert (iphone["layer"], iphone["head"], round(iphone["most"], 3)) == (0, 1, 0.976)
    assert (bought["layer"], bought["head"], round(bought["most"], 3)) == (0, 3, 0.563)
    sentence = MINILM.facts["sentences"]["apple-firm"]
    at = sentence["place"], sentence["tokens"].index("iphone")
    assert abs(MINILM.arrays["weights/apple-firm"][0, 1][at] - iphone["most"]) <= 1e-3


def test_the_separator_at_the_start_takes_35_to_79_percent_of_apple_s_attention() -> None:
    shares = [share for key in MINILM.facts["apple"]["looks at"].values() for share in key["[CLS]"]["mean by layer"]]
    assert (round(min(shares), 2), round(max(shares), 2)) == (0.35, 0.79)


def test_bank_is_closer_within_a_sense_than_across_after_the_last_layer() -> None:
    river, money, stream, loan = range(4)
    last = np.array(MINILM.facts["bank cosines"])[-1]
    within = [last[river, stream], last[money, loan]]
    across = [last[a, b] for a in (river, stream) for b in (money, loan)]
    assert [round(c, 2) for c in within] == [0.85, 0.83]
    assert (round(min(across), 2), round(max(across), 2)) == (0.61, 0.81)


def test_the_statistics_cover_all_72_heads_and_one_looks_at_the_previous_token() -> None:
    statistics = {name: np.array(values) for name, values in MINILM.facts["statistics"].items()}
    assert list(statistics) == ["self", "previous", "next", "first", "separator", "entropy"]
    assert {values.shape for values in statistics.values()} == {(6, 12)}
    shares = [values for name, values in statistics.items() if name != "entropy"]
    assert all(((values >= 0) & (values <= 1)).all() for values in shares)
    assert statistics["previous"].max() > 0.99
    assert np.unravel_index(statistics["previous"].argmax(), (6, 12)) == (0, 2)
    assert statistics["entropy"].min() >= 0


def test_the_heads_of_a_lesson_are_those_of_minilm() -> None:
    heads, weights = RECORDINGS["heads"].facts, MINILM.arrays["weights/apple-firm"]
    assert heads["weights"] == MINILM.facts["weights"]
    assert heads["counted"] == MINILM.facts["statistics over"]
    assert heads["tokens"] == MINILM.facts["sentences"]["apple-firm"]["tokens"]
    for name, recorded in heads["heads"].items():
        layer, head = map(int, name.split("."))
        assert np.abs(np.array(recorded) - weights[layer, head]).max() <= 1e-6
    assert np.abs(np.array(heads["entropy"]) - MINILM.facts["statistics"]["entropy"]).max() <= 1e-5
    other = MINILM.facts["sentences"]["apple-fruit"]
    assert heads["other"]["tokens"] == other["tokens"]
    stored = MINILM.arrays["weights/apple-fruit"][0, 1, other["place"]]
    assert np.abs(np.array(heads["other"]["apple in 0.1"]) - stored).max() <= 1e-6


def test_rows_are_counted_and_none_twice_on_one_place() -> None:
    heads = RECORDINGS["heads"].facts
    rows = sum(n - 2 for n in heads["lengths"])
    assert rows == 123
    for counts in map(np.array, heads["rows with the largest weight on"].values()):
        assert (counts.shape, counts.dtype.kind) == ((6, 12), "i")
        assert ((counts >= 0) & (counts <= rows)).all()


def test_much_follows_thank_you_very() -> None:
    prompts = SMOLLM2.facts["prompts"]
    first, second = prompts["Thank you very"]["next"][:2]
    assert (first["token"], round(first["p"], 3)) == (" much", 0.637)
    assert (second["token"], round(second["p"], 3)) == (" well", 0.061)
    top = prompts["Thank you"]["next"][0]
    assert (top["token"], round(top["p"], 3)) == (" for", 0.164)


def test_the_readmes_show_what_the_command_prints() -> None:
    first = SMOLLM2.facts["prompts"]["Thank you very"]["next"][0]
    line = f"  {first['p']:6.1%} {first['id']:7}  {first['token']!r}\n"  # as attention.models.report does
    for name in ("README.md", "README.zh.md"):
        text = (FOLDER.parents[2] / name).read_text("utf-8")
        assert 'python -m attention "Thank you very" --model smollm2\n' in text
        assert f"\n```\n{line}```\n" in text


def test_stopped_after_its_last_layer_the_model_says_what_it_says() -> None:
    rows = SMOLLM2.facts["stopped"]["by layer"]
    assert len(rows) == 31
    assert abs(rows[-1]["p"] - SMOLLM2.facts["prompts"]["Thank you very"]["next"][0]["p"]) <= 1e-5
    assert rows[-1]["top"]["token"] == " much"
    assert max(row["p"] for row in rows[:-1]) < 0.2


def test_gpt2_s_vocabulary_is_256_bytes_and_50000_merges_and_one_more() -> None:
    facts = GPT2.facts
    assert facts["n_vocab"] == 50257 == len(byte_letters()) + facts["n_merges"] + 1
    assert facts["largest id"] == 50256
    assert facts["texts"]["Thank you very much"]["ids"] == [10449, 345, 845, 881]
    assert facts["texts"]["much"]["ids"] == [29482]
    assert len(facts["texts"]["苹果"]["ids"]) == 6


def test_the_bytes_of_the_tokens_make_up_the_text() -> None:
    for text, cut in GPT2.facts["texts"].items():
        assert bytes.fromhex("".join(cut["bytes"])).decode() == text


def test_a_reader_gets_a_recording_by_its_name() -> None:
    assert recording("gpt2_tokens") == GPT2.facts


def test_a_notebook_brings_its_recordings_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recordings.RECORDED, "smollm2", '{"n_layers": 2}')
    assert recording("smollm2") == {"n_layers": 2}


def test_a_recording_that_does_not_exist_is_an_error_that_names_those_that_do() -> None:
    with pytest.raises(ValueError, match=r"recording 'llama'.* there are .*gpt2_tokens, .*minilm.*, smollm2"):
        recording("llama")
