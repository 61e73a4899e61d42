"""Find a Chromium for the tests, or get one; never go without."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock

from sitekit.paths import CACHE

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
# No request of the browser's own, and no name that resolves except this machine's address.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    # Every window loads pages of the browser's own for its address bar, which cost more than a page of ours.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
]


def chromium() -> str:
    """The path of a Chromium: one that is here, Playwright's download, or Debian's package; fetched by one process."""
    CACHE.mkdir(exist_ok=True)
    with FileLock(CACHE / "chromium.lock"):
        for find in (installed, downloaded, packaged):
            if path := next(find(), None):
                return path
    raise FileNotFoundError(
        "there is no Chromium here, and none could be fetched: install Chromium or Chrome, and run `make test` again"
    )


def installed() -> Iterator[str]:
    named = os.environ.get("CHROMIUM")
    yield from ([named] if named else [])
    yield from filter(None, map(shutil.which, NAMES))
    yield from (place for place in PLACES if Path(place).exists())
    yield from playwrights()


ASK = """\
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def playwrights() -> Iterator[str]:
    """Where Playwright keeps its own; asked in another process, for in one Playwright cannot be started twice."""
    path = subprocess.check_output([sys.executable, "-c", ASK], text=True, encoding="utf-8").strip()
    yield from [path] if Path(path).exists() else []


def downloaded() -> Iterator[str]:
    print("tests: no Chromium here; asking Playwright for one ...", file=sys.stderr)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    subprocess.run(command, timeout=600, check=False, capture_output=True)
    yield from playwrights()


def packaged() -> Iterator[str]:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    print("tests: asking apt for Chromium, which takes a minute ...", file=sys.stderr)
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium", "fonts-noto-cjk"]):
        subprocess.run(
            command, check=False, capture_output=True, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        )
    yield from filter(None, map(shutil.which, NAMES))
