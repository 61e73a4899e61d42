"""Every cell that a page offers to run, run in the browser's Python: it puts out what the page shows."""

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page

from sitekit.languages import languages, source
from sitekit.lessons.files import lesson_scripts
from tests.browser.conftest import wait_until
from tests.browser.host import hosting
from tests.conftest import Built, figure

SLUGS = [script.stem for script in lesson_scripts()]
START = """() => {
  window.worker = new Worker("/assets/run/worker.js", { type: "module" });
  window.answers = {};
  worker.onmessage = ({ data }) => {
    if (data.kind === "done") answers[data.id] = data;
    if (data.kind === "failed") document.documentElement.dataset.failed = data.why + data.what;
    document.documentElement.dataset.done = Object.keys(answers).length;
  };
}"""
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
ROUNDING = 1e-11


@pytest.fixture(scope="module")
def session(browser: Browser, built: Built) -> Iterator[Page]:
    """One page with one worker for all lessons."""
    with hosting(built.folder) as host:
        page = browser.new_page()
        page.goto(host.address)
        page.evaluate(START)
        yield page
        page.close()


def run_all(page: Page, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Hand jobs to the worker, wait for all of them, and return its answers."""
    page.evaluate("jobs => { window.answers = {}; for (const job of jobs) worker.postMessage(job); }", jobs)
    ended = f"document.documentElement.dataset.failed || Object.keys(answers).length === {len(jobs)}"
    wait_until(page, ended, 300)
    assert page.locator("html").get_attribute("data-failed") is None
    answers = page.evaluate("answers")
    return [answers[str(job["id"])] for job in jobs]


@cache
def offered(folder: Path) -> dict[tuple[str, str], set[str]]:
    """The texts that pages show as the output of each `lesson.cell`, by language; no second time the same."""
    found: dict[tuple[str, str], set[str]] = {}
    for page in folder.rglob("index.html"):
        html, language = page.read_text("utf-8"), language_of(page.relative_to(folder))
        for box in BeautifulSoup(html, "html.parser").select("[data-run]") if " data-run" in html else []:
            texts = {shown(str(output)) for output in box.select("div.output")}
            found.setdefault((str(box["data-cell"]), language), set()).update(texts)
    first = source().code
    return {key: texts for key, texts in found.items() if key[1] == first or texts != found.get((key[0], first))}


def language_of(page: Path) -> str:
    return page.parts[0] if page.parts[0] in languages() else source().code


def shown(html: str) -> str:
    """The text of an output, without what invites to touch it."""
    output = BeautifulSoup(html, "html.parser")
    for hint in output.select(".why"):
        hint.extract()
    return re.sub(r"\s+", " ", output.get_text(" ")).strip()


def same(got: str, text: str) -> bool:
    """Whether two outputs say the same; what rounding leaves of a zero, 2e-15 or 0e+00, differs between processors."""
    numbers = [NUMBER.findall(one) for one in (got, text)]
    if NUMBER.sub("#", got) != NUMBER.sub("#", text):
        return False
    return all(a == b or max(abs(float(a)), abs(float(b))) < ROUNDING for a, b in zip(*numbers, strict=True))


def pages_of(built: Built, slug: str) -> dict[tuple[str, str], set[str]]:
    """What pages show of a lesson's cells, by the cell's name and the language."""
    shown_of = offered(built.folder).items()
    return {(name.partition(".")[2], code): texts for (name, code), texts in shown_of if name.startswith(f"{slug}.")}


def jobs_of(built: Built, slug: str) -> list[dict[str, Any]]:
    """A run for every cell, in every language in which it shows something else; one after the other for each cell."""
    return [
        {"id": at, "lesson": slug, "wanted": [cell], "edits": {}, "language": language}
        for at, (cell, language) in enumerate(sorted(pages_of(built, slug)))
    ]


def compare(built: Built, slug: str, jobs: list[dict[str, Any]], answers: list[dict[str, Any]]) -> list[Any]:
    """What is not as on the pages: errors, and outputs that say something else."""
    pages = pages_of(built, slug)
    wrong: list[Any] = []
    for job, answer in zip(jobs, answers, strict=True):
        if answer["error"]:
            wrong.append((job, answer["error"]))
            continue
        (result,) = answer["results"]
        got = shown("".join(one.get("html") or f"<pre>{escape(one['text'])}</pre>" for one in result["outputs"]))
        (cell,) = job["wanted"]
        wrong += [(cell, got, text) for text in pages[cell, job["language"]] if not same(got, text)]
    return wrong


@pytest.mark.parametrize("slug", SLUGS)
def test_a_lesson_s_cells_run_and_show_what_the_pages_show(session: Page, built: Built, slug: str) -> None:
    jobs = jobs_of(built, slug)
    answers = run_all(session, jobs)
    slowest, name = max((answer["ms"], job["wanted"][0]) for answer, job in zip(answers, jobs, strict=True))
    figure(f"{slug}: slowest cell, with its set-up", f"{slowest / 1000:.2f} s ({name})", "within 30 s")
    assert compare(built, slug, jobs, answers) == []
