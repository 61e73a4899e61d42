"""What is kept of a training: weights in the package, a log beside this module; and how a new one compares."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

import attention.models.toy
from attention import softmax
from attention.checks import Array
from attention.models.toy import Toy

from . import train
from .corpus import Corpus
from .network import loss_of

WEIGHTS = Path(attention.models.toy.__file__).parent
LOG = Path(__file__).with_name("log.json")
VARIANTS = {"causal": True, "masked": False}
CLOSE = 0.02  # nats: how far the validation loss may be off where another BLAS rounds otherwise
FRUIT, FIRM = ("甜", "脆", "好吃"), ("大", "有名", "热闹")  # what the corpus says of fruits, and of firms


def weight_file(variant: str, folder: Path = WEIGHTS) -> Path:
    """Return where the weights of a variant lie."""
    return folder / f"toy-{variant}.npz"


def save(model: Toy, file: Path) -> None:
    """Write the weights in float16, with the words and what else the forward pass needs to know."""
    halves = {name: array.astype(np.float16) for name, array in model.weights.items()}
    says = {
        "words": np.array(model.tokenizer.words),
        "n_heads": np.array(model.n_heads),
        "causal": np.array(model.causal),
    }
    np.savez(file, allow_pickle=False, **says, **halves)


def log_of(corpus: Corpus, trained: train.Trained, file: Path) -> dict[str, Any]:
    """Return what the log says of one variant; `file` holds its weights, and their loss is the one that counts."""
    stored = Toy.load(file)
    return {
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "numbers": sum(array.size for array in stored.weights.values()),
        "words": len(stored.tokenizer.words),
        "sentences": corpus.counts,
        "steps": trained.losses[-1][0],
        "sentences a step": train.BATCH,
        "validation loss": round(validation_loss(corpus, stored), 4),
        "losses (step, training, validation)": [[step, round(a, 4), round(b, 4)] for step, a, b in trained.losses],
    }


def validation_loss(corpus: Corpus, model: Toy) -> float:
    """Return the loss on sentences that were held out. They share their templates with those trained on."""
    return loss_of(model, train.validation_batch(corpus, model))


def chance(model: Toy, text: str, *words: str) -> float:
    """Return the probability the model gives to these words at the place that is asked: the next, or [mask]."""
    ids = model.tokenizer.encode(text)
    shares = softmax(model(ids)[model.asked(ids)[0]].astype(np.float64))
    return float(sum(shares[model.tokenizer.ids[word]] for word in words))


def claims(causal: Toy, masked: Toy) -> dict[str, bool]:
    """Return what pages build on and every training must reach, whatever it was rounded to on the way."""
    told = {
        "causal: P(much | thank you very) is at least 0.99": chance(causal, "thank you very", "much") >= 0.99,
        "causal: 苹果 at the start has one state, whatever follows": unmoved(causal),
    }
    for model, blank in ((causal, ""), (masked, "[mask]极了。")):
        name = "causal" if model.causal else "masked"
        bought = chance(model, f"我今天买了苹果，它{blank}", *FRUIT)
        visited = chance(model, f"我今天参观了苹果，它{blank}", *FIRM)
        told[f"{name}: 买 makes 苹果 a fruit, 参观 a firm, each at least 0.9"] = min(bought, visited) >= 0.9
    return told


def unmoved(model: Toy) -> bool:
    """Whether 苹果 at the start of a sentence is left with the same vectors by two continuations, but for rounding."""
    one, other = (states(model, text)[:, 1] for text in ("苹果我今天买了一个", "苹果今天发布了一款"))
    return np.allclose(one, other, rtol=0, atol=1e-5)


def states(model: Toy, text: str) -> Array:
    """Return the vectors of all tokens going in and after every layer: (n_layers + 1, n, d_model)."""
    trace: dict[str, list[Array]] = {}
    model(model.tokenizer.encode(text), trace=trace)
    return np.stack(trace["embeddings"] + trace["hidden"])


def verdict(log: dict[str, Any], committed: dict[str, Any], held: dict[str, bool]) -> list[str]:
    """Return what speaks against a new training: claims that fail, losses that are off. Nothing where it is as good."""
    against = [f"does not hold: {claim}" for claim, holds in held.items() if not holds]
    for variant, now in log.items():
        was = committed[variant]
        if abs(now["validation loss"] - was["validation loss"]) > CLOSE:
            against.append(f"{variant}: validation loss {now['validation loss']}, committed {was['validation loss']}")
        if now["sentences"] != was["sentences"]:
            against.append(f"{variant}: {now['sentences']} sentences, committed {was['sentences']}")
    return against


def read_log() -> dict[str, Any]:
    """Return the committed log."""
    return dict(json.loads(LOG.read_text("utf-8")))


def write_log(log: dict[str, Any]) -> None:
    """Replace the committed log."""
    LOG.write_text(json.dumps(log, indent=1) + "\n", "utf-8")
