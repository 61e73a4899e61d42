"""Pages that a stranger may send: the check and a build refuse each of them, naming file, line and what is wrong.

Costs some 3 processor-seconds: pages are judged without a build; one build proves that a build asks the judge.
"""

import os
import shutil
from pathlib import Path

import pytest

from sitekit.i18n.refusals import known_lessons, refusals, refused_page, unknown_cells
from sitekit.i18n.site import Site
from sitekit.markdown.limits import CHARACTERS
from tests.conftest import ROOT, build_small, make_tiny

PAGES = Path(__file__).with_name("pages")
# page: line, rule, and part of what is found
REFUSED = {
    "attr-list-class": (3, "html", 'class="md-overlay" of <a>'),
    "attr-list-handler": (5, "html", 'onclick="alert(1)" of <h2>'),
    "attr-list-style": (4, "html", 'style="position:fixed;inset:0" of <p>'),
    "author": (3, "front matter", "author:"),
    "base": (3, "html", "<base>"),
    "comment-that-ends-early": (5, "html", "HTML that two parsers read differently"),
    "custom-element": (3, "html", "<which-apple>"),
    "data-link": (3, "html", 'href="data:text/html'),
    "description-with-a-quote": (2, "front matter", '"><script>'),
    "details-handler": (3, "html", 'ontoggle="alert(1)" of <details>'),
    "empty": (1, "headings", "none"),
    "end-of-the-article": (5, "html", "0 <article> and 1 </article>"),
    "form": (3, "html", "<form>"),
    "formula-href": (3, "formula", "in red"),
    "formula-html": (3, "formula", "KaTeX parse error"),
    "formula-image": (3, "formula", "in red"),
    "formula-in-a-loop": (3, "formula", "Too many expansions"),
    "formula-unknown": (3, "formula", "Undefined control sequence: \\nosuchcommand"),
    "formula-url": (3, "formula", "in red"),
    "front-matter-broken": (3, "front matter", "expected the node content"),
    "front-matter-of-a-list": (2, "front matter", "['title']"),
    "front-matter-with-an-alias": (2, "front matter", "&a"),
    "front-matter-with-dots": (3, "front matter", "..."),
    "front-matter-with-no-date": (1, "front matter", "month must be in 1..12"),
    "front-matter-without-an-end": (1, "front matter", "none up to the end of the file"),
    "front-matter-without-dashes": (1, "front matter", "title: <script>"),
    "id-of-the-theme": (5, "html", 'id="__search" of <p>'),
    "iframe": (3, "html", "<iframe>"),
    "image-from-elsewhere": (3, "html", "<img>"),
    "image-handler": (3, "html", "<img>"),
    "javascript-by-reference": (7, "html", 'href="javascript:alert(1)"'),
    "javascript-in-angles": (3, "html", "<javascript:alert(1)>"),
    "javascript-link": (3, "html", 'href="javascript:alert(1)"'),
    "javascript-link-in-entities": (3, "html", 'href="javascript:alert(1)"'),
    "javascript-link-with-a-tab": (3, "html", 'href="java'),
    "link-in-the-clear": (3, "html", 'href="http://evil.example/"'),
    "link-without-a-scheme": (3, "html", 'href="//evil.example/"'),
    "math": (3, "html", "<math>"),
    "meta-refresh": (3, "html", "<meta>"),
    "no-heading": (1, "headings", "none"),
    "no-id": (1, "headings", "none"),
    "no-such-cell": (4, "cells", "no cell 'chair'"),
    "no-such-function": (4, "cells", "defines no 'no_such'"),
    "no-such-lesson": (4, "cells", "no lesson 'huge'"),
    "no-such-option": (4, "cells", "unknown option colour"),
    "object": (3, "html", "<object>"),
    "open-division": (5, "html", "1 <div> and 0 </div>"),
    "processing-instruction": (3, "html", "<?xml-stylesheet"),
    "script": (3, "html", "<script>"),
    "script-in-a-paragraph": (3, "html", "<script>"),
    "style": (5, "html", "<style>"),
    "svg": (3, "html", "<svg>"),
    "svg-animation": (3, "html", "<svg>"),
    "template": (2, "front matter", "template:"),
    "title-in-entities": (2, "front matter", "&lt;script&gt;"),
    "title-twice": (3, "front matter", "it once more"),
    "title-with-markup": (2, "front matter", "</title><script>"),
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A repository with one lesson and no page."""
    for language in ("zh", "en"):
        (tmp_path / "docs" / language).mkdir(parents=True)
    for name in ("languages.yml", "glossary.yml"):
        shutil.copy(ROOT / "docs" / name, tmp_path / "docs")
    lessons = tmp_path / "snippets" / "lessons"
    lessons.mkdir(parents=True)
    (lessons / "tiny.py").write_text("# %% setup\n1\n", "utf-8")
    return Site(tmp_path)


def found(site: Site, text: str) -> list[tuple[int, str, str]]:
    (site.docs / "en" / "page.md").write_text(text, "utf-8")
    document = site.document("page.md", "en")
    assert document
    lessons, _ = known_lessons(site, [document])
    every = [*refused_page(site, document), *unknown_cells(site, document, lessons)]
    assert {finding.file for finding in every} <= {"docs/en/page.md"}
    return [(finding.line, finding.rule, finding.found) for finding in every]


def test_every_page_of_the_folder_is_tried() -> None:
    assert sorted(path.stem for path in PAGES.iterdir()) == sorted(REFUSED)


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_by_file_line_and_name(site: Site, name: str) -> None:
    line, rule, what = REFUSED[name]
    findings = found(site, (PAGES / f"{name}.md").read_text("utf-8"))
    assert any(one[:2] == (line, rule) and what in one[2] for one in findings), findings


def test_our_own_pages_hold_nothing_of_the_kind() -> None:
    assert list(refusals(Site(ROOT))) == []


@pytest.mark.parametrize(
    "text",
    ["](" * 50_000, "[" * 3_000, "<" * 3_000, "*a " * 2_000, "x" * (CHARACTERS + 1)],
    ids=["links", "brackets", "angles", "stars", "length"],
)
def test_a_page_made_to_keep_the_build_busy_is_refused_before_it_is_rendered(site: Site, text: str) -> None:
    assert "size" in {rule for _, rule, _ in found(site, f"# Title {{ #title }}\n\n{text}\n")}


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path: path.symlink_to("/etc/hostname"), "a symbolic link to /etc/hostname"),
        (os.mkfifo, "no file"),
        (lambda path: path.write_text("<script>", "utf-8"), "another file than a page"),
    ],
    ids=["link", "pipe", "script"],
)
def test_docs_hold_plain_files(site: Site, make: object, what: str) -> None:
    assert callable(make)
    make(site.docs / "en" / "extra.html")
    (finding,) = refusals(site)
    assert (finding.file, finding.found) == ("docs/en/extra.html", what)


def test_a_linked_page_is_not_even_read(site: Site, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret { #secret }\n", "utf-8")
    (site.docs / "en" / "page.md").symlink_to(secret)
    assert site.pages("en") == []
    assert site.document("page.md", "en") is None


@pytest.mark.thorough
def test_a_build_begins_with_the_judge_and_copies_nothing(tmp_path: Path) -> None:
    root = make_tiny(tmp_path)
    (root / "docs" / "en" / "two.md").write_text((PAGES / "script.md").read_text("utf-8"), "utf-8")
    (root / "docs" / "en" / "extra.txt").symlink_to("/etc/hostname")
    done = build_small(root)
    log = done.stdout + done.stderr
    assert done.returncode != 0
    assert "docs/en/two.md:3: section #title: [html]" in log
    assert "docs/en/extra.txt:1: [plain files]" in log
    assert "Traceback" not in log
    assert not (root / "site").exists()
