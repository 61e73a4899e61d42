"""What another library answers about tiny random models: written to one file each, read back without the library."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.kernel.reports import REPORTS

Array = np.ndarray[Any, np.dtype[Any]]
DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2] / "snippets"
LIVE = Path(__file__).parents[1] / "models_live"
ANSWERS = DATA / "answers.npz"
VOCABULARY = DATA / "gpt2_vocabulary.json"
GPT2, MINILM, SMOLLM2 = DATA / "gpt2", DATA / "minilm", DATA / "smollm2.gguf"
PROMPTS = {
    "one token": [5],
    "seven tokens": [3, 1, 41, 1, 59, 26, 5],
    "all positions": [(7 * i * i) % 97 for i in range(64)],
}
N_NEW = 12  # tokens written greedily after "seven tokens"


def recorder(*names: str) -> str:
    """Return what a frozen file remembers of the programs that wrote it: this one, and some beside the live tests."""
    programs = [path.read_text("utf-8") for path in (Path(__file__), *(LIVE / name for name in names))]
    return hashlib.sha256("".join(programs).encode()).hexdigest()


def answers_recorder() -> str:
    return recorder("tiny.py")


def vocabulary_recorder() -> str:
    return recorder("vocabulary.py")


def vocabulary_texts() -> list[str]:
    """Return every text our tests cut with GPT-2's vocabulary: all those of the reports among them."""
    reported = [
        text for report in REPORTS.values() if report["area"] == "bpe" for text in report["input"].get("texts", [])
    ]
    return [*reported, "Thank you very much", "much", " much", "苹果", "😀", "中文", "Hello world", "\n\n"]


def vocabulary_ids() -> list[int]:
    """Return every id our tests turn into text."""
    reported = [report["input"].get("ids", []) for report in REPORTS.values() if report["area"] == "bpe"]
    return [i for lists in reported for ids in lists for i in ids] + [50256]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def weight_files() -> dict[str, str]:
    """Return the hash of every tiny file of weights."""
    files = (GPT2 / "model.safetensors", MINILM / "model.safetensors", SMOLLM2)
    return {path.relative_to(DATA).as_posix(): sha256(path) for path in files}


def freeze(answers: dict[str, Array], versions: dict[str, str]) -> None:
    provenance = json.dumps({"recorder": answers_recorder(), "versions": versions, "weights": weight_files()})
    np.savez_compressed(ANSWERS, provenance=np.array(provenance), **answers)  # type: ignore[arg-type]


def thaw() -> tuple[dict[str, Array], dict[str, Any]]:
    with np.load(ANSWERS) as stored:
        answers = dict(stored)
    return answers, json.loads(str(answers.pop("provenance")))
