"""What the microscope costs in Chromium: processor seconds of the worker's thread, memory of the page's process.

`python -m tests.bench.microscope [SITE]` prints a table; the site must have been built with the weights (make weights,
make site). Linux alone tells the seconds of a thread. No debugger is attached, for it would keep whatever is fetched.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import override
from urllib.parse import parse_qsl

from sitekit.paths import ROOT
from tests.browser.chromium import ARGUMENTS, chromium
from tests.browser.host import Handler, Host, hosting

WAIT = 120  # seconds for all steps
SCRIPT = Path(__file__).with_suffix(".js")


def renderers(parent: int) -> Iterator[int]:
    """All processes of pages that a process has started, itself or by others; one may end meanwhile."""
    with suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                if b"--type=renderer" in Path(f"/proc/{child}/cmdline").read_bytes():
                    yield child
                yield from renderers(child)


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


class Meter:
    """Measures the page's process from one mark to the next."""

    def __init__(self) -> None:
        self.browser = 0
        self.most = self.seconds = 0.0
        self.ended = threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def pid(self) -> int:
        return max(renderers(self.browser), key=private_megabytes)

    def watch(self) -> None:
        while not self.ended.wait(0.1):
            if self.browser:
                with suppress(FileNotFoundError, ProcessLookupError):
                    self.most = max(self.most, *map(private_megabytes, renderers(self.browser)), 0)

    def mark(self, host: Host, given: dict[str, str]) -> None:
        pid = self.pid()
        seconds, memory = thread_seconds(pid, "DedicatedWorker"), private_megabytes(pid)
        if given:
            spent, most = seconds - self.seconds, max(self.most, memory)
            row = f"{given['what']:46}{given['tokens']:>4}{host.bytes_sent() / 1e6:9.2f} MB{spent:7.2f} s"
            row += f"{int(given['heap']) / 1e6:6.0f} MB{memory:6.0f} MB{most:6.0f} MB   "
            print(f"{row}{given['asked']:30}{given['says']}", flush=True)
        host.sent.clear()
        self.seconds, self.most = seconds, memory


def measure(site: Path, tab: str) -> None:
    meter = Meter()

    class Driven(Handler):
        @override
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            if path == "/mark":
                meter.ended.set() if query == "end" else meter.mark(
                    self.host, dict(parse_qsl(query, keep_blank_values=True))
                )
                self.answer(b"", "text/plain")
            elif path == "/drive.js":
                self.answer(SCRIPT.read_bytes(), "text/javascript")
            elif path == "/microscope/":
                page = (site / "microscope" / "index.html").read_text("utf-8")
                self.answer(page.replace("</body>", '<script src="/drive.js"></script></body>').encode(), "text/html")
            else:
                super().do_GET()

        def answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with hosting(site, Driven) as host, TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [chromium(), "--headless", f"--user-data-dir={profile}", *ARGUMENTS]
        browser = subprocess.Popen([*command, f"{host.address}microscope/#{tab}"], stderr=subprocess.DEVNULL)
        meter.browser = browser.pid
        try:
            if not meter.ended.wait(WAIT):
                raise TimeoutError(f"the page has not done all steps in {WAIT} s")
        finally:
            meter.ended.set()
            browser.terminate()
            browser.wait()


def main(site: Path) -> None:
    print(f"{'':44}tokens   fetched   worker   Python   process  at most   asked")
    for tab in ("micro-scope", "next-word"):
        measure(site, tab)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
