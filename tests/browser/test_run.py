"""Run and edit in the page: what readers press, type and are told, in both languages, at a desk and on a phone."""

import gzip
import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from sitekit.languages import languages
from tests.browser.host import Host
from tests.browser.reader import START, WIDTHS, Visit, finished, numbers
from tests.browser.test_every_page import CONTRAST
from tests.conftest import figure

MOST_BEFORE, MOST_AFTER = 1_500, 9_200_000


# Fields that do not lie exactly over the code whose colours show through them.
MISPLACED = """() => {
  const styles = ["fontFamily", "fontSize", "lineHeight", "paddingLeft", "paddingTop", "letterSpacing", "tabSize"];
  styles.push("fontVariantLigatures", "fontFeatureSettings");
  const differences = (pre) => {
    const [view, area] = [pre.querySelector("code"), pre.querySelector("textarea")];
    const [a, b] = [view, area].map((box) => box.getBoundingClientRect());
    const [s, t] = [view, area].map((box) => getComputedStyle(box));
    return [
      ...["x", "y", "width", "height"].filter((side) => Math.abs(a[side] - b[side]) > 0.6),
      ...["Width", "Height"].filter((side) => area["scroll" + side] > area["client" + side] + 1),
      ...styles.filter((name) => s[name] !== t[name]),
    ];
  };
  return [...document.querySelectorAll("pre.editing")].map(differences).filter((found) => found.length);
}"""


@pytest.mark.parametrize(("language", "width"), [pytest.param("zh", 390, marks=pytest.mark.journey), ("en", 1280)])
def test_edit_run_and_reset(visit: Callable[..., Visit], language: str, width: int) -> None:
    here = visit(language, width=width)
    before = here.output("show-qk").inner_html()
    assert here.cell("weights").count() == 1
    here.edit("inputs", "3.0", "5.0")
    here.press("inputs")
    assert here.output("show-qk").inner_html() == before  # until there is something else to show
    finished(here.cell("inputs"))
    assert here.says("changed", n=2).search(here.said("inputs"))
    shown = here.output("show-qk")
    assert numbers(shown) == ["5", "1", "1", "5"]
    assert shown.locator("ins.new").all_inner_texts() == ["5", "5"]
    assert [number.get_attribute("data-was") for number in shown.locator("ins.new").all()] == ["3", "3"]
    style = (
        "number => { const old = getComputedStyle(number, '::after'); return [old.content, old.textDecorationLine]; }"
    )
    assert shown.locator("ins.new").first.evaluate(style) == ['"3"', "line-through"]  # seen without colours, too
    assert shown.locator("ins.new").first.get_attribute("title") == here.words["was"].format(was="3")
    assert shown.locator("caption").inner_text() == re.findall("<caption>(.*?)<", before)[0]  # in the page's language
    assert here.says("changed", n=4).search(here.run("scores"))  # knows what the reader did to the cell above
    assert numbers(here.output("scores")) == ["26", "10", "10", "26"]
    here.cell("inputs").get_by_role("button", name=here.words["reset"]).click()
    assert here.output("show-qk").inner_html() == before
    assert here.cell("inputs").locator("textarea").input_value().startswith("Q = K = np.array([[3.0")
    assert here.said("inputs") == ""
    assert here.page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.journey), "zh"])
def test_an_exercise_is_answered_in_place_and_the_failing_case_is_named(
    visit: Callable[..., Visit], language: str
) -> None:
    here = visit(language, slug="library", width=390)
    cell = here.cell("check-hard")
    cell.locator("xpath=ancestor::details[1]/summary").click()
    cell.get_by_role("button", name=here.words["answer"]).click()
    area = cell.locator("textarea")
    assert area.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "..."
    here.page.keyboard.type("lambda s: np.arange(4)[...] == np.argmax(s)")  # an ellipsis of its own is no blank
    here.run("check-hard")
    said = here.output("check-hard").inner_text()
    assert said.startswith("[95, 40, 0, 88]: [1. 0. 0. 0.]\n")  # the first case is right
    assert "ValueError: [95, 40, 0, 95]: given [1. 0. 0. 0.], wanted [0.5 0.  0.  0.5]" in said
    label = here.cell("check-label")
    label.locator("xpath=ancestor::details[1]/summary").click()
    label.get_by_role("button", name=here.words["answer"]).click()
    here.press("check-label")  # an empty answer is not judged
    assert area.evaluate("() => document.activeElement.value.includes('check_label(...)')")
    here.page.keyboard.type("[0, 0, 0]")  # nor is this one by what was answered before
    here.run("check-label")
    assert "ValueError: label [0, 0, 0] still gets" in here.output("check-label").inner_text()
    right = "np.equal(s, max(s)) / np.equal(s, max(s)).sum()"
    area.fill(area.input_value().replace("np.arange(4)[...] == np.argmax(s)", right))
    here.run("check-hard")
    assert "Error" not in here.output("check-hard").inner_text()
    assert here.output("check-hard").inner_text().count("\n") == 2
    assert here.page.evaluate("document.documentElement.scrollWidth") == 390


def test_nothing_before_the_click_and_little_after_it(visit: Callable[..., Visit], host: Host) -> None:
    host.sent.clear()
    here = visit()
    here.page.wait_for_load_state("networkidle")
    runs = [path for path, _ in host.sent if "/assets/run/run." in path]  # figures are drawn without Run
    assert runs == ["/assets/run/run.js"]
    before = sum(len(gzip.compress((host.folder / path[1:]).read_bytes(), 9)) for path in runs)
    host.sent.clear()
    start = time.monotonic()
    here.run("scores")
    first = time.monotonic() - start
    after = sum(size for _, size in host.sent)
    start = time.monotonic()
    here.run("scores")
    again = time.monotonic() - start
    assert here.says("same").fullmatch(here.said("scores"))
    figure("Run: the script before the click", f"{before / 1000:.1f} kB", f"at most {MOST_BEFORE / 1000:.1f} kB gzip")
    figure("Run: all that the first click fetches", f"{after / 1e6:.2f} MB", f"at most {MOST_AFTER / 1e6:.1f} MB")
    figure("Run: first result", f"{first:.1f} s", "at most 10 s on a quiet machine")
    figure("Run: the same cell again", f"{again:.2f} s", "at most 0.3 s")
    assert before <= MOST_BEFORE
    assert after <= MOST_AFTER
    assert len(host.sent) == len({path for path, _ in host.sent})


@pytest.mark.parametrize("language", languages())
def test_the_words_while_it_loads_and_the_queue_behind_it(
    visit: Callable[..., Visit], host: Host, language: str
) -> None:
    here = visit(language)
    here.page.evaluate("""() => {
        window.told = [];
        for (const said of document.querySelectorAll(".said"))
          new MutationObserver(() => told.push(said.textContent)).observe(said, { childList: true });
    }""")
    here.cell("scores").locator("button.run").dblclick()  # is one click
    here.press("exps")
    here.press("weights")
    here.press("exps")  # the second click takes it out of the queue again
    expect(here.cell("weights").locator(".said")).to_have_text(here.words["waiting"])
    expect(here.cell("exps").locator(".said")).to_have_text(here.words["stopped"])
    finished(here.cell("scores"))
    finished(here.cell("weights"))
    for name in ("scores", "weights"):
        assert here.says("same").fullmatch(here.said(name))
    told = here.page.evaluate("told")
    assert any(here.says("loading").fullmatch(text) for text in told)
    assert [text for text in told if here.says("step").fullmatch(text)] == [
        here.words["step"].format(step=step) for step in (1, 2, 3)
    ]
    assert len(told) < 40  # a screen reader reads every one of them
    assert here.cell("scores").locator(".said").get_attribute("role") == "status"


def test_a_run_that_does_not_end_is_stopped_and_the_page_lives_on(visit: Callable[..., Visit]) -> None:
    here = visit("en")
    here.page.evaluate("document.querySelector('.why').remove()")  # the hint of the page's first table
    before = here.output("scores").inner_html()
    here.run("scores")
    here.rewrite("scores", lambda code: "while True:\n    pass")
    here.page.evaluate("""() => {
        window.gaps = [];
        let last = performance.now();
        setInterval(() => { gaps.push(performance.now() - last); last = performance.now(); }, 20);
    }""")
    cell = here.press("scores")
    expect(cell.locator(".said")).to_have_text(here.words["running"])
    here.page.wait_for_timeout(700)
    stopped = here.page.evaluate("""async () => {
        const cell = document.querySelector("[data-cell='by-hand.scores']");
        const start = performance.now();
        cell.querySelector("button.run").click();
        while (cell.classList.contains("busy")) await new Promise((then) => setTimeout(then));
        return performance.now() - start;
    }""")
    figure("Run: Stop", f"{stopped:.0f} ms", "within 200 ms")
    assert stopped < 200
    assert here.said("scores") == here.words["stopped"]
    assert here.output("scores").inner_text() == ""  # what the old code put out is gone
    assert max(here.page.evaluate("gaps")) < 500  # a busy machine; the loop itself would be seconds
    here.cell("scores").get_by_role("button", name=here.words["reset"]).click()
    assert here.output("scores").inner_html() == before
    assert here.says("same").fullmatch(here.run("scores"))


@pytest.mark.parametrize("language", languages())
def test_an_endless_loop_ends_by_itself(visit: Callable[..., Visit], language: str) -> None:
    here = visit(language, clock=True)
    here.rewrite("scores", lambda code: "while True:\n    print(1)")
    cell = here.press("scores")
    expect(cell.locator(".said")).to_have_text(here.words["running"], timeout=START)
    expect(here.output("scores")).to_contain_text("1")  # what it prints shows while it runs
    here.page.clock.fast_forward(31_000)
    expect(cell.locator(".said")).to_have_text(here.words["late"].format(limit=30))
    assert len(here.output("scores").inner_text()) < 25_000


@pytest.mark.parametrize("language", languages())
def test_errors_name_the_reader_s_own_lines(visit: Callable[..., Visit], language: str) -> None:
    here = visit(language)
    words = here.words
    here.rewrite("scores", lambda code: "# 中文注释\n\nscores = attention_scores(Q, [[1.0]])")
    assert words["error"].format(name="ValueError") == here.run("scores")
    error = here.output("scores").locator(".error")
    expect(error).to_contain_text(words["line"].format(line=3) + ": scores = attention_scores(Q, [[1.0]])")
    assert "/attention" not in error.inner_text()
    here.rewrite("scores", lambda code: "x = 1\nif x\n    y")
    assert words["error"].format(name="SyntaxError") == here.run("scores")
    expect(here.output("scores")).to_contain_text(words["line"].format(line=2))
    assert "SyntaxError" in here.run("exps")  # which needs the cell above
    expect(here.output("exps")).to_contain_text(words["line_of"].format(cell="scores", line=2))
    here.rewrite("scores", lambda code: "def f(n):\n    return f(n)\n\n\nf(1)")
    assert "RecursionError" in here.run("scores")
    here.rewrite("scores", lambda code: "print('数' * 30_000)")
    here.run("scores")
    expect(here.output("scores")).to_contain_text(words["capped"])
    assert here.output("scores").inner_text().count("数") == 20_000
    here.rewrite("scores", lambda code: "[np.ones(10**7) for _ in range(10**4)]")
    assert here.run("scores") == words["memory"]
    here.cell("scores").get_by_role("button", name=words["reset"]).click()
    assert here.says("same").fullmatch(here.run("scores"))  # in a new Python


def test_a_run_leaves_nothing_behind(visit: Callable[..., Visit]) -> None:
    here = visit("en")
    here.rewrite(
        "scores", lambda code: "import attention\nattention.softmax = np.pi = None\nnp.set_printoptions(1)\nQ[:] = 0"
    )
    here.run("scores")
    here.rewrite("scores", lambda code: "import attention\nprint(np.pi, attention.softmax([0.0, 0.0]), Q / 3)")
    here.run("scores")
    assert here.output("scores").inner_text().startswith("3.14159")
    assert "0.33333333" in here.output("scores").inner_text()


def test_html_that_a_reader_prints_is_text(visit: Callable[..., Visit]) -> None:
    here = visit("en")
    here.rewrite("scores", lambda code: "print('<b>x</b>')\nTable([[1]], rows=['<img src=y>'])")
    here.run("scores")
    assert "<b>x</b>" in here.output("scores").inner_text()
    assert here.output("scores").locator("b, img").count() == 0


@pytest.mark.parametrize(
    ("fault", "where", "word"),
    [
        ("cut", "pyodide.asm.wasm", "unreachable"),
        ("missing", "pyodide.asm.wasm", "missing"),
        ("missing", "lessons/by-hand.json", "missing"),
        ("missing", "worker.js", "unreachable"),
        ("altered", ".whl", "changed_file"),
        ("altered", "pyodide.asm.js", "changed_file"),
        ("altered", "pyodide.asm.wasm", "changed_file"),
        ("altered", "lessons/by-hand.json", "changed_file"),
    ],
)
@pytest.mark.parametrize("language", languages())
def test_what_goes_wrong_is_said_at_once_and_retry_works(
    visit: Callable[..., Visit], host: Host, language: str, fault: str, where: str, word: str
) -> None:
    here = visit(language)
    setattr(host, fault, where)
    cell = here.press("scores")
    expect(cell.locator(".said")).to_have_text(here.says(word), timeout=START)
    expect(cell.locator("button.run")).to_have_text(here.words["retry"])
    assert numbers(here.output("scores")) == ["10", "6", "6", "10"]  # the page's own output stays
    setattr(host, fault, "")
    if language == "zh":
        assert here.says("same").fullmatch(here.run("scores"))
        expect(cell.locator("button.run")).to_have_text(here.words["run"])
    here.complaints.clear()  # the browser's own words for it


def test_a_host_that_stops_in_the_middle_is_given_up_on(visit: Callable[..., Visit], host: Host) -> None:
    here = visit("en", clock=True)
    host.silent = "python_stdlib.zip"
    cell = here.press("scores")
    expect(cell.locator(".said")).to_have_text(here.says("loading"))
    here.page.wait_for_timeout(1500)
    here.page.clock.fast_forward(61_000)
    expect(cell.locator(".said")).to_have_text(here.words["stalled"])


HOSTILE = """\
class Hostile(Table):
    def html(self, language):
        return (
            '<p onclick="ran()">text<img src="x:" onerror="ran()"><a href="javascript:ran()">link</a>'
            '<svg onload="ran()"><script>ran()</script></svg>'
            '<iframe srcdoc="<script>parent.ran()</script>"></iframe></p>'
        )


Hostile([[1.0]], "scores")"""


def test_what_a_cell_shows_is_cleaned_before_it_is_part_of_the_page(visit: Callable[..., Visit]) -> None:
    here = visit("en", bypass_csp=True)  # the policy would stop it, too
    here.page.evaluate("() => { window.ran = () => (window.hostile = true); }")
    here.rewrite("scores", lambda code: HOSTILE)
    here.run("scores")
    here.page.wait_for_timeout(300)
    assert re.sub(r"\s+", "", here.output("scores").inner_html()) == "<p>text<img><a>link</a><svg></svg></p>"
    assert here.page.evaluate("window.hostile") is None


def test_a_slow_machine_is_told_each_step_and_not_given_up_on(visit: Callable[..., Visit]) -> None:
    here = visit("en", clock=True)
    slow = "postMessage({ kind: 'starting', step: 2 });"  # and then NumPy takes its time
    here.page.route("**/worker.js", lambda route: route.fulfill(body=slow, content_type="text/javascript"))
    cell = here.press("scores")
    expect(cell.locator(".said")).to_have_text(here.words["step"].format(step=2))
    here.page.clock.run_for(600_000)
    expect(cell.locator(".clock")).to_have_text(here.words["seconds"].format(seconds=600))
    expect(cell.locator(".said")).to_have_text(here.words["step"].format(step=2))
    cell.locator("button.run").click()  # which is Stop
    expect(cell.locator(".said")).to_have_text(here.words["stopped"])
    expect(cell.locator(".clock")).to_be_empty()


def policy(host: Host) -> str:
    line = (host.folder / "_headers").read_text("utf-8").splitlines()[1]
    return line.partition(": ")[2]


@pytest.mark.parametrize("language", languages())
def test_all_of_it_works_under_the_strict_policy(visit: Callable[..., Visit], host: Host, language: str) -> None:
    host.policy = policy(host)
    assert "unsafe-eval'" not in host.policy.replace("'wasm-unsafe-eval'", "")
    here = visit(language)
    here.cell("inputs").get_by_role("button", name=here.words["edit"]).click()
    here.cell("inputs").locator("textarea").press("Control+End")
    here.page.keyboard.type("\nV[0] = 1")
    here.run("inputs")
    assert numbers(here.output("show-v"))[:2] == ["1.0", "1.0"]
    here.page.locator(".md-search__input").click()  # the theme's own scripts work, too
    here.page.keyboard.type("softmax", delay=40)
    expect(here.page.locator(".md-search-result__item").first).to_be_visible()


@pytest.mark.parametrize(
    ("without", "what"), [("'wasm-unsafe-eval' ", "WebAssembly"), ("worker-src 'self'; ", "worker")]
)
def test_a_policy_that_forbids_it_is_named(visit: Callable[..., Visit], host: Host, without: str, what: str) -> None:
    host.policy = policy(host).replace(without, "worker-src 'none'; " if what == "worker" else "")
    here = visit("en")
    cell = here.press("scores")
    expect(cell.locator(".said")).to_have_text(here.says("blocked"), timeout=START)
    expect(cell.locator(".said")).to_contain_text(what)
    host.policy = ""
    here.complaints.clear()


def test_the_keyboard_alone_is_enough_and_is_the_reader_s_own(visit: Callable[..., Visit]) -> None:
    here = visit("zh")
    cell, keys = here.cell("exps"), here.page.keyboard
    cell.locator("button.run").focus()
    keys.press("Tab")
    keys.press("Enter")  # Edit
    area = cell.locator("textarea")
    expect(area).to_be_focused()
    assert area.get_attribute("aria-label") == here.words["code"]
    keys.press("Control+End")
    keys.press("Enter")
    keys.type("for n in [1, 2]:  # sf/.,pn 不搜索")
    keys.press("Enter")
    keys.type("print('n =', n)")
    assert area.input_value().endswith(":  # sf/.,pn 不搜索\n    print('n =', n)")
    expect(area).to_be_focused()
    expect(here.page.locator("[data-md-toggle=search]")).not_to_be_checked()
    area.evaluate("""area => {
        const enter = { key: "Enter", bubbles: true, cancelable: true };
        const press = (more) => area.dispatchEvent(new KeyboardEvent("keydown", { ...enter, ...more }));
        press({ isComposing: true });
        press({ isComposing: true, ctrlKey: true });
        press({ keyCode: 229, ctrlKey: true });
    }""")
    assert "busy" not in (cell.get_attribute("class") or "")
    assert area.input_value().endswith("print('n =', n)")
    keys.press("Control+Enter")
    expect(here.output("exps")).to_contain_text("n = 2", timeout=START)
    keys.press("Control+z")
    assert not area.input_value().endswith("print('n =', n)")
    keys.press("Escape")
    expect(cell.get_by_role("button", name=here.words["edit"])).to_be_focused()
    expect(area).to_have_count(0)
    keys.press("Tab")
    expect(cell.get_by_role("button", name=here.words["reset"])).to_be_focused()
    keys.press("Enter")
    expect(cell.locator("button.run")).to_be_focused()
    assert "n = 2" not in here.output("exps").inner_text()


def test_a_click_edits_where_it_falls_and_a_selection_does_not(visit: Callable[..., Visit]) -> None:
    here = visit("en")
    cell = here.cell("inputs")
    cell.scroll_into_view_if_needed()
    code = cell.locator("code").bounding_box()
    assert code
    here.page.mouse.move(code["x"] + 20, code["y"] + 20)
    here.page.mouse.down()
    here.page.mouse.move(code["x"] + 90, code["y"] + 20)
    here.page.mouse.up()
    assert cell.locator("textarea").count() == 0
    here.page.mouse.click(code["x"] + 22, code["y"] + 38)
    here.page.mouse.click(code["x"] + 22, code["y"] + 38)
    expect(cell.locator("textarea")).to_be_focused()
    here.page.keyboard.type("#")
    assert "\n#" in cell.locator("textarea").input_value() or "\nV#" in cell.locator("textarea").input_value()


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("slug", ["by-hand", "multi-head"])
def test_the_field_lies_exactly_over_the_code(visit: Callable[..., Visit], width: int, slug: str) -> None:
    here = visit("zh", slug, width)
    here.page.evaluate("for (const tools of document.querySelectorAll('[data-run] .tools')) tools.children[1].click()")
    off = here.page.evaluate(MISPLACED)
    assert off == []
    assert here.page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("language", languages())
def test_a_finger_is_enough(visit: Callable[..., Visit], language: str) -> None:
    here = visit(language, width=390, has_touch=True, is_mobile=True)
    cell = here.cell("inputs")
    for button in cell.locator(".tools button:visible").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44
    cell.locator("code").tap()
    assert cell.locator("textarea").count() == 0  # no keyboard springs up on whoever scrolls by
    cell.get_by_role("button", name=here.words["edit"]).tap()
    cell.locator("textarea").fill("Q = K = np.eye(2)\nV = 2 * np.eye(2)")
    cell.locator("button.run").tap()
    finished(cell)
    assert numbers(here.output("show-v")) == ["2.0", "0.0", "0.0", "2.0"]
    assert here.page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_it_shows_stands_out(visit: Callable[..., Visit], dark: bool) -> None:
    here = visit("en", color_scheme="dark" if dark else "light")
    here.edit("inputs", "3.0", "5.0")
    here.run("inputs")
    here.rewrite("scores", lambda code: "1 / 0")
    here.run("scores")
    here.edit("weights", "percent=True", "digits=3")
    here.cell("weights").locator("textarea").press("Escape")
    assert here.page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("name", ["takeaways.attention-gradient", "masks.window-deep", "efficient.spread"])
def test_pictures_are_drawn_again(visit: Callable[..., Visit], name: str) -> None:
    slug, _, cell = name.partition(".")
    here = visit("en", slug)
    here.page.evaluate("document.querySelectorAll('details').forEach(fold => (fold.open = true))")
    here.page.evaluate("document.querySelectorAll('[data-run] svg').forEach(svg => (svg.old = true))")
    count = here.page.locator("[data-run] svg").count()
    assert here.says("same").fullmatch(here.run(cell))
    assert here.page.locator("[data-run] svg").count() == count
    assert here.page.evaluate("[...document.querySelectorAll('[data-run] svg')].some(svg => !svg.old)")


def test_without_javascript_there_is_nothing_to_press(browser: Browser, host: Host) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{host.address}by-hand/")
    assert page.locator(".tools button").count() == 0
    assert page.locator("[data-cell='by-hand.scores'] table").is_visible()
    context.close()
