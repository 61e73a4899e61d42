"""Lessons run once per build, and again when anything they can read has changed."""

import re
import shutil
import time
from pathlib import Path

import pytest

from sitekit import execute
from tests.conftest import PROJECT, ROOT, build, figure


def starts(text: str) -> list[str]:
    return re.findall(r"lesson (\S+): executing", text)


def test_each_lesson_starts_one_kernel_whatever_the_number_of_languages(tiny: Path) -> None:
    (tiny / "snippets/lessons/second.py").write_text("# %% setup\nprint(1)\n", "utf-8")
    cold = build(tiny)
    assert sorted(starts(cold.stdout + cold.stderr)) == ["second", "tiny"]
    warm = build(tiny)
    assert starts(warm.stdout + warm.stderr) == []


def test_a_cold_build_of_the_whole_site_starts_one_kernel_a_lesson(tmp_path: Path) -> None:
    for name in ("docs", "snippets", "sitekit", "mkdocs.yml", *PROJECT):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules", target_is_directory=True)
    lessons = [path.stem for path in execute.lesson_scripts()]
    for kind, expected, asked in (("cold", lessons, 15), ("warm", [], 6)):
        begun = time.monotonic()
        done = build(tmp_path)
        figure(f"{kind} build of the site", f"{time.monotonic() - begun:.1f} s", f"at most {asked} s on two free cores")
        assert done.returncode == 0, done.stderr
        assert sorted(starts(done.stdout + done.stderr)) == expected
        figure(f"kernel starts, {kind}", f"{len(expected)} for {len(lessons)} lessons", "one a lesson cold, none warm")


@pytest.mark.parametrize(
    "changed", ["snippets/lessons/tiny.py", "snippets/attention/show.py", "snippets/data/numbers.csv"]
)
def test_a_change_of_anything_it_can_read_runs_a_lesson_again(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    monkeypatch.setattr(execute, "SNIPPETS", tiny / "snippets")
    monkeypatch.setattr(execute, "LESSONS", tiny / "snippets" / "lessons")
    script = tiny / "snippets/lessons/tiny.py"
    before = execute.fingerprint(script)
    assert execute.fingerprint(script) == before
    (tiny / changed).parent.mkdir(exist_ok=True)
    with (tiny / changed).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert execute.fingerprint(script) != before


def test_another_lesson_does_not_run_a_lesson_again(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execute, "SNIPPETS", tiny / "snippets")
    monkeypatch.setattr(execute, "LESSONS", tiny / "snippets" / "lessons")
    script = tiny / "snippets/lessons/tiny.py"
    before = execute.fingerprint(script)
    (tiny / "snippets/lessons/second.py").write_text("# %% setup\n", "utf-8")
    assert execute.fingerprint(script) == before


def test_a_line_that_arrives_in_pieces_is_shown_in_one(tmp_path: Path) -> None:
    script = tmp_path / "pieces.py"
    script.write_text('# %% setup\nprint("q", end="", flush=True)\nprint(" agrees", flush=True)\n', "utf-8")
    (output,) = execute.run(script).cells[0].outputs
    assert output.text == "q agrees\n"


@pytest.mark.parametrize("script", execute.lesson_scripts(), ids=lambda path: path.stem)
def test_a_lesson_imports_nothing_that_its_notebook_could_not(script: Path) -> None:
    imports = re.findall(r"^\s*(?:from|import) ([\w.]+)", script.read_text("utf-8"), re.M)
    assert set(imports) <= {"math", "numpy", "attention", "attention.recordings", "attention.show"}


def test_lessons_stand_where_the_readme_says() -> None:
    assert [path.parent for path in execute.lesson_scripts()] == [ROOT / "snippets" / "lessons"] * len(
        execute.lesson_scripts()
    )
