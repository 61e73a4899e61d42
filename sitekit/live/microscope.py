"""What the microscope asks of the model: a sentence read, a word hidden, two words compared.

Works in the reader's browser, and in CPython for the tests. Names of parts and bytes come in; JSON and arrays go out.
"""

import inspect
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention.checks import Array
from attention.models.trace import Outline, Trace
from attention.models.unigram import SPACE, Unigram

from .parts import MOST_TOKENS, Joined, PartialE5, is_known

SHOWN = ("embeddings", "hidden", "weights", "scores")  # of a trace
BLANK = "␣"  # how a token that is nothing but a space is shown
MOST_NAMED = 8  # characters that a message lists


class Problem(Exception):  # noqa: N818 - not a fault of the program: something to tell the reader
    """What the reader has typed cannot be read as it is: why, and what the message names."""

    def __init__(self, why: str, **named: Any) -> None:
        super().__init__(why)
        self.news = {"why": why, **named}


# --- what a script takes along: it says the same as the page because it is the same


def read(model: Any, ids: list[int], hidden: Iterable[int] = (), trace: Trace | None = None) -> Trace:
    """Let the model read; tokens that are hidden are seen by nobody but themselves."""
    sees = np.ones((len(ids), len(ids)), bool)
    sees[:, list(hidden)] = False
    np.fill_diagonal(sees, True)
    trace = {} if trace is None else trace
    model(ids, mask=sees, trace=trace)
    return trace


def states(trace: Trace) -> Array:
    """The vector of every token at the input and after each layer, [n_layers + 1, n, d_model]."""
    return np.stack(trace["embeddings"] + trace["hidden"])


def looks(trace: Trace, marked: list[int]) -> Array:
    """Where the marked tokens look in each layer, the mean of all heads, [n_layers, n]."""
    return np.stack(trace["weights"])[:, :, marked].mean(axis=(1, 2))


def cosine(a: Array, b: Array) -> Array:
    """The cosine of vectors that belong together, [..., d], [..., d] -> [...]."""
    return (a * b).sum(axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


TAKEN: tuple[Callable[..., Any], ...] = (read, states, looks, cosine)


# --- sentences


@dataclass(frozen=True)
class Sentence:
    """A sentence cut into tokens: their ids, and the text each stands for, <s> and </s> included."""

    text: str
    ids: list[int]
    shown: list[str]
    spans: list[tuple[int, int]]  # in the normalised text
    normal: str

    def marked(self, word: str, at: int | None) -> list[int]:
        """The tokens that a word covers: the one that was touched, else the first place where the word stands."""
        wanted = word.strip()
        if at is not None and 0 < at < len(self.ids) - 1 and wanted in ("", self.shown[at]):
            return [at]
        if not wanted:
            return [next((i for i in range(1, len(self.ids) - 1) if self.shown[i] != BLANK), 1)]
        if not (place := find_word(self.normal, wanted.replace(" ", SPACE))):
            return []
        begin, end = place
        return [i for i, (a, b) in enumerate(self.spans) if a < end and b > begin and a < b]

    def text_of(self, tokens: list[int]) -> str:
        """What tokens that stand together are in the sentence."""
        begin, end = self.spans[tokens[0]][0], self.spans[tokens[-1]][1]
        return self.normal[begin:end].replace(SPACE, " ").strip() or BLANK


LATIN = "A-Za-z0-9\u00c0-\u024f"


def find_word(text: str, word: str) -> tuple[int, int] | None:
    """Where a word begins and ends: Latin letters as a whole word, and if need be in other capitals."""
    before = f"(?<![{LATIN}])" if re.match(f"[{LATIN}]", word) else ""
    after = f"(?![{LATIN}])" if re.search(f"[{LATIN}]$", word) else ""
    pattern = before + re.escape(word) + after
    found = re.search(pattern, text) or re.search(pattern, text, re.IGNORECASE)
    return found.span() if found else None


def named(character: str) -> str:
    """A character as a message shows it."""
    return character if character.isprintable() else f"U+{ord(character):04X}"


def cut_sentence(tokenizer: Unigram, text: str, number: int = 0) -> Sentence:
    """Cut a text into tokens, or say what is wrong with it."""
    text = unicodedata.normalize("NFC", text)
    normal = tokenizer.normalise(text)
    if not normal.replace(SPACE, ""):
        raise Problem("empty", sentence=number)
    if strangers := sorted({character for character in normal if not is_known(character)}):
        raise Problem("strangers", sentence=number, characters=" ".join(map(named, strangers[:MOST_NAMED])))
    spans, at, last = [(0, 0)], 0, -1
    for token in tokenizer.likeliest(normal):
        width = 1 if token == tokenizer.unknown else len(tokenizer.piece(token))
        if token == last == tokenizer.unknown:  # unknown characters in a row are one token
            spans[-1] = (spans[-1][0], at + width)
        else:
            spans.append((at, at + width))
        at, last = at + width, token
    ids = tokenizer.encode(text)
    if len(ids) - 2 > MOST_TOKENS:
        raise Problem("long", sentence=number, tokens=len(ids) - 2, most=MOST_TOKENS)
    shown = [normal[a:b].replace(SPACE, " ").strip() or BLANK for a, b in spans[1:]]
    ends = [tokenizer.piece(tokenizer.start), tokenizer.piece(tokenizer.end)]
    return Sentence(text, ids, [ends[0], *shown, ends[1]], [*spans, (at, at)], normal)


class Encoder:
    """The microscope of sentences: a model that comes in parts, and what it has read last."""

    def __init__(self) -> None:
        self.first: dict[str, bytes] = {}
        self.joined: Joined | None = None
        self.whole: dict[tuple[int, ...], Trace] = {}  # sentences with nothing hidden, the last two

    def take(self, name: str, data: bytes) -> None:
        """Take one part of the model: sizes and vocabulary before the others."""
        if self.joined:
            self.joined.take(name, data)
            return
        self.first[name] = data
        if self.first.keys() == {"sizes", "vocabulary"}:
            self.joined = Joined(**self.first)
            self.first.clear()

    @property
    def model(self) -> PartialE5:
        assert self.joined, "a question came before the parts of the model"
        return self.joined.model

    def sentences(self, asked: dict[str, Any]) -> list[Sentence]:
        return [cut_sentence(self.model.tokenizer, text, i) for i, text in enumerate(asked["texts"])]

    def needed(self, asked: dict[str, Any]) -> dict[str, list[tuple[int, str]]]:
        """The parts of the word table that have not come: of which sentences they hold which tokens."""
        parts: dict[str, list[tuple[int, str]]] = {}
        for number, sentence in enumerate(self.sentences(asked)):
            for token, text in zip(sentence.ids, sentence.shown, strict=True):
                if part := self.model.words.lacks(token):
                    parts.setdefault(part, []).append((number, text))
        return parts

    def read(self, ids: list[int], hidden: Iterable[int] = ()) -> Trace:
        """What the page shows of a reading; the rest would take three times the memory."""
        layers = range(self.model.n_layers)
        return read(self.model, ids, hidden, Outline({(name, layer) for name in SHOWN for layer in layers}))

    def trace_whole(self, ids: list[int]) -> Trace:
        """What the model makes of a sentence with nothing hidden; it has often been read already."""
        key = tuple(ids)
        trace = self.whole.pop(key, None) or self.read(ids)
        self.whole = dict([*self.whole.items(), (key, trace)][-2:])
        return trace

    def answer(self, asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
        """Read one sentence or two.

        `asked` holds for each sentence its `texts`, `words` (the marked one), `at` (the token touched, or none) and
        `hidden` tokens.
        """
        told: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {}
        now, before = [], []
        for i, sentence in enumerate(self.sentences(asked)):
            if not (marked := sentence.marked(asked["words"][i], asked["at"][i])):
                raise Problem("missing", sentence=i, word=asked["words"][i].strip())
            hidden = [token for token in asked["hidden"][i] if 0 <= token < len(sentence.ids)]
            whole = self.trace_whole(sentence.ids)
            trace = self.read(sentence.ids, hidden) if hidden else whole
            now.append(states(trace)[:, marked].mean(axis=1))
            before.append(states(whole)[:, marked].mean(axis=1))
            arrays |= {f"{name}{i}": np.stack(trace[name]) for name in ("weights", "scores")}
            if hidden:
                arrays[f"before{i}"] = np.stack(whole["weights"])
            told.append({
                "tokens": sentence.shown,
                "ids": sentence.ids,
                "unknown": [i for i, token in enumerate(sentence.ids) if token == self.model.tokenizer.unknown],
                "marked": marked,
                "word": sentence.text_of(marked),
                "hidden": hidden,
                "looks": rounded(looks(trace, marked)),
                "looks_before": rounded(looks(whole, marked)),
                "same": rounded(cosine(states(trace), states(whole))) if hidden else None,
            })  # fmt: skip
        pair = {"cosine": rounded(cosine(*now)), "cosine_before": rounded(cosine(*before))} if len(told) == 2 else {}
        sizes = {"n_layers": self.model.n_layers, "n_heads": self.model.n_heads}
        sizes["d_head"] = now[0].shape[-1] // self.model.n_heads
        return {"sentences": told, "sizes": sizes, **pair, "script": script(asked, told)}, arrays


SCRIPT = """\
# {titles}
from collections.abc import Iterable
from typing import Any

import numpy as np

from attention.checks import Array
from attention.models import E5
from attention.models.trace import Trace


{functions}


model = E5.load()
vectors = []
for text, marked, hidden in {rows}:
    ids = model.tokenizer.encode(text)
    trace = read(model, ids, hidden)
    vectors.append(states(trace)[:, marked].mean(axis=1))
    print(text, [model.tokenizer.show(ids[i]) for i in marked])
    for layer, row in enumerate(looks(trace, marked)):
        print(f"layer {{layer}} looks most at {{model.tokenizer.show(ids[row.argmax()])}}, {{row.max():.1%}}")
if len(vectors) == 2:
    print("cosine at the input and after each layer:", cosine(*vectors).round(3).tolist())
"""


def script(asked: dict[str, Any], told: list[dict[str, Any]]) -> str:
    """The same in Python, for the reader's own machine, by the same functions."""
    rows = [(text, one["marked"], one["hidden"]) for text, one in zip(asked["texts"], told, strict=True)]
    titles = " / ".join(text if text.isprintable() else ascii(text) for text in asked["texts"])
    functions = "\n\n".join(map(inspect.getsource, TAKEN)).strip()
    return SCRIPT.format(titles=titles, functions=functions, rows=rows)


def rounded(values: Array) -> Any:
    """Numbers as JSON, with more digits than anybody is shown."""
    return np.round(values.astype(np.float64), 6).tolist()
