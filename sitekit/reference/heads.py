"""The heads of a recorded model: a grid of small pictures, and what the explorer on the page fetches when it is used.

Of each sentence one file: weights as float16, little-endian, exactly as recorded, (layers, heads, queries, keys).
"""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lessonkit import Maps
from lessonkit.recordings import recording_folder

from ..languages import Language
from ..live import figures

FOLDER = "assets/heads"
FIRST = "apple-firm"  # the sentence of the grid
START = 0, 1  # the layer and the head that it opens on: apple looks at iphone
SIDE = 5
Weights = NDArray[np.float16]


def sentences() -> dict[str, dict[str, Any]]:
    """Every recorded sentence, the one of the grid first: its text, its tokens."""
    recorded = json.loads((recording_folder() / "minilm.json").read_text("utf-8"))["sentences"]
    return {FIRST: recorded[FIRST]} | recorded


def weights() -> dict[str, Weights]:
    """The attention of every sentence, (layers, heads, n, n)."""
    with np.load(recording_folder() / "minilm.npz") as stored:
        return {key: stored[f"weights/{key}"] for key in sentences()}


def files() -> dict[str, bytes]:
    """What the site serves, by path."""
    return {f"{FOLDER}/{key}.f16": array.astype("<f2").tobytes() for key, array in weights().items()}


def first_wins(array: Weights) -> NDArray[np.float64]:
    """In what share of rows between the first and the last the first column is largest, (layers, heads)."""
    return np.asarray((array[:, :, 1:-1].argmax(axis=-1) == 0).mean(axis=-1))


def grid(language: Language, words: Mapping[str, str]) -> str:
    """All heads on one sentence, as a figure."""
    array = weights()[FIRST]
    layers, heads = array.shape[:2]
    values = {
        "sentence": sentences()[FIRST]["text"],
        "all": layers * heads,
        "layers": layers,
        "heads": heads,
        "mostly": int((first_wins(array) > 0.5).sum()),
        "before": float(100 * np.diagonal(array[0, 2], -1).mean(dtype=float)),
    }
    return Maps(
        array,
        "weights",
        rows=[str(layer) for layer in range(layers)],
        cols=[str(head) for head in range(heads)],
        side=SIDE,
        caption=words["grid"].format(**values),
        alt=words["seen"].format(**values),
    ).html(language.code)


def explorer() -> dict[str, Any]:
    """What the figure starts from: every sentence, and the weights of the head that it opens on."""
    first = sentences()[FIRST]
    layer, head = START
    stored = weights()[FIRST]
    shown = [
        {"key": key, "text": one["text"], "tokens": one["tokens"], "place": one["place"]}
        for key, one in sentences().items()
    ]
    data = {
        "sentences": shown,
        "start": [layer, head, first["place"]],
        "n_layers": stored.shape[0],
        "n_heads": stored.shape[1],
        "opening": base64.b64encode(stored[layer, head].astype("<f2").tobytes()).decode(),
        "folder": f"../{FOLDER}/",
    }
    return {"name": "choose-head", "data": data, "numbers": {"row": stored[layer, head, first["place"]].tolist()}}


def render(language: Language, words: Mapping[str, str]) -> str:
    """The grid, which chooses a head where scripts run, then the head that is chosen."""
    return (
        # a section as in fence.py: no other is inside
        f'<section class="heads" id="heads" data-search-exclude>{grid(language, words)}'
        f"{figures.render(explorer(), language.code)}</section>"
    )
