"""Characters that are invisible, or that only look like the right ones."""

import re
import unicodedata
from collections.abc import Iterator

# Zero width, direction marks, word joiner, a byte order mark inside a text, the soft hyphen; Kangxi radicals.
UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff\u2f00-\u2fdf]")
JOINER = "\u200d"
# What an emoji may end in before it is joined to the next: itself, a variation selector, a tone of skin.
PICTURES = re.compile("[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff]")


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
            name = unicodedata.name(character, "ZERO WIDTH NO-BREAK SPACE")
            yield number, required, f"U+{ord(character):04X} {name}, in column {place + 1}"
