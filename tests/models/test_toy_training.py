"""The toy's training: every gradient against differences, the sentences, and the log of the committed weights."""

import hashlib
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention import gelu, layer_norm, linear, log_softmax
from attention.checks import Array
from attention.models.toy import TRAINED_ON, Toy
from attention.models.words import MASK
from tests.conftest import ROOT
from toy import release, retrain
from toy.backward import cross_entropy, embed_backward, gelu_backward, layer_norm_backward, linear_backward
from toy.batches import causal_batch, drawn, filled_up, masked_batch
from toy.corpus import SLOTS, TEMPLATES, build, filled, vocabulary
from toy.network import Batch, loss_and_gradients, loss_of
from toy.train import fresh, rate, train, validation_batch

CORPUS = build()
LOG = release.read_log()
VARIANT = pytest.mark.parametrize("variant", release.VARIANTS)


def random(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def slope(f: Callable[[Array], float], x: Array, direction: Array, step: float = 1e-5) -> float:
    """How fast f changes along a direction, by central differences."""
    return (f(x + step * direction) - f(x - step * direction)) / (2 * step)


def assert_gradient(f: Callable[[Array], float], x: Array, grad: Array) -> None:
    """The gradient says how fast f changes along random directions, to a millionth."""
    assert grad.shape == x.shape
    for seed in range(3):
        direction = random(seed).standard_normal(x.shape)
        measured = slope(f, x, direction)
        assert abs(measured - (grad * direction).sum()) <= 1e-6 * abs(measured)


# Each step alone


def test_cross_entropy_backwards() -> None:
    logits, targets = random().standard_normal((2, 3, 5)), random().integers(5, size=(2, 3))
    counted = np.array([[True, True, False], [False, True, True]])
    loss, dlogits = cross_entropy(logits, targets, counted)
    logs = log_softmax(logits)
    by_hand = [-logs[b, i, targets[b, i]] for b, i in zip(*np.nonzero(counted), strict=True)]
    assert loss == pytest.approx(sum(by_hand) / 4, rel=1e-14)
    assert_gradient(lambda x: cross_entropy(x, targets, counted)[0], logits, dlogits)
    assert (dlogits[~counted] == 0).all()


def test_linear_backwards() -> None:
    x, w, b, dy = (random(s).standard_normal(shape) for s, shape in enumerate([(2, 3, 4), (4, 5), (5,), (2, 3, 5)]))
    dx, dw, db = linear_backward(x, w, dy)
    assert_gradient(lambda x: (dy * linear(x, w, b)).sum(), x, dx)
    assert_gradient(lambda w: (dy * linear(x, w, b)).sum(), w, dw)
    assert_gradient(lambda b: (dy * linear(x, w, b)).sum(), b, db)


def test_layer_norm_backwards() -> None:
    x, w, b, dy = (random(s).standard_normal(shape) for s, shape in enumerate([(2, 3, 8), (8,), (8,), (2, 3, 8)]))
    dx, dw, db = layer_norm_backward(x, w, dy)
    assert_gradient(lambda x: (dy * layer_norm(x, w, b)).sum(), x, dx)
    assert_gradient(lambda w: (dy * layer_norm(x, w, b)).sum(), w, dw)
    assert_gradient(lambda b: (dy * layer_norm(x, w, b)).sum(), b, db)


def test_gelu_backwards() -> None:
    x, dy = 3 * random(0).standard_normal((4, 6)), random(1).standard_normal((4, 6))
    assert_gradient(lambda x: (dy * gelu(x, approximate="tanh")).sum(), x, gelu_backward(x, dy))


def test_embedding_backwards() -> None:
    ids, dx = np.array([[1, 2, 1], [0, 1, 2]]), random().standard_normal((2, 3, 4))
    tokens, positions = random(1).standard_normal((5, 4)), random(2).standard_normal((6, 4))
    dtokens, dpositions = embed_backward(ids, dx, 5, 6)
    assert_gradient(lambda table: (dx * (table[ids] + positions[:3])).sum(), tokens, dtokens)
    assert_gradient(lambda table: (dx * (tokens[ids] + table[:3])).sum(), positions, dpositions)
    assert (dtokens[3:] == 0).all()
    assert (dpositions[3:] == 0).all()


# The whole


def batch_of(model: Toy, n: int = 6) -> Batch:
    sentences = drawn(CORPUS, n, random(5))
    return (
        causal_batch(sentences, model.tokenizer)
        if model.causal
        else masked_batch(sentences, model.tokenizer, random(6))
    )


@VARIANT
def test_the_whole_loss_has_these_gradients_to_a_millionth(variant: str) -> None:
    model = fresh(CORPUS, causal=release.VARIANTS[variant], dtype=np.float64)
    weights = dict(model.weights)
    for name, array in weights.items():  # away from the start, where biases are 0 and norms 1
        array += 0.1 * random(len(name)).standard_normal(array.shape)
    batch = batch_of(model)
    assert len(set(batch.lengths)) > 1  # some sentences are filled up
    loss, grads = loss_and_gradients(model, batch)
    assert loss == loss_of(model, batch)
    assert grads.keys() == weights.keys()
    for name, array in weights.items():

        def loss_with(other: Array, name: str = name) -> float:
            return loss_of(Toy(weights | {name: other}, 2, 4, model.tokenizer, model.causal), batch)

        assert_gradient(loss_with, array, grads[name])


@VARIANT
def test_gradients_of_float32_weights_are_float32(variant: str) -> None:
    model = fresh(CORPUS, causal=release.VARIANTS[variant])
    _, grads = loss_and_gradients(model, batch_of(model))
    assert {grad.dtype for grad in grads.values()} == {np.dtype(np.float32)}


@VARIANT
def test_the_training_s_forward_pass_is_the_one_that_readers_run(variant: str) -> None:
    model = Toy.load(release.weight_file(variant))
    batch = batch_of(model)
    logs = []
    for b, length in enumerate(batch.lengths):  # one by one, without anything filled up
        rows = log_softmax(model(batch.ids[b, :length]).astype(np.float64))
        logs += [-rows[i, batch.targets[b, i]] for i in np.flatnonzero(batch.counted[b])]
    assert loss_of(model, batch) == pytest.approx(np.mean(logs), abs=1e-5)


@VARIANT
def test_20_steps_lower_the_loss_and_come_out_the_same_again(variant: str) -> None:
    causal = release.VARIANTS[variant]
    reports: list[tuple[int, float, float]] = []
    first, second = (train(CORPUS, causal=causal, steps=20, report=lambda *row: reports.append(row)) for _ in range(2))
    assert first.losses == second.losses == reports[:1] == reports[1:]
    assert all(np.array_equal(w, second.model.weights[name]) for name, w in first.model.weights.items())
    step, _, held_out = first.losses[0]
    untrained = fresh(CORPUS, causal=causal)
    at_first = loss_of(untrained, validation_batch(CORPUS, untrained))
    assert step == 20
    assert at_first == pytest.approx(math.log(len(untrained.tokenizer.words)), abs=0.1)  # as good as even guessing
    assert held_out < at_first - 0.2


def test_the_rate_rises_then_falls_to_nothing() -> None:
    rates = [rate(step, 1000) for step in (1, 50, 500, 1000)]
    assert rates[0] < rates[2] < rates[1]
    assert rates[3] == 0


# The sentences


def test_every_sentence_is_there_once_in_training_or_in_validation() -> None:
    training = [s for family in CORPUS.training.values() for sentences in family for s in sentences]
    everything = [*training, *CORPUS.validation]
    assert len(everything) == len(set(everything))
    from_templates = {s for family in TEMPLATES.values() for template in family for s in filled(template)}
    assert set(everything) == from_templates
    assert CORPUS.counts == {
        "training": len(training),
        "validation": len(CORPUS.validation),
        "templates": sum(map(len, TEMPLATES.values())),
    }
    assert build() == CORPUS
    assert all(sentences for family in CORPUS.training.values() for sentences in family)  # none is held out completely


def test_words_of_both_languages_are_there_and_every_slot_is_used() -> None:
    words = vocabulary(CORPUS)
    assert {"苹果", "买", "发布", "它", "apple", "bought", "thank", "very", "much"} <= set(words)
    used = "".join(template for family in TEMPLATES.values() for template in family)
    assert all(f"{{{slot}}}" in used for slot in SLOTS)
    assert max(len(sentence) for sentence in CORPUS.validation) < 16


def test_after_thank_you_very_there_is_only_much() -> None:
    training = [s for family in CORPUS.training.values() for sentences in family for s in sentences]
    assert {s[3] for s in training if s[:3] == ("thank", "you", "very")} == {"much"}


def test_a_masked_batch_asks_for_a_fifth_of_the_words_and_hides_most_of_those() -> None:
    tokenizer = Toy.load(masked=True).tokenizer
    sentences = drawn(CORPUS, 2000, random())
    ids, lengths = filled_up(sentences, tokenizer)
    batch = masked_batch(sentences, tokenizer, random(1))
    word = (np.arange(ids.shape[1]) > 0) & (np.arange(ids.shape[1]) < lengths[:, None])
    assert np.array_equal(batch.targets, ids)
    assert not batch.counted[~word].any()
    assert batch.counted.any(axis=1).all()
    assert 0.18 < batch.counted[word].mean() < 0.24
    asked = batch.ids[batch.counted]
    assert 0.77 < (asked == tokenizer.ids[MASK]).mean() < 0.83
    assert 0.07 < (asked == ids[batch.counted]).mean() < 0.13
    assert np.array_equal(batch.ids[~batch.counted], ids[~batch.counted])
    assert batch.ids.max() == tokenizer.ids[MASK]


# What is committed


@VARIANT
def test_the_log_is_that_of_the_committed_weights(variant: str) -> None:
    log, file = LOG[variant], release.weight_file(variant)
    assert log["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest(), "run: python -m toy --write"
    assert log["sentences"] == CORPUS.counts
    assert CORPUS.counts["training"] == TRAINED_ON
    model = Toy.load(file)
    assert log["numbers"] == sum(w.size for w in model.weights.values())
    assert log["words"] == len(model.tokenizer.words) == len(vocabulary(CORPUS)) + (1 if model.causal else 2)
    assert release.validation_loss(CORPUS, model) == pytest.approx(log["validation loss"], abs=1e-3)
    steps, training, validation = zip(*log["losses (step, training, validation)"], strict=True)
    assert steps == tuple(range(100, log["steps"] + 1, 100))
    assert training[-1] < training[0]
    assert abs(validation[-1] - log["validation loss"]) <= 0.005  # what rounding to float16 costs


def test_the_claims_hold_for_the_committed_weights() -> None:
    held = release.claims(Toy.load(), Toy.load(masked=True))
    assert len(held) == 4
    assert all(held.values())


def test_both_speak_against_a_training_that_is_worse() -> None:
    worse = json.loads(json.dumps(LOG))
    worse["causal"]["validation loss"] += 0.03
    worse["masked"]["sentences"]["training"] -= 1
    against = release.verdict(worse, LOG, {"it is good": False, "it is there": True})
    assert [line.partition(":")[0] for line in against] == ["does not hold", "causal", "masked"]
    assert release.verdict(LOG, LOG, {"it is there": True}) == []


# The command


def as_committed(folder: Path, steps: int) -> dict[str, Any]:
    """Stand for a training: hand out the committed weights and log."""
    for variant in release.VARIANTS:
        release.save(Toy.load(COMMITTED[variant]), release.weight_file(variant, folder))
    return LOG


COMMITTED = {variant: release.weight_file(variant) for variant in release.VARIANTS}


def test_weights_go_through_a_file_unchanged(tmp_path: Path) -> None:
    as_committed(tmp_path, 0)
    for variant, file in COMMITTED.items():
        assert hashlib.sha256(release.weight_file(variant, tmp_path).read_bytes()).hexdigest() == LOG[variant]["sha256"]
        assert file.parent != tmp_path


def rounded_otherwise(folder: Path, steps: int) -> dict[str, Any]:
    """Stand for a training on another machine: other bits, nearly the same loss."""
    as_committed(folder, steps)
    return {
        name: log | {"sha256": "other", "validation loss": log["validation loss"] + 0.01} for name, log in LOG.items()
    }


@pytest.mark.parametrize(
    ("training", "message"),
    [
        (as_committed, "the committed weights to the last bit, and all claims hold"),
        (rounded_otherwise, "as good as the committed one: claims hold, validation losses within 0.02"),
    ],
)
def test_a_training_that_is_equal_or_nearly_is_told_so(
    training: Any, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrain, "both", training)
    assert retrain.main([]) == 0
    out = capsys.readouterr().out
    assert out.count("holds: ") == 4
    assert message in out


def test_a_new_training_is_written_only_when_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrain, "both", as_committed)
    monkeypatch.setattr(release, "WEIGHTS", tmp_path)
    monkeypatch.setattr(release, "LOG", tmp_path / "log.json")
    assert retrain.main(["--write"]) == 0
    assert json.loads((tmp_path / "log.json").read_text("utf-8")) == LOG
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == ["toy-causal.npz", "toy-masked.npz"]


def test_one_step_is_not_enough_and_the_command_says_so() -> None:
    before = {file: file.read_bytes() for file in (*COMMITTED.values(), release.LOG)}
    command = [sys.executable, "-m", "toy", "--steps", "1"]
    done = subprocess.run(command, cwd=ROOT / "snippets", capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 1, done.stderr
    assert "FAILS: causal: P(much | thank you very) is at least 0.99" in done.stdout
    assert "causal  step     1" in done.stdout
    assert "masked  step     1" in done.stdout
    assert "causal: validation loss" in done.stdout.splitlines()[-1]
    assert all(file.read_bytes() == content for file, content in before.items())
