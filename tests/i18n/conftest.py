"""A small site of three pages in three languages, to break in one place at a time."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sitekit.i18n.command import main
from tests.conftest import TINY_LESSON

PAGE = {
    "zh": """\
---
title: 首页
---

开头的一句。

# 注意力 { #home }

两个词元（token），得 98.2 %，见[第二页](two.md#second)，写成 `softmax(x)`。
这一行接着上一行。

- 一
- 二

```cell show="output"
tiny.table
```

!!! note "提示"
    盒子里的一句。

## 权重 { #weights }

| a | b |
|---|---|
| 1 | 2 |

权重（weights）共有 1.2 亿个。
""",
    "en": """\
---
title: Home
---

A line to begin with.

# Attention { #home }

Two tokens, with 98.2 %, see [page two](two.md#second), written `softmax(x)`. This goes
on.

- one
- two

```cell show="output"
tiny.table
```

!!! note "A hint"
    A line inside a box.

## Weights { #weights }

| a | b |
|---|---|
| 1 | 2 |

There are 120 million weights.
""",
}
SECOND = {
    "zh": "# 第二页 { #two }\n\n## 第二 { #second }\n\n文字。\n",
    "en": "# Two { #two }\n\n## Second { #second }\n\nText.\n",
}
GLOSSARY = """\
token: {zh: 词元, en: token, avoid: {zh: [令牌]}, means: {zh: 一小段, en: a piece}}
weights: {zh: 权重, en: weights, avoid: {en: [coefficients]}, means: {zh: 份额, en: shares}}
softmax: {zh: softmax, en: softmax, keep: true, means: {zh: 份额, en: shares}}
"""


def language(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "site_name": name,
        "site_description": name,
        "search": ["en"],
        "parts": {},
        "labels": {},
        "run": {},
        "lab": {},
        "microscope": {},
    }


class Fixture:
    """The site, and the tool run on it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self.capsys = root, capsys

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        self.capsys.readouterr()
        code = main(list(arguments), self.root)
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def findings(self, *arguments: str) -> list[dict[str, Any]]:
        """The errors of `check`."""
        return [one for one in json.loads(self.run("check", "--json", *arguments)[1]) if one["weight"] == "error"]

    def bless(self, page: str, language: str = "en") -> None:
        """Accept a page with whatever is wrong on it, which the command refuses to do."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sitekit.i18n.accept.refuse_errors", lambda *arguments: None)
            assert self.run("accept", page, "--lang", language, "--by", "Ann")[0] == 0

    def status(self, language: str = "en") -> dict[str, dict[str, Any]]:
        rows = json.loads(self.run("status", "--lang", language, "--json")[1])
        return {row["page"]: row for row in rows}

    def path(self, page: str) -> Path:
        return self.root / "docs" / page

    def change(self, page: str, text: str, instead: str) -> None:
        content = self.path(page).read_text("utf-8")
        assert content.count(text) == 1, content
        self.path(page).write_text(content.replace(text, instead), "utf-8")

    def commit(self) -> None:
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
            subprocess.run(
                ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *command], cwd=self.root, check=True
            )


@pytest.fixture
def site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Fixture:
    """Chinese, English with every section accepted, and French without a page."""
    docs = tmp_path / "docs"
    languages = {
        "zh": language("中文") | {"glosses": True},
        "en": language("English") | {"complete": True},
        "fr": language("Français"),
    }
    for code in languages:
        (docs / code).mkdir(parents=True)
    (docs / "languages.yml").write_text(yaml.safe_dump(languages, allow_unicode=True, sort_keys=False), "utf-8")
    (docs / "glossary.yml").write_text(GLOSSARY, "utf-8")
    lessons = tmp_path / "snippets" / "lessons"
    lessons.mkdir(parents=True)
    others = "".join(f"\n# %% {name}\n1\n" for name in ("other", "a", "b"))
    (lessons / "tiny.py").write_text(TINY_LESSON + others, "utf-8")
    for code in ("zh", "en"):
        (docs / code / "index.md").write_text(PAGE[code], "utf-8")
        (docs / code / "two.md").write_text(SECOND[code], "utf-8")
    fixture = Fixture(tmp_path, capsys)
    assert fixture.run("accept", "--all", "--lang", "en", "--by", "Ann", "--origin", "human")[0] == 0
    return fixture


Broken = Callable[[Fixture], None]
