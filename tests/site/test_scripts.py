"""Every script that a page offers runs in an environment with NumPy alone, and prints what the page shows."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from sitekit.languages import languages
from sitekit.lessons import execute
from sitekit.markdown.fence import TEXT_BY_LANGUAGE, script_path
from sitekit.markdown.page import FENCE
from tests.conftest import Built

LESSONS = [path.stem for path in execute.lesson_scripts()]
# Runs each script named on standard input; imports nothing but NumPy and the standard library.
RUNNER = """\
import contextlib, io, json, runpy, sys
class NumPyAlone:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in {"numpy", *sys.argv[1:], *sys.stdlib_module_names}:
            raise ModuleNotFoundError(f"{name}: there is nothing here but NumPy", name=top)
sys.meta_path.insert(0, NumPyAlone())
printed = {}
for path in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        runpy.run_path(path, run_name="__main__")
    printed[path] = out.getvalue()
print(json.dumps(printed))
"""


@pytest.fixture(scope="module")
def lessons() -> dict[str, NotebookNode]:
    return execute.execute_all(execute.lesson_scripts())


def scripts(built: Built, language: str) -> list[Path]:
    return sorted((built.folder / languages()[language].prefix / "scripts").rglob("*.py"))


def visible_text(lesson: NotebookNode, cell: str, language: str) -> str:
    """What a page shows of a cell, as text."""
    (outputs,) = [one.outputs for one in lesson.cells if one.metadata.name == cell]
    return "".join(text(out, language) for out in outputs)


def text(out: Any, language: str) -> str:
    if out.output_type == "stream":
        return str(out.text)
    return str(out.data.get(TEXT_BY_LANGUAGE, {}).get(language, out.data["text/plain"])) + "\n"


def references(language: str) -> list[tuple[str, str, str]]:
    """Every fence of the pages: page, reference, options."""
    return [
        (page.stem, fence["body"].strip(), fence["options"])
        for page in languages()[language].docs.rglob("*.md")
        for fence in FENCE.finditer(page.read_text("utf-8"))
    ]


def test_each_code_on_a_page_has_its_script(built: Built) -> None:
    for language in languages():
        here = built.folder / languages()[language].prefix
        required = {here / script_path(ref) for _, ref, options in references(language) if "output" not in options}
        required |= {here / "scripts" / f"{slug}.py" for slug in LESSONS}
        assert {path for path in scripts(built, language) if not path.name.endswith(".pip.py")} == required


def printed(paths: list[str], *allowed: str) -> dict[str, str]:
    """Run the scripts in a process where, beside the standard library, only NumPy and what is named can be imported."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUNNER, *allowed],
        input=json.dumps(paths),
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def expected(lessons: dict[str, NotebookNode], language: str, folder: list[str], name: str) -> str:
    """What the page shows of the cell, or, for a chapter's script, of all its cells; package source shows nothing."""
    if folder[:1] == ["attention"]:
        return ""
    if folder:
        return visible_text(lessons[folder[0]], name, language)
    on_page = {
        ref.partition(".")[2] for page, ref, _ in references(language) if ref.startswith(f"{name}.") and page == name
    }
    cells = [one.metadata.name for one in lessons[name].cells if one.metadata.name in on_page]
    return "".join(visible_text(lessons[name], cell, language) for cell in cells)


@pytest.fixture(scope="module")
def printed_by_path(built: Built) -> dict[Path, str]:
    """What each script prints; two that differ in nothing but lines of comment, as languages do, are run as one."""
    every = [path for language in languages() for path in scripts(built, language) if ".pip" not in path.suffixes]
    programs = {path: re.sub(r"^\s*#.*\n", "", path.read_text("utf-8"), flags=re.M) for path in every}
    first = {program: path for path, program in reversed(programs.items())}
    texts = printed(sorted(map(str, first.values())))
    return {path: texts[str(first[program])] for path, program in programs.items()}


@pytest.mark.parametrize("language", languages())
def test_the_scripts_of_one_chapter_run_with_numpy_alone_and_print_what_the_page_shows(
    built: Built, lessons: dict[str, NotebookNode], language: str
) -> None:
    """One chapter for every day; below come all."""
    here = built.folder / languages()[language].prefix / "scripts"
    paths = [here / "by-hand.py", *(here / "by-hand").glob("*.py")]
    for path, text in printed([str(path) for path in paths if ".pip" not in path.suffixes]).items():
        *folder, name = Path(path).relative_to(here).with_suffix("").parts
        assert text.split() == expected(lessons, language, folder, name).split(), path


@pytest.mark.thorough
@pytest.mark.parametrize("language", languages())
def test_it_runs_with_numpy_alone_and_prints_what_the_page_shows(
    built: Built, lessons: dict[str, NotebookNode], printed_by_path: dict[Path, str], language: str
) -> None:
    here = built.folder / languages()[language].prefix / "scripts"
    paths = [path for path in printed_by_path if path.is_relative_to(here)]
    assert len(paths) > len(LESSONS)
    for path in paths:
        *folder, name = path.relative_to(here).with_suffix("").parts
        assert printed_by_path[path].split() == expected(lessons, language, folder, name).split(), path


@pytest.mark.thorough
def test_with_the_package_installed_it_is_short_and_prints_the_same(
    built: Built, lessons: dict[str, NotebookNode]
) -> None:
    paths = [
        str(path)
        for path in scripts(built, "en")
        if path.name.endswith(".pip.py") and "scripts/attention/" not in path.as_posix()
    ]
    for path, stdout in printed(paths, "attention", "lessonkit").items():
        text = Path(path).read_text("utf-8")
        assert "Array = NDArray" not in text
        assert text.startswith("# pip install http") or "from attention" not in text
        required = expected(lessons, "en", [Path(path).parent.name], Path(path).name.removesuffix(".pip.py"))
        assert stdout.split() == required.split(), path


@pytest.mark.parametrize("language", languages())
def test_it_is_tidy(built: Built, language: str) -> None:
    for path in scripts(built, language):
        code = path.read_text("utf-8")
        assert not any(mark in code for mark in (">>>", "\u200b", "\ufeff", "\xa0", "# %%")), path
        body = ast.parse(code).body
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        assert body[: len(imports)] == imports, f"{path}: imports stand at the top"
