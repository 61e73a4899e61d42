"""Text to tokens and back: what others got wrong with GPT-2's vocabulary has the right answer here."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attention.models.tokens import Tokenizer, byte_level_bpe, read_vocabulary
from tests.kernel.reports import REPORTS
from tests.models.frozen import VOCABULARY, vocabulary_recorder

FROZEN = json.loads(VOCABULARY.read_text("utf-8"))
GPT2: Tokenizer = byte_level_bpe(FROZEN["entries"], [tuple(pair) for pair in FROZEN["merges"]])
BPE = {name: report for name, report in REPORTS.items() if report["area"] == "bpe"}
ENCODED = [
    (name, text, ids)
    for name, report in BPE.items()
    if "texts" in report["input"]
    for text, ids in zip(report["input"]["texts"], report["right"]["values"][0]["value"], strict=True)
]
DECODED = [
    (name, ids, text)
    for name, report in BPE.items()
    if "ids" in report["input"]
    for ids, text in zip(report["input"]["ids"], report["right"]["values"][-1]["value"], strict=True)
]


def test_the_vocabulary_was_cut_by_the_program_as_it_is_now() -> None:
    way = "run: PYTHONPATH=snippets .venv-oracles/bin/python -m tests.models_live.vocabulary"
    assert FROZEN["recorder"] == vocabulary_recorder(), way


def test_every_reported_case_is_asked() -> None:
    assert {name for name, *_ in ENCODED + DECODED} == BPE.keys() == {"B01", "B03", "B05", "B07", "B09", "B11", "B14"}


@pytest.mark.parametrize(("name", "text", "ids"), ENCODED)
def test_a_text_has_these_ids(name: str, text: str, ids: list[int]) -> None:
    assert GPT2.encode(text) == ids, name


@pytest.mark.parametrize(("name", "ids", "text"), DECODED)
def test_ids_have_this_text(name: str, ids: list[int], text: str) -> None:
    assert GPT2.decode(ids) == text, name


@pytest.mark.parametrize("text", [text for _, text, _ in ENCODED])
def test_what_was_encoded_decodes_to_itself(text: str) -> None:
    assert GPT2.decode(GPT2.encode(text)) == text


def test_b03_pieces_of_a_character_show_as_bytes() -> None:
    for ids, bytes_of in zip(BPE["B03"]["input"]["ids"], BPE["B03"]["right"]["values"][0]["value"], strict=True):
        assert [GPT2.bytes_of(token).hex() for token in ids] == bytes_of
    texts = [GPT2.show(token) for ids in BPE["B03"]["input"]["ids"] for token in ids]
    assert texts == [r"'\xf0\x9f\x98'", r"'\x80'", "'中'", r"'\xe6\x96'", r"'\x87'"]


def test_b05_a_special_token_in_a_text_is_text() -> None:
    assert 50256 not in GPT2.encode("<|endoftext|>")
    assert GPT2.decode([50256]) == "<|endoftext|>"


def test_b14_a_newline_shows_as_one_and_not_as_a_dotted_letter() -> None:
    assert GPT2.show(198) == r"'\n'"


def test_the_source_s_sentence_has_four_tokens_and_the_space_matters() -> None:
    assert GPT2.encode("Thank you very much") == [10449, 345, 845, 881]
    assert GPT2.encode("much") == [29482]
    assert len(GPT2.encode("苹果")) == 6


def test_the_largest_valid_id_is_50256() -> None:
    assert (FROZEN["size"], FROZEN["largest id"]) == (50257, 50256)
    with pytest.raises(ValueError, match="id 50257 is not in the vocabulary"):
        GPT2.decode([50257])


def test_the_two_files_of_a_vocabulary_are_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "encoder.json").write_text('{"a": 0, "b": 1, "#": 2, "ab": 3, "##": 4}', "utf-8")
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\na b\n# #\n", "utf-8")
    entries, merges = read_vocabulary(tmp_path / "encoder.json", tmp_path / "vocab.bpe")
    assert merges == [("a", "b"), ("#", "#")]
    assert byte_level_bpe(entries, merges).encode("ab##") == [3, 4]


def test_merges_of_another_vocabulary_are_refused() -> None:
    with pytest.raises(ValueError, match="the vocabulary and its merges do not fit together"):
        byte_level_bpe({"a": 0}, [("a", "b")])


def test_smollm2_cuts_numbers_into_digits() -> None:
    entries = {"1": 0, "2": 1, "12": 2}
    assert byte_level_bpe(entries, [("1", "2")]).encode("12") == [2]
    assert byte_level_bpe(entries, [("1", "2")], single_digits=True).encode("12") == [0, 1]


def test_a_letter_that_python_writes_like_a_byte_is_told_from_the_byte() -> None:
    tokenizer = byte_level_bpe({"Â": 0, "ł": 1, "Âł": 2}, [("Â", "ł")])  # the bytes c2, a0, and both together
    assert [tokenizer.show(token) for token in (1, 2)] == [r"'\xa0'", r"'\u00a0'"]
    assert tokenizer.encode("\u00a0") == [2]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: GPT2.encode(b"bytes"), TypeError, "text is b'bytes'; it must be a str"),  # type: ignore[arg-type]
        (lambda: GPT2.encode("a\ud83d"), ValueError, r"text holds '\\ud83d', half of a pair"),
        (lambda: GPT2.decode([-1]), ValueError, "id -1 is not in the vocabulary"),
        (lambda: GPT2.decode([2**40]), ValueError, f"id {2**40} is not in the vocabulary"),
        (lambda: GPT2.decode([0.5]), TypeError, "ids has dtype float64; it must hold integers"),  # type: ignore[list-item]
        (lambda: GPT2.decode(15496), ValueError, r"ids has shape \(\); it must be \(n,\)"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_text_or_no_id_is_refused(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_no_ids_are_no_text() -> None:
    assert GPT2.decode([]) == ""
