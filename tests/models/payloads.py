"""What figures need of the recording `e5`, packed small: the recordings `e5_zh`, `e5_en`, `e5_map` and `e5_heads`.

Numbers are packed into strings: shares in hundredths, a letter each; in base64, readings in hundredths and shares head
by head in thousandths, two bytes each, and dots in fiftieths, one byte each. Layers go from 1 to the last. Set i of
hidden words is i in binary digits: the first word is the highest digit, and the word that is read has none.
"""

import base64
from typing import Any

import numpy as np

from tests.models.recorded import Array, Recording, read

FIRST_LETTER = ord("#")
SHARE, READING, DOT, HEAD_SHARE = 100, 100, 50, 1000  # steps to 1
LARGEST_DOT = 127 / DOT
ABOUT = ("model", "package", "weights", "n_layers", "trusted from")


def pack_shares(shares: Array) -> str:
    r"""Return shares from 0 to 0.9 as letters, from # on, without the backslash."""
    steps = np.rint(shares * SHARE).astype(int).ravel()
    return "".join(chr(FIRST_LETTER + step + (FIRST_LETTER + step >= ord("\\"))) for step in steps)


def unpack_shares(letters: str) -> Array:
    """Return the shares that were packed, one after the other."""
    codes = np.array([ord(letter) for letter in letters])
    return (codes - (codes > ord("\\")) - FIRST_LETTER) / SHARE


def pack_readings(readings: Array) -> str:
    """Return readings as int16 hundredths."""
    return base64.b64encode(np.rint(readings * READING).astype("<i2").tobytes()).decode()


def unpack_readings(text: str) -> Array:
    """Return the readings that were packed, one after the other."""
    return np.frombuffer(base64.b64decode(text), "<i2") / READING


def pack_dots(readings: Array) -> str:
    """Return readings as int8 fiftieths; what lies beyond ±2.54 is put there."""
    inside = np.clip(readings, -LARGEST_DOT, LARGEST_DOT)
    return base64.b64encode(np.rint(inside * DOT).astype(np.int8).tobytes()).decode()


def unpack_dots(text: str) -> Array:
    """Return the dots that were packed, one after the other."""
    return np.frombuffer(base64.b64decode(text), np.int8) / DOT


def language_payload(language: str) -> Recording:
    """Return what the figure of the needle needs in one language.

    sentences[i].readings is [layers, sets], .arcs [layers, words, sets]; dots.fruit and dots.company [layers,
    sentences], each sentence read by a ruler made without its group.
    """
    recording = read("e5")
    facts, arrays = recording.facts[language], recording.arrays
    dots = arrays[f"left out/{language}"][..., 1:]  # [senses, sentences, layers]
    return Recording(
        {name: recording.facts[name] for name in ABOUT}
        | {
            "word": facts["word"],
            "right": [round(right, 2) for right in facts["rulers"]["right"][1:]],
            "trusted": facts["rulers"]["trusted"][1:],
            "sentences": [sentence(recording, language, name) for name in facts["shown"]],
            "measured": [
                {"text": one["text"], "reading": [round(value, 2) for value in one["reading"][1:]]}
                for one in facts["measured"].values()
            ],
            "dots": {"fruit": pack_dots(dots[0].T), "company": pack_dots(dots[1].T)},
        }
    )


def sentence(recording: Recording, language: str, name: str) -> dict[str, Any]:
    """Return one sentence with the readings and arcs for every set of hidden words."""
    words = recording.facts[language]["shown"][name]["words"]
    readings = recording.arrays[f"readings/{language}/{name}"][:, 1:]  # [sets, layers]
    arcs = recording.arrays[f"arcs/{language}/{name}"]  # [sets, layers, words]
    return {
        "name": name,
        "words": words,
        "at": [word.strip() for word in words].index(recording.facts[language]["word"]),
        "readings": pack_readings(readings.T),
        "arcs": pack_shares(arcs.transpose(1, 2, 0)),
    }


def map_payload() -> Recording:
    """Return the map of two languages: [layers, senses, sentences, 2], by the Chinese ruler and by the English one."""
    recording = read("e5")
    points = {name: recording.arrays[f"map/{name}"][:, :, 1:] for name in ("zh", "en")}
    about = {name: recording.facts[name] for name in ABOUT}
    alike = recording.facts["across languages"]["cosine of the rulers"][1:]
    packed = {name: pack_dots(one.transpose(2, 0, 1, 3)) for name, one in points.items()}
    return Recording(about | {"cosine of the rulers": [round(value, 2) for value in alike], "points": packed})


def heads_payload() -> Recording:
    """Return whom 苹果 looks at in two sentences: sentences[i].shares is [layers, heads, tokens]."""
    recording = read("e5")
    about = {name: recording.facts[name] for name in (*ABOUT[:-1], "n_heads")}
    return Recording(about | {"sentences": [looks(recording, name) for name in ("bought", "released")]})


def looks(recording: Recording, name: str) -> dict[str, Any]:
    """Return the tokens of a sentence, and the shares that 苹果 gives them in each head."""
    tokens = [piece.strip("▁") or "▁" for piece in recording.facts["zh"]["shown"][name]["pieces"]]
    at = tokens.index(recording.facts["zh"]["word"])
    shares = recording.arrays[f"weights/{name}"][:, :, at].astype(float)
    packed = base64.b64encode(np.rint(shares * HEAD_SHARE).astype("<i2").tobytes()).decode()
    return {"name": name, "words": tokens, "at": at, "shares": packed}
