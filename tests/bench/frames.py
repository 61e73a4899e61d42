"""How long a frame of each figure takes while a hand moves it: the main thread's work a step, in Chromium.

    python -m tests.bench.frames site

`site` is a built site. Each figure is dragged in 40 steps, as fast as the machine is and slowed down four times; where
nothing can be dragged, its buttons are pressed. Asked are 16 ms and 33 ms a frame. No test asserts a time.
"""

import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import CDPSession, Locator, Page, sync_playwright

from tests.browser.chromium import ARGUMENTS, chromium
from tests.browser.conftest import serving
from tests.browser.test_figures import PAGES, wake

STEPS = 40
ASKED = {1: 16, 4: 33}  # milliseconds a frame, by how much the processor is slowed down
# What is dragged across; for all others it is their slider, and where there is none, their buttons are pressed.
DRAGGED = {"drag-query": ".plane svg", "pull-bars": ".track[data-row='1']", "cut-arcs": ".mask", "reach-back": "svg"}
AFTER_A_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
COUNT_FRAMES = "window.frameCount = 0; (function count() { window.frameCount++; requestAnimationFrame(count); })()"


def busy(session: CDPSession) -> float:
    """Milliseconds that the page's main thread has worked so far."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


def steps(page: Page, shown: Locator, name: str) -> Iterator[None]:
    """Move the figure by one step each time."""
    handle = shown.locator(DRAGGED.get(name, "input[type=range]")).first
    if not handle.count():
        buttons = shown.locator("button:visible").all()
        for step in range(STEPS):
            buttons[step % len(buttons)].dispatch_event("click")
            yield
        return
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(STEPS):
        across = abs(1 - 2 * step / STEPS)  # there and back
        page.mouse.move(box["x"] + 2 + across * (box["width"] - 4), box["y"] + box["height"] * (0.3 + 0.4 * across))
        yield
    page.mouse.up()


def measure(page: Page, session: CDPSession, name: str, slower: int) -> list[float]:
    """Milliseconds of work a frame, for each step: a step takes two frames or, where it starts a movement, more."""
    shown = wake(page, name).first
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.evaluate(COUNT_FRAMES)
    page.evaluate(AFTER_A_FRAME)
    frames, before, count = [], busy(session), page.evaluate("frameCount")
    for _ in steps(page, shown, name):
        page.evaluate(AFTER_A_FRAME)
        now, later = busy(session), page.evaluate("frameCount")
        frames.append((now - before) / (later - count))
        before, count = now, later
    return frames


def main(site: Path) -> None:
    pages = {name: path for path, name in reversed(PAGES.items())}
    print(f"{'figure':16}" + "".join(f"{f'{slower}x: median':>14}{'19 of 20':>10}{'asked':>8}" for slower in ASKED))
    with serving(site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for name, path in sorted(pages.items()):
            line = f"{name:16}"
            for slower, asked in ASKED.items():
                page = browser.new_page(viewport={"width": 1280, "height": 844})
                session = page.context.new_cdp_session(page)
                session.send("Performance.enable", {"timeDomain": "threadTicks"})  # not what other programs take
                page.goto(address + path)
                frames = measure(page, session, name, slower)
                usual, most = statistics.median(frames), statistics.quantiles(frames, n=20)[-1]
                line += f"{usual:11.1f} ms{most:7.1f} ms{asked:5} ms"
                page.close()
            print(line, flush=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
