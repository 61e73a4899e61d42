"""The head explorer in a real Chromium: by small picture, slider and keys; the numbers are the recording's."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from sitekit.languages import languages
from sitekit.reference import heads
from tests.browser.conftest import listen
from tests.browser.test_every_page import CONTRAST

Open = Callable[..., Page]
PAGES = [f"{language.prefix}multi-head/" for language in languages().values()]
WIDTHS = [1280, 390]
each_page = pytest.mark.parametrize("path", PAGES)
each_width = pytest.mark.parametrize("width", WIDTHS)


def assert_shows(page: Page, sentence: str, layer: int, head: int, token: str | None = None) -> None:
    """One row of this head, to the digit shown, beside its tokens; and which head it is."""
    shown = page.locator("choose-head")
    given = heads.sentences()[sentence]
    tokens = given["tokens"]
    row = tokens.index(token) if token else given["place"]
    expect(shown.locator(".lead")).to_contain_text(f"L{layer}·H{head}")
    expect(shown.locator(".lead")).to_contain_text(tokens[row])
    assert shown.locator(".row:visible button").all_inner_texts() == tokens
    recorded = heads.weights()[sentence][layer, head, row].astype(float)
    numbers = [text.replace("\u202f%", "") for text in shown.locator(".row:visible b").all_inner_texts()]
    assert [float(number) for number in numbers] == pytest.approx(list(100 * recorded), abs=0.05 + 1e-9)
    chosen = page.locator(".heads .map").evaluate_all("all => all.map(map => map.classList.contains('chosen'))")
    assert [at for at, yes in enumerate(chosen) if yes] == [12 * layer + head]
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]  # type: ignore[index]


def wake(page: Page) -> Page:
    page.locator("choose-head").scroll_into_view_if_needed()
    expect(page.locator("choose-head")).to_have_attribute("live", "")
    return page


def choose(page: Page, name: str, value: str | int) -> None:
    wake(page)
    if name == "sentence":
        page.locator("choose-head select").select_option(label=heads.sentences()[str(value)]["text"])
    else:
        page.locator(f"choose-head [data-part={name}]").fill(str(value))


@pytest.mark.parametrize(
    ("path", "width"),
    [
        pytest.param(PAGES[0], 1280, marks=pytest.mark.journey),
        (PAGES[1], 390),
    ],
)
def test_sentence_layer_and_head_are_chosen(open_page: Open, path: str, width: int) -> None:
    page = wake(open_page(path, width=width))
    assert_shows(page, heads.FIRST, 0, 1)
    for sentence, layer, head in (("bank-river", 5, 11), ("bank-money", 1, 8), ("apple-fruit", 0, 3)):
        for name, value in (("layer", layer), ("head", head), ("sentence", sentence)):
            choose(page, name, value)
        expect(page.locator("choose-head .row:visible")).to_have_count(len(heads.sentences()[sentence]["tokens"]))
        assert_shows(page, sentence, layer, head)


@each_width
@each_page
def test_the_keyboard_alone_is_enough(open_page: Open, path: str, width: int) -> None:
    page = wake(open_page(f"{path}#all-heads", width=width))
    page.locator(".heads > figure .scroll").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert_shows(page, heads.FIRST, 1, 1)
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft"):  # past the edge, to the other side
        page.keyboard.press(key)
    assert_shows(page, heads.FIRST, 5, 11)
    page.keyboard.press("Tab")
    expect(page.locator("choose-head").get_by_role("button", name="apple")).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert_shows(page, heads.FIRST, 5, 11, "released")
    expect(page.locator("choose-head .aloud")).to_contain_text("released")


@pytest.fixture(name="phone")
def touching(browser: Browser, address: str) -> Iterator[Callable[[str], Page]]:
    """Open a page on a phone with a touch screen; forgive no complaint."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)

    def open_page(path: str) -> Page:
        page = context.new_page()
        listen(page, address, complaints)
        page.goto(address + path)
        page.wait_for_load_state("networkidle")
        return page

    yield open_page
    context.close()
    assert not complaints


@each_page
def test_a_finger_on_a_small_picture_shows_that_head(phone: Callable[[str], Page], path: str) -> None:
    page = wake(phone(path))
    maps = page.locator(".heads .map")
    for layer, head in ((0, 2), (3, 7), (5, 11)):
        maps.nth(12 * layer + head).tap()
        assert_shows(page, heads.FIRST, layer, head)
    page.locator("choose-head").get_by_role("button", name="new").tap()
    assert_shows(page, heads.FIRST, 5, 11, "new")
    box = maps.nth(40).bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24


@each_page
def test_a_click_between_the_squares_of_a_pale_head_counts_too(open_page: Open, path: str) -> None:
    page = wake(open_page(path))
    for at in (23, 31):
        page.locator(".heads .map .frame").nth(at).scroll_into_view_if_needed()
        box = page.locator(".heads .map .frame").nth(at).bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"])
        assert_shows(page, heads.FIRST, *divmod(at, 12))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_numbers_and_controls_stand_out(open_page: Open, dark: bool) -> None:
    page = wake(open_page("multi-head/", dark=dark))
    assert page.locator("body").get_attribute("data-md-color-scheme") == ("slate" if dark else "default")
    assert page.evaluate(CONTRAST) == []


@each_page
def test_the_weights_of_another_sentence_are_fetched_when_it_is_chosen_and_once(
    open_page: Open, address: str, path: str
) -> None:
    page = open_page(None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(address)))
    page.goto(address + path)
    wake(page)
    choose(page, "head", 5)
    assert_shows(page, heads.FIRST, 0, 5)
    for sentence in ("bank-loan", heads.FIRST, "bank-loan"):
        choose(page, "sentence", sentence)
        expect(page.locator("choose-head .lead")).to_contain_text("apple" if sentence == heads.FIRST else "bank")
        assert_shows(page, sentence, 0, 5)
    fetched = [url for url in asked if url.endswith(".f16")]
    assert fetched == [f"{heads.FOLDER}/{key}.f16" for key in (heads.FIRST, "bank-loan")]


@pytest.mark.parametrize("how", ["no network", "no file"])
def test_when_the_weights_do_not_arrive_it_says_so_and_can_be_chosen_again(
    browser: Browser, address: str, how: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}en/multi-head/")

    def refuse(route: Route) -> None:
        route.abort() if how == "no network" else route.fulfill(status=404, body="?")

    page.route("**/*.f16", refuse)
    choose(page, "sentence", "bank-loan")
    expect(page.locator("choose-head .because")).to_contain_text("did not arrive")
    assert_shows(page, heads.FIRST, 0, 1)
    expect(page.locator("choose-head select")).to_have_value("0")
    page.unroute("**/*.f16")
    choose(page, "sentence", "bank-loan")
    expect(page.locator("choose-head .lead")).to_contain_text("bank")
    assert_shows(page, "bank-loan", 0, 1)
    context.close()


def test_a_slow_answer_does_not_replace_a_later_choice(open_page: Open) -> None:
    page = open_page("multi-head/")
    held: list[Route] = []
    page.route("**/bank-river.f16", lambda route: held.append(route))
    choose(page, "sentence", "bank-river")
    choose(page, "sentence", "bank-money")
    expect(page.locator("choose-head .row:visible")).to_have_count(12)
    held[0].continue_()
    page.wait_for_timeout(200)
    assert_shows(page, "bank-money", 0, 1)


@each_width
@each_page
def test_the_page_is_complete_without_javascript(browser: Browser, address: str, path: str, width: int) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(address + path)
    assert page.locator(".heads .map").count() == 72
    assert page.locator(".heads .picture svg").is_visible()
    assert page.locator("[data-cell='multi-head.four-heads'] svg .map").count() == 4
    expect(page.locator("choose-head .lead")).to_contain_text("97.6")
    for control in page.locator("choose-head :is(select, input)").all():
        assert not control.is_visible()
    context.close()
