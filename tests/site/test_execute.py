"""Lessons run once per build, and again when anything they can read has changed."""

import gc
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sitekit.lessons import execute, files
from tests.conftest import ROOT, Built, build, build_small, figure


def seconds(log: str) -> str:
    return re.findall(r"Documentation built in (.*) seconds", log)[-1] + " s"


def starts(text: str) -> list[str]:
    return re.findall(r"lesson (\S+): executing", text)


def test_each_lesson_starts_one_kernel_whatever_the_number_of_languages(tiny: Path) -> None:
    (tiny / "snippets/lessons/second.py").write_text("# %% setup\nprint(1)\n", "utf-8")
    assert sorted(starts(build_small(tiny).stdout)) == ["second", "tiny"]
    assert starts(build_small(tiny).stdout) == []


@pytest.mark.thorough
def test_a_build_starts_one_kernel_for_each_lesson_it_does_not_remember_and_a_second_none(
    built: Built, tmp_path: Path
) -> None:
    assert sorted(starts(built.log)) == built.unknown
    done = build(ROOT, "--site-dir", str(tmp_path))
    assert done.returncode == 0, done.stderr
    log = done.stdout + done.stderr
    assert starts(log) == []
    figure(f"build that executes {len(built.unknown)} lessons", seconds(built.log), "all: at most 60 s, alone")
    figure("build that executes 0 lessons", seconds(log), "at most 15 s, alone")
    for page in built.pages():
        assert page.read_bytes() == (tmp_path / page.relative_to(built.folder)).read_bytes(), page


@pytest.mark.parametrize(
    "changed", ["snippets/lessons/tiny.py", "snippets/lessonkit/table.py", "snippets/data/numbers.csv"]
)
def test_a_change_of_anything_it_can_read_runs_a_lesson_again(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setattr(execute, "SNIPPETS", tiny / "snippets")
    monkeypatch.setattr(files, "LESSONS", tiny / "snippets" / "lessons")
    script = tiny / "snippets/lessons/tiny.py"
    before = execute.fingerprint(script)
    assert execute.fingerprint(script) == before
    (tiny / changed).parent.mkdir(exist_ok=True)
    with (tiny / changed).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert execute.fingerprint(script) != before


@pytest.mark.parametrize(
    "other",
    ["lessons/second.py", "lessons/.ruff_cache/0.17/1", "attention/__pycache__/a.pyc", "attention/.DS_Store"],
)
def test_another_lesson_and_what_tools_leave_behind_do_not_run_a_lesson_again(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    monkeypatch.setattr(execute, "SNIPPETS", tiny / "snippets")
    monkeypatch.setattr(files, "LESSONS", tiny / "snippets" / "lessons")
    script = tiny / "snippets/lessons/tiny.py"
    before = execute.fingerprint(script)
    (tiny / "snippets" / other).parent.mkdir(parents=True, exist_ok=True)
    (tiny / "snippets" / other).write_text("# %% setup\n", "utf-8")
    assert execute.fingerprint(script) == before


@pytest.mark.parametrize(
    "script", [script for script in files.lesson_scripts() if script.is_dir()], ids=lambda path: path.stem
)
def test_the_parts_of_a_lesson_together_use_and_define_all_their_names(script: Path) -> None:
    code = "\n".join(part.read_text("utf-8") for part in files.parts(script))
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F", "-"]
    result = subprocess.run(ruff, input=code, capture_output=True, text=True, encoding="utf-8")
    assert result.returncode == 0, result.stdout


def test_the_parts_of_a_lesson_follow_one_another_and_are_named_by_their_faults(tmp_path: Path) -> None:
    lesson = tmp_path / "long"
    lesson.mkdir()
    (lesson / "1-first.py").write_text("# %% setup\nx = 1\n", "utf-8")
    (lesson / "2-second.py").write_text("# %% more\nprint(x)\n", "utf-8")
    assert files.lesson_scripts(tmp_path) == [lesson]
    before = execute.fingerprint(lesson)
    assert execute.run(lesson).cells[1].outputs[0].text == "1\n"
    (lesson / "2-second.py").write_text("# %% more\nprint(y)\n", "utf-8")
    assert execute.fingerprint(lesson) != before
    with pytest.raises(execute.LessonError, match=r"long/2-second\.py:2: cell 'more' raised NameError"):
        execute.run(lesson)
    (lesson / "2-second.py").write_text("# %% setup\n", "utf-8")
    with pytest.raises(execute.LessonError, match=r"long/2-second\.py:1: cell name 'setup'"):
        execute.read(lesson)


def test_a_line_that_arrives_in_pieces_is_shown_in_one(tmp_path: Path) -> None:
    script = tmp_path / "pieces.py"
    script.write_text('# %% setup\nprint("q", end="", flush=True)\nprint(" agrees", flush=True)\n', "utf-8")
    (output,) = execute.run(script).cells[0].outputs
    assert output.text == "q agrees\n"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("while True:\n    pass\n", "timed out while it was being executed, after 2 seconds"),
        (
            "import os, sys\nsys.__stderr__.write('out of luck\\n')\nsys.__stderr__.flush()\nos._exit(3)\n",
            "Kernel died: out of luck",
        ),
    ],
    ids=["hangs", "dies"],
)
def test_a_lesson_that_hangs_or_kills_its_kernel_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    monkeypatch.setattr(execute, "CELL_TIMEOUT", 2)
    script = tmp_path / "hopeless.py"
    script.write_text(f"# %% setup\n{code}", "utf-8")
    with pytest.raises(execute.LessonError, match=f"{re.escape(str(script))}: .*{message}"):
        execute.run(script)


@pytest.mark.parametrize("code", ["print(1)\n", "1 / 0\n"], ids=["works", "raises"])
def test_a_lesson_leaves_nothing_open(tmp_path: Path, code: str) -> None:
    script = tmp_path / "short.py"
    script.write_text(f"# %% setup\n{code}", "utf-8")
    with warnings.catch_warnings(record=True) as seen, ThreadPoolExecutor(1) as thread:
        warnings.simplefilter("always", ResourceWarning)
        failed = thread.submit(execute.run, script).exception()
        thread.shutdown()
        gc.collect()
    assert isinstance(failed, execute.LessonError) == (code == "1 / 0\n")
    assert [str(warning.message) for warning in seen] == []


@pytest.mark.parametrize("script", files.lesson_scripts(), ids=lambda path: path.stem)
def test_a_lesson_imports_nothing_that_its_notebook_could_not(script: Path) -> None:
    code = "\n".join(cell.source for cell in execute.read(script).cells)
    imports = re.findall(r"^\s*(?:from|import) ([\w.]+)", code, re.M)
    assert set(imports) - sys.stdlib_module_names <= {"numpy", "attention", "lessonkit"}


def test_lessons_stand_where_the_readme_says() -> None:
    assert [path.parent for path in files.lesson_scripts()] == [ROOT / "snippets" / "lessons"] * len(
        files.lesson_scripts()
    )
