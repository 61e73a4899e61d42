"""The reference pages hold all of what they are made from, in every language, and lead to each part of it."""

import inspect
import json
import re
from collections.abc import Callable
from functools import cache

import pytest
from bs4 import BeautifulSoup, Tag

import attention
from sitekit.build import Build, begin
from sitekit.i18n.words import term
from sitekit.languages import Language, languages
from sitekit.lessons.source import read_modules
from sitekit.markdown.page import Page, current
from sitekit.reference import api, elsewhere, generated, glossary, style
from tests.conftest import Built
from tests.oracles.frozen import ELSEWHERE

ROWS = json.loads(ELSEWHERE.read_text("utf-8"))["rows"]
HAN = "\u4e00-\u9fff"
each_language = pytest.mark.parametrize("language", languages())


@pytest.fixture(name="page", scope="module")
def article(built: Built) -> Callable[[str, str], Tag]:
    """The text of a page in a language, as it was built."""

    @cache
    def read(language: str, name: str) -> Tag:
        path = built.folder / languages()[language].prefix / name / "index.html"
        article = BeautifulSoup(path.read_text("utf-8"), "html.parser").find("article")
        assert isinstance(article, Tag)
        return article

    return read


def rows(table: Tag) -> list[list[str]]:
    return [[cell.get_text(strip=True) for cell in row.select("td")] for row in table.select("tbody tr")]


# The API reference


@each_language
def test_every_public_name_has_an_entry_with_its_signature_and_its_docstring(
    page: Callable[[str, str], Tag], language: str
) -> None:
    soup = page(language, "api")
    assert {node["id"] for node in soup.select("h3[id]")} == {f"attention.{name}" for name in attention.__all__}
    for name in attention.__all__:
        heading = soup.find(id=f"attention.{name}")
        signature, docstring = heading.find_next_sibling(), heading.find_next_siblings()[1]
        assert name in signature.get_text()
        if not callable(getattr(attention, name)):
            continue
        description = " ".join(docstring.get_text().split())
        plain = re.sub(r"`|<BLANKLINE>|^-+$", "", inspect.getdoc(getattr(attention, name)), flags=re.M)
        for line in re.sub(r"\*(\w+)\*", r"\1", plain).splitlines():
            assert " ".join(line.split()) in description, name


@each_language
def test_every_parameter_and_method_is_there(page: Callable[[str, str], Tag], language: str) -> None:
    soup = page(language, "api")
    signature = soup.find(id="attention.attention").find_next("pre").get_text()
    assert list(inspect.signature(attention.attention).parameters) == re.findall(r"^ +(\w+):", signature, re.M)
    methods = {node["id"] for node in soup.select("h4[id]") if "KVCache" in node["id"]}
    assert methods == {
        f"attention.KVCache.{name}"
        for name in ("append", "attend", "check_capacity", "fork", "k", "len", "position", "reorder", "truncate", "v")
    }


@each_language
def test_docstrings_say_that_they_are_english(page: Callable[[str, str], Tag], language: str) -> None:
    soup = page(language, "api")
    docstrings = soup.select(".docstring")
    assert len(docstrings) > len(attention.__all__)
    assert {node["lang"] for node in docstrings} == {"en"}
    assert not [node for node in docstrings if re.search(f"[{HAN}]", node.get_text())]


@each_language
def test_examples_and_shapes_are_code(page: Callable[[str, str], Tag], language: str) -> None:
    soup = page(language, "api")
    for code in soup.select("pre, code"):
        code.extract()
    assert not re.search(r">>>|BLANKLINE|\[\.\.\.|-> ", soup.get_text())


@each_language
def test_functions_are_found_by_their_name(built: Built, language: str) -> None:
    path = built.folder / languages()[language].prefix / "search/search_index.json"
    titles = {doc["location"]: doc["title"] for doc in json.loads(path.read_text("utf-8"))["docs"]}
    for name in attention.__all__:
        assert titles[f"api/#attention.{name}"] == name


@each_language
def test_names_stand_in_the_table_of_contents_and_in_the_list_at_the_top(
    page: Callable[[str, str], Tag], built: Built, language: str
) -> None:
    required = [f"#attention.{name}" for names in api.by_module(read_modules()).values() for name in names]
    assert [a["href"] for a in page(language, "api").select("li a") if "attention." in a["href"]] == required
    soup = BeautifulSoup(
        (built.folder / languages()[language].prefix / "api/index.html").read_text("utf-8"), "html.parser"
    )
    contents = [a["href"] for a in soup.select(".md-sidebar--secondary .md-nav__link")]
    assert [address for address in contents if address in required] == required


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("One line.", "One line."),
        ("What.\n\n[..., n] -> [n]\n\nMore.", "What.\n\n```text\n[..., n] -> [n]\n```\n\nMore."),
        ("What.\n\n>>> f(1)\n2", "What.\n\n```pycon\n>>> f(1)\n2\n```"),
        (
            "What.\n\nParameters\n----------\na, b\n    Both of\n    them.\nc\n    The last.",
            "What.\n\n**Parameters**\n\n- `a`, `b`: Both of them.\n- `c`: The last.",
        ),
        (
            "What.\n\nReturns\n-------\nA thing.\n\nRaises\n------\nValueError\n    If not.",
            "What.\n\n**Returns**\n\nA thing.\n\n**Raises**\n\n- `ValueError`: If not.",
        ),
    ],
)
def test_a_docstring_becomes_markdown(docstring: str, expected: str) -> None:
    assert api.markdown(docstring) == expected


# The glossary


@each_language
def test_every_concept_stands_in_the_glossary_with_a_meaning(page: Callable[[str, str], Tag], language: str) -> None:
    soup = page(language, "glossary")
    rows_by_term = {row[0]: row for row in rows(soup.table)}
    assert len(rows_by_term) == len(glossary.concepts())
    for name, concept in glossary.concepts().items():
        row = rows_by_term[concept[language]]
        assert [concept[other] for other in languages() if other != language] == [row[1]]
        assert row[2] == concept["means"][language]
        assert soup.find(id=name.replace(" ", "-"))


@each_language
def test_a_meaning_uses_no_term_that_is_to_be_avoided(language: str) -> None:
    avoided = {word for one in glossary.concepts().values() for word in one.get("avoid", {}).get(language, [])}
    meanings = " ".join(one["means"][language] for one in glossary.concepts().values())
    assert not [word for word in avoided if word in meanings]


@each_language
def test_a_concept_leads_to_where_it_is_introduced(page: Callable[[str, str], Tag], language: str) -> None:
    places = {row.td.span["id"]: row.a["href"] for row in page(language, "glossary").select("tbody tr") if row.a}
    assert places["entropy"] == "../softmax/#entropy"
    for name, concept in glossary.concepts().items():
        if address := places.get(name.replace(" ", "-")):
            slug = address.split("/")[1]
            forms = term(concept[language], language)
            assert forms.search(" ".join(page(language, slug).get_text().split()))


# The same thing elsewhere


@each_language
def test_every_library_stands_in_the_table_and_has_a_section(page: Callable[[str, str], Tag], language: str) -> None:
    soup = page(language, "elsewhere")
    names = [row[0] for row in rows(soup.table)]
    assert names[1:] == [row["name"] for row in ROWS[1:]] == [node.contents[0] for node in soup.select("h3")]
    for row in ROWS[1:]:
        parts = soup.find(id=elsewhere.anchor(row)).find_next_siblings()
        section = " ".join(part.get_text() for part in parts[:3])
        assert (row["call"] or row["causal_call"]) in section
        assert row["ours"] in section
        assert (row["version"] or "GPU") in section


@each_language
def test_what_differs_from_ours_is_bold_and_nothing_else(page: Callable[[str, str], Tag], language: str) -> None:
    _, *lines = page(language, "elsewhere").table.select("tbody tr")
    for row, line in zip(ROWS[1:], lines, strict=True):
        bold = [cell.strong is not None for cell in line.select("td")[1:-1]]
        assert bold == [row[name] not in (None, ROWS[0][name]) for name in elsewhere.CONVENTIONS]


@each_language
def test_only_what_ran_has_a_measured_bound(page: Callable[[str, str], Tag], language: str) -> None:
    words = generated.vocabulary()[language]
    bounds = {row[0]: row[-1] for row in rows(page(language, "elsewhere").table)}
    assert bounds.pop("flash_attn.flash_attn_func") == words["not_run"]
    assert bounds.pop(rows(page(language, "elsewhere").table)[0][0]) == "0"
    assert set(bounds.values()) == {"10⁻⁶"}


def test_measured_words_are_translated() -> None:
    values = generated.vocabulary()["zh"]["values"]
    conventions = {row[name] for row in ROWS for name in elsewhere.CONVENTIONS}
    assert {word for word in conventions if word and re.fullmatch("[a-z -]+", word) and word not in values} == set()


@pytest.mark.parametrize(("bound", "power"), [(1e-6, "10⁻⁶"), (2e-12, "2 × 10⁻¹²")])
def test_a_bound_is_written_as_a_power_of_ten(bound: float, power: str) -> None:
    assert elsewhere.off({"equal_within": bound}, {}) == power


def test_where_nothing_differs_the_page_says_so() -> None:
    terms = generated.vocabulary()["en"]
    assert f"What differs: {terms['nothing']}" in elsewhere.section(ROWS[1] | ROWS[0] | {"docs": ""}, ROWS[0], terms)


# The fence


def test_the_words_of_the_generated_parts_are_the_same_in_every_language() -> None:
    words = generated.vocabulary()
    assert list(words) == list(languages())
    assert len({frozenset(one) for one in words.values()}) == 1


@pytest.fixture(scope="module")
def build(built: Built) -> Build:
    """A build as it begins, after one that has executed the lessons."""
    assert built.pages()
    return begin()


@each_language
@pytest.mark.parametrize("part", generated.PARTS)
def test_a_part_is_markdown_in_the_language_asked_for(build: Build, part: str, language: str) -> None:
    here: Language = languages()[language]
    current.set(Page(here.docs / "by-hand.md", here))  # a page's questions are those of its chapter
    text = generated.render(part, here, build)
    assert ("{ #" in text) == (part in ("api", "libraries", "speed"))
    if language == "en" and part != "claims":  # claims may quote a Chinese token
        assert not re.search(f"[{HAN}]", re.sub(r'<span lang="zh">.*?</span>', "", text))


@pytest.mark.parametrize("code", languages())
def test_each_role_has_its_colour_and_each_sign_its_picture(code: str) -> None:
    page = BeautifulSoup(style.render(languages()[code], generated.vocabulary()[code]["style"]), "html.parser")
    assert [row["class"] for row in page.select("td .role")] == [["role", role] for role in style.ROLES]
    rows = [[*row.select("td")] for row in page.select("tbody tr")][len(style.ROLES) :]
    assert len(rows) == 6
    assert all(picture.select_one("svg") and meaning.text for picture, meaning in rows)
    shares = [float(text.removesuffix("%").strip()) for text in rows[2][0].strings]
    assert sum(shares) == pytest.approx(100)
