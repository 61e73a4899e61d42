"""The built pages: complete, the same in every language, and loading nothing from elsewhere."""

import json
import re
from copy import copy
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup

from sitekit.languages import languages, source
from sitekit.lessons.files import lesson_scripts
from sitekit.markdown.page import FENCE
from tests.conftest import ROOT, Built, build_small

DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS / source().code) for path in (DOCS / source().code).rglob("*.md"))
LESSONS = {script.stem for script in lesson_scripts()}
CHAPTERS = [page for page in PAGES if page.stem in LESSONS]
SHOWING = [page for page in PAGES if page in CHAPTERS or page.stem == "index"]  # the others refer, and run nothing
OTHERS = list(languages())[1:]
HEADING = re.compile(r"^(#+) .*?(\{ #(?P<id>[a-z0-9-]+) \})?$", re.M)
HAN = "\u4e00-\u9fff"


def html(built: Built, language: str, page: Path) -> BeautifulSoup:
    folder = built.folder / languages()[language].prefix / ("" if page.stem == "index" else page.stem)
    return parsed(folder / "index.html")


@cache
def parsed(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


@cache
def ids(path: Path) -> set[str]:
    return {tag["id"] for tag in parsed(path).select("[id]")}


def without_fences(text: str) -> str:
    return re.sub(r"^( *)```.*?^\1```", "", text, flags=re.M | re.S)


@pytest.mark.parametrize("language", OTHERS)
def test_every_page_exists_in_every_language(language: str) -> None:
    assert sorted(path.relative_to(DOCS / language) for path in (DOCS / language).rglob("*.md")) == PAGES


# That languages have the same headings, cells and generated parts: tests/i18n, which lets the source move on.


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_chapters_show_cells_and_other_pages_none(page: Path, language: str) -> None:
    assert bool(FENCE.search((DOCS / language / page).read_text("utf-8"))) == (page in SHOWING)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_heading_carries_an_id(page: Path, language: str) -> None:
    text = without_fences((DOCS / language / page).read_text("utf-8"))
    assert all(match["id"] for match in HEADING.finditer(text))


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_is_rendered_to_the_end(built: Built, page: Path, language: str) -> None:
    soup = html(built, language, page)
    article = copy(soup.find("article"))
    assert soup.html["lang"] == language
    assert len(article.select("[data-cell]")) == len(FENCE.findall((DOCS / language / page).read_text("utf-8")))
    for code in article.select("code, pre, svg, .math"):
        code.extract()
    visible = article.get_text()
    assert not re.search(r"\*\*|\$\$|\\[(\[]|```|\bcell show|\{ ?[.#]|Traceback|0x[0-9a-f]{6,}", visible)


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_gap_inside_a_chinese_sentence(built: Built, page: Path) -> None:
    for paragraph in html(built, "zh", page).select("article p, article li"):
        assert not re.search(rf"[{HAN}，。；：？！][ \n][{HAN}“]", paragraph.get_text()), paragraph


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "api.md"], ids=str
)  # docstrings stay as they are
def test_no_line_ends_inside_a_number_or_before_its_unit(built: Built, page: Path, language: str) -> None:
    article = copy(html(built, language, page).find("article"))  # others read the same page
    for other in article.select("code, pre, .cell, .math"):
        other.extract()
    for cell in article.select("td, th"):
        cell.append("|")  # the next cell is no part of this number
    assert re.findall(r".{0,20}\d[ \n](?:%|\d{3}(?!\d)|[kKMGT]i?B\b)", article.get_text()) == []


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("page", CHAPTERS, ids=str)
def test_matrices_are_tables_that_can_be_heard(built: Built, page: Path, language: str) -> None:
    tables = html(built, language, page).select("table.matrix")
    assert tables
    for table in tables:
        assert table.caption.get_text(strip=True)
        assert table.select("th[scope]")
        assert table.parent["tabindex"] == "0"
        assert all(cell.get_text(strip=True) for cell in table.select("tbody td"))
        if language != "zh":
            assert not re.search(
                f"[{HAN}]", table.select_one(".corner").get_text() if table.select_one(".corner") else ""
            )


def test_pages_name_no_other_host(built: Built) -> None:
    for page in built.pages():
        loaded = [
            tag.get("src") or tag.get("href")
            for tag in parsed(page).select("script[src], img[src], link[href]:not([rel=canonical])")
        ]
        assert not [address for address in loaded if "//" in address], page


def test_links_lead_somewhere(built: Built) -> None:
    """MkDocs has checked the Markdown; this checks what templates added, notebooks included."""
    for page in built.pages():
        if page.name == "404.html":
            continue
        for link in parsed(page).select("a[href]"):
            address, _, anchor = link["href"].removeprefix("http://127.0.0.1:8000/").partition("#")
            if address.startswith(("https://", "mailto:")):
                continue
            start = built.folder if link["href"].startswith("http://127.0.0.1:8000/") else page.parent
            target = (start / address).resolve() if address else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{page}: {link['href']}"
            if anchor and target.suffix == ".html":
                assert unquote(anchor) in ids(target), f"{page}: {link['href']}"


def test_the_switch_leads_to_the_same_page(built: Built) -> None:
    for language in languages():
        for page in PAGES:
            links = html(built, language, page).select(".md-select__link")
            assert [link["hreflang"] for link in links] == list(languages())
            here = built.folder / languages()[language].prefix / ("" if page.stem == "index" else page.stem)
            for link in links:
                there = (
                    built.folder / languages()[link["hreflang"]].prefix / ("" if page.stem == "index" else page.stem)
                )
                assert (here / link["href"]).resolve() == there.resolve()


def test_the_menu_speaks_one_language(built: Built) -> None:
    for page in PAGES:
        menu = html(built, "en", page).select_one(".md-nav--primary").get_text()
        assert not re.search(f"[{HAN}]", menu)
    assert "手算一步注意力" in html(built, "zh", PAGES[0]).select_one(".md-nav--primary").get_text()


@pytest.mark.parametrize("language", languages())
def test_the_sitemap_lists_every_page_in_every_language(built: Built, language: str) -> None:
    tree = ElementTree.parse(built.folder / languages()[language].prefix / "sitemap.xml")
    spaces = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
    listed = {url.find("s:loc", spaces).text: url for url in tree.findall("s:url", spaces)}
    assert len(listed) == len(PAGES) * len(languages())
    for url in listed.values():
        assert [link.get("hreflang") for link in url.findall("x:link", spaces)] == [*languages(), "x-default"]
        assert all(link.get("href") in listed for link in url.findall("x:link", spaces))


@pytest.mark.parametrize("language", languages())
def test_the_search_index_is_in_one_language_and_cut_into_words(built: Built, language: str) -> None:
    index = json.loads((built.folder / languages()[language].prefix / "search/search_index.json").read_text("utf-8"))
    assert re.fullmatch(index["config"]["separator"], "\u200b")
    assert index["config"]["lang"] == languages()[language].search
    assert {doc["location"].partition("#")[0].strip("/") for doc in index["docs"]} == {
        "" if page.stem == "index" else page.stem for page in PAGES
    }
    assert "\u200b注意力\u200b" in json.dumps(index["docs"], ensure_ascii=False)


@pytest.mark.parametrize("language", languages())
def test_the_search_index_has_the_prose_and_formulas_and_neither_labels_nor_cells(built: Built, language: str) -> None:
    here = languages()[language]
    index = json.loads((built.folder / here.prefix / "search/search_index.json").read_text("utf-8"))
    text_at = {doc["location"]: doc["text"].replace("\u200b", "") for doc in index["docs"]}
    texts = "".join(text_at.values())
    assert here.labels["script_copy"] not in texts
    assert "<samp>" not in texts
    assert "e^10 = 22026.466" not in text_at["by-hand/#weights"]  # what a cell puts out
    assert not re.search("QK⊤|sij", texts)  # what KaTeX makes of a formula, in halves
    assert "(QK^T/√d_k)V" in text_at["by-hand/#sqrt-d"]
    assert "22026.466" in text_at["by-hand/#weights"]  # before and after its cells and formulas
    assert "<code>scale=1</code>" in text_at["by-hand/#guess"]
    assert "GPT-2" in text_at["multi-head/#whole"]
    assert "L1·H8" in text_at["multi-head/#all-heads"]  # after the grid of heads


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5.90", ["5.90"]),
        ("W_q", ["W_q"]),
        ("scale=1", ["scale=1"]),
        ("softmax?", ["softmax"]),
        ("key/value", ["key", "value"]),
        ("attention.softmax", ["attention", "softmax"]),
        ("is 0.982. 403", ["is", "0.982", "403"]),
        ("[CLS], (mask)", ["CLS", "mask"]),
    ],
)
def test_the_search_index_cuts_at_marks_and_leaves_numbers_and_names_whole(
    built: Built, language: str, text: str, words: list[str]
) -> None:
    index = json.loads((built.folder / languages()[language].prefix / "search/search_index.json").read_text("utf-8"))
    assert [word for word in re.split(index["config"]["separator"], text) if word] == words


def test_the_build_complains_of_nothing(built: Built) -> None:
    assert not re.search(r"WARN|not supported|fall(s|ing)? back|Deprecat", built.log), built.log


def check_missing_page(site: Path, root: str) -> None:
    """A 404 page can stand for any address, so its links begin with the root's path; below it they lead somewhere."""
    for here in languages().values():
        page = parsed(site / here.prefix / "404.html")
        switch = {link["hreflang"]: link["href"] for link in page.select(".md-select__link")}
        assert {code: followed(address) for code, address in switch.items()} == {
            other.code: f"{root}{other.prefix}" for other in languages().values()
        }
        for other in languages().values():
            section = page.select_one(f"article section[lang={other.code}]")
            assert section is not None
            assert other.labels["not_found"] in section.get_text()
            assert section.a is not None
            assert followed(str(section.a["href"])) == f"{root}{other.prefix}"
        wheel = page.select_one("script[data-wheel]")
        assert wheel is not None
        for address in (str(wheel["data-wheel"]), *(str(script["src"]) for script in page.select("script[src]"))):
            assert (site / followed(address).removeprefix(root)).is_file(), address


def followed(address: str) -> str:
    """The path that a browser asks for, wherever the link stands; it takes what follows two slashes for a host."""
    url = urlsplit(urljoin("https://host.example/any/where", address))
    assert url.netloc == "host.example", address
    return url.path


def test_an_address_that_leads_nowhere_is_answered_in_every_language(built: Built) -> None:
    check_missing_page(built.folder, "/")


def test_an_address_that_leads_nowhere_is_answered_below_a_folder(tiny: Path) -> None:
    settings = tiny / "mkdocs.yml"
    settings.write_text(
        re.sub("^site_url: .*", "site_url: https://host.example/book/", settings.read_text("utf-8"), flags=re.M),
        "utf-8",
    )
    done = build_small(tiny)
    assert done.returncode == 0, done.stdout
    check_missing_page(tiny / "site", "/book/")
