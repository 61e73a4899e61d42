"""The head explorer in a real Chromium: by select box, by keyboard, by finger; the numbers are the recording's."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from sitekit.languages import languages
from sitekit.reference import heads
from tests.browser.conftest import listen
from tests.browser.test_every_page import CONTRAST

Open = Callable[..., Page]
PAGES = [f"{language.prefix}multi-head/" for language in languages().values()]
WIDTHS = [1280, 390]
each_page = pytest.mark.parametrize("path", PAGES)
each_width = pytest.mark.parametrize("width", WIDTHS)


def numbers(table: Locator) -> list[list[str]]:
    return [row.locator("td").all_text_contents() for row in table.locator("tbody tr").all()]


def assert_shows(page: Page, sentence: str, layer: int, head: int) -> None:
    """The table has this head's weights, to the digit shown, under its tokens, and says which head it is."""
    table = page.locator(".explorer table")
    expect(table.locator("caption")).to_contain_text(f"{layer}.{head}")
    expect(table.locator("caption")).to_contain_text(heads.sentences()[sentence]["text"])
    tokens = heads.sentences()[sentence]["tokens"]
    assert table.locator("thead th[scope=col]").all_text_contents() == tokens
    assert table.locator("tbody th[scope=row]").all_text_contents() == tokens
    recorded = heads.weights()[sentence][layer, head].astype(float)
    shown = numbers(table)
    assert len(shown) == len(tokens)
    for row, weights in zip(shown, recorded, strict=True):
        assert all(len(number.partition(".")[2]) == 1 for number in row)
        assert [float(number) for number in row] == pytest.approx(list(100 * weights), abs=0.05 + 1e-9)
    chosen = page.locator(".heads .map").evaluate_all("all => all.map(map => map.classList.contains('chosen'))")
    assert [at for at, yes in enumerate(chosen) if yes] == [12 * layer + head]
    assert page.evaluate("document.documentElement.scrollWidth") == page.viewport_size["width"]  # type: ignore[index]


def choose(page: Page, name: str, value: str) -> None:
    page.locator(f".explorer select[name={name}]").select_option(value)


@pytest.mark.parametrize(
    ("path", "width"),
    [
        pytest.param(PAGES[0], 1280, marks=pytest.mark.journey),
        pytest.param(PAGES[1], 390, marks=pytest.mark.journey),
        (PAGES[0], 390),
        (PAGES[1], 1280),
    ],
)
def test_select_boxes_choose_sentence_layer_and_head(open_page: Open, path: str, width: int) -> None:
    page = open_page(path, width=width)
    for sentence, layer, head in (("bank-river", 5, 11), ("bank-money", 1, 8), ("apple-fruit", 0, 3)):
        for name, value in (("sentence", sentence), ("layer", str(layer)), ("head", str(head))):
            choose(page, name, value)
        assert_shows(page, sentence, layer, head)


@each_page
def test_the_table_speaks_the_page_s_language_and_the_tokens_english(open_page: Open, path: str) -> None:
    page = open_page(path)
    choose(page, "head", "1")
    language = "en" if path.startswith("en/") else "zh"
    corner, caption = ("query ↓ key →", "head 0.1") if language == "en" else ("查询 ↓ 键 →", "头 0.1")
    table = page.locator(".explorer table.matrix.weights")
    expect(table.locator(".corner")).to_have_text(corner)
    expect(table.locator("caption")).to_contain_text(caption)
    expect(page.locator(".explorer [role=status]")).to_contain_text("apple → iphone")
    expect(page.locator(".explorer [role=status]")).to_contain_text("97.6 %")
    assert {th.get_attribute("lang") for th in table.locator("th").all()} == {"en"}
    box = page.locator(".explorer .scroll")
    assert box.get_attribute("aria-label") == table.locator("caption").text_content()
    assert (box.get_attribute("role"), box.get_attribute("tabindex")) == ("group", "0")


@each_width
@each_page
def test_the_keyboard_alone_is_enough(open_page: Open, path: str, width: int) -> None:
    page = open_page(f"{path}#all-heads", width=width)
    page.keyboard.press("Tab")  # on a desk, to the link of the heading
    if width > 600:
        page.keyboard.press("Tab")
    expect(page.locator(".heads > figure .scroll")).to_be_focused()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
    assert_shows(page, heads.FIRST, 1, 1)
    for key in ("ArrowUp", "ArrowUp", "ArrowLeft", "ArrowLeft"):  # past the edge, to the other side
        page.keyboard.press(key)
    assert_shows(page, heads.FIRST, 5, 11)
    page.keyboard.press("Tab")
    expect(page.locator("[name=sentence]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert_shows(page, "apple-fruit", 5, 11)
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    assert_shows(page, "apple-fruit", 0, 0)
    page.keyboard.press("Tab")
    expect(page.locator(".explorer .scroll")).to_be_focused()


@each_page
def test_the_first_head_can_be_asked_for_by_button(open_page: Open, path: str) -> None:
    page = open_page(path)
    button = page.locator(".explorer button")
    button.focus()
    page.keyboard.press("Enter")
    assert_shows(page, heads.FIRST, 0, 0)
    expect(button).to_be_hidden()
    expect(page.locator(".explorer .scroll")).to_be_focused()


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
    page = phone(path)
    maps = page.locator(".heads .map")
    for layer, head in ((0, 2), (3, 7), (5, 11)):
        maps.nth(12 * layer + head).tap()
        assert_shows(page, heads.FIRST, layer, head)
    box = maps.nth(40).bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24


@each_page
def test_a_click_between_the_squares_of_a_pale_head_counts_too(open_page: Open, path: str) -> None:
    page = open_page(path)
    for at in (23, 31):
        page.locator(".heads .map .frame").nth(at).scroll_into_view_if_needed()
        box = page.locator(".heads .map .frame").nth(at).bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"])
        assert_shows(page, heads.FIRST, *divmod(at, 12))


@each_width
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_numbers_and_controls_stand_out(open_page: Open, dark: bool, width: int) -> None:
    page = open_page("multi-head/", width=width, dark=dark)
    assert page.locator("body").get_attribute("data-md-color-scheme") == ("slate" if dark else "default")
    for head in ("1", "2"):
        choose(page, "head", head)
        assert_shows(page, heads.FIRST, 0, int(head))
        assert page.evaluate(CONTRAST) == []


@each_page
def test_nothing_is_fetched_before_somebody_chooses_and_then_once(open_page: Open, address: str, path: str) -> None:
    page = open_page(None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(address)))
    page.goto(address + path)
    page.wait_for_load_state("networkidle")
    page.locator(".explorer").scroll_into_view_if_needed()
    page.locator(".heads > figure .scroll").focus()
    page.wait_for_timeout(200)
    assert not [url for url in asked if url.endswith(".f16")]
    for head in ("5", "6", "7"):
        choose(page, "head", head)
        assert_shows(page, heads.FIRST, 0, int(head))
    choose(page, "sentence", "bank-loan")
    assert_shows(page, "bank-loan", 0, 7)
    prefix = path.removesuffix("multi-head/")
    fetched = [url for url in asked if url.endswith(".f16")]
    assert fetched == [f"{prefix}{heads.FOLDER}/{key}.f16" for key in (heads.FIRST, "bank-loan")]


@pytest.mark.parametrize("how", ["no network", "no file"])
@each_page
def test_when_the_weights_do_not_arrive_it_says_so_and_tries_again(
    browser: Browser, address: str, path: str, how: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + path)

    def refuse(route: Route) -> None:
        route.abort() if how == "no network" else route.fulfill(status=404, body="?")

    page.route("**/*.f16", refuse)
    words = page.locator(".heads")
    choose(page, "head", "9")
    expect(page.locator(".explorer [role=status]")).to_have_text(words.get_attribute("data-failed") or "")
    expect(page.locator(".explorer table")).to_have_count(0)
    again = page.locator(".explorer button")
    expect(again).to_have_text(words.get_attribute("data-again") or "")
    page.unroute("**/*.f16")
    again.click()
    assert_shows(page, heads.FIRST, 0, 9)
    expect(again).to_be_hidden()
    context.close()


def test_a_slow_answer_does_not_replace_a_later_choice(open_page: Open) -> None:
    page = open_page("multi-head/")
    held: list[Route] = []
    page.route("**/bank-river.f16", lambda route: held.append(route))
    choose(page, "sentence", "bank-river")
    choose(page, "sentence", "bank-money")
    assert_shows(page, "bank-money", 0, 0)
    held[0].continue_()
    page.wait_for_timeout(200)
    assert_shows(page, "bank-money", 0, 0)


@each_width
@each_page
def test_the_page_is_complete_without_javascript(browser: Browser, address: str, path: str, width: int) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(address + path)
    assert page.locator(".heads .map").count() == 72
    assert page.locator(".heads svg").is_visible()
    assert page.locator("[data-cell='multi-head.four-heads'] svg .map").count() == 4
    for control in page.locator(".heads :is(select, button, .hint)").all():
        assert not control.is_visible()
    context.close()
