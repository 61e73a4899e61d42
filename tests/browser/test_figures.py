"""A figure answers pointer, finger and keys, says in words what happened, and moves nothing when it wakes."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
WATCH = """(buffered) => {
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.shifts += one.value;
  }).observe({ type: "layout-shift", buffered });
}"""
PAGES = {
    "apple-again/": "part-clouds",
    "en/apple-again/": "swap-word",
    "apple-again/#looks": "pick-head",
    "efficient/": "sweep-tiles",
    "en/efficient/": "sweep-tiles",
    "pipeline/": "step-through",
    "en/pipeline/": "step-through",
    "cost/": "grow-square",
    "en/cost/": "grow-square",
    "": "which-apple",
    "en/": "which-apple",
    "claims/": "sort-claims",
    "en/claims/": "sort-claims",
    "by-hand/": "drag-query",
    "en/by-hand/": "drag-query",
    "library/": "pull-bars",
    "en/library/": "pull-bars",
    "masks/": "cut-arcs",
    "en/masks/": "cut-arcs",
    "takeaways/": "reach-back",
    "en/takeaways/": "reach-back",
    "wrong-on-purpose/": "spot-wrong",
    "en/wrong-on-purpose/": "spot-wrong",
    "multi-head/": "choose-head",
    "en/multi-head/": "choose-head",
    "qkv/": "trace-cell",
    "en/qkv/": "trace-cell",
    "roles/": "turn-arcs",
    "en/roles/": "turn-arcs",
    "scaling/": "widen-head",
    "en/scaling/": "widen-head",
    "same-word/": "add-words",
    "en/same-word/": "add-words",
    "softmax/": "pull-bars",
    "en/softmax/": "pull-bars",
}
pages = pytest.mark.parametrize(("path", "name"), PAGES.items())


def wake(page: Page, name: str) -> Locator:
    found = page.locator(name)
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("live", "")  # not a string to evaluate, which is against the policy of the pages
    return found


def lead(shown: Locator) -> str:
    return shown.locator(".lead").inner_text().replace("\u202f", " ")


@pytest.mark.journey
def test_the_query_is_dragged_and_moved_by_keys(open_page: Open) -> None:
    page = open_page("by-hand/#drag")
    shown = wake(page, "drag-query")
    assert lead(shown) == "“苹”把 98.2 % 给自己，1.8 % 给“果”。"
    grip = shown.locator(".grip .dot").bounding_box()
    plane = shown.locator(".plane svg").bounding_box()
    assert grip
    assert plane
    unit = 39 * plane["width"] / 244
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(grip["x"] + grip["width"] / 2 - 2 * unit, grip["y"] + grip["height"] / 2 - 2 * unit, steps=4)
    page.mouse.up()
    expect(shown.locator("[data-ref=qnum]")).to_have_text("q = [1.00, 3.00]")  # caught by the half numbers
    assert lead(shown) == "“苹”把 98.2 % 给“果”，1.8 % 给自己。"
    expect(shown.locator(".aloud")).to_contain_text("98.2\u202f% 给“果”")
    handle = shown.locator("[role=slider]")
    expect(handle).to_be_focused()
    handle.press("ArrowRight")
    handle.press("Shift+ArrowDown")
    expect(shown.locator("[data-ref=qnum]")).to_have_text("q = [1.10, 2.50]")
    handle.press("Home")
    expect(shown.locator("[data-ref=qnum]")).to_have_text("q = [3.00, 1.00]")
    page.locator("[data-act=third]").click()
    expect(shown.locator(".lead")).to_have_text(re.compile("70.0\u202f% 给自己"))


@pages
@pytest.mark.parametrize("width", [1280, 390])
def test_waking_and_pressing_move_nothing_else(open_page: Open, path: str, name: str, width: int) -> None:
    page = open_page(path, width=width)
    page.wait_for_load_state("networkidle")
    page.evaluate(
        WATCH, name == "which-apple"
    )  # which is on the screen from the start; what else a chapter does is done
    shown = wake(page, name)
    height = shown.bounding_box()
    assert height
    for button in shown.locator(".controls button").all():
        button.click(force=True)  # one that does nothing now, too
        page.wait_for_timeout(500)
        now = shown.bounding_box()
        assert now
        assert now["height"] == pytest.approx(height["height"], abs=0.5), button.inner_text()
    assert page.evaluate("window.shifts") < 0.001
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pages
@pytest.mark.parametrize("width", [1280, 390])
def test_targets_are_large_enough(open_page: Open, path: str, name: str, width: int) -> None:
    shown = wake(open_page(path, width=width), name)
    for target in shown.locator("button:visible, .grip:visible, [role=button] rect, input").all():
        box = target.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 24


def test_a_hidden_word_moves_the_needle(open_page: Open) -> None:
    page = open_page("")
    shown = wake(page, "which-apple")
    assert lead(shown) == "水果，还是公司？模型拿不准。"
    word = shown.get_by_role("button", name="藏起“买了”")
    word.focus()
    word.press("Enter")
    expect(word).to_have_attribute("aria-pressed", "true")
    expect(shown.locator(".because")).to_contain_text("从 −0.23 转到 +0.20")
    expect(shown.locator(".aloud")).to_contain_text("+0.20")
    page.get_by_role("button", name="都放回来").click()
    expect(word).to_have_attribute("aria-pressed", "false")
    slider = shown.locator("input[type=range]")
    slider.press("Home")
    expect(shown.locator(".lead")).to_have_text("词表里，只有一个“苹果”。")


def test_a_finger_drags_the_query(browser: Any, address: str) -> None:
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{address}en/by-hand/#drag")
    shown = wake(page, "drag-query")
    dot = shown.locator(".grip .dot").bounding_box()
    assert dot
    x, y = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    touch = context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x - 60, "y": y - 60}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(shown.locator(".lead")).not_to_contain_text("98.2\u202f% to itself")
    context.close()


@pytest.mark.journey
def test_a_guess_covers_the_answer_until_it_is_made(open_page: Open) -> None:
    page = open_page("by-hand/")
    box = page.locator(".admonition.guess").first
    choice = box.get_by_role("button", name="一样高")
    choice.scroll_into_view_if_needed()
    before = box.bounding_box()
    answer = box.locator(".answer .cell")
    expect(answer).to_have_css("visibility", "hidden")
    choice.click()
    expect(answer).to_have_css("visibility", "visible")
    expect(choice).to_have_attribute("aria-pressed", "true")
    assert box.bounding_box() == before  # nothing moved
    other = page.locator(".admonition.guess").last
    page.emulate_media(media="print")
    expect(other.locator(".answer .cell")).to_have_css("visibility", "visible")
    page.emulate_media(media="screen")


def test_in_print_a_figure_is_in_its_first_state(open_page: Open) -> None:
    page = open_page("en/by-hand/#drag")
    shown = wake(page, "drag-query")
    shown.locator("[role=slider]").press("ArrowUp")
    expect(shown.locator("[data-ref=qnum]")).to_have_text("q = [3.00, 1.10]")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert lead(shown) == "Apple gives 98.2 % to itself, 1.8 % to pie."
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(shown.locator("[data-ref=qnum]")).to_have_text("q = [3.00, 1.10]")


def test_reduced_motion_changes_at_once(open_page: Open) -> None:
    page = open_page("by-hand/#drag")
    page.emulate_media(reduced_motion="reduce")
    shown = wake(page, "drag-query")
    page.evaluate("document.querySelector('drag-query').act('scaled')")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert lead(shown).startswith("“苹”把 94.4 % 给自己")
    page.emulate_media(reduced_motion="no-preference")


def test_bars_are_pulled_by_pointer_and_keys_and_shifting_all_moves_no_share(open_page: Open) -> None:
    page = open_page("en/softmax/")
    shown = wake(page, "pull-bars")
    assert lead(shown) == "Bought gets 33.9 %, I 25.1 %."
    share = shown.locator("[data-ref=share1]")
    page.get_by_role("button", name="Add 1 to all").click()
    expect(shown.locator("[data-ref=score1]")).to_have_text("1.60")
    expect(share).to_have_text("33.9\u202f%")
    expect(shown.locator(".aloud")).to_contain_text("No share moved")
    page.get_by_role("button", name="Reset").click()
    expect(shown.locator("[data-ref=score1]")).to_have_text("0.60")
    grip = shown.get_by_role("slider", name="score of bought")
    grip.press("Shift+ArrowRight")
    expect(shown.locator("[data-ref=score1]")).to_have_text("1.60")
    page.get_by_role("button", name="Add 1 to all").evaluate("button => (button.click(), button.click())")
    grip.press("ArrowRight")  # while the bars are still on their way
    expect(shown.locator("[data-ref=score1]")).to_have_text("3.70")
    track = shown.locator(".track[data-row='1']").bounding_box()
    assert track
    page.mouse.move(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] - 1, track["y"], steps=3)
    page.mouse.up()
    expect(shown.locator("[data-ref=score1]")).to_have_text("6.00")


def test_the_temperature_slides_from_look_up_to_average(open_page: Open) -> None:
    page = open_page("library/")
    shown = wake(page, "pull-bars")
    slider = shown.locator("input[type=range]")
    slider.press("Home")
    expect(shown.locator("[data-ref=share0]")).to_have_text("99.9\u202f%")
    slider.press("End")
    expect(shown.locator(".because")).to_contain_text("成了平均")


def test_arcs_are_cut_by_a_mask_by_pointer_and_by_keys(open_page: Open) -> None:
    page = open_page("masks/")
    shown = wake(page, "cut-arcs")
    assert lead(shown).startswith("“新款”看得见 4 个词")
    shown.get_by_role("button", name="谁都可以看").click()
    expect(shown.locator(".lead")).to_contain_text("“新款”看得见 5 个词")
    for column in range(5):
        shown.locator(f"[data-at='3-{column}']").click()
    expect(shown.locator(".lead")).to_have_text("“新款”什么也看不见：权重全是 0。")
    cell = shown.locator("[data-at='3-4']")
    cell.press("Enter")
    expect(cell).to_have_text("100")
    expect(shown.locator(".aloud")).to_contain_text("只看得见“iPhone”")
    cell.press("ArrowUp")
    expect(shown.locator("[data-at='2-4']")).to_be_focused()


def test_claims_are_sorted_by_verdict(open_page: Open) -> None:
    page = open_page("en/claims/")
    shown = wake(page, "sort-claims")
    cards = page.locator(".claim:visible")
    every = cards.count()
    rounding = shown.get_by_role("button", name="a matter of rounding")
    rounding.press("Enter")
    expect(cards).to_have_count(3)
    expect(shown.locator(".aloud")).to_contain_text(f"3 of {every}: a matter of rounding.")
    shown.locator("a.gone").first.click()  # to a claim that is not among them
    expect(cards).to_have_count(every)
    assert page.url.endswith("#claim-much-id")
    expect(page.locator("#claim-much-id .figures")).to_contain_text("881")  # it opens
    rounding.click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(cards).to_have_count(every)
    page.emulate_media(media="screen")


def test_the_last_word_is_pulled_away_and_moved_by_keys(open_page: Open) -> None:
    page = open_page("en/takeaways/")
    shown = wake(page, "reach-back")
    grip = shown.locator(".hit").bounding_box()
    assert grip
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(grip["x"] + 2000, grip["y"], steps=3)
    page.mouse.up()
    expect(shown.locator(".lead")).to_contain_text("64 on, 8.7·10⁻¹⁸ arrives by the chain")
    shown.locator("input").press("Home")
    expect(shown.locator("[data-ref=chain]")).to_have_text("1.80")
    shown.get_by_role("button", name="random").click()
    expect(shown.locator(".aloud")).to_contain_text("looks for nobody")


def test_the_wrong_one_is_spotted_and_put_right(open_page: Open) -> None:
    page = open_page("en/wrong-on-purpose/#spot")
    shown = wake(page, "spot-wrong")
    mend = shown.locator("[data-act=mend]")
    expect(mend).to_have_attribute("aria-disabled", "true")
    shown.get_by_role("button", name="A is wrong").press("Enter")
    expect(shown.locator(".lead")).to_have_text("No, the wrong one is B.")
    expect(shown.locator(".because")).to_contain_text("110.0\u202f%")
    expect(shown.locator(".line")).to_have_text("softmax(scores, axis=0)")
    mend.click()
    expect(shown.locator(".aloud")).to_contain_text("Now the line is right, and the two agree.")
    a, b = (shown.locator(f"[data-act=side{side}] .w").all_inner_texts() for side in "AB")
    assert a == b
    shown.get_by_role("button", name="2", exact=True).click()
    expect(shown.locator(".lead")).to_contain_text("Which?")
    shown.get_by_role("button", name="A is wrong").click()
    expect(shown.locator(".lead")).to_have_text("Yes, A is the wrong one.")


def test_added_words_pull_the_word_towards_them(open_page: Open) -> None:
    page = open_page("en/same-word/")
    shown = wake(page, "add-words")
    assert lead(shown) == "Alone, apple sits between banana and Microsoft."
    for word in ("release", "new model"):
        shown.get_by_role("button", name=word, exact=True).press("Enter")
    expect(shown.locator(".lead")).to_contain_text("leans towards Microsoft")
    expect(shown.locator(".aloud")).to_contain_text("Adding “new model” moved banana from")
    shown.get_by_role("button", name="Bought").click()
    expect(shown.locator(".lead")).to_have_text("Apple leans towards banana: 0.76 against 0.62.")
    shown.get_by_role("button", name="Alone").click()
    expect(shown.locator("[data-ref=number0]")).to_have_text("0.71")


def test_a_cell_shows_the_column_that_made_it_and_x_wakes_a_row(open_page: Open) -> None:
    page = open_page("en/qkv/")
    shown = wake(page, "trace-cell")
    assert lead(shown) == "q₁ = 2·1 + 1·0 + 0·5 = 2"
    shown.locator("[data-out='0']").press("ArrowLeft")  # past the edge, to the other side
    expect(shown.locator("[data-out='5']")).to_be_focused()
    expect(shown.locator(".lead")).to_have_text("v₂ = 2·(−1) + 1·2 + 0·5 = 0")
    shown.get_by_role("button", name="x₃: more").click()
    expect(shown.locator("[data-out='5']")).to_have_text("5")
    expect(shown.locator(".aloud")).to_contain_text("x₃ went from 0 to 1")
    entry = shown.get_by_role("spinbutton", name="x₃")
    for _ in range(9):
        entry.press("ArrowDown")
    expect(entry).to_have_text("−3")
    shown.get_by_role("button", name="Reset").click()
    expect(shown.locator(".lead")).to_have_text("q₁ = 2·1 + 1·0 + 0·5 = 2")


def test_swapping_queries_and_keys_turns_the_arrows_and_one_vector_makes_them_even(open_page: Open) -> None:
    page = open_page("en/roles/")
    shown = wake(page, "turn-arcs")
    assert lead(shown) == "感冒 scores 6 for 我; 我 scores 0 for 感冒."

    def scores(*pairs: str) -> list[str | None]:
        return [shown.locator(f"[data-ref=score{pair}]").text_content() for pair in pairs]

    there, back = ("0-1", "0-2", "1-2"), ("1-0", "2-0", "2-1")
    before = scores(*there), scores(*back)
    swap = shown.get_by_role("button", name="Swap Q, K")
    swap.press("Enter")
    expect(shown.locator(".aloud")).to_contain_text("every arrow has turned round")
    assert (scores(*back), scores(*there)) == before
    shown.get_by_role("button", name="One vector").click()
    expect(shown.locator("[data-ref=own0]")).to_have_text("5")
    expect(shown.locator(".aloud")).to_contain_text("above mirrors below")
    assert scores(*there) == scores(*back)
    shown.locator("text.word").first.click()
    expect(shown.locator(".because")).to_contain_text("The query of 我 is [2, 1, 0]")


def test_a_wider_head_gives_one_token_all_unless_its_scores_are_divided(open_page: Open) -> None:
    page = open_page("en/scaling/")
    shown = wake(page, "widen-head")
    assert lead(shown) == "At d = 64 the largest weight is 81.6 %; divided, 16.5 %."
    slider = shown.locator("input[type=range]")
    slider.press("ArrowRight")
    expect(shown.locator("[data-ref=by]")).to_have_text("÷ √128 = 11.31")
    slider.press("End")
    expect(shown.locator("[data-ref=mostbare]")).to_have_text("95.4\u202f%")
    expect(shown.locator(".aloud")).to_contain_text("At d = 1024 the largest weight is 95.4\u202f%")
    box = slider.bounding_box()
    assert box
    page.mouse.click(box["x"] + 2, box["y"] + box["height"] / 2)
    expect(shown.locator(".because")).to_contain_text("1/512 as wide: standard deviation 32.08 → 1.41")
