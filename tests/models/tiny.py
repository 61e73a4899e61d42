"""The tiny models that tests run, each read once; and folders that hold them with a vocabulary."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from attention.models import GPT2, MiniLM, SmolLM2
from tests.models import frozen

LOADERS: dict[str, Any] = {
    "gpt2": lambda: GPT2.load(frozen.GPT2),
    "minilm": lambda: MiniLM.load(frozen.MINILM),
    "smollm2": lambda: SmolLM2.load(frozen.SMOLLM2),
}
CAUSAL = ("gpt2", "smollm2")
WORDS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "i",
    "bought",
    "an",
    "apple",
    "today",
    ".",
    "released",
    "a",
    "new",
    "iphone",
)


@cache
def model(name: str) -> Any:
    return LOADERS[name]()


def gpt2_folder(folder: Path) -> Path:
    """Copy the tiny GPT-2 and give it a vocabulary of printable letters."""
    shutil.copytree(frozen.GPT2, folder, dirs_exist_ok=True)
    letters = [chr(code) for code in range(33, 127)]
    entries = [*letters, "Ġ", "Th", "Ġy"]
    (folder / "vocab.json").write_text(json.dumps({entry: i for i, entry in enumerate(entries)}), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\nT h\nĠ y\n", "utf-8")
    return folder


def minilm_folder(folder: Path) -> Path:
    """Copy the tiny MiniLM and give it a vocabulary of a few words, and a padding that must not show."""
    shutil.copytree(frozen.MINILM, folder, dirs_exist_ok=True)
    inner = Tokenizer(WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    inner.normalizer = normalizers.Lowercase()
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    inner.enable_padding(length=20)
    inner.enable_truncation(4)
    inner.save(str(folder / "tokenizer.json"))
    return folder
