"""What opens a chapter, how long its main path is, its terms and its questions."""

import re

import pytest
from bs4 import BeautifulSoup, Tag
from markdown import Markdown

from sitekit.chapters import chapters, number_of
from sitekit.languages import languages
from sitekit.markdown import main_path
from sitekit.markdown.page import Page, current
from sitekit.mkdocs import journey
from sitekit.paths import ROOT
from sitekit.reference.questions import questions
from tests.conftest import Built
from tests.site.test_numbers import LESSONS, complaints, quoted, settings

CHAPTERS = [page.removesuffix(".md") for page in chapters()]
each_language = pytest.mark.parametrize("language", languages())


def test_every_chapter_has_a_stage_and_questions() -> None:
    source = next(iter(languages().values()))
    staged = [page.removesuffix(".md") for page in chapters() if journey.stage_of(page, source)]
    assert staged == CHAPTERS
    assert sorted(questions()) == sorted(CHAPTERS)


@each_language
@pytest.mark.parametrize("slug", CHAPTERS)
def test_the_main_path_is_short_enough_to_finish(slug: str, language: str) -> None:
    here = languages()[language]
    least, most = here.main_path
    count = main_path.count_words(main_path.main_path(here.find(f"{slug}.md")[0].read_text("utf-8")))
    assert least <= count <= most, f"{language}/{slug}: {count}"


def test_folds_code_tables_and_sources_are_not_on_the_main_path() -> None:
    text = """---
stage: weights
---

# One two { #one }

Three 四五 [six](one.md#seven).

```cell show="output"
eight.nine
```

!!! note "ten"
    eleven

    ??? deeper "out"
        out

        out

??? deeper "out"
    out

| out | out |
|---|---|

## Twelve { #twelve }

$$
out
$$

## Out { #references }

- out
"""
    assert main_path.count_words(main_path.main_path(text)) == 10  # one to eleven, without the names in code
    assert main_path.count_words(text) > 10


@pytest.mark.parametrize(
    ("page", "number"), [("same-word.md", 1), ("by-hand.md", 3), ("lab.md", None), ("index.md", None)]
)
def test_chapters_are_counted_as_the_navigation_lists_them(page: str, number: int | None) -> None:
    assert number_of(page) == number


@each_language
def test_a_page_says_which_chapter_it_is_and_the_menu_too(built: Built, language: str) -> None:
    here = languages()[language]
    for slug in [page.removesuffix(".md") for page in chapters()]:
        soup = BeautifulSoup((built.folder / here.prefix / slug / "index.html").read_text("utf-8"), "html.parser")
        (opening,) = soup.select("h1 + aside.opening")
        number = number_of(f"{slug}.md")
        assert opening.p is not None
        assert opening.p.get_text().startswith(here.labels["chapter"].format(number))
        assert soup.title is not None
        assert soup.title.get_text().startswith(f"{number}. ")
        menu = [" ".join(link.get_text().split()) for link in soup.select(".md-nav--primary .md-nav__link")]
        assert any(name.startswith(f"{number}. ") for name in menu)
        assert len(opening.select("svg.journey .here")) == 2


@pytest.mark.parametrize("stage", journey.STAGES)
@each_language
def test_the_picture_names_the_stop_that_the_word_has_reached(stage: str, language: str) -> None:
    here = languages()[language]
    svg = BeautifulSoup(journey.draw(journey.STAGES.index(stage), here), "html.parser").svg
    assert isinstance(svg, Tag)
    assert [text.get_text() for text in svg.select("text.here, text.word")] == [here.stages[stage], here.stages["word"]]
    assert len(svg.select("circle.done")) == journey.STAGES.index(stage)
    assert here.stages[stage] in str(svg["aria-label"])


def rendered(text: str, language: str) -> BeautifulSoup:
    here = languages()[language]
    current.set(Page(ROOT / "docs" / language / "by-hand.md", here))
    return BeautifulSoup(Markdown(extensions=["attr_list", "sitekit.reference.terms"]).convert(text), "html.parser")


def test_a_term_leads_to_the_glossary_at_its_first_use_alone() -> None:
    soup = rendered("# Query\n\nA `query`, [a query](x.md), *two queries* and a query.\n\nOne more query.", "en")
    (link,) = soup.select("a.term")
    assert (link.get_text(), link["href"], link["data-other"]) == ("queries", "glossary.md#query", "查询")
    assert str(link["title"]).startswith("查询 · What a token is looking for")
    assert (
        re.sub(r"\s+", " ", soup.get_text()).strip()
        == "Query A query, a query, two queries and a query. One more query."
    )


@pytest.mark.parametrize("language", languages())
def test_a_choice_holds_no_link_for_it_becomes_a_button(built: Built, language: str) -> None:
    for slug in LESSONS:
        page = built.folder / languages()[language].prefix / slug / "index.html"
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        assert soup.select(".admonition.guess > ul a") == [], page


def test_a_word_with_an_everyday_sense_is_a_term_only_in_bold() -> None:
    assert rendered("Its value.", "en").select("a.term") == []
    (link,) = rendered("Its **value**, and two scores: good value.", "en").select("a.term[data-other='值']")
    assert link.get_text() == "value"


def test_a_page_in_chinese_names_the_english_term() -> None:
    links = rendered("拿**查询**去比每个**键**。", "zh").select("a.term")
    assert [(link.get_text(), link["data-other"]) for link in links] == [("查询", "query"), ("键", "key")]


@pytest.mark.parametrize("slug", questions())
def test_a_chapter_has_five_questions_in_every_language(slug: str) -> None:
    assert len(questions()[slug]) == 5
    for question in questions()[slug]:
        assert set(question) == set(languages())
        assert all(set(words) == {"ask", "answer"} and all(words.values()) for words in question.values())


@pytest.mark.parametrize("slug", questions())
def test_numbers_in_questions_and_answers_are_computed(slug: str) -> None:
    assert slug in LESSONS or slug == "claims"
    text = "\n".join(words[part] for question in questions()[slug] for words in question.values() for part in words)
    assert complaints(slug, text, quoted(slug), settings(slug)) == []


@each_language
@pytest.mark.parametrize("slug", CHAPTERS)
def test_a_chapter_ends_with_a_sentence_and_a_question(slug: str, language: str) -> None:
    text = languages()[language].find(f"{slug}.md")[0].read_text("utf-8")
    ending = text.partition("{ #take-along }")[2].partition("\n## ")[0]
    assert ending.count("{ .take-along }") == 1
    assert re.search("[?？]", ending.partition("{ .take-along }")[2])
    assert "```generated\nquestions\n```" in text
