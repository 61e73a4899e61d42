"""Characters that are invisible, or that only look like the right ones."""

import re
import unicodedata
from collections.abc import Iterator

# Zero width, marks and isolates of direction, joiners, a byte order mark inside a text, soft hyphens, fillers, tags,
# controls; Kangxi radicals.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f\u2f00-\u2fdf]"
)
JOINER = "\u200d"
# What an emoji may end in before it is joined to the next: itself, a variation selector, a tone of skin.
PICTURES = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")
WORD = re.compile(r"[^\W\d_]+")
# Greek letters that look like Latin ones; all of Cyrillic is foreign to a Latin word.
LIKE_LATIN = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορυχϳϲϹͿ")


def mixed(text: str) -> Iterator[tuple[int, str, str]]:
    """Letters of another script inside a word of Latin letters: line, what should stand there and what does."""
    for number, line in enumerate(text.split("\n"), 1):
        for match in WORD.finditer(line):
            if re.search("[A-Za-z]", match[0]):
                for character in filter(is_foreign, match[0]):
                    name = f"U+{ord(character):04X} {unicodedata.name(character)}"
                    yield number, "letters of one script in a word", f"{name} in “{match[0]}”"


def is_foreign(character: str) -> bool:
    return character in LIKE_LATIN or "\u0400" <= character <= "\u052f"


def unseen(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, what should stand there and what does; emoji may be joined."""
    for number, line in enumerate(text.split("\n"), 1):
        for match in UNSEEN.finditer(line):
            character, place = match[0], match.start()
            around = line[max(0, place - 1) : place] + "|" + line[place + 1 : place + 2]
            if character == JOINER and len(around) == 3 and all(map(PICTURES.match, (around[0], around[2]))):
                continue
            usual = unicodedata.normalize("NFKC", character)
            radical = unicodedata.category(character) == "So"
            required = f"{usual} (U+{ord(usual):04X})" if radical else "no invisible character"
            name = unicodedata.name(character, "a control character")
            yield number, required, f"U+{ord(character):04X} {name}, in column {place + 1}"
