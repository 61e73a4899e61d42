"""Every page, opened once and looked at from every side: its weight, its contrast, light and dark, on a phone."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from sitekit.languages import languages
from sitekit.lessons.files import lesson_scripts
from tests.browser.conftest import listen
from tests.conftest import ROOT, Built, figure

DOCS = sorted(path.stem for path in (ROOT / "docs" / "zh").glob("*.md"))
LESSONS = [script.stem for script in lesson_scripts()]
NOTEBOOKS = ["by-hand", "efficient", "multi-head", "scaling"]  # all are made by the same template
PAGES = ["" if name == "index" else f"{name}/" for name in DOCS] + [f"notebooks/{name}/" for name in NOTEBOOKS]
EVERY = [f"{language.prefix}{page}" for page in PAGES for language in languages().values()]
JOURNEYS = ("", "en/multi-head/", "notebooks/by-hand/")
SAMPLE = [pytest.param(path, marks=pytest.mark.journey) for path in JOURNEYS]
CONTRAST = Path(__file__).with_name("contrast.js").read_text("utf-8")
OPEN_FOLDS = "document.querySelectorAll('details').forEach(fold => fold.open = true)"
MOST_BYTES = 112_000
MOST_BYTES_OF = {"by-hand": 95_000, "notebooks": 95_000}  # by the first folder below the language's
MOST_REQUESTS, MOST_REQUESTS_OF_THE_LAB = 14, 18  # the laboratory gathers the figures of three chapters


@dataclass
class Visit:
    """A page that is open, and what happened since it was."""

    path: str
    page: Page
    complaints: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def tab(browser: Browser, address: str) -> Iterator[Visit]:
    """One tab for all visits: a new one costs as much as a visit, a new window twice as much."""
    context = browser.new_context(viewport={"width": 1280, "height": 844}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab = Visit("", context.new_page())
    listen(tab.page, address, tab.complaints)
    tab.page.on("response", lambda answer: tab.answers.append(answer.url))
    yield tab
    context.close()


@pytest.fixture(
    scope="module", params=[*SAMPLE, *(path for path in EVERY if path not in JOURNEYS)], ids=lambda path: path or "home"
)
def visit(request: pytest.FixtureRequest, tab: Visit, address: str) -> Visit:
    """Open a page once for all the tests below."""
    tab.page.goto("about:blank")  # nothing that the page before still does counts for this one
    tab.page.set_viewport_size({"width": 1280, "height": 844})
    tab.complaints.clear()
    tab.answers.clear()
    tab.path = request.param
    tab.page.goto(address + tab.path)
    return tab


def test_it_loads_without_complaint(visit: Visit) -> None:
    expect(visit.page.locator("h1").first).to_be_visible()
    assert visit.page.locator("html").get_attribute("lang") == ("en" if visit.path.startswith("en/") else "zh")
    assert visit.complaints == []


# Dialogs and landmarks that a screen reader cannot tell apart, and text that only a mouse can scroll.
NAMELESS = """() => {
  const name = (one) => one.getAttribute("aria-label") ?? one.getAttribute("aria-labelledby") ?? "";
  const seen = (one) => one.checkVisibility();
  const landmarks = [...document.querySelectorAll("nav:not([role]), [role=region], [role=dialog]")].filter(seen);
  const scrolls = (one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === "auto";
  const stuck = [...document.querySelectorAll(".output pre, .scroll")].filter(seen).filter(scrolls);
  const tags = landmarks.map((one) => `${one.tagName} ${name(one)}`);
  return [
    ...landmarks.filter((one) => one.role === "dialog" && !name(one)).map((one) => one.className),
    ...tags.filter((tag, at) => tags.indexOf(tag) !== at),
    ...stuck.filter((one) => one.tabIndex < 0).map((one) => one.textContent),
  ];
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_landmarks_have_names_and_what_scrolls_can_be_reached(visit: Visit, width: int) -> None:
    visit.page.set_viewport_size({"width": width, "height": 844})
    visit.page.evaluate(OPEN_FOLDS)
    visit.page.wait_for_function("!document.querySelector('.md-code__nav:not([role])')")
    assert visit.page.evaluate(NAMELESS) == []


def test_it_is_light_to_load(visit: Visit, address: str, built: Built) -> None:
    files = [file(built, url.removeprefix(address)) for url in visit.answers]
    total = sum(map(packed, files))
    most = MOST_BYTES_OF.get(visit.path.removeprefix("en/").partition("/")[0], MOST_BYTES)
    requests = MOST_REQUESTS_OF_THE_LAB if visit.path.endswith("lab/") else MOST_REQUESTS
    figure(
        f"/{visit.path} with all it loads",
        f"{total / 1000:.1f} kB, {len(files)} requests",
        f"at most {most // 1000} kB gzip, {requests} requests, none to other hosts",
    )
    assert total <= most
    assert len(files) <= requests


def file(built: Built, path: str) -> Path:
    path = path.partition("?")[0]
    return built.folder / path / "index.html" if path == "" or path.endswith("/") else built.folder / path


@cache
def packed(file: Path) -> int:
    """The size that a host sends, for the browser keeps what several pages share."""
    return len(gzip.compress(file.read_bytes(), 9))


def test_text_stands_out_from_its_background_in_light_and_dark(visit: Visit) -> None:
    """The next page opens in the colours that this one ends in, for turning them back takes as long as looking."""
    page, body = visit.page, visit.page.locator("body")
    page.evaluate(OPEN_FOLDS)
    first = body.get_attribute("data-md-color-scheme")
    assert page.evaluate(CONTRAST) == [], first
    page.locator("[data-md-component=palette] label:visible").dispatch_event("click")
    other = ({"default", "slate"} - {first}).pop()
    expect(body).to_have_attribute("data-md-color-scheme", other)
    assert page.evaluate(CONTRAST) == [], other


def test_the_copy_button_copies_the_code_and_nothing_else(visit: Visit) -> None:
    cells = visit.page.locator("[data-cell]:has(.highlight):has(.output)")
    assert (cells.count() > 0) == (visit.path.removeprefix("en/").removesuffix("/") in LESSONS)
    for cell in [cell for cell in cells.all() if cell.is_visible()][:1]:
        cell.hover()
        cell.locator("button.md-clipboard, .md-code__button").first.click()
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        assert copied.strip() == cell.locator(".highlight code").inner_text().strip()
        compile(copied, "copied", "exec")
        assert not re.search(r"^(>>>|\.\.\.|\$ |In \[)|\u200b|\u00a0", copied, re.M)
        assert visit.page.locator(".output button:not([data-figure] *)").count() == 0


def test_a_phone_never_scrolls_the_page_sideways(visit: Visit) -> None:
    """The last of the looks, for to lay a page out anew takes long, and the next page gets its width back."""
    page, width = visit.page, 320
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate(OPEN_FOLDS)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    rights = page.evaluate("[...document.querySelectorAll('.scroll')].map(box => box.getBoundingClientRect().right)")
    assert all(right <= width for right in rights)


def test_nothing_was_asked_of_other_hosts(visit: Visit) -> None:
    assert visit.complaints == []
