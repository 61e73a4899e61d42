"""The heads of a recorded model: a grid of small pictures, and what the explorer on the page fetches when it is used.

Of each sentence one file: weights as float16, little-endian, exactly as recorded, (layers, heads, queries, keys).
"""

import json
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lessonkit import Maps
from lessonkit.recordings import recording_folder
from lessonkit.table import CORNER

from ..languages import Language, chosen

FOLDER = "assets/heads"
FIRST = "apple-firm"  # the sentence of the grid
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


def render(language: Language, words: Mapping[str, str]) -> str:
    """The grid, then the explorer, which stays hidden until its script runs."""
    layers, heads = weights()[FIRST].shape[:2]
    choices = "".join(
        f"<option value='{key}' data-tokens='{escape(json.dumps(one['tokens']))}'>{escape(one['text'])}</option>"
        for key, one in sentences().items()
    )
    selects = "".join(
        f'<label>{words[name]} <select name="{name}"{mark}>{options}</select></label>'
        for name, mark, options in (
            ("sentence", ' lang="en"', choices),
            ("layer", "", numbered(layers)),
            ("head", "", numbered(heads)),
        )
    )
    texts = {name: words[name] for name in ("title", "finding", "waiting", "failed", "again", "arrows")}
    texts["corner"] = chosen(CORNER, language.code)
    data = "".join(f' data-{name}="{escape(text)}"' for name, text in texts.items())
    return (
        # a section as in fence.py: no other is inside
        f'<section class="heads" id="heads" data-search-exclude data-folder="../{FOLDER}/"{data}>'
        f"{grid(language, words)}"
        f'<div class="explorer" role="group" aria-label="{words["name"]}" hidden><p class="hint">{words["hint"]}</p>'
        f'<div class="choose">{selects}<button type="button" class="md-button">{words["show"]}</button></div>'
        f'<p class="said" role="status"></p><div class="shown"></div></div>'
        f'<script src="../assets/heads.js" defer></script></section>'
    )


def numbered(count: int) -> str:
    return "".join(f"<option>{n}</option>" for n in range(count))
