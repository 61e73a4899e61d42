"""The labels of a lesson: one text in each language, with values in it; what is missing is named."""

from pathlib import Path

import pytest

from lessonkit import Labels, texts
from lessonkit.texts import LabelError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for code in ("en", "zh"):
        (tmp_path / code).mkdir()
    monkeypatch.setattr(texts, "label_folder", lambda: tmp_path)
    return tmp_path


def labels(folder: Path, zh: str, en: str) -> Labels:
    (folder / "zh" / "one.yml").write_text(zh, "utf-8")
    (folder / "en" / "one.yml").write_text(en, "utf-8")
    return Labels("one")


def test_values_and_other_labels_go_into_the_texts(folder: Path) -> None:
    one = labels(
        folder,
        "a:\n  caption: '{who}：{n:.1f}'\nb: 苹果\nc: [x, 二]\n",
        "a:\n  caption: '{who}: {n:.1f}'\nb: apple\nc: [x, two]\n",
    )
    assert one["b"] == {"zh": "苹果", "en": "apple"}
    assert one("a", who=one["b"], n=2) == {"caption": {"zh": "苹果：2.0", "en": "apple: 2.0"}}
    assert one["c"] == ["x", {"zh": "二", "en": "two"}]


@pytest.mark.parametrize(
    ("zh", "en", "message"),
    [
        ("a: 一\n", "b: one\n", r"docs/labels/en/one\.yml: a: "),
        ("a: [一, 二]\n", "a: [one]\n", r"docs/labels/en/one\.yml: a: "),
        ("a: {caption: 一}\n", "a: {alt: one}\n", r"docs/labels/en/one\.yml: a\.caption: "),
        ("b: 一\n", "b: one\n", r"docs/labels/zh/one\.yml: a: "),
        ("a: 一\n", "a: '{m}'\n", r"docs/labels/en/one\.yml: a: '\{m\}' with the values n: "),
    ],
    ids=["key", "length", "part", "both", "value"],
)
def test_a_label_that_is_missing_is_named_with_its_file(folder: Path, zh: str, en: str, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        labels(folder, zh, en)("a", n=1)


def test_a_lesson_without_a_file_is_named(folder: Path) -> None:
    with pytest.raises(LabelError, match=r"docs/labels/zh/none\.yml: there is no such file"):
        Labels("none")


def test_labels_lie_in_the_repository() -> None:
    assert texts.label_folder() == Path(__file__).parents[2] / "docs" / "labels"
