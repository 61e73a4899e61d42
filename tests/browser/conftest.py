"""The built site, served on this machine, and a browser that can reach nothing else."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from sitekit.languages import languages
from tests.browser.chromium import ARGUMENTS, chromium
from tests.browser.host import Host, hosting
from tests.browser.reader import Visit
from tests.conftest import Built
from tests.costs import charge


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test of the browser is left out by make test, unless it is one of the journeys."""
    for item in items:
        if item.path.parent == Path(__file__).parent and not item.get_closest_marker("journey"):
            item.add_marker(pytest.mark.thorough)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def wait_until(page: Page, condition: str, seconds: float = 30) -> None:
    """Wait for what an expression says. Playwright's own way lets the page evaluate it, which the policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(50)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """What `python -m http.server` does in a folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def address(built: Built) -> Iterator[str]:
    with serving(built.folder) as address:
        yield address


def spent_by(process: psutil.Process) -> float:
    """Processor seconds of one of the browser's processes, which end without anybody waiting for them."""
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(times.user + times.system)


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    try:
        path = chromium()
    except FileNotFoundError as nothing:
        request.session.shouldfail = str(nothing)
        raise pytest.fail.Exception(str(nothing), pytrace=False) from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        charge(sum(map(spent_by, psutil.Process().children(recursive=True))))
        browser.close()


@pytest.fixture(scope="session")
def window(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """A window of each kind for all tests that leave no trace in it: a new one costs more than many a test."""
    windows: dict[tuple[int, bool], BrowserContext] = {}

    def open_window(width: int, dark: bool) -> BrowserContext:
        if (width, dark) not in windows:
            context = browser.new_context(
                viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light"
            )
            context.grant_permissions(["clipboard-read", "clipboard-write"])
            windows[width, dark] = context
        return windows[width, dark]

    yield open_window
    for context in windows.values():
        context.close()


@pytest.fixture(name="open_page")
def opener(window: Callable[..., BrowserContext], address: str) -> Iterator[Callable[..., Page]]:
    """Open pages of the site (None: an empty one), and forgive no console error and no failed or foreign request."""
    complaints: list[str] = []
    pages: list[Page] = []

    def open_page(path: str | None, *, width: int = 1280, dark: bool = False) -> Page:
        page = window(width, dark).new_page()
        pages.append(page)
        listen(page, address, complaints)
        if path is not None:
            page.goto(address + path)
        return page

    yield open_page
    for page in pages:
        if page.url.startswith(address):
            page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.close()
    assert not complaints


@pytest.fixture(scope="module")
def host(built: Built) -> Iterator[Host]:
    with hosting(built.folder) as host:
        yield host


@pytest.fixture(name="visit")
def visitor(browser: Browser, host: Host) -> Iterator[Callable[..., Visit]]:
    """Open a chapter; at the end no console error and no foreign request is forgiven, unless the test expects some."""
    contexts, visits = [], []

    def open_page(
        language: str = "zh", slug: str = "by-hand", width: int = 1280, *, clock: bool = False, **options: Any
    ) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 844}, **options)
        contexts.append(context)
        visit = Visit(context.new_page(), host, language, slug, [])
        visits.append(visit)
        listen(visit.page, host.address, visit.complaints)
        if clock:  # before the page starts: a timer from before the clock can no longer be stopped
            visit.page.clock.install()
        visit.page.goto(f"{host.address}{languages()[language].prefix}{slug}/")
        return visit

    yield open_page
    for context in contexts:
        context.close()
    host.policy = host.missing = host.altered = host.silent = host.cut = ""
    assert [visit.complaints for visit in visits if visit.complaints] == []


def left_behind(request: Request) -> bool:
    """A page was left before all of it, say its icon, was there: nothing is wrong. A missing file fails otherwise."""
    return request.failure == "net::ERR_ABORTED"


def listen(page: Page, address: str, complaints: list[str]) -> None:
    """Write down every console error, failed request, and request that leaves this machine."""

    def note(wrong: bool, what: str) -> None:
        if wrong:
            complaints.append(what)

    page.on("console", lambda message: note(message.type in ("error", "warning"), message.text))
    page.on("pageerror", lambda error: note(True, str(error)))
    page.on("requestfailed", lambda request: note(not left_behind(request), f"failed: {request.url}"))
    page.on("response", lambda answer: note(answer.status >= 400, f"{answer.status}: {answer.url}"))
    page.on("request", lambda request: note(not request.url.startswith(address), request.url))
