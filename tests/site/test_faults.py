"""Every fault of a page or a lesson is refused, and the message names file and line; a build with a fault fails."""

import re
import shutil
from pathlib import Path

import pytest
from markdown import Markdown
from pymdownx.superfences import SuperFencesException

from sitekit.languages import languages
from sitekit.lessons import execute
from sitekit.markdown.page import Page, current
from sitekit.reference.generated import PARTS
from tests.conftest import TINY_LESSON, TINY_PAGE, build_small, configured_markdown, make_tiny

PAGE, ENGLISH, LESSON = "docs/zh/index.md", "docs/en/index.md", "snippets/lessons/tiny.py"

# name: (text in the file, text instead, what the message says)
LESSON_FAULTS = {
    "a cell that raises": ("Table([[", "Table(1 / 0, [[", rf"{LESSON}:5: cell 'table' raised ZeroDivisionError"),
    "a syntax error": ("Table([[", "Table([[[", rf"{LESSON}:5: cell 'table' raised SyntaxError"),
    "a warning": (
        "Table([[",
        "import warnings\nwarnings.warn('odd')\nTable([[",
        rf"{LESSON}:5: cell 'table' writes to stderr",
    ),
    "an address in memory": ("Table([[", "print(object())\nTable([[", rf"{LESSON}:5: .*puts out 'at 0x\w+'"),
    "a place of this machine": (
        "Table([[",
        "import os\nprint(os.getcwd())\nTable([[",
        rf"{LESSON}:5: cell 'table' puts out '/.*', which holds for this run or this machine alone",
    ),
    "colours of a terminal": ("Table([[", "print('\\x1b[31mred')\nTable([[", rf"{LESSON}:5: .*puts out '\\x1b"),
    "two cells of one name": ("# %% table", "# %% setup", rf"{LESSON}:4: cell name 'setup'"),
    "code before the first cell": ("# %% setup", "import math\n\n# %% setup", rf"{LESSON}:1: a lesson starts with"),
}
# name: (file, text in it, text instead, what the message says)
PAGE_FAULTS = {
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
    "a guess without choices": (
        PAGE,
        "Text, ",
        '!!! guess "How much?"\n    Much.\n\nText, ',
        rf"{PAGE}:3: a guess needs a list of at least two choices .*; it has 0 choices, an answer",
    ),
    "a guess without an answer": (
        PAGE,
        "Text, ",
        '!!! guess "How much?"\n    - Much\n    - Little\n\nText, ',
        rf"{PAGE}:3: a guess needs .*; it has 2 choices, no answer",
    ),
    "bad LaTeX": (PAGE, "$a^2$", r"$\frac{a}$", rf"{PAGE}:3: .*KaTeX parse error"),
    "unknown LaTeX": (PAGE, "$a^2$", r"$\nosuchcommand a$", rf"{PAGE}:3: .*Undefined control sequence"),
    "Han in LaTeX": (PAGE, "$a^2$", "$分数$", rf"{PAGE}:3: .*unicodeTextInMathMode"),
    "a fault in English only": (ENGLISH, "tiny.table", "tiny.chair", rf"{ENGLISH}:5: .*no cell 'chair'"),
    "an unknown part in English": (
        ENGLISH,
        "```cell\ntiny.table",
        "```generated\nmenu",
        rf"{ENGLISH}:5: nothing generates 'menu'; the parts are {', '.join(sorted(PARTS))}",
    ),
}
LINK_FAULTS = {
    "a broken link": (PAGE, "two.md#second", "three.md", rf"{PAGE}:3: .*'three.md', but the target is not found"),
    "a broken anchor": (PAGE, "two.md#second", "two.md#third", rf"{PAGE}:5: .*does not contain an anchor '#third'"),
    "a broken anchor on the page": (PAGE, "two.md#second", "#nowhere", rf"{PAGE}:7: .*no such anchor"),
    "a broken English link": (
        ENGLISH,
        "two.md#second",
        "three.md",
        rf"{ENGLISH}:3: .*'three.md', but the target is not found",
    ),
}


def broken(root: Path, file: str, text: str, instead: str) -> Path:
    """Put a fault into a file of the tiny site."""
    path = root / file
    original = path.read_text("utf-8")
    assert original.count(text) == 1
    path.write_text(original.replace(text, instead), "utf-8")
    return path


@pytest.mark.parametrize("name", LESSON_FAULTS)
def test_a_fault_of_a_lesson_is_refused_and_located(tiny: Path, name: str) -> None:
    text, instead, message = LESSON_FAULTS[name]
    with pytest.raises(execute.LessonError, match=message):
        execute.run(broken(tiny, LESSON, text, instead))


@pytest.fixture(scope="module")
def markdown(tmp_path_factory: pytest.TempPathFactory) -> Markdown:
    """Markdown as the site is configured, with the tiny lesson; links are MkDocs's own business and not looked at."""
    script = tmp_path_factory.mktemp("lesson") / "tiny.py"
    script.write_text(TINY_LESSON, "utf-8")
    return configured_markdown({"tiny": execute.run(script)})


@pytest.mark.parametrize("name", PAGE_FAULTS)
def test_a_fault_of_a_page_is_refused_and_located(tiny: Path, markdown: Markdown, name: str) -> None:
    file, text, instead, message = PAGE_FAULTS[name]
    page = broken(tiny, file, text, instead)
    current.set(Page(page, languages()[page.parent.name]))
    with pytest.raises(SuperFencesException, match=message):
        markdown.reset().convert(page.read_text("utf-8"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny site built without a fault; what its lesson puts out is known to the builds after it."""
    root = make_tiny(tmp_path_factory.mktemp("sound"))
    result = build_small(root)
    assert result.returncode == 0, result.stdout
    return root


def test_the_tiny_site_itself_builds(sound: Path) -> None:
    assert "25.0 %" in (sound / "site" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("file", "text", "instead", "message"),
    [
        (LESSON, *LESSON_FAULTS["a cell that raises"]),
        ("docs/en/index.md", "tiny.table", "tiny.chair", r"docs/en/index\.md:6: section #one: \[cells\]"),
    ],
    ids=["lesson", "page"],
)
def test_a_fault_fails_the_build_without_a_traceback(
    tiny: Path, sound: Path, file: str, text: str, instead: str, message: str
) -> None:
    broken(tiny, file, text, instead)
    shutil.copytree(sound / ".cache", tiny / ".cache")
    result = build_small(tiny)
    assert result.returncode != 0, result.stdout
    assert re.search(message, result.stdout), result.stdout
    assert "Traceback" not in result.stdout


def test_links_that_lead_nowhere_fail_the_build_and_are_all_located(tiny: Path, sound: Path) -> None:
    for language in ("zh", "en"):
        page = tiny / "docs" / language / "index.md"
        line = TINY_PAGE.splitlines()[2]
        faults = [
            (text, instead) for file, text, instead, _ in LINK_FAULTS.values() if file.startswith(f"docs/{language}")
        ]
        every = "\n\n".join(line.replace(text, instead) for text, instead in faults)
        page.write_text(TINY_PAGE.replace(line, every), "utf-8")
    shutil.copytree(sound / ".cache", tiny / ".cache")
    shutil.copytree(sound / "site", tiny / "site")
    result = build_small(tiny)
    assert result.returncode != 0, result.stdout
    assert (tiny / "site" / "index.html").read_bytes() == (sound / "site" / "index.html").read_bytes()
    for file, _, _, message in LINK_FAULTS.values():
        assert re.search(message, result.stdout), (file, message, result.stdout)
    assert "Traceback" not in result.stdout
