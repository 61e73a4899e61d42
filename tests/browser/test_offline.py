"""The zip, unpacked and opened as files: no server, no network, and no error."""

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sitekit.languages import languages
from tests.browser.conftest import listen, serving
from tests.browser.test_every_page import OPEN_FOLDS
from tests.conftest import Built

START = 60_000  # milliseconds for Python to start on a busy machine
USED = "document.fonts.ready.then(() => [...document.fonts].filter(f => f.status === 'loaded').map(f => f.family))"


@pytest.fixture(scope="module")
def folder(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader has unzipped it: a place with a space and Chinese in its name."""
    place = tmp_path_factory.mktemp("下载 of a reader")
    zipfile.ZipFile(built.folder / "attention-site.zip").extractall(place)
    (unzipped,) = place.iterdir()
    return unzipped


@pytest.fixture(scope="module")
def tab(browser: Browser, folder: Path) -> Iterator[tuple[Page, list[str]]]:
    context = browser.new_context(viewport={"width": 1280, "height": 844}, color_scheme="light")
    complaints: list[str] = []
    page = context.new_page()
    listen(page, folder.as_uri(), complaints)
    yield page, complaints
    context.close()


@pytest.fixture(name="open_file")
def opener(tab: tuple[Page, list[str]], folder: Path) -> Iterator[Callable[[str], Page]]:
    """Open a file of the zip, and forgive no console error, no failed request and none that leaves the folder."""
    page, complaints = tab
    complaints.clear()

    def open_file(name: str) -> Page:
        page.goto((folder / name).as_uri())
        return page

    yield open_file
    page.goto("about:blank")
    assert not complaints


Open = Callable[[str], Page]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        pytest.param("注意力softmax", "zh", marks=pytest.mark.journey),
        ("注意力", "zh"),
        ("softmax", "en"),
        ("注意力softmax", "en"),
        ("Ｓoftmax", "zh"),
        ("Ｓoftmax", "en"),
    ],
)
def test_a_search_finds_a_page_and_opens_it(open_file: Open, folder: Path, query: str, code: str) -> None:
    page = open_file(f"{languages()[code].prefix}index.html")
    page.keyboard.press("f")
    page.keyboard.type(query, delay=40)
    found = page.locator(".md-search-result__item .md-search-result__link")
    expect(found.first).to_be_visible()
    pages = ("softmax", "by-hand", "glossary")
    page.locator(", ".join(f'.md-search-result__link[href*="/{slug}/index.html?"]' for slug in pages)).first.click()
    page.wait_for_url(re.compile(r"/(softmax|by-hand|glossary)/index\.html"))
    assert page.url.startswith((folder / languages()[code].prefix).as_uri())
    assert page.locator("html").get_attribute("lang") == code
    expect(page.locator("mark[data-md-highlight]").first).to_have_text(re.compile("^(注意力|softmax)$", re.I))


@pytest.mark.journey
def test_the_language_switch_lands_on_the_same_section_and_colours_stay(open_file: Open, folder: Path) -> None:
    page = open_file("by-hand/index.html")
    page.goto(f"{page.url}?h=softmax#weights")
    page.locator("label[for=__palette_1]").click()
    for code in ("en", "zh"):
        page.locator(".md-select").hover()
        page.locator(f'.md-select__link[hreflang="{code}"]').click()
        page.wait_for_url((folder / languages()[code].prefix / "by-hand" / "index.html").as_uri() + "#weights")
        assert page.locator("html").get_attribute("lang") == code
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    page.locator("label[for=__palette_0]").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    page.locator(".md-footer__link--next").click()
    page.wait_for_url((folder / "library" / "index.html").as_uri())


@pytest.mark.parametrize("path", ["by-hand/", "en/by-hand/", "notebooks/by-hand/"])
def test_formulas_have_their_font_and_pages_their_style(open_file: Open, path: str) -> None:
    page = open_file(f"{path}index.html")
    assert "Formula" in page.evaluate(USED)
    assert page.evaluate("getComputedStyle(document.querySelector('math')).fontFamily").startswith("Formula")
    assert page.locator(".md-header").evaluate("box => getComputedStyle(box).position") == "sticky"


def test_every_number_explains_itself(open_file: Open) -> None:
    page = open_file("by-hand/index.html")
    page.locator("table.scores[data-of] tbody td").first.click()
    expect(page.locator(".why").first).to_contain_text("=")


@pytest.mark.parametrize("code", languages())
def test_what_a_file_cannot_do_says_so_and_what_to_do(open_file: Open, code: str) -> None:
    language = languages()[code]
    say = language.labels["as_file"]
    assert "python -m http.server" in say
    page = open_file(f"{language.prefix}by-hand/index.html")
    cell = page.locator("[data-run]:has(.tools)").first
    for _ in range(2):  # pressing again says it again
        cell.locator("button.run").click()
        expect(cell.locator(".said")).to_have_text(say)
        expect(cell).not_to_have_class(re.compile("busy"))
    page = open_file(f"{language.prefix}multi-head/index.html")
    page.locator("choose-head").scroll_into_view_if_needed()
    page.locator("choose-head select").select_option(index=1)  # the weights of another sentence
    expect(page.locator("choose-head .because")).to_have_text(say)


@pytest.mark.parametrize("code", languages())
def test_the_laboratory_and_the_grids_say_so_too_and_the_page_is_there(open_file: Open, code: str) -> None:
    here = languages()[code]
    page = open_file(f"{here.prefix}lab/index.html")
    expect(page.locator("[data-cell='lab.apple'] .said")).to_have_text(here.labels["as_file"])
    assert page.locator("table.weights").count() == 4
    page.evaluate(OPEN_FOLDS)
    page.locator("[data-cell='lab.library']").get_by_role("button", name=here.run["edit"]).click()
    expect(page.locator("[data-cell='lab.library'] .said")).to_have_text(here.labels["as_file"])
    expect(page.locator("[data-cell='lab.library'] textarea")).to_be_focused()


@pytest.mark.journey
def test_scripts_and_notebooks_open(open_file: Open, folder: Path) -> None:
    for link, file in (
        (".take-away a[href$='.ipynb']", "notebooks/by-hand/by-hand.ipynb"),
        (".take-away a[href$='.py']", "scripts/by-hand.py"),
        ("[data-cell='by-hand.scores'] a.take", "scripts/by-hand/scores.py"),
    ):
        page = open_file("by-hand/index.html")
        expect(page.locator(".choice")).to_be_hidden()  # how to copy: nothing can be
        page.locator(link).first.click()
        page.wait_for_url((folder / file).as_uri())
        assert page.locator("body").inner_text().split() == (folder / file).read_text("utf-8").split()


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_never_scrolls_the_page_sideways(open_file: Open, width: int) -> None:
    page = open_file("index.html")
    page.set_viewport_size({"width": width, "height": 844})
    for name in ("index.html", "en/multi-head/index.html"):
        open_file(name)
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size({"width": 1280, "height": 844})


def test_with_a_server_in_the_folder_everything_works(browser: Browser, folder: Path) -> None:
    complaints: list[str] = []
    with serving(folder) as address:
        context = browser.new_context()
        page = context.new_page()
        listen(page, address, complaints)
        page.goto(f"{address}multi-head/")
        page.locator("choose-head").scroll_into_view_if_needed()
        page.locator("choose-head select").select_option(index=1)
        expect(page.locator("choose-head .lead")).to_contain_text("给了 [CLS]")
        page.keyboard.press("f")
        page.keyboard.type("softmax", delay=40)
        page.locator('.md-search-result__link[href*="/softmax/index.html"]').first.click()
        page.wait_for_url(re.compile(r"/softmax/index\.html"))
        cell = page.locator("[data-run]:has(.tools)").first
        cell.locator("button.run").click()
        same = languages()["zh"].run["same"].partition("{ms}")[2]
        expect(cell.locator(".said")).to_contain_text(same, timeout=START)
        context.close()
    assert not complaints
