"""The labels of a lesson, which are no part of its code: docs/labels holds a file for each language and lesson."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from .labels import Label

Entries = Mapping[str, Any]  # by key: a text, a list of texts, or a mapping of these
BUNDLED: dict[str, dict[str, Any]] = {}  # lesson -> language -> entries, where there are no files: browser, notebook


class LabelError(LookupError):
    """A label is missing; the message names file and key."""


class Labels:
    """The labels of one lesson, each in every language.

    `labels("cell", n=3)` are the keyword arguments of what a cell shows, with 3, which may be a label too, for {n};
    `labels["names"]` is one entry as it stands. Raises LabelError where one language has a label that another lacks,
    or a value for it is not given.

    Examples
    --------
    >>> BUNDLED["example"] = {"zh": {"cell": {"caption": "{n} 个"}}, "en": {"cell": {"caption": "{n} of them"}}}
    >>> Labels("example")("cell", n=3)
    {'caption': {'zh': '3 个', 'en': '3 of them'}}
    """

    def __init__(self, lesson: str) -> None:
        self.lesson = lesson
        self.entries = BUNDLED[lesson] if lesson in BUNDLED else read_labels(lesson)

    def __getitem__(self, key: str) -> Any:
        """Return one entry as it stands in the files: a label, or a list or a mapping of labels."""
        return self.merge(key, {language: find_entry(entries, key) for language, entries in self.entries.items()}, None)

    def __call__(self, key: str, /, **values: Any) -> Any:
        """Return the labels of one cell, with these values in their texts."""
        parts = {language: find_entry(entries, key) for language, entries in self.entries.items()}
        return self.merge(key, parts, values)

    def merge(self, key: str, parts: dict[str, Any], values: Mapping[str, Any] | None) -> Any:
        """Return what stands under a key in all languages as one: of the same shape, with a label for each text."""
        first = next(iter(parts.values()))
        for language, part in parts.items():
            if part is None or type(part) is not type(first) or (isinstance(part, list) and len(part) != len(first)):
                languages = ", ".join(parts)
                raise LabelError(f"{self.name(language)}: {key}: it must be there, and of one shape in {languages}")
        if isinstance(first, dict):
            names = {name: None for part in parts.values() for name in part}
            return {
                name: self.merge(
                    f"{key}.{name}", {language: part.get(name) for language, part in parts.items()}, values
                )
                for name in names
            }
        if isinstance(first, list):
            rows = [dict(zip(parts, row, strict=True)) for row in zip(*parts.values(), strict=True)]
            return [self.merge(f"{key}[{index}]", row, values) for index, row in enumerate(rows)]
        texts = {language: self.fill(language, key, str(part), values) for language, part in parts.items()}
        same = len(set(texts.values())) == 1
        result: Label = next(iter(texts.values())) if same else texts
        return result

    def fill(self, language: str, key: str, text: str, values: Mapping[str, Any] | None) -> str:
        """Return the text with the values in it."""
        if values is None:
            return text
        try:
            return text.format(**{name: in_language(value, language) for name, value in values.items()})
        except (LookupError, ValueError, AttributeError) as error:
            given = ", ".join(values) or "none"
            raise LabelError(f"{self.name(language)}: {key}: {text!r} with the values {given}: {error!r}") from None

    def name(self, language: str) -> str:
        """Return the file of a language, as messages give it."""
        return f"docs/labels/{language}/{self.lesson}.yml"


def in_language(value: Any, language: str) -> Any:
    """Return what stands for a value in a text: of a label, its text in this language."""
    is_label = isinstance(value, Mapping) and isinstance(value.get(language), str)
    return value[language] if is_label else value


def find_entry(entries: Entries, key: str) -> Any:
    """Return what stands under a key, or None."""
    return entries.get(key)


def label_folder() -> Path:
    """Return where the labels are."""
    return Path(__file__).parents[2] / "docs" / "labels"


def read_labels(lesson: str) -> dict[str, Any]:
    """Return the entries of a lesson in every language that has a file for it, or refuse a lesson without any."""
    yaml = import_module("yaml")  # not there in browsers and notebooks, where labels come with the lesson
    paths = sorted(
        label_folder().glob(f"*/{lesson}.yml"), key=lambda path: (path.parent.name != "zh", path.parent.name)
    )
    if not paths:
        raise LabelError(f"docs/labels/zh/{lesson}.yml: there is no such file")
    return {path.parent.name: yaml.safe_load(path.read_text("utf-8")) or {} for path in paths}
