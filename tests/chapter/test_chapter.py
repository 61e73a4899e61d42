"""One chapter, its lesson executed and its pages rendered without a build of the site."""

import re

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown

from sitekit.i18n.command import main as run_i18n
from sitekit.languages import languages
from sitekit.lessons import execute, files
from sitekit.markdown import numbers
from sitekit.markdown.page import FENCE, Page, current
from tests.conftest import ROOT, configured_markdown
from tests.site.test_numbers import complaints


@pytest.fixture(scope="module")
def slug(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--chapter"))


@pytest.fixture(scope="module")
def markdown(slug: str) -> Markdown:
    """Markdown with the chapter's own lesson, which is executed if it has changed."""
    return configured_markdown(execute.execute_all([files.lesson_script(slug)]))


@pytest.mark.parametrize("language", languages())
def test_its_page_is_rendered_to_the_end(slug: str, markdown: Markdown, language: str) -> None:
    page = Page(languages()[language].docs / f"{slug}.md", languages()[language])
    text = page.path.read_text("utf-8")
    current.set(page)
    soup = BeautifulSoup(markdown.reset().convert(text), "html.parser")
    assert len(soup.select("[data-cell]")) == len(FENCE.findall(text)) > 0
    for code in soup.select("code, pre, svg, .math"):
        code.extract()
    assert not re.search(r"\*\*|\$\$|\\[(\[]|```|\bcell show|\{ ?[.#]|Traceback", soup.get_text())


@pytest.mark.parametrize("language", languages())
def test_its_text_says_only_what_was_computed(slug: str, language: str) -> None:
    path = languages()[language].docs / f"{slug}.md"
    assert complaints(str(path.relative_to(ROOT)), numbers.prose(path.read_text("utf-8")), [slug]) == []


def test_its_translations_keep_every_rule(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    status = run_i18n(["check", slug], ROOT)
    assert status == 0, capsys.readouterr().out
