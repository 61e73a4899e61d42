"""Our byte-pair encoding cuts texts as the `tokenizers` library does."""

import random

import pytest

from attention.models.bpe import BytePairs, kinds_of, runs
from attention.models.tokens import LETTERS, byte_level_bpe

MERGES = [("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("a", "n"), ("an", "d"), ("å", "¥"), ("Ġ", "Ġ"), ("1", "2"), ("'", "t")]
ENTRIES = [letter for letter, byte in LETTERS.items() if byte != 0x1D]
ENTRIES += ["".join(pair) for pair in MERGES]
TEXTS = [
    "the theatre and  the\n\n hand ", "I can't, 42! 'S we'll", "苹果发布了新款 iPhone 12。", "é ½ ² ١ Ⅷ ﬁ ñ", "", " ",
    "\t x", "😀👨‍👩‍👧 ☺\ufe0f", "a\u00a0b\u3000c\u2028d", "\x1c\x1d a", "  12  the", "e\u0301 n\u0303",
]  # fmt: skip


def random_texts() -> list[str]:
    rng = random.Random(0)
    characters = "the and12 \n\t'sé苹½\u3000!_" + "".join(map(chr, range(0x20, 0x250)))
    return ["".join(rng.choices(characters, k=rng.randint(1, 30))) for _ in range(500)]


@pytest.fixture(scope="module", name="ours")
def bpe() -> BytePairs:
    return BytePairs(tuple(ENTRIES), {pair: rank for rank, pair in enumerate(MERGES)})


def test_texts_are_cut_and_put_together_as_by_the_library(ours: BytePairs) -> None:
    library = byte_level_bpe({entry: i for i, entry in enumerate(ENTRIES)}, MERGES, single_digits=True)
    texts = TEXTS + random_texts()
    assert [text for text in texts if ours.encode(text) != library.encode(text)] == []
    assert [text for text in texts if ours.decode(ours.encode(text)) != text.replace("\x1d", "")] == []


def test_runs_put_together_are_the_text() -> None:
    assert [text for text in TEXTS if "".join(runs(text)) != text or len(kinds_of(text)) != len(text)] == []


def test_a_token_that_is_no_letters_is_its_own_text_and_one_beyond_the_vocabulary_is_refused() -> None:
    ours = BytePairs(("a", "中"), {})
    assert ours.decode([0, 1]) == "a中"
    with pytest.raises(ValueError, match="id 2 is not in the vocabulary of 2 tokens"):
        ours.bytes_of(2)
