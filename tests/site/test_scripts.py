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

from sitekit.exports.scripts import END
from sitekit.languages import languages
from sitekit.lessons import execute, files
from sitekit.markdown.fence import TEXT_BY_LANGUAGE, script_path
from sitekit.markdown.katex import node
from sitekit.markdown.page import FENCE
from tests.conftest import ROOT, Built, figure

LESSONS = [path.stem for path in files.lesson_scripts()]
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
    return execute.execute_all(files.lesson_scripts())


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
        assert set(scripts(built, language)) == required


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


def expected(lessons: dict[str, NotebookNode], language: str, folder: list[str], name: str, code: str) -> str:
    """What the page shows of the cell, or, for a chapter's script, of all its cells.

    Where it shows nothing, the script says in one line what is ready.
    """
    if folder[:1] == ["attention"] or (folder and not (shown := visible_text(lessons[folder[0]], name, language))):
        before, _, after = languages()[language].labels["script_ready"].partition("{names}")
        last = code.splitlines()[-1]
        assert last.startswith(f"print('{before}"), last
        return str(ast.literal_eval(last.removeprefix("print"))) + after
    if folder:
        return shown
    on_page = {
        ref.partition(".")[2] for page, ref, _ in references(language) if ref.startswith(f"{name}.") and page == name
    }
    cells = [one.metadata.name for one in lessons[name].cells if one.metadata.name in on_page]
    return "".join(visible_text(lessons[name], cell, language) for cell in cells)


def words(text: str) -> list[str]:
    """What is printed, word by word; how much exactly is lost by rounding is no number of the page."""
    return re.sub(r"\b\de-1[5-9]\b", "(rounding)", text).split()


def check(lessons: dict[str, NotebookNode], language: str, here: Path, path: Path, text: str) -> None:
    *folder, name = path.relative_to(here).with_suffix("").parts
    assert words(text) == words(expected(lessons, language, folder, name, path.read_text("utf-8"))), path


@pytest.fixture(scope="module")
def printed_by_path(built: Built) -> dict[Path, str]:
    """What each script prints; two that differ in nothing but lines of comment, as languages do, are run as one."""
    every = [path for language in languages() for path in scripts(built, language)]
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
    for path, text in printed([str(path) for path in paths]).items():
        check(lessons, language, here, Path(path), text)


@pytest.mark.thorough
@pytest.mark.parametrize("language", languages())
def test_it_runs_with_numpy_alone_and_prints_what_the_page_shows(
    built: Built, lessons: dict[str, NotebookNode], printed_by_path: dict[Path, str], language: str
) -> None:
    here = built.folder / languages()[language].prefix / "scripts"
    paths = [path for path in printed_by_path if path.is_relative_to(here)]
    assert len(paths) > len(LESSONS)
    for path in paths:
        check(lessons, language, here, path, printed_by_path[path])


# What the browser does to each script that it copies.
SHORTEN = """\
const { readFileSync } = require("fs");
const take = new Function(readFileSync(process.argv[1], "utf-8") + "; return { shorten, installation };")();
const { scripts, places } = JSON.parse(readFileSync(0, "utf-8"));
const shortened = scripts.map((script) => take.shorten(script, "pip install wheel"));
const lines = places.map((hostname) => take.installation("https://example.org/a.whl", hostname));
console.log(JSON.stringify({ shortened, lines }));
"""


def taken(texts: list[str], places: list[str]) -> tuple[list[str], list[str]]:
    """The short forms of scripts, and how to install the package from these hosts, by the site's own script."""
    done = subprocess.run(
        [node(), "-e", SHORTEN, str(ROOT / "sitekit" / "mkdocs" / "take.js")],
        input=json.dumps({"scripts": texts, "places": places}),
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["shortened"], answer["lines"]


def test_the_package_is_installed_from_the_site_or_from_the_clone_where_the_reader_serves_it() -> None:
    local = ["127.0.0.1", "localhost", "[::1]", "site.localhost", "0.0.0.0"]
    elsewhere = ["example.org", "localhost.example.org", "127.example.org"]
    _, lines = taken([], [*local, *elsewhere])
    assert lines == ["In a clone of the site: pip install ."] * len(local) + [
        "pip install https://example.org/a.whl"
    ] * len(elsewhere)


@pytest.mark.thorough
def test_with_the_package_installed_it_is_short_and_prints_the_same(
    built: Built, lessons: dict[str, NotebookNode], tmp_path: Path
) -> None:
    here = built.folder / "en" / "scripts"
    paths = [path for path in scripts(built, "en") if path.relative_to(here).parts[0] != "attention"]
    short, _ = taken([path.read_text("utf-8") for path in paths], [])
    copies = [tmp_path / path.relative_to(here) for path in paths]
    for copy, text in zip(copies, short, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, "utf-8")
    for copy, text in printed([str(copy) for copy in copies], "attention").items():
        *folder, name = Path(copy).relative_to(tmp_path).with_suffix("").parts
        code = Path(copy).read_text("utf-8")
        assert code.startswith("# pip install wheel\n") == ("from attention import" in code), copy
        assert text.split() == expected(lessons, "en", folder, name, code).split(), copy


def test_they_are_short_enough_to_be_read_and_pasted(built: Built) -> None:
    paths = [path for path in scripts(built, "zh") if path.parent.name in LESSONS]
    texts = [path.read_text("utf-8") for path in paths]
    lengths = sorted(len(text.splitlines()) for text in texts)
    short, _ = taken(texts, [])
    lessons_own = [len(lesson_part(text).splitlines()) for text in texts]
    over = [len(text.splitlines()) - own for text, own in zip(short, lessons_own, strict=True)]
    middle, longest = lengths[len(lengths) // 2], max(zip(lengths, paths, strict=True))
    figure("script that stands alone, median", f"{middle} lines", "at most 45")
    figure("script that stands alone, longest", f"{lengths[-1]} lines", "at most 120 over the lesson's own")
    figure("short script, lines over the lesson's own", f"at most {max(over)}", "at most 25")
    assert middle <= 45, longest
    assert max(a - b for a, b in zip((len(text.splitlines()) for text in texts), lessons_own, strict=True)) <= 120
    assert max(over) <= 25


def lesson_part(code: str) -> str:
    """The lines of a script that are the lesson's: without imports, the package's functions and the printer."""
    _, _, rest = code.rpartition(f"{END}\n")
    rest = re.sub(r"^(?:text_)?def table\(.*?\n    return [^\n]*\n(?=\n\S)", "", rest, flags=re.M | re.S)
    return re.sub(r"^(?:import .*|from .*|if hasattr.*|    sys\.stdout.*)\n", "", rest, flags=re.M).strip()


def test_all_of_them_together_are_small(built: Built) -> None:
    size = sum(path.stat().st_size for language in languages() for path in scripts(built, language)) / 1e6
    figure("all scripts, in every language", f"{size:.2f} MB", "at most 2")
    assert size <= 2


def test_nobody_pastes_checks_html_or_loops_that_were_emptied(built: Built) -> None:
    for language in languages():
        for path in scripts(built, language):
            if path.parent.name in LESSONS:
                code = path.read_text("utf-8")
                assert not re.search(
                    r"check_count|check_flag|as_floats|<table|<svg|import json|lessonkit|Labels", code
                ), path
                assert not re.search(r"^( *)(?:for|while|if|with)\b[^\n]*:\n\1    pass$", code, re.M), path


# Prints each script named on standard input to a terminal of its own that has the alphabet named as an argument.
TERMINALS = """\
import io, json, runpy, sys
for path in json.load(sys.stdin):
    sys.stdout = io.TextIOWrapper(io.BytesIO(), encoding=sys.argv[1])
    try:
        runpy.run_path(path, run_name="__main__")
    except UnicodeEncodeError as error:
        sys.exit(f"{path}: {error}")
    sys.stdout.flush()
    assert sys.stdout.buffer.getvalue().strip(), path
"""


def test_every_chapter_prints_what_it_can_on_a_terminal_with_few_letters(built: Built) -> None:
    """ASCII is part of every code page: what does not stop there stops nowhere."""
    paths = [
        str(path) for language in languages() for path in scripts(built, language) if path.parent.name == "scripts"
    ]
    assert len(paths) == len(LESSONS) * len(languages())
    command = [sys.executable, "-I", "-c", TERMINALS, "ascii"]
    done = subprocess.run(command, input=json.dumps(paths), capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("encoding", ["gbk", "big5", "shift_jis", "euc-kr", "cp1251", "cp1252"])
def test_a_terminal_of_another_alphabet_prints_what_it_can(built: Built, encoding: str) -> None:
    for prefix in ("", "en/"):
        command = [sys.executable, str(built.folder / prefix / "scripts/masks/window.py")]
        env = os.environ | {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
        done = subprocess.run(command, env=env, capture_output=True)
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        assert done.stdout.decode(encoding).strip()


@pytest.mark.parametrize("language", languages())
def test_it_is_tidy(built: Built, language: str) -> None:
    for path in scripts(built, language):
        code = path.read_text("utf-8")
        assert not any(mark in code for mark in (">>>", "\u200b", "\ufeff", "\xa0", "# %%")), path
        body = ast.parse(code).body
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        assert body[: len(imports)] == imports, f"{path}: imports stand at the top"
