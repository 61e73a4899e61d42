"""A number of an executed matrix says where it comes from: to the mouse, to a finger, to the keyboard."""

import gzip
import json
import re
from collections.abc import Callable
from html import unescape

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from sitekit.languages import languages
from sitekit.live import figures
from tests.browser.reader import Visit
from tests.browser.test_every_page import OPEN_FOLDS
from tests.conftest import Built, figure

Open = Callable[..., Page]
BY_HAND = [f"{language.prefix}by-hand/" for language in languages().values()]


def table(page: Page, cell: str) -> Locator:
    return page.locator(f'[data-cell="by-hand.{cell}"] table')


def number(page: Page, cell: str, row: int, col: int) -> Locator:
    return table(page, cell).locator("tbody tr").nth(row).locator("td").nth(col)


def why(page: Page, cell: str) -> Locator:
    return page.locator(f'[data-cell="by-hand.{cell}"] .why [role=status]')


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", BY_HAND)
def test_a_score_is_its_dot_product_with_both_rows_lit(open_page: Open, path: str, width: int) -> None:
    page = open_page(path, width=width)
    own, other, colon = ("apple", "pie", ": ") if path.startswith("en/") else ("苹", "果", "：")
    number(page, "scores", 0, 0).hover()
    expect(why(page, "scores")).to_have_text(f"{own} · {own}{colon}3×3 + 1×1 = 10")
    number(page, "scores", 0, 1).hover()
    expect(why(page, "scores")).to_have_text(f"{own} · {other}{colon}3×1 + 1×3 = 6")
    lit = table(page, "show-qk").locator("td.lit")
    assert [cell.inner_text() for cell in lit.all()] == ["3", "1", "1", "3"]
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("path", BY_HAND)
def test_a_weight_is_its_exponential_over_the_sum_of_its_row(open_page: Open, path: str) -> None:
    page = open_page(path)
    number(page, "weights", 0, 1).hover()
    expect(why(page, "weights")).to_contain_text("e^(6 − 10) ÷ (e^(10 − 10) + e^(6 − 10)) = 0.01832 ÷ 1.018 = 0.01799")
    assert [cell.inner_text() for cell in table(page, "scores").locator("td.lit").all()] == ["10", "6"]


@pytest.mark.journey
def test_an_output_is_its_weighted_sum(open_page: Open) -> None:
    page = open_page("by-hand/")
    number(page, "output", 0, 0).hover()
    expect(why(page, "output")).to_contain_text("0.982×6 + 0.01799×0.5 = 5.901")
    assert [cell.inner_text() for cell in table(page, "show-v").locator("td.lit").all()] == ["6.0", "0.5"]
    assert table(page, "weights").locator("td.lit").count() == 2


def test_a_scaled_score_names_its_factor(open_page: Open) -> None:
    page = open_page("by-hand/#sqrt-d")
    page.locator("details:has([data-cell='by-hand.scaled'])").evaluate("fold => (fold.open = true)")
    number(page, "scaled", 0, 0).hover()
    expect(why(page, "scaled")).to_contain_text("(3×3 + 1×1) × 0.7071 = 7.071")


def test_the_keyboard_goes_from_number_to_number_and_asks_for_all_digits(open_page: Open) -> None:
    page = open_page("by-hand/")
    assert table(page, "weights").locator("td[tabindex='0']").count() == 1
    number(page, "weights", 0, 0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(number(page, "weights", 1, 1)).to_be_focused()
    expect(why(page, "weights")).to_contain_text("= 0.982")
    page.locator('[data-cell="by-hand.weights"] .why button').press("Enter")
    shown = why(page, "weights").inner_text()
    assert float(shown.rsplit("= ", 1)[1]) == pytest.approx(1 / (1 + np.exp(-4)), rel=1e-15)
    assert len(shown.rsplit("= ", 1)[1]) >= 17


def test_a_finger_asks_too(browser, address: str) -> None:  # type: ignore[no-untyped-def]
    page = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"{address}en/by-hand/")
    number(page, "scores", 1, 0).tap()
    expect(why(page, "scores")).to_have_text("pie · apple: 1×3 + 3×1 = 6")
    page.context.close()


def test_a_hidden_score_gives_no_weight(open_page: Open) -> None:
    page = open_page("masks/")
    cell = page.locator('[data-cell="masks.left-padding"]')
    page.evaluate(OPEN_FOLDS)
    cell.locator("tbody tr").nth(2).locator("td").nth(0).hover()
    expect(cell.locator(".why [role=status]")).to_contain_text("e^(−∞ − ")
    expect(cell.locator(".why [role=status]")).to_contain_text(re.compile(r"= 0 ÷ [\d.]+ = 0$"))
    cell.locator("tbody tr").nth(0).locator("td").nth(0).hover()
    expect(cell.locator(".why [role=status]")).to_contain_text("这一行什么也看不见，所以权重全是 0")


@pytest.mark.parametrize("slug", ["by-hand", "softmax", "library", "roles", "masks", "pipeline", "efficient"])
def test_every_explanation_ends_in_the_number_that_is_shown(open_page: Open, slug: str) -> None:
    page = open_page(f"{slug}/")
    page.evaluate(OPEN_FOLDS)
    tables = page.locator("article table[data-of]").all()
    assert tables
    for one in tables:
        for cell in one.locator("tbody td").all():
            cell.dispatch_event("pointerover")
            shown = (cell.text_content() or "").replace("−", "-")  # also of one that a guess still covers
            told = cell.evaluate(
                "td => td.closest('.scroll').nextElementSibling.querySelector('[role=status]').textContent"
            )
            if "什么也看不见" in told:
                assert shown == "0.0 %"
                continue
            end = float(told.rsplit("= ", 1)[1].replace("−", "-"))
            percent = 100 if "%" in shown else 1
            digits = len(shown.removesuffix(" %").partition(".")[2])
            assert abs(float(shown.removesuffix(" %")) - percent * end) <= 0.501 * 10**-digits + 1e-3 * abs(
                percent * end
            )


@pytest.mark.parametrize("language", languages())
def test_the_first_table_that_explains_its_numbers_says_so(built: Built, language: str) -> None:
    for slug in ("by-hand", "library"):
        page = (built.folder / languages()[language].prefix / slug / "index.html").read_text("utf-8")
        before, hint, _ = page.partition(f'<div class="why hint"><span>{languages()[language].labels["explain_hint"]}')
        assert hint
        assert page.count(hint) == 1
        assert before.count("<details") == before.count("</details>")


def test_an_explanation_goes_with_the_output_that_it_explains(visit: Callable[..., Visit]) -> None:
    here = visit("en")
    number(here.page, "weights", 0, 1).hover()
    expect(why(here.page, "weights")).to_contain_text("e^(6 − 10)")
    here.run("weights")
    assert here.said("weights") == here.words["same"].format(ms=re.search(r"[\d.]+", here.said("weights"))[0])  # type: ignore[index]
    expect(why(here.page, "weights")).to_have_count(0)
    here.edit("scores", "scale=1", "scale=2")
    here.run("weights")
    number(here.page, "weights", 0, 1).hover()
    expect(why(here.page, "weights")).to_contain_text("e^(12 − 20)")
    here.cell("weights").get_by_role("button", name=here.words["reset"]).click()
    expect(why(here.page, "weights")).to_have_count(0)
    number(here.page, "weights", 0, 1).hover()
    here.page.locator('[data-cell="by-hand.weights"] .why button').click()
    expect(why(here.page, "weights")).to_contain_text("0.0179862099620915")


def test_an_edit_ends_the_explanations_of_old_numbers(visit: Callable[..., Visit]) -> None:
    here = visit("en")
    number(here.page, "weights", 0, 1).hover()
    expect(why(here.page, "weights")).to_contain_text("e^(6 − 10)")
    here.cell("scores").get_by_role("button", name=here.words["edit"]).click()
    expect(why(here.page, "weights")).to_have_count(1)
    here.edit("scores", "scale=1", "scale=2")
    expect(why(here.page, "weights")).to_have_count(0)
    expect(here.page.locator(".asked, .lit")).to_have_count(0)


def test_the_script_is_light(built: Built) -> None:
    size = len(gzip.compress(figures.files()[f"{figures.SERVED}/explain.js"], 9))
    figure("the script that explains numbers", f"{size} B gzip", "at most 3 kB")
    assert size <= 3000


def test_a_table_brings_what_it_was_computed_from(built: Built) -> None:
    page = (built.folder / "by-hand" / "index.html").read_text("utf-8")
    first = re.search(r'<table class="matrix scores" data-of="([^"]*)"', page)
    assert first is not None
    assert json.loads(unescape(first[1])) == {"q": [[3, 1], [1, 3]], "k": [[3, 1], [1, 3]], "factor": 1.0}
