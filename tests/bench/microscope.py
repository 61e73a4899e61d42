"""What the microscope costs in Chromium: processor seconds of the worker's thread, memory of the page's process.

`python -m tests.bench.microscope [SITE]` prints a table; the site must have been built with the weights (make weights,
make site). Linux alone tells the seconds of a thread.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from sitekit.paths import ROOT
from tests.browser.chromium import ARGUMENTS, chromium
from tests.browser.host import hosting

WAIT = 300_000
TWELVE = "小猫坐在窗台上，因为它累了。"  # 10 tokens and the two marks
LONG = (
    "昨天晚上下了一场大雨，今天早上路很滑，所以我没有骑车，而是坐地铁去公司上班。"
    "The weather forecast says it will rain again tomorrow, so please take an umbrella"
)


def thread_seconds(pid: int, name: str) -> float:
    """Processor seconds of the threads of a process whose name begins so."""
    ticks = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        called, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(") ", 1)
        if called.startswith(name):
            ticks += sum(map(int, rest.split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def private_megabytes(pid: int) -> float:
    """Memory that the process shares with no other."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return (sizes["Private_Clean"] + sizes["Private_Dirty"]) / 1000


def renderers(browser: Browser) -> list[int]:
    listed = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return [process["id"] for process in listed if process["type"] == "renderer"]


class Clock:
    """Prints one line for each thing that is done."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def measure(self, what: str, do: Callable[[], object], asked: str) -> None:
        before = {pid: thread_seconds(pid, "DedicatedWorker") for pid in renderers(self.browser)}
        do()
        after = {pid: thread_seconds(pid, "DedicatedWorker") for pid in renderers(self.browser)}
        pid = max(after, key=lambda one: after[one] - before.get(one, 0))
        spent = after[pid] - before.get(pid, 0)
        print(f"{what:44} {spent:6.2f} s {private_megabytes(pid):6.0f} MB   {asked}", flush=True)


def answered(page: Page, act: Callable[[], object]) -> None:
    """Act, and wait for the answer."""
    page.evaluate("document.querySelector('micro-scope .status').textContent = ''")
    act()
    page.wait_for_function(
        r"/^\d+ ms|用时/.test(document.querySelector('micro-scope .status').textContent)", timeout=WAIT
    )


def read(page: Page, text: str) -> Callable[[], None]:
    def act() -> None:
        page.locator("micro-scope .sentence input").fill(text)
        page.locator("micro-scope .word input").fill("")
        answered(page, page.locator("micro-scope button.go").click)

    return act


def hide(page: Page, token: int) -> Callable[[], None]:
    return lambda: answered(page, page.locator(f'micro-scope [data-key="hide0.{token}"]').click)


def main(site: Path) -> None:
    with hosting(site) as host, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_page()
        page.goto(f"{host.address}microscope/")
        clock = Clock(browser)
        before = host.bytes_sent()
        start = partial(answered, page, page.locator("micro-scope button.go").click)
        clock.measure("Python, model, first sentence of 8 tokens", start, "≤ 8 s, ≤ 350 MB")
        ready = page.evaluate("document.querySelector('micro-scope').opened")
        print(
            f"    fetched {(host.bytes_sent() - before) / 1e6:.2f} MB; model ready {ready:.0f} ms after Python (wall)"
        )
        before = host.bytes_sent()
        clock.measure("12 tokens, with its parts of the word table", read(page, TWELVE), "≤ 0.5 s")
        print(f"    fetched {(host.bytes_sent() - before) / 1e6:.2f} MB")
        clock.measure("a word hidden", hide(page, 3), "≤ 0.5 s")
        clock.measure("another word hidden", hide(page, 4), "≤ 0.5 s")
        clock.measure("48 tokens, with its parts", read(page, LONG), "≤ 1.5 s")
        print(f"    {page.locator('micro-scope .token').count()} tokens with the two marks")
        clock.measure("a word hidden", hide(page, 5), "≤ 1.5 s")
        clock.measure("another word hidden", hide(page, 6), "≤ 1.5 s")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
