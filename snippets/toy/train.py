"""Training: weights drawn from one seed, then Adam down a cosine."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from attention.models.toy import Toy
from attention.models.words import MASK, START, WordTokenizer

from .batches import causal_batch, drawn, masked_batch
from .corpus import Corpus, vocabulary
from .network import Batch, Weights, loss_and_gradients, loss_of

WIDTH, N_LAYERS, N_HEADS, N_POSITIONS = 64, 2, 4, 16
STEPS, BATCH, RATE, WARM_UP = 1000, 64, 3e-3, 50
BETA_1, BETA_2, EPS = 0.9, 0.99, 1e-8
EVERY = 100  # steps from one line of the log to the next

Report = Callable[[int, float, float], None]  # step, mean training loss since the last report, validation loss


class Trained(NamedTuple):
    """A model, and how its losses went: rows of step, training loss, validation loss."""

    model: Toy
    losses: list[tuple[int, float, float]]


def fresh(corpus: Corpus, *, causal: bool, seed: int = 0, dtype: DTypeLike = np.float32) -> Toy:
    """Return a model that knows nothing yet: matrices from a normal distribution, norms at 1, biases at 0."""
    words = (START, *vocabulary(corpus), *([] if causal else [MASK]))
    random = np.random.default_rng(seed)
    weights: Weights = {
        "wte.weight": 0.05 * random.standard_normal((len(words), WIDTH)),
        "wpe.weight": 0.05 * random.standard_normal((N_POSITIONS, WIDTH)),
    }
    maps = {"attn.c_attn": (1, 3), "attn.c_proj": (1, 1), "mlp.c_fc": (1, 4), "mlp.c_proj": (4, 1)}
    for at in (f"h.{layer}." for layer in range(N_LAYERS)):
        for name, (d_in, d_out) in maps.items():
            weights[f"{at}{name}.weight"] = 0.05 * random.standard_normal((d_in * WIDTH, d_out * WIDTH))
            weights[f"{at}{name}.bias"] = np.zeros(d_out * WIDTH)
    for norm in ("ln_f", *(f"h.{layer}.ln_{i}" for layer in range(N_LAYERS) for i in (1, 2))):
        weights |= {f"{norm}.weight": np.ones(WIDTH), f"{norm}.bias": np.zeros(WIDTH)}
    weights = {name: array.astype(dtype) for name, array in weights.items()}
    return Toy(weights, N_LAYERS, N_HEADS, WordTokenizer(words), causal)


def train(corpus: Corpus, *, causal: bool, steps: int = STEPS, report: Report | None = None) -> Trained:
    """Train one variant; the same machine and libraries give the same weights, to the last bit."""
    model = fresh(corpus, causal=causal)
    random = np.random.default_rng(1)
    means, squares = ({name: np.zeros_like(w) for name, w in model.weights.items()} for _ in range(2))
    held_out = validation_batch(corpus, model)
    losses, recent = [], []
    for step in range(1, steps + 1):
        sentences = drawn(corpus, BATCH, random)
        tokenizer = model.tokenizer
        batch = causal_batch(sentences, tokenizer) if causal else masked_batch(sentences, tokenizer, random)
        loss, grads = loss_and_gradients(model, batch)
        recent.append(loss)
        for name, grad in grads.items():
            adam(model.weights[name], grad, means[name], squares[name], step, rate(step, steps))
        if step % EVERY == 0 or step == steps:
            losses.append((step, sum(recent) / len(recent), loss_of(model, held_out)))
            recent.clear()
            if report:
                report(*losses[-1])
    return Trained(model, losses)


def rate(step: int, steps: int) -> float:
    """Return how far a step goes: rising at first, then down to 0 along half a cosine."""
    return RATE * min(1, step / WARM_UP) * 0.5 * (1 + math.cos(math.pi * step / steps))


def adam(w: np.ndarray, grad: np.ndarray, mean: np.ndarray, square: np.ndarray, step: int, rate: float) -> None:
    """Change a weight in place, by the running means of its gradient and of the square of that.

    Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015.
    """
    mean += (1 - BETA_1) * (grad - mean)
    square += (1 - BETA_2) * (grad * grad - square)
    w -= rate * (mean / (1 - BETA_1**step)) / (np.sqrt(square / (1 - BETA_2**step)) + EPS)


def validation_batch(corpus: Corpus, model: Toy) -> Batch:
    """Return all held-out sentences at once; the masked variant always has to guess the same words of them."""
    if model.causal:
        return causal_batch(corpus.validation, model.tokenizer)
    return masked_batch(corpus.validation, model.tokenizer, np.random.default_rng(2))
