"""The site as readers meet it: in a real Chromium, in both languages, light and dark, on a desk and on a phone."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from sitekit.languages import languages
from sitekit.lessons.files import lesson_scripts
from tests.browser.conftest import wait_until
from tests.browser.test_every_page import CONTRAST
from tests.conftest import Built

Open = Callable[..., Page]
SLUGS = [script.stem for script in lesson_scripts()]
CHAPTERS = [f"{language.prefix}{slug}/" for language in languages().values() for slug in SLUGS]
HOMES = [language.prefix for language in languages().values()]


def name(path: str) -> str:
    return path or "home"


@pytest.mark.parametrize("slug", ["by-hand", "multi-head", "wrong-on-purpose"])  # tests/site/test_pages.py: all links
def test_the_language_switch_lands_on_the_same_page(open_page: Open, address: str, slug: str) -> None:
    page = open_page(f"{slug}/")
    for language, target in (("en", f"en/{slug}/"), ("zh", f"{slug}/")):
        page.locator(".md-select").hover()
        page.locator(f'.md-select__link[hreflang="{language}"]').click()
        page.wait_for_url(address + target)
        assert page.locator("html").get_attribute("lang") == language


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("by-hand/#weights", "by-hand/#weights", marks=pytest.mark.journey),
        ("by-hand/?h=softmax#weights", "by-hand/#weights"),  # a word of the one language is none of the other
    ],
)
def test_the_language_switch_keeps_section_and_state(open_page: Open, address: str, before: str, after: str) -> None:
    page = open_page(before)
    page.locator(".md-select").hover()
    page.locator('.md-select__link[hreflang="en"]').click()
    page.wait_for_url(f"{address}en/{after}")


FOUND = {
    "zh": [
        ("注意力", "by-hand"),
        ("归一化", "pipeline"),
        ("点积", "by-hand"),
        ("softmax", "softmax"),
        ("一步", "by-hand"),
        ("份额", "softmax"),
        ("KV缓存", "efficient"),  # Chinese next to Latin letters
        ("softmax函数", "softmax"),
        ("Q矩阵", "qkv"),
        ("Ｓoftmax", "softmax"),  # full width, as an input method leaves them
        ("注意力?", "by-hand"),  # ASCII marks
        ("5.90", "by-hand"),  # a number is one word
        ("W_q", "multi-head"),  # and so is a name
    ],
    "en": [
        ("注意力", "by-hand"),
        ("权重", "by-hand"),
        ("dot product", "by-hand"),
        ("by hand", "by-hand"),
        ("entropy", "softmax"),
        ("softmax", "softmax"),
        ("k/v", "qkv"),
        ("key/value", "library"),
        ("attention.softmax", "softmax"),
        ("5.90", "by-hand"),
    ],
}


@pytest.mark.parametrize("language", languages())
def test_a_typed_word_finds_its_page(open_page: Open, address: str, language: str) -> None:
    page = open_page(None)
    for query, slug in FOUND[language]:
        page.goto(address + languages()[language].prefix)
        search(page, query)
        expect(page.locator(f'.md-search-result__item a[href*="/{slug}/"]').first, query).to_be_attached()
        assert page.locator(".md-search__input").input_value() == query


@pytest.mark.journey
def test_the_search_index_is_fetched_when_somebody_searches(open_page: Open, address: str) -> None:
    page = open_page(None)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if url.endswith("search_index.json")]
    with page.expect_request("**/search/search_index.json"):
        page.locator(".md-search__input").click()


def test_a_pasted_word_is_found(open_page: Open) -> None:
    page = open_page("")
    page.locator(".md-search__input").click()
    page.keyboard.insert_text("点积")
    expect(page.locator(".md-search-result__item").first).to_be_visible()


def test_only_the_word_is_marked(open_page: Open) -> None:
    page = open_page("")
    search(page, "余弦")
    marks = page.locator(".md-search-result__item mark:visible")
    expect(marks.filter(has_text="余弦").first).to_be_visible()
    assert {mark.text_content() for mark in marks.all()} == {"余弦"}


@pytest.mark.journey
def test_a_found_page_opens(open_page: Open) -> None:
    page = open_page("")
    search(page, "softmax")
    page.locator('.md-search-result__item a[href*="/softmax/"]').first.click()
    page.wait_for_url(re.compile("/softmax/"))
    expect(page.locator("h1")).to_contain_text("Softmax")


@pytest.mark.parametrize(
    ("query", "slug", "marked"), [("softmax", "softmax", "^softmax$"), ("softmax归一化", "softmax", "^softmax$")]
)
def test_the_found_words_are_marked_on_the_page(open_page: Open, query: str, slug: str, marked: str) -> None:
    page = open_page("")
    search(page, query)
    page.locator(f'.md-search-result__item a[href*="/{slug}/"]').first.click()
    page.wait_for_url(re.compile(f"/{slug}/.*h="))
    marks = page.locator("article mark[data-md-highlight]")
    expect(marks.filter(has_text=re.compile(marked, re.I)).first).to_be_visible()


def search(page: Page, query: str) -> None:
    """Press the search key, then type; what a keyboard has no key for arrives as an input method commits it."""
    page.keyboard.press("f")
    expect(page.locator(".md-search__input")).to_be_focused()
    page.keyboard.type(query, delay=40)


@pytest.mark.journey
@pytest.mark.parametrize(("path", "width"), [("by-hand/", 1280), ("en/by-hand/", 390)])
def test_a_whole_script_can_be_copied_and_is_a_file_where_there_is_no_clipboard(
    open_page: Open, built: Built, path: str, width: int
) -> None:
    page = open_page(path, width=width)
    tools = page.locator('[data-cell="by-hand.scores"] .tools')
    tools.locator("a").click()
    expect(tools.locator("[data-done]")).not_to_be_empty()
    copied = page.evaluate("navigator.clipboard.readText()")
    file = built.folder / path.replace("by-hand/", "scripts/by-hand/scores.py")
    assert copied.startswith("# In a clone of the site: pip install .\n")  # this site is on the reader's own machine
    assert "\nfrom attention import attention_scores\n" in copied
    assert "def attention_scores" not in copied
    page.get_by_role("checkbox", name=re.compile("attention|NumPy")).check()
    tools.locator("a").click()
    wait_until(page, "navigator.clipboard.readText().then(text => text.includes('def attention_scores'))")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == file.read_text("utf-8")
    page.locator('[data-cell="by-hand.scores"] button.run').hover()
    wait_until(page, "document.querySelector('[data-cell=\"by-hand.scores\"]').cell")
    page.evaluate("document.querySelector('[data-cell=\"by-hand.scores\"]').cell.code = '1'")
    tools.locator("a").click()
    expect(tools.locator("[data-own]")).to_have_text(
        re.compile("网页原来|as it is on the page")
    )  # not what was changed
    page.evaluate("delete Navigator.prototype.clipboard")
    with page.expect_download() as download:
        tools.locator("a").click()
    assert download.value.path().read_text("utf-8") == copied


@pytest.mark.parametrize("path", ["", "by-hand/"], ids=name)
def test_the_toggle_turns_the_page_dark_and_back(open_page: Open, path: str) -> None:
    page = open_page(path)
    body = page.locator("body")
    assert body.get_attribute("data-md-color-scheme") == "default"
    page.locator("label[for=__palette_1]").click()
    expect(body).to_have_attribute("data-md-color-scheme", "slate")
    page.locator("label[for=__palette_0]").click()
    expect(body).to_have_attribute("data-md-color-scheme", "default")


BLOCKED = """
const get = () => { throw new DOMException("denied", "SecurityError"); };
for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(self, name, { configurable: true, get });
"""


def test_all_works_where_site_data_is_blocked(browser: Browser, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page, errors = context.new_page(), []
    page.add_init_script(BLOCKED)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}by-hand/")
    page.locator("label[for=__palette_1]").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert copied(page.locator('[data-cell="by-hand.scores"] .highlight'), "scores")
    tools = page.locator('[data-cell="by-hand.scores"] .tools')
    tools.locator("a").click()
    expect(tools.locator("[data-done]")).not_to_be_empty()
    search(page, "softmax")
    expect(page.locator(".md-search-result__item").first).to_be_attached()
    assert errors == []
    context.close()


@pytest.fixture(scope="module")
def without_javascript(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    "path", [pytest.param(HOMES[0], marks=pytest.mark.journey), *HOMES[1:], *CHAPTERS], ids=lambda path: path or "home"
)
def test_everything_is_there_without_javascript(without_javascript: Page, address: str, path: str) -> None:
    page = without_javascript
    page.goto(address + path)
    assert page.locator("article [data-figure]:visible").first.inner_text() != ""  # in its first state
    assert path in HOMES or page.locator("article .output:visible").count() > 1


def copied(block: Locator, word: str) -> str:
    """What the copy button of a block takes, once this word of it is in the clipboard."""
    block.hover()
    block.locator("[data-clipboard-target], [data-md-type=copy]").click()
    wait_until(block.page, f"navigator.clipboard.readText().then(text => text.includes('{word}'))")
    return str(block.page.evaluate("navigator.clipboard.readText()"))


@pytest.mark.parametrize("path", ["api/", "en/api/"])
def test_an_example_is_copied_without_prompts_and_answers(open_page: Open, path: str) -> None:
    page = open_page(path)
    example = page.locator(".highlight", has_text="gelu([-1.0, 0.0, 1.0])").first
    assert [line for line in copied(example, "gelu").split("\n") if line] == [
        "gelu([-1.0, 0.0, 1.0]).round(4)",
        'gelu([-1.0, 0.0, 1.0], approximate="tanh").round(4)',
    ]


def test_colours_chosen_in_one_language_hold_in_all(open_page: Open, address: str) -> None:
    page = open_page("by-hand/")
    page.locator("label[for=__palette_1]").click()
    page.goto(address + "en/by-hand/")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


def test_on_paper_a_dark_page_is_light_and_has_no_buttons(open_page: Open, address: str) -> None:
    page = open_page(None, dark=True)
    page.emulate_media(media="print")  # before the page, so that no colour is still on its way to another
    page.goto(address + "by-hand/")
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("getComputedStyle(document.body).color") == "rgba(0, 0, 0, 0.87)"
    expect(page.locator(".tools:visible")).to_have_count(0)


def test_wide_code_fades_at_its_edges_without_an_animation(open_page: Open) -> None:
    """One for each block of code had every word of it styled anew, again and again: most of a chapter's loading."""
    page = open_page("multi-head/", width=390)
    look = "box => [getComputedStyle(box).maskImage.startsWith('linear-gradient'), box.getAnimations().length]"
    code, tables = (
        page.locator(f"article {box}").evaluate_all(f"all => all.map({look})")
        for box in (".highlight pre > code", ".scroll")
    )
    assert set(map(tuple, code)) == {(True, 0)}
    assert set(map(tuple, tables)) == {(True, 1)}


@pytest.mark.parametrize("path", ["contribute/", "en/contribute/"])
def test_a_session_is_copied_as_the_command_that_was_typed(open_page: Open, path: str) -> None:
    page = open_page(path)
    session = page.locator(".highlight", has_text="i18n status").first
    assert copied(session, "i18n").strip() == "python -m sitekit.i18n status"


SELECT = """selector => {
  const one = document.querySelector(selector);
  getSelection().selectAllChildren(one);
  return document.execCommand("copy");
}"""


@pytest.mark.parametrize("path", ["by-hand/", "en/by-hand/"])
def test_a_formula_is_copied_once_and_as_tex(open_page: Open, path: str) -> None:
    page = open_page(path)
    formula = page.locator("article div.math").first
    tex = str(formula.locator("annotation").text_content()).strip()
    assert page.evaluate(SELECT, "article div.math mfrac, article div.math msub")  # a part of it alone, too
    assert page.evaluate("navigator.clipboard.readText()") == f"$${tex}$$"
    assert page.evaluate(SELECT, "article")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.count(f"$${tex}$$") == 1
    assert "\\u200b" not in text
    assert re.search(r"\\sqrt\{d(_k)?\}", text)
    read = "navigator.clipboard.read().then(([item]) => item.getType('text/html')).then(blob => blob.text())"
    assert "<math" in page.evaluate(read)
    page.evaluate(SELECT, "article h1")
    assert "$" not in page.evaluate("navigator.clipboard.readText()")


SMALL = """all => all.filter(one => !["checkbox", "radio", "range"].includes(one.type) && one.offsetParent)
  .filter(one => parseFloat(getComputedStyle(one).fontSize) < 16).map(one => one.outerHTML)"""


@pytest.mark.parametrize("path", ["lab/", "multi-head/", "by-hand/", "glossary/"])
def test_no_phone_zooms_in_on_a_field(browser: Browser, address: str, path: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(address + path)
    page.locator("label[for=__search]").first.click()
    if page.locator("[data-run] .tools").count():
        page.locator("[data-run] .tools button:not(.run)").first.evaluate("button => button.click()")
        expect(page.locator("textarea")).to_have_count(1)
    assert page.locator("input, select, textarea").count()
    assert page.locator("input, select, textarea").evaluate_all(SMALL) == []
    context.close()


SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries())
    window.shifts.push([one.value, ...one.sources.map(({ node }) => `${node?.nodeName}: ${node?.textContent}`)]);
}).observe({ type: "layout-shift", buffered: true });
"""
KINDS = ["", "lab/", "en/by-hand/", "multi-head/", "notebooks/by-hand/", "glossary/", "claims/", "en/api/"]


@pytest.mark.parametrize("path", KINDS, ids=name)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_while_a_page_loads_on_a_slow_machine(
    browser: Browser, address: str, path: str, width: int
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(SHIFTS)
    page.goto(address + path)
    page.wait_for_load_state("networkidle")
    shifts = page.evaluate("window.shifts")
    assert sum(shift[0] for shift in shifts) < 0.001, shifts
    page.context.close()


def test_a_reader_is_offered_their_own_language_until_they_say_no(browser: Browser, address: str) -> None:
    context = browser.new_context(locale="zh-TW")
    page = context.new_page()
    for path, offers in (("by-hand/", []), ("en/by-hand/", ["这一页有中文版 不用了"])):
        page.goto(address + path)
        assert [line.inner_text() for line in page.locator(".offer:visible").all()] == offers
    page.locator(".offer button:visible").click()
    expect(page.locator(".offer:visible")).to_have_count(0)
    page.reload()
    expect(page.locator(".offer:visible")).to_have_count(0)
    context.close()
