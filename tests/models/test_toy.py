"""The toy that comes with the package: GPT-2's build, read with NumPy alone, causal or looking both ways."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import attention.models.command as command
from attention import KVCache
from attention.models import GPT2, Toy, greedy
from attention.models.files import read_npz
from attention.models.toy import BESIDE
from attention.models.trace import Trace
from attention.models.words import MASK, START, WordTokenizer

CAUSAL, MASKED = Toy.load(), Toy.load(masked=True)
BOTH = pytest.mark.parametrize("model", [CAUSAL, MASKED], ids=["causal", "masked"])
TEXT = "苹果今天发布了一款新手机，它快极了。"
IDS = CAUSAL.tokenizer.encode(TEXT)


def off(a: np.ndarray, b: np.ndarray) -> float:
    assert a.shape == b.shape
    return float(np.abs(a - b).max())


@BOTH
def test_the_weights_are_small_halves_and_some_110_thousand(model: Toy) -> None:
    path = BESIDE / f"toy-{'causal' if model.causal else 'masked'}.npz"
    assert path.stat().st_size <= 300_000
    halves = [array for array in read_npz(path).values() if array.dtype.kind == "f"]
    assert {array.dtype for array in halves} == {np.dtype(np.float16)}
    assert sum(array.size for array in halves) == sum(w.size for w in model.weights.values())
    assert 100_000 < sum(array.size for array in halves) < 120_000
    assert (model.n_layers, model.n_heads, model.weights["wte.weight"].shape[1]) == (2, 4, 64)
    assert {w.dtype for w in model.weights.values()} == {np.dtype(np.float32)}


def test_the_causal_variant_is_gpt_2_s_forward_pass_to_the_last_bit() -> None:
    gpt2 = GPT2(CAUSAL.weights, CAUSAL.n_layers, CAUSAL.n_heads)
    assert off(gpt2(IDS), CAUSAL(IDS)) <= 1e-5
    assert greedy(gpt2, IDS[:2], 8) == greedy(CAUSAL, IDS[:2], 8)


@pytest.mark.parametrize("chunks", [[1] * 13, [5, 8], [12, 1]])
def test_with_a_cache_the_logits_are_the_same(chunks: list[int]) -> None:
    assert len(IDS) == sum(chunks)
    caches = [KVCache() for _ in range(2)]
    rows = [CAUSAL(part, caches=caches) for part in np.split(np.array(IDS), np.cumsum(chunks)[:-1])]
    assert off(np.concatenate(rows), CAUSAL(IDS)) <= 1e-5


def test_the_masked_variant_has_no_use_for_a_cache() -> None:
    with pytest.raises(ValueError, match="looks both ways"):
        MASKED(IDS, caches=[KVCache(), KVCache()])


@BOTH
def test_a_batch_is_its_prompts_one_by_one(model: Toy) -> None:
    batch = [IDS, IDS[::-1]]
    assert off(model(batch), np.stack([model(ids) for ids in batch])) <= 1e-5


@BOTH
def test_a_trace_holds_every_step_of_every_layer(model: Toy) -> None:
    trace: Trace = {}
    logits = model(IDS, trace=trace)
    twice = {name for name, arrays in trace.items() if len(arrays) == 2}
    assert twice == {"q", "k", "v", "scores", "weights", "outputs", "hidden"}
    assert trace.keys() - twice == {"embeddings", "logits"}
    assert trace["weights"][0].shape == (4, 13, 13)
    assert logits is trace["logits"][0]
    assert off(model.read_out(trace["hidden"][-1]), logits) == 0
    assert {array.dtype for arrays in trace.values() for array in arrays} == {np.dtype(np.float32)}
    future = np.triu(np.stack(trace["weights"]), 1)
    assert (future == 0).all() == model.causal


@BOTH
def test_what_a_mask_hides_has_no_weight_and_no_influence(model: Toy) -> None:
    seen = np.arange(13) != 3
    others = [*IDS[:3], 7, *IDS[4:]]
    assert off(model(IDS, mask=seen)[seen], model(others, mask=seen)[seen]) == 0
    assert off(model(IDS)[seen], model(others)[seen]) > 0.1


@BOTH
def test_a_prompt_that_is_too_long_or_empty_is_refused(model: Toy) -> None:
    with pytest.raises(ValueError, match="the prompt reaches 17 tokens; the model has positions for 16"):
        model([1] * 17)
    with pytest.raises(ValueError, match="the prompt is empty"):
        model([])


def test_each_variant_answers_where_it_is_asked() -> None:
    assert CAUSAL.asked(IDS) == [12]
    assert MASKED.asked(IDS) == []
    assert MASKED.asked(MASKED.tokenizer.encode("我[mask]了一个[mask]。")) == [2, 5]


# The words


@BOTH
def test_a_text_is_cut_into_its_words_and_put_together_again(model: Toy) -> None:
    tokenizer = model.tokenizer
    for text in (TEXT, "thank you very much.", "i bought an apple today, it was sweet."):
        ids = tokenizer.encode(text)
        assert tokenizer.word(ids[0]) == START
        assert tokenizer.decode(ids) == text
    assert tokenizer.encode("Thank  YOU,苹果very") == [
        tokenizer.ids[w] for w in (START, "thank", "you", ",", "苹果", "very")
    ]
    assert tokenizer.show(tokenizer.ids["苹果"]) == "'苹果'"


@BOTH
def test_the_words_are_those_of_the_other_variant_but_for_the_mask(model: Toy) -> None:
    assert (MASK in model.tokenizer.ids) != model.causal
    assert MASKED.tokenizer.words == (*CAUSAL.tokenizer.words, MASK)


@pytest.mark.parametrize(
    ("text", "word", "known"),
    [
        ("i bought a table lamp", "lamp", "letter, loved"),
        ("thankyou", "thankyou", "thank, the"),
        ("我买了一台电视。", "一台电视", "一个, 一款"),
        ("苹果[mask]", "[mask]", "apple, at"),
        ("[start]", "[start]", "apple, at"),
        ("thank you, 3 times", "3", "apple, at"),
    ],
)
def test_a_word_it_does_not_know_is_named_beside_those_it_knows(text: str, word: str, known: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{word!r} is not among the 124 words of this model; ")) as caught:
        CAUSAL.tokenizer.encode(text)
    assert known in str(caught.value)


def test_no_words_and_ids_outside_the_vocabulary_are_refused() -> None:
    with pytest.raises(ValueError, match="the prompt is empty"):
        CAUSAL.tokenizer.encode("  ")
    with pytest.raises(ValueError, match="id 124 is not in the vocabulary of 124 words"):
        CAUSAL.tokenizer.show(124)
    with pytest.raises(ValueError, match="id -1 is not"):
        WordTokenizer((START,)).word(-1)


# The file


def written(folder: Path, **changes: object) -> Path:
    """Write the causal file with some arrays replaced, or left out where None."""
    arrays = read_npz(BESIDE / "toy-causal.npz") | changes
    file = folder / "toy.npz"
    np.savez(file, **{name: array for name, array in arrays.items() if array is not None})  # type: ignore[arg-type]
    return file


def test_a_file_of_one_s_own_is_read(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    model = Toy.load(written(tmp_path), progress=lambda done, of: steps.append((done, of)))
    assert off(model(IDS), CAUSAL(IDS)) == 0
    assert steps == [(i, 31) for i in range(1, 32)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"words": None}, "does not say words, n_heads and causal: it holds no toy"),
        ({"h.1.mlp.c_fc.bias": None}, "has no tensor h.1.mlp.c_fc.bias"),
        ({"wpe.weight": np.zeros((16, 8), np.float16)}, "wpe.weight has shape (16, 8); this model needs (16, 64)"),
        ({"words": np.array(["a", "b"])}, "wte.weight has shape (124, 64); this model needs (2, 64)"),
        ({"words": np.array(["a", None])}, "is truncated, or not a .npz file of plain arrays (ValueError)"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Toy.load(written(tmp_path, **changes))


def test_what_is_no_npz_file_is_refused_and_nothing_is_unpickled(tmp_path: Path) -> None:
    (tmp_path / "cut.npz").write_bytes((BESIDE / "toy-causal.npz").read_bytes()[:1000])
    (tmp_path / "text.npz").write_text("hello")
    (tmp_path / "nothing.npz").write_bytes(b"")
    np.save(tmp_path / "one.npy", np.zeros(3))
    for name in ("cut.npz", "text.npz", "nothing.npz", "one.npy"):
        with pytest.raises(ValueError, match=rf"{name} is truncated, or not a .npz file of plain arrays"):
            Toy.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        Toy.load(tmp_path / "missing.npz")


# The command


@pytest.fixture(autouse=True)
def no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("gguf", "huggingface_hub", "safetensors", "tokenizers"):
        monkeypatch.setitem(sys.modules, package, None)


def test_the_command_runs_the_toy_with_numpy_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--model", "toy", "--heads", "1.3", "Thank you very"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("our toy, trained on 4614 template sentences: says what comes next; 2 layers of 4 heads")
    assert re.search(r"^next token: .*\n +9\d\.\d% +\d+  'much'$", out, re.M)
    assert "head 1.3: how each row's token" in out


def test_the_command_says_what_stands_at_every_mask(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--model", "toy-masked", "--top", "3", "我今天[mask]了苹果，它[mask]极了。"]) == 0
    out = capsys.readouterr().out
    assert "our toy, trained on 4614 template sentences: says what stands at [mask]" in out
    assert out.count("masked token: probability, id, text") == 2
    assert len(re.findall(r"^ +[\d.]+% +\d+  '", out, re.M)) == 6


def test_the_command_names_a_word_the_toy_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--model", "toy", "apple pie"]) == 2
    assert capsys.readouterr().err.startswith("attention: 'pie' is not among the 124 words of this model; those")
