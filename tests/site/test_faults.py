"""Every fault of a page or a lesson fails the build, and the message names file and line."""

import re
import shutil
from pathlib import Path

import pytest

from sitekit.reference.generated import PARTS
from tests.conftest import TINY_LESSON, TINY_PAGE, build_small, make_tiny

PAGE, ENGLISH, LESSON = "docs/zh/index.md", "docs/en/index.md", "snippets/lessons/tiny.py"

# name: (file to break, text in it, text instead, what the message says)
FAULTS = {
    "a cell that raises": (
        LESSON,
        "Table([[",
        "Table(1 / 0, [[",
        rf"{LESSON}:5: cell 'table' raised ZeroDivisionError",
    ),
    "a syntax error": (LESSON, "Table([[", "Table([[[", rf"{LESSON}:5: cell 'table' raised SyntaxError"),
    "a warning": (
        LESSON,
        "Table([[",
        "import warnings\nwarnings.warn('odd')\nTable([[",
        rf"{LESSON}:5: cell 'table' writes to stderr",
    ),
    "an address in memory": (LESSON, "Table([[", "print(object())\nTable([[", rf"{LESSON}:5: .*puts out 'at 0x\w+'"),
    "a place of this machine": (
        LESSON,
        "Table([[",
        "import os\nprint(os.getcwd())\nTable([[",
        rf"{LESSON}:5: cell 'table' puts out '/.*', which holds for this run or this machine alone",
    ),
    "colours of a terminal": (LESSON, "Table([[", "print('\\x1b[31mred')\nTable([[", rf"{LESSON}:5: .*puts out '\\x1b"),
    "two cells of one name": (LESSON, "# %% table", "# %% setup", rf"{LESSON}:4: cell name 'setup'"),
    "code before the first cell": (
        LESSON,
        "# %% setup",
        "import math\n\n# %% setup",
        rf"{LESSON}:1: a lesson starts with",
    ),
    "a missing cell": (PAGE, "tiny.table", "tiny.chair", rf"{PAGE}:5: .*no cell 'chair'; its cells are setup, table"),
    "a missing lesson": (PAGE, "tiny.table", "huge.table", rf"{PAGE}:5: .*no lesson 'huge'; lessons are tiny"),
    "a missing function": (PAGE, "tiny.table", "attention.no_such", rf"{PAGE}:5: .*defines no 'no_such'"),
    "a cell without output": (
        PAGE,
        "```cell\ntiny.table",
        '```cell show="output"\ntiny.setup',
        rf"{PAGE}:5: .*puts nothing out",
    ),
    "an unknown option": (PAGE, "```cell", '```cell colour="red"', rf"{PAGE}:5: .*unknown option colour"),
    "an unknown value": (
        PAGE,
        "```cell",
        '```cell show="all"',
        rf"{PAGE}:5: .*show is 'all'; it must be one of both, code, output",
    ),
    "an unknown part": (
        PAGE,
        "```cell\ntiny.table",
        "```generated\nmenu",
        rf"{PAGE}:5: nothing generates 'menu'; the parts are {', '.join(sorted(PARTS))}",
    ),
    "bad LaTeX": (PAGE, "$a^2$", r"$\frac{a}$", rf"{PAGE}:3: .*KaTeX parse error"),
    "unknown LaTeX": (PAGE, "$a^2$", r"$\nosuchcommand a$", rf"{PAGE}:3: .*Undefined control sequence"),
    "Han in LaTeX": (PAGE, "$a^2$", "$分数$", rf"{PAGE}:3: .*unicodeTextInMathMode"),
    "a broken link": (PAGE, "two.md#second", "three.md", rf"{PAGE}:3: .*'three.md', but the target is not found"),
    "a broken anchor": (PAGE, "two.md#second", "two.md#third", rf"{PAGE}:3: .*does not contain an anchor '#third'"),
    "a broken anchor on the page": (PAGE, "two.md#second", "#nowhere", rf"{PAGE}:3: .*no such anchor"),
    "a fault in English only": (ENGLISH, "tiny.table", "tiny.chair", rf"{ENGLISH}:5: .*no cell 'chair'"),
    "an unknown part in English": (
        ENGLISH,
        "```cell\ntiny.table",
        "```generated\nmenu",
        rf"{ENGLISH}:5: nothing generates 'menu'; the parts are {', '.join(sorted(PARTS))}",
    ),
    "a broken English link": (
        ENGLISH,
        "two.md#second",
        "three.md",
        rf"{ENGLISH}:3: .*'three.md', but the target is not found",
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny site built without a fault; what its lesson puts out is known to the builds after it."""
    root = make_tiny(tmp_path_factory.mktemp("sound"))
    done = build_small(root)
    assert done.returncode == 0, done.stdout
    return root


def test_the_tiny_site_itself_builds(sound: Path) -> None:
    assert "25.0 %" in (sound / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fails_the_build_and_is_located(tiny: Path, sound: Path, name: str) -> None:
    file, text, instead, message = FAULTS[name]
    original = TINY_LESSON if file == LESSON else TINY_PAGE
    assert original.count(text) == 1
    (tiny / file).write_text(original.replace(text, instead), "utf-8")
    shutil.copytree(sound / ".cache", tiny / ".cache")
    done = build_small(tiny)
    log = done.stdout
    assert done.returncode != 0, log
    assert re.search(message, log), log
    assert "Traceback" not in log
