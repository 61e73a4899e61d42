"""The microscope in the browser, with a tiny made-up model in place of the real one, in the same format."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from attention.models.e5_file import read_e5
from sitekit import live
from sitekit.languages import languages
from sitekit.live import models, parts
from sitekit.live.session import Session
from tests.browser.conftest import listen
from tests.browser.host import hosting
from tests.browser.reader import START
from tests.browser.test_every_page import CONTRAST
from tests.conftest import Built
from tests.models.e5_tiny import TinyFile

FIRST = {"zh": ("苹果 ab", "苹果"), "en": ("ab 苹果", "ab")}


@dataclass
class Scope:
    """The page of the microscope, and what it has fetched of the model."""

    page: Page
    fetched: list[str]
    words: dict[str, str]
    complaints: list[str]

    def says(self, key: str, **values: Any) -> re.Pattern[str]:
        found = re.split(r"\{(\w+)\}", self.words[key])
        return re.compile(
            "".join(re.escape(str(values.get(p, ""))) or ".+" if i % 2 else re.escape(p) for i, p in enumerate(found))
        )

    @property
    def go(self) -> Locator:
        return self.page.locator("micro-scope button.go")

    @property
    def lead(self) -> Locator:
        return self.page.locator("micro-scope .lead")

    def field(self, name: str, nth: int = 0) -> Locator:
        return self.page.locator(f"micro-scope .{name} input").nth(nth)

    def button(self, key: str) -> Locator:
        return self.page.locator(f'micro-scope [data-key="{key}"]')


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    path = folder / "tiny.bin"
    path.write_bytes(TinyFile().write())
    models.write_parts(cut(path), folder / "e5")
    return folder


def cut(path: Path) -> list[tuple[str, bytes]]:
    """The parts of a model, with so few rows in each that even a tiny word table takes several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "FIRST", 4)
        patch.setattr(parts, "SHARD", 3)
        return list(parts.cut(read_e5(path, path.read_bytes())))


@pytest.fixture(name="open_scope")
def opener(
    browser: Browser, address: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Scope]]:
    """Open the page with the tiny model; no console error and no foreign request is forgiven."""
    about = models.write_parts(cut(folder / "tiny.bin"), folder / "again")
    monkeypatch.setattr(models, "prepare", lambda: {"e5": about})
    script = live.microscope_script(languages(), 9_000_000)
    contexts, complaints = [], list[str]()

    def open_scope(language: str, hash: str = "", width: int = 1280) -> Scope:
        context = browser.new_context(viewport={"width": width, "height": 844})
        context.add_init_script("delete Navigator.prototype.serviceWorker")  # it would answer in place of our routes
        contexts.append(context)
        page = context.new_page()
        scope = Scope(page, [], languages()[language].microscope, complaints)

        def part(route: Route) -> None:
            scope.fetched.append(route.request.url.rpartition("/")[2])
            route.fulfill(path=folder / "e5" / scope.fetched[-1])

        context.route(
            "**/assets/run/microscope.js", lambda route: route.fulfill(body=script, content_type="text/javascript")
        )
        context.route("**/assets/models/e5/*", part)
        listen(page, address, complaints)
        page.goto(f"{address}{languages()[language].prefix}microscope/{hash}")
        return scope

    yield open_scope
    for context in contexts:
        context.close()
    assert complaints == []


def answer(folder: Path, **asked: Any) -> dict[str, Any]:
    """What CPython answers."""
    session = Session()
    for name, data in cut(folder / "tiny.bin"):
        session.take("e5", name, data)
    told: dict[str, Any] = json.loads(session.answer("e5", json.dumps(asked))[0])
    return told


@pytest.mark.journey
@pytest.mark.parametrize(("language", "width"), [("zh", 1280)])
def test_a_sentence_is_read_a_word_hidden_and_what_is_wrong_is_said(
    open_scope: Callable[..., Scope], folder: Path, language: str, width: int
) -> None:
    scope = open_scope(language, width=width)
    page, words = scope.page, scope.words
    expect(scope.go).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    text, word = FIRST[language]
    scope.field("sentence").fill(" ")
    scope.go.click()
    expect(page.locator("micro-scope .problem")).to_have_text(words["empty"])
    scope.field("sentence").fill(text)
    scope.field("word").fill(word)
    assert asked == [], "something was fetched before the button was pressed"
    assert re.fullmatch(scope.says("load", size=9), scope.go.inner_text())

    scope.go.click()
    expect(scope.lead).to_be_visible(timeout=START)
    (told,) = answer(folder, texts=[text], words=[word], at=[None], hidden=[[]])["sentences"]
    assert page.locator("micro-scope .token b").all_inner_texts() == told["tokens"]
    assert page.locator("micro-scope .mark").all_inner_texts() == [str(i) for i in told["ids"]]
    looks = page.locator("micro-scope .shares").last.locator("td[data-at]").all_inner_texts()
    assert looks == [str(round(100 * share)) for row in told["looks"] for share in row]
    assert page.locator("micro-scope .thumbs button").count() == 8

    scope.button("hide0.1").click()
    expect(scope.button("hide0.1")).to_have_attribute("aria-pressed", "true")
    (hidden,) = answer(folder, texts=[text], words=[word], at=[None], hidden=[[1]])["sentences"]
    same = f"{sum(hidden['same'][-1][i] for i in hidden['marked']) / len(hidden['marked']):.3f}"
    expect(page.locator("micro-scope .because")).to_have_text(
        scope.says("without", gone=told["tokens"][1], word=word, same=same)
    )
    assert "&x=1&" in page.evaluate("location.hash")
    expect(scope.button("hide0.1")).to_be_focused()

    page.locator("micro-scope .thumbs [tabindex='0']").press("ArrowLeft")
    expect(scope.button("head1.2")).to_have_attribute("aria-pressed", "true")
    page.locator("micro-scope .map td[data-at='2-0']").click()
    expect(page.locator("micro-scope .explained")).to_have_text(scope.says("explain_cell", head="L1·H2", to="<s>"))

    head = scope.button("strong0").inner_text().split(" ")[0]
    scope.button("strong0").click()
    expect(scope.lead).to_contain_text(head)

    for wrong, why, named in (
        ("のは", "strangers", {"characters": "の は"}),
        ("b" * 50, "long", {"tokens": 51, "most": 48}),
    ):
        scope.field("sentence").fill(wrong)
        scope.go.click()
        expect(page.locator("micro-scope .problem")).to_have_text(words[why].format(**named))
        expect(scope.field("sentence")).to_have_value(wrong)
        expect(scope.field("sentence")).to_be_focused()
    scope.field("sentence").fill(text)
    scope.field("word").fill("zz")
    scope.go.click()
    expect(page.locator("micro-scope .problem")).to_have_text(words["missing"].format(word="zz"))
    scope.field("word").fill("")
    page.get_by_role("button", name=words["pair"]).click()
    expect(page.locator("micro-scope .problem").nth(1)).to_be_empty()
    scope.field("sentence", 1).fill("b 苹果")
    scope.field("word", 1).fill("")
    scope.go.click()
    expect(page.locator("micro-scope .chart circle")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate(CONTRAST) == []


def test_an_address_brings_the_sentence_back_and_a_second_visit_fetches_nothing(
    open_scope: Callable[..., Scope],
) -> None:
    scope = open_scope("en", "#s=%E8%8B%B9%E6%9E%9C+ab&w=ab&i=&x=2&h=1.3", 390)
    expect(scope.field("sentence")).to_have_value("苹果 ab")
    scope.go.click()
    expect(scope.lead).to_contain_text("L1·H3", timeout=START)
    expect(scope.button("hide0.2")).to_have_attribute("aria-pressed", "true")
    assert sorted(name.split(".")[0] for name in scope.fetched) == [
        "layer00", "layer01", "manifest", "sizes", "start", "vocabulary", "words0000", "words0002",
    ]  # fmt: skip
    scope.fetched.clear()
    scope.page.reload()
    scope.go.click()
    expect(scope.lead).to_contain_text("L1·H3", timeout=START)
    assert scope.fetched == []
    assert scope.page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_part_that_is_not_what_the_build_has_seen_is_refused(open_scope: Callable[..., Scope]) -> None:
    scope = open_scope("en")
    scope.page.context.route("**/assets/models/e5/layer01*", lambda route: route.fulfill(body=b"other"))
    scope.go.click()
    expect(scope.page.locator("micro-scope .status")).to_have_text(
        languages()["en"].run["changed_file"].format(what="layer01"), timeout=START
    )
    expect(scope.go).to_be_enabled()


def test_without_a_connection_it_names_the_words_that_it_lacks_and_fetches_all_when_asked(
    open_scope: Callable[..., Scope],
) -> None:
    scope = open_scope("en", "#s=%E6%9E%9Cb&w=b")
    status = scope.page.locator("micro-scope .keep [role=status]")
    scope.go.click()
    expect(scope.lead).to_be_visible(timeout=START)

    def refuse(route: Route) -> None:
        route.abort()

    scope.page.context.route("**/assets/models/e5/*", refuse)
    scope.field("sentence").fill("果ab")
    scope.field("word").fill("")
    scope.go.click()
    problem = scope.words["out_of_reach"].format(words="ab")
    expect(scope.page.locator("micro-scope .problem")).to_have_text(problem)
    scope.page.get_by_role("button", name=scope.words["fetch_all"].split(" (")[0]).click()
    expect(status).to_have_text(scope.words["all_failed"])
    scope.complaints.clear()  # of what was refused

    scope.page.context.unroute("**/assets/models/e5/*", refuse)
    scope.page.get_by_role("button", name=scope.words["fetch_all"].split(" (")[0]).click()
    expect(status).to_have_text(scope.words["all_done"])
    assert sorted(name.split(".")[0] for name in scope.fetched if "words" in name) == [f"words000{i}" for i in range(4)]
    scope.go.click()
    expect(scope.page.locator("micro-scope .token b").nth(3)).to_have_text("ab")


def test_a_page_that_has_been_used_opens_without_a_connection(browser: Browser, built: Built) -> None:
    with hosting(built.folder) as host:
        page = browser.new_page()
        words = languages()["en"].microscope
        page.goto(f"{host.address}microscope/#b=Thank+you+very&m=toy")
        page.locator("next-word button.go").click()
        expect(page.locator("next-word > [role=status]").last).to_have_text(
            languages()["zh"].microscope["kept"], timeout=START
        )
        lead = page.locator("next-word .lead").inner_text()
        host.down = True
        page.reload()
        page.locator("next-word button.go").click()
        expect(page.locator("next-word .lead")).to_have_text(lead, timeout=START)
        page.goto(f"{host.address}en/microscope/")
        expect(page.get_by_role("tab", name=words["tab1"])).to_be_visible()
        assert page.evaluate("[...document.querySelectorAll('link[rel=stylesheet]')].every((link) => link.sheet)")
        page.close()


def test_without_the_weights_the_page_says_how_to_get_them(
    open_scope: Callable[..., Scope], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "prepare", dict)
    bare = live.microscope_script(languages(), 9_000_000)
    scope = open_scope("zh")
    scope.page.context.route("**/assets/run/microscope.js", lambda route: route.fulfill(body=bare))
    scope.page.reload()
    expect(scope.page.locator("micro-scope .status")).to_have_text(scope.words["no_weights"])
    expect(scope.go).to_be_disabled()
