"""What `make serve` builds first after an edit, and how its pages say what is wrong: decisions alone, no server."""

from pathlib import Path

import pytest
from mkdocs.exceptions import Abort

from sitekit.lessons.execute import LessonError
from sitekit.lessons.files import lesson_of
from sitekit.mkdocs import edits
from sitekit.mkdocs.edits import Edits, Plan, add_fault, differing, plan
from sitekit.paths import DOCS, LABELS, LESSONS, ROOT, SNIPPETS

HAND, SOURCE = DOCS / "en" / "by-hand.md", DOCS / "zh" / "by-hand.md"
MASKS = DOCS / "en" / "masks.md"
PAGES = [HAND, SOURCE, MASKS]


def test_an_edited_page_is_built_first_and_nothing_else() -> None:
    assert plan([HAND], PAGES) == Plan(frozenset({HAND}))
    assert plan([], PAGES) == Plan()


@pytest.mark.parametrize("path", [LESSONS / "by-hand.py", LABELS / "en" / "by-hand.yml"])
def test_a_lesson_brings_its_pages_in_every_language(path: Path) -> None:
    assert plan([path], PAGES) == Plan(frozenset({HAND, SOURCE}), lessons=True)


@pytest.mark.parametrize(
    "path",
    [
        DOCS / "glossary.yml",
        DOCS / "languages.yml",
        DOCS / "en" / "new.md",
        LESSONS / "data" / "elsewhere.json",
        SNIPPETS / "attention" / "core.py",
        ROOT / "mkdocs.yml",
        LESSONS / "removed.py",
    ],
)
def test_where_more_can_have_changed_the_whole_site_is_built(path: Path) -> None:
    assert plan([HAND, path], PAGES) is None


def test_a_part_and_labels_belong_to_their_lesson_and_data_to_none() -> None:
    paths = [
        LESSONS / "apple-again" / "3-toy.py",
        LABELS / "en" / "apple-again.yml",
        LESSONS / "data" / "elsewhere.json",
    ]
    assert [lesson_of(path) for path in paths] == ["apple-again", "apple-again", None]


def test_a_page_that_was_removed_has_the_whole_site_built() -> None:
    gone = DOCS / "en" / "gone.md"
    assert plan([gone], [*PAGES, gone]) is None


def test_an_added_a_removed_and_an_edited_file_differ(tmp_path: Path) -> None:
    one, two, three, four = (tmp_path / name for name in "abcd")
    before, after = {one: (1, 1), two: (1, 1), three: (1, 1)}, {one: (1, 1), two: (2, 1), four: (1, 1)}
    assert differing(before, after) == {two, three, four}


def test_what_is_wrong_stands_above_the_page_as_text() -> None:
    page = add_fault(b"<html><body class=x><p>Text</p></body></html>", "a.md:3: <script>")
    assert page.startswith(b'<html><body class=x><pre role="alert"')
    assert b"a.md:3: &lt;script&gt;</pre><p>Text</p>" in page


@pytest.mark.parametrize("error", [Abort("a.md:3: wrong"), LessonError("a.md:3: wrong"), ValueError("a.md:3: wrong")])
def test_a_fault_is_kept_without_its_traceback_until_a_step_succeeds(error: Exception) -> None:
    def fail() -> None:
        raise error

    state = Edits()
    assert not state.guard(fail)
    assert state.fault == "a.md:3: wrong"
    assert state.guard(lambda: None)
    assert state.fault == ""


def test_a_newer_edit_stops_the_build_of_the_rest_and_is_no_fault() -> None:
    state = Edits()
    state.newer.set()
    assert not state.guard(state.go_on)
    assert state.fault == ""
    state.stop()
    assert state.guard(state.go_on)


def test_a_superseded_build_is_not_taken_for_a_fault_of_a_page() -> None:
    assert not issubclass(edits.SupersededError, Exception)
