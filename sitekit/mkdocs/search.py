"""What the search knows of a chapter besides its text: the terms that it explains, and what readers call them."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import yaml

from ..paths import DOCS
from ..reference.glossary import concepts


def words(chapter: str, codes: Iterable[str]) -> list[str]:
    """Names of the chapter's terms in every language, what not to write instead of them, and docs/search.yml.

    Each word comes once, and one that is a term of another chapter leads there alone: "attention", in the names of
    three kinds of attention, does not.
    """
    codes = list(codes)
    explained = {code: names_of_terms(code) for code in codes}
    names = [name for code in codes for name, where in explained[code].items() if where == chapter]
    others = yaml.safe_load((DOCS / "search.yml").read_text("utf-8")).get(chapter, {})
    names += [name for code in codes for name in others.get(code, [])]
    single = dict.fromkeys(word.lower() for name in names for word in re.split(r"[\s-]+", name))
    return [word for word in single if all(explained[code].get(word, chapter) == chapter for code in codes)]


def names_of_terms(code: str) -> dict[str, str]:
    """What the terms of the glossary are called in a language, good names and bad ones, and who explains them."""
    result = {}
    for concept in concepts().values():
        for name in [concept.get(code), *(concept.get("avoid") or {}).get(code, [])]:
            if name and "chapter" in concept:
                result[name] = concept["chapter"]
    return result


def trim(index: Path) -> None:
    """Keep a page's words with the page alone; Material repeats them for each of its sections."""
    entries = json.loads(index.read_text("utf-8"))
    for place in entries["docs"]:
        if "#" in place["location"]:
            place.pop("tags", None)
    index.write_text(json.dumps(entries, ensure_ascii=False, separators=(",", ":")), "utf-8")
