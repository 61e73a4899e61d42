"""The laboratory and the grids: numbers, code, tables and address that always say the same."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, quote

import pytest
from playwright.sync_api import Locator, Page, expect

from sitekit.languages import languages
from tests.browser.reader import Visit, numbers

Open = Callable[..., Page]
STATE = 'import("/assets/run/lab.js")'
PRESETS = ["apple", "saturation", "library", "sentence"]


def lab(page: Page) -> Locator:
    return page.locator(".lab")


def field(page: Page, label: str) -> Locator:
    return lab(page).get_by_label(label, exact=True)


def code(page: Page) -> str:
    return page.locator("[data-cell='lab.apple'] .highlight code").first.text_content() or ""


def location(page: Page) -> str:
    return str(page.evaluate("location.href"))  # page.url learns of a replaced state a moment later


def words(language: str) -> dict[str, str]:
    return languages()[language].lab


@pytest.mark.journey
@pytest.mark.parametrize(("language", "width"), [("zh", 1280), ("en", 390)])
def test_controls_write_the_code_and_the_address_and_nothing_is_fetched(
    open_page: Open, address: str, language: str, width: int
) -> None:
    page = open_page(f"{languages()[language].prefix}lab/", width=width)
    expect(lab(page)).to_be_visible()
    fetched: list[str] = []
    page.on(
        "request", lambda request: request.url.endswith(".svg") or fetched.append(request.url)
    )  # the browser's icon
    field(page, "q[0, 1]").fill("−2")
    field(page, words(language)["temperature"]).fill("0.5")
    field(page, words(language)["root_d"]).check()
    field(page, words(language)["causal"]).check()
    field(page, words(language)["window"]).fill("1")
    field(page, words(language)["heads"]).select_option("2")
    field(page, words(language)["token"].format(n=1)).fill("梨")
    assert code(page).startswith(
        'tokens = ["梨", {"zh": "果", "en": "pie"}]\nasking = tokens\nq = np.array([[3.0, -2.0], [1.0, 3.0]])\n'
        "k = np.array([[3.0, 1.0], [1.0, 3.0]])\nv = np.array([[6.0, 0.5], [0.5, 6.0]])\n"
        "root_d = True\ntemperature = 0.5\ncausal = True\nwindow = 1\nheads = 2\nlaboratory("
    )
    assert location(page).partition("?")[2] == (
        "t=%E6%A2%A8&t=%7B%22zh%22%3A%22%E6%9E%9C%22%2C%22en%22%3A%22pie%22%7D&Q=3%2C-2%3B1%2C3&K=3%2C1%3B1%2C3&V=6%2C0.5%3B0.5%2C6&d=1&T=0.5&c=1&w=1&n=2"
    )
    assert lab(page).get_by_role("status").inner_text() == ""
    shown = [cell.inner_text() for cell in lab(page).locator(".results table.weights td:not(.corner)").all()]
    assert shown == ["100.0 %", "0.0 %", "0.0 %", "100.0 %"] * 2  # a window of one token, two heads
    assert fetched == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    before = code(page)
    page.goto(location(page))  # as somebody who was sent the address
    expect(field(page, "q[0, 1]")).to_have_value("-2")
    assert code(page) == before
    other = next(code for code in languages() if code != language)
    page.locator(".md-select").hover()
    page.locator(f'.md-select__link[hreflang="{other}"]').click()
    page.wait_for_url(re.compile(f"{address}{languages()[other].prefix}lab/\\?t="))
    expect(field(page, "q[0, 1]")).to_have_value("-2")
    assert code(page) == before


@pytest.mark.parametrize("wrong", ["", "0", "-1", "x", "1e999", "1 2"])
def test_what_is_no_temperature_is_marked_and_changes_nothing(open_page: Open, wrong: str) -> None:
    page = open_page("en/lab/")
    before = code(page)
    temperature = field(page, words("en")["temperature"])
    temperature.fill(wrong)
    expect(temperature).to_have_attribute("aria-invalid", "true")
    assert code(page) == before
    temperature.fill("2")
    expect(temperature).to_have_attribute("aria-invalid", "false")


def test_tokens_come_and_go_between_two_and_six(open_page: Open) -> None:
    page = open_page("en/lab/")
    add, remove = (lab(page).get_by_role("button", name=words("en")[name]) for name in ("add", "remove"))
    expect(remove).to_be_disabled()
    before = code(page)
    for _ in range(4):
        add.click()
    expect(add).to_be_disabled()
    rows = "[3.0, 1.0], [1.0, 3.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]"
    assert f"\nk = np.array(\n    [{rows}]\n)\n" in code(page)
    for _ in range(4):
        remove.click()
    assert code(page) == before
    assert "?" not in location(page)


def test_every_preset_survives_the_way_through_controls_and_address(open_page: Open) -> None:
    page = open_page("en/lab/")
    for at, preset in enumerate(PRESETS):
        written = page.locator(f"[data-cell='lab.{preset}'] .highlight code").last.text_content()
        lab(page).get_by_role("button").nth(at).click()
        assert code(page).strip() == (written or "").strip(), preset
        state = f"(async () => {{ const m = await {STATE}; return m.stateOf({code(page)!r}).state; }})()"
        back = page.evaluate(
            f"(async () => {{ const m = await {STATE}; return m.fromAddress(m.toAddress(await {state}), {{}}); }})()"
        )
        assert back == page.evaluate(state), preset


BAD = [
    ("t=a", "bad_tokens"),
    ("Q=1,2;3", "bad_rows"),
    ("K=1,2;3,x", "bad_rows"),
    ("V=", "bad_rows"),
    ("Q=1;2", "bad_widths"),
    ("d=yes", "bad_number"),
    ("T=0", "bad_number"),
    ("T=", "bad_number"),
    ("w=0", "bad_number"),
    ("w=1.5", "bad_number"),
    ("n=3", "bad_number"),
    ("n=", "bad_number"),
]


def test_a_bad_address_is_refused_in_words_and_the_page_s_numbers_stand(open_page: Open, address: str) -> None:
    page = open_page(None)
    good = {"Q": "3,1;1,3", "K": "3,1;1,3", "V": "6,1;1,6", "d": "0", "T": "1", "c": "0", "w": "", "n": "1"}
    for change, why in BAD:
        name, value = change.split("=")
        tokens = "t=a" if name == "t" else "t=a&t=b"
        given = "&".join([tokens, *(f"{key}={value if key == name else old}" for key, old in good.items())])
        page.goto(f"{address}en/lab/?{given}")
        said = lab(page).get_by_role("status")
        first, last = words("en")["refused"].split("{what}")
        expect(said).to_contain_text(first)
        expect(said).to_contain_text(last)
        expect(said).to_contain_text(re.split(r"\{\w+\}", words("en")[why])[-2].strip(", "))
        assert "[[3.0, 1.0], [1.0, 3.0]]" in code(page)
        assert 'tokens = labels["pair-tokens"]' in code(page)


def test_a_name_from_an_address_is_a_name_and_never_code(open_page: Open, address: str) -> None:
    page = open_page(None)
    rest = "t=b&Q=3,1;1,3&K=3,1;1,3&V=6,1;1,6&d=0&T=1&c=0&w=&n=1"
    for name in ['{"same":"print(1)"}', '{"zh":1}', "{}", '"]\nprint(1)', "第1.", "x,]y", "1+1"]:
        page.goto(f"{address}en/lab/?t={quote(name)}&{rest}")
        expect(field(page, words("en")["token"].format(n=1))).to_have_value(name.replace("\n", ""))
        assert ast.literal_eval(code(page).splitlines()[0].removeprefix("tokens = ")) == [name, "b"]


def test_what_others_put_into_the_address_is_left_alone(open_page: Open) -> None:
    page = open_page("en/lab/?h=laboratory&utm_source=x#apple")
    assert lab(page).get_by_role("status").inner_text() == ""
    field(page, "q[0, 0]").fill("2")
    search = parse_qs(location(page).partition("?")[2].partition("#")[0])
    assert (search["utm_source"], search["Q"]) == (["x"], ["2,1;1,3"])
    assert location(page).endswith("#apple")


def test_back_leads_from_a_preset_to_the_numbers_of_before(open_page: Open) -> None:
    page = open_page("en/lab/")
    field(page, "q[0, 0]").fill("8")
    before = code(page)
    lab(page).get_by_role("button").nth(PRESETS.index("sentence")).click()
    assert "sentence-tokens" in code(page)
    page.go_back()
    expect(field(page, "q[0, 0]")).to_have_value("8")
    assert code(page) == before


def test_whatever_way_a_number_is_typed_python_can_read_it(open_page: Open) -> None:
    page = open_page("en/lab/")
    ways = {".5": "0.5", "-.5": "-0.5", "05": "5.0", "5.": "5.0", "1e3": "1000.0", "−2": "-2.0"}
    for typed, written in ways.items():
        field(page, "q[0, 0]").fill("")
        field(page, "q[0, 0]").press_sequentially(typed)
        assert f"q = np.array([[{written}, 1.0], [1.0, 3.0]])" in code(page)
        expect(field(page, "q[0, 0]")).to_be_focused()


def test_what_is_no_number_is_gone_when_the_field_is_left(open_page: Open) -> None:
    page = open_page("en/lab/")
    for wrong in ("abc", "1e21", "-", "3+4"):
        field(page, "q[0, 0]").fill(wrong)
        expect(field(page, "q[0, 0]")).to_have_attribute("aria-invalid", "true")
        field(page, "q[0, 1]").focus()
        expect(field(page, "q[0, 0]")).to_have_value("3")
    assert "?" not in location(page)


UNREADABLE = [
    ("temperature = 1.0", "temperature = 3+4", "temperature"),
    ("temperature = 1.0", "temperature = 1.0\ntemperature = 2.0", "temperature"),
    ("temperature = 1.0", "temperature = 1.0\ntemperature *= 4", "temperature"),
    ("heads = 1", "heads = 1\nq = q * 2", "q"),
    ("heads = 1", "heads = 1\nq[0, 0] = 50", "q"),
    ("k = np.array([[3.0, 1.0], [1.0, 3.0]])", "k = np.array([[3.0, 1.0], [1.0, 3.0]]) * 2", "k"),
    ("k = np.array([[3.0, 1.0], [1.0, 3.0]])", "k = q", "k"),
    ("k = np.array([[3.0, 1.0], [1.0, 3.0]])", "k = np.array([3.0, 1.0])", "k"),
    ('tokens = labels["pair-tokens"]', 'tokens = "apple"', "tokens"),
    ("heads = 1", "heads = 3", "n"),
    ("window = None", "window = 0", "w"),
    ("temperature = 1.0", "temperature = -1", "T"),
    ("root_d = False", "root_d = 2", "d"),
    ("[1.0, 3.0]])\nv", "[1.0, 3.0], [0.0, 0.0]])\nv", "K"),
]


def test_controls_rest_rather_than_show_what_the_code_does_not_say(open_page: Open) -> None:
    page = open_page("en/lab/")
    before = code(page)
    for old, new, name in UNREADABLE:
        page.evaluate(f"document.querySelector('[data-cell=\"lab.apple\"]').cell.code = {before.replace(old, new)!r}")
        expect(lab(page).get_by_role("status"), new).to_have_text(re.compile(rf"\b{name}\b"))
        expect(field(page, "v[0, 0]")).to_be_disabled()
        expect(lab(page).get_by_role("button", name=words("en")["show"])).to_be_disabled()
        lab(page).get_by_role("button").nth(PRESETS.index("apple")).click()  # leads out of it
        expect(field(page, "v[0, 0]")).to_be_enabled()
        assert code(page) == before
        assert "?" not in location(page)


def results(page: Page, role: str) -> Locator:
    return lab(page).locator(f".results table.{role}")


def test_the_results_follow_without_python_and_are_what_python_computes(
    visit: Callable[..., Visit], tmp_path: Path
) -> None:
    here = visit("en", slug="lab")
    page, output = here.page, here.output("apple")
    field(page, "q[0, 0]").fill("0")
    expect(results(page, "scores").locator("td:not(.corner)").first).to_have_text("1.00")
    expect(lab(page).locator(".aloud")).to_have_text("Apple gives most to pie: 88.1 %. Entropy 0.53 bits.")
    slider = lab(page).get_by_role("slider", name="pull q[0, 0]")
    slider.press("ArrowRight")
    expect(field(page, "q[0, 0]")).to_have_value("0.1")
    slider.press("ArrowLeft")
    field(page, words("en")["heads"]).select_option("2")
    expect(results(page, "weights")).to_have_count(2)
    results(page, "scores").first.locator("td:not(.corner)").first.hover()
    expect(lab(page).locator(".why").first).to_contain_text("0×3 = 0")
    field(page, "k[0, 0]").fill("2")
    expect(lab(page).locator(".why").first).to_contain_text("0×2 = 0")  # and so does what explains them
    here.run("apple")
    for role in ("scores", "weights", "output"):
        ours, theirs = (
            [cell.inner_text() for cell in where.locator(f"table.{role} td:not(.corner)").all()]
            for where in (lab(page), output)
        )
        assert ours
        assert ours == theirs
    expect(lab(page).get_by_role("button", name=words("en")["show"])).to_be_visible()
    lab(page).get_by_role("button", name=words("en")["show"]).click()
    shown = lab(page).locator("pre code")
    expect(shown).to_contain_text("heads = 2")
    script = tmp_path / "shown.py"
    script.write_text(shown.text_content() or "", "utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)], capture_output=True, text=True, encoding="utf-8", cwd=tmp_path
    )
    assert done.stderr == ""
    printed = re.findall(r"[−-]?\d+\.\d+(?: %)?", done.stdout)
    assert printed == numbers(output)
    here.cell("apple").get_by_role("button", name=here.words["reset"]).click()
    expect(field(page, "q[0, 0]")).to_have_value("3")
    assert "?" not in location(page)


def test_code_that_the_controls_cannot_read_puts_them_to_rest(visit: Callable[..., Visit]) -> None:
    here = visit("en", slug="lab")
    here.edit("apple", "temperature = 1.0", "temperature = 0.5 + 0.5")
    expect(lab(here.page).get_by_role("status")).to_contain_text("temperature")
    expect(field(here.page, "q[0, 0]")).to_be_disabled()
    here.edit("apple", "0.5 + 0.5", "2.0")
    expect(field(here.page, words("en")["temperature"])).to_have_value("2")
    expect(field(here.page, "q[0, 0]")).to_be_enabled()


@pytest.mark.parametrize("language", languages())
def test_small_matrices_of_a_cell_are_grids_while_it_is_edited(visit: Callable[..., Visit], language: str) -> None:
    here = visit(language, width=390)
    assert here.page.locator(".grids").count() == 0
    cell = here.cell("inputs")
    cell.get_by_role("button", name=here.words["edit"]).click()
    grids = cell.locator(".grids")
    expect(grids.locator("caption")).to_have_text(["Q = K", "V"])
    grids.get_by_label("V[0, 1]").fill("-7.25")
    area = cell.locator("textarea")
    assert "V = np.array([[6.0, -7.25], [0.5, 6.0]])" in area.input_value()
    grids.get_by_label("V[0, 1]").fill("")
    expect(grids.get_by_label("V[0, 1]")).to_have_attribute("aria-invalid", "true")
    assert "-7.25" in area.input_value()
    area.fill(area.input_value().replace("[[6.0, -7.25], ", "["))
    assert grids.get_by_role("textbox").count() == 6
    area.fill(area.input_value().replace("V = np.array([", "V = np.array([1 + "))
    expect(grids.locator("caption")).to_have_text(["Q = K"])  # what is not plain numbers has no grid
    cell.get_by_role("button", name=here.words["reset"]).click()
    expect(grids.get_by_label("V[0, 1]")).to_have_value("0.5")
    grids.get_by_label("Q = K[1, 0]").press("ArrowUp")
    assert "[1.0, 3.0]" not in area.input_value().splitlines()[0]
    assert here.page.evaluate("document.documentElement.scrollWidth") == 390
