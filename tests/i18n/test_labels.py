"""The labels of lessons are translated like pages: the same keys and values, nothing left in Chinese."""

from pathlib import Path

import pytest

from sitekit.i18n import labels
from sitekit.i18n.report import ERROR, NOTE
from sitekit.i18n.site import Site
from sitekit.languages import languages

ZH = "plot:\n  caption: 分数，{n} 个\n  rows: [高, 低]\nword: 苹果\n"
EN = "plot:\n  caption: scores, {n} of them\n  rows: [high, low]\nword: 苹果\n"


def findings(root: Path, zh: str, en: str | None, complete: bool = True) -> list[tuple[str, int, str, str]]:
    known = languages()
    known["en"] = known["en"].__class__(**{**vars(known["en"]), "complete": complete})
    for code, text in (("zh", zh), ("en", en)):
        (root / "docs" / "labels" / code).mkdir(parents=True, exist_ok=True)
        if text is not None:
            (root / "docs" / "labels" / code / "one.yml").write_text(text, "utf-8")
    return [(one.file, one.line, one.section, one.weight) for one in labels.check(Site(root, languages=known))]


def test_the_same_keys_and_values_are_fine(tmp_path: Path) -> None:
    assert findings(tmp_path, ZH, EN) == []


@pytest.mark.parametrize(
    ("right", "wrong", "line", "key"),
    [
        ("  rows: [high, low]\n", "  rows: [high]\n", 1, "plot.rows[1]"),
        ("word: 苹果\n", "", 1, "word"),
        ("word:", "other: 1\nword:", 4, "other"),
        ("{n} of them", "some", 2, "plot.caption"),
        ("scores, {n} of them", "分数，{n} 个", 2, "plot.caption"),
        ("high", "很高的", 3, "plot.rows[0]"),
    ],
    ids=["row", "missing", "extra", "value", "untranslated", "Chinese"],
)
def test_a_label_that_differs_is_named_with_file_line_and_key(
    tmp_path: Path, right: str, wrong: str, line: int, key: str
) -> None:
    assert right in EN
    assert findings(tmp_path, ZH, EN.replace(right, wrong)) == [("docs/labels/en/one.yml", line, key, ERROR)]


@pytest.mark.parametrize(("complete", "weight"), [(True, ERROR), (False, NOTE)])
def test_a_file_that_is_missing_is_an_error_in_a_complete_language(tmp_path: Path, complete: bool, weight: str) -> None:
    assert findings(tmp_path, ZH, None, complete) == [("docs/labels/en/one.yml", 1, "", weight)]


def test_a_file_without_a_source_is_named(tmp_path: Path) -> None:
    (tmp_path / "docs" / "labels" / "en").mkdir(parents=True)
    (tmp_path / "docs" / "labels" / "en" / "two.yml").write_text("a: b\n", "utf-8")
    assert findings(tmp_path, ZH, EN) == [("docs/labels/en/two.yml", 1, "", ERROR)]
