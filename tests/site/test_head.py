"""What search engines and previews read of a page. Costs 1 processor-second beside the build of the site."""

import json
import re

import pytest
from bs4 import BeautifulSoup

from sitekit.languages import languages
from sitekit.mkdocs import head
from tests.conftest import Built


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "<h1>Title</h1><blockquote><p>A quotation.</p></blockquote><p>What <em>it</em> is &amp; does.</p>",
            "What it is & does.",
        ),
        (f"<p>One. Two! {'word ' * 40}</p>", "One. Two!"),
        (f"<p>一句。{'字' * 200}</p>", "一句。"),
        (f"<p>{'word ' * 40}</p>", "word " * 30 + "word…"),
        ("<h1>Title</h1>", ""),
    ],
)
def test_a_description_is_the_first_paragraph_that_fits(content: str, expected: str) -> None:
    assert head.describe(content) == expected


def test_every_page_has_a_description_of_its_own(built: Built) -> None:
    seen: dict[str, str] = {}
    for page in built.pages():
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        tag = soup.select_one('meta[name="description"]')
        if page.name == "404.html" or "notebooks" in page.parts:
            continue
        assert tag is not None
        assert 10 <= len(str(tag["content"])) <= head.LONGEST, page
        assert str(tag["content"]) not in seen, (page, seen[str(tag["content"])])
        seen[str(tag["content"])] = str(page)


@pytest.mark.parametrize("language", languages())
def test_a_chapter_says_what_it_is_and_its_notebook_leads_to_it(built: Built, language: str) -> None:
    folder = built.folder / languages()[language].prefix
    chapter, notebook = (
        BeautifulSoup((folder / path / "index.html").read_text("utf-8"), "html.parser")
        for path in ("softmax", "notebooks/softmax")
    )
    address = chapter.select_one("link[rel=canonical]")
    assert address is not None
    assert notebook.select_one("link[rel=canonical]") == address
    data = json.loads(chapter.select_one('script[type="application/ld+json"]').get_text())  # type: ignore[union-attr]
    assert (data["@type"], data["url"], data["inLanguage"]) == ("LearningResource", address["href"], language)
    assert chapter.select_one('meta[property="og:url"]')["content"] == address["href"]  # type: ignore[index]


def test_addresses_for_readers_of_other_languages_and_for_robots(built: Built) -> None:
    sitemap = (built.folder / "sitemap.xml").read_text("utf-8")
    places = [dict(re.findall(r'hreflang="([\w-]+)" href="(.*?)"', place)) for place in sitemap.split("<url>")[1:]]
    assert len(places) > 50
    assert all(place["x-default"] == place["en"] for place in places)
    assert f"Sitemap: {places[0]['zh']}sitemap.xml\n" in (built.folder / "robots.txt").read_text("utf-8")
