"""Hold the labels of lessons against their source: the same keys, the same values, nothing left in Chinese."""

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from ..markdown.han import HAN
from ..markdown.numbers import PLACE
from . import untranslated
from .report import ERROR, NOTE, Finding, join_items
from .site import Site

type Texts = dict[str, tuple[str, int]]  # by key, as in plot.rows[2]: a text and its line


def check(site: Site, lessons: set[str] | None = None) -> Iterator[Finding]:
    """All findings about the labels, of these lessons or of all."""
    folder = site.docs / "labels"
    for path in sorted((folder / site.source).glob("*.yml")):
        for language in site.others:
            ours = folder / language / path.name
            if lessons is not None and path.stem not in lessons:
                continue
            if ours.exists():
                yield from compare(site, path, ours, language)
            else:
                weight = ERROR if site.languages[language].complete else NOTE
                expected = f"the labels of docs/labels/{site.source}/{path.name}"
                yield Finding(site.name(ours), 1, "", "labels", expected, "no such file", weight)
    for language in site.others:
        for ours in sorted((folder / language).glob("*.yml")):
            if not (folder / site.source / ours.name).exists():
                expected = f"a file docs/labels/{site.source}/{ours.name}"
                yield Finding(site.name(ours), 1, "", "labels", expected, "none; rename it, or delete it")


def compare(site: Site, source: Path, ours: Path, language: str) -> Iterator[Finding]:
    """The first fault of each label: it is missing, too many, lacks a value, or has not been translated."""
    theirs, mine = texts(site, source), texts(site, ours)
    for key in theirs.keys() - mine.keys():
        expected = f"{key}, which {site.name(source)}:{theirs[key][1]} has"
        yield Finding(site.name(ours), 1, key, "labels", expected, "no such key")
    for key, (text, line) in mine.items():
        if key not in theirs:
            yield Finding(site.name(ours), line, key, "labels", f"no key that {site.name(source)} lacks", key)
            continue
        required, present = (sorted(set(PLACE.findall(one))) for one in (theirs[key][0], text))
        if required != present:
            yield Finding(site.name(ours), line, key, "labels", join_items(required), join_items(present))
        if untranslated.applies(language) and is_left(text, theirs[key][0]):
            expected = "a translation; Chinese only where the text talks about it"
            yield Finding(site.name(ours), line, key, "untranslated", expected, f"“{text}”")


def is_left(text: str, source: str) -> bool:
    """Whether a label is mostly Chinese, other than short words that the source has too."""
    letters = re.findall(r"\w", PLACE.sub("", text))
    runs = re.findall(f"(?:{HAN})+", text)
    words = all(len(run) <= 2 and run in source for run in runs) and not re.search(f"[{untranslated.MARKS}]", text)
    return not words and 2 * sum(map(len, runs)) > len(letters)


def texts(site: Site, path: Path) -> Texts:
    """Every text of a file by its key."""
    result: Texts = {}

    def collect(node: yaml.Node | None, key: str) -> None:
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                collect(value, f"{key}.{name.value}".lstrip("."))
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                collect(value, f"{key}[{index}]")
        elif node is not None:
            result[key] = (str(node.value), node.start_mark.line + 1)

    collect(yaml.compose(site.text(path), Loader=yaml.SafeLoader), "")
    return result
