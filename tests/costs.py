"""What the tests cost: processor-seconds by folder and by file, printed after a run and kept in docs/tests.json.

A test costs the time of its own process and of the children it has waited for. Processes that nobody waits for, a
browser or the forks of `tests.preloaded`, are charged by whoever ends them: `charge`.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "tests.json"
DEAR = 0.03  # the share of the whole from which on a test file has to say why it costs so much
LOADING = "loading and collecting"

Row = tuple[int, float]  # tests, processor-seconds


charged = [0.0]


def charge(seconds: float) -> None:
    """Add the processor time of a process that this one has not waited for."""
    charged[0] += seconds


def processor_seconds() -> float:
    """Processor time so far: of this process, of its finished children, and what was charged."""
    return sum(os.times()[:4]) + charged[0]


class Costs:
    """The costs of one test process by file, handed to the process that prints them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.started = time.monotonic()
        self.seconds: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.in_tests = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        file = item.nodeid.partition("::")[0]
        before = processor_seconds()
        try:
            return (yield)
        finally:
            spent = processor_seconds() - before
            self.tests[file] += 1
            self.seconds[file] += spent
            self.in_tests += spent

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.left_out.update(item.nodeid.partition("::")[0] for item in items)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand the costs to the process that prints them, where several processes share the tests."""
        shared_out = self.config.pluginmanager.has_plugin("dsession")  # then the children are the other test processes
        self.seconds[LOADING] += sum(os.times()[:2]) if shared_out else processor_seconds() - self.in_tests
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["costs"] = [dict(self.seconds), dict(self.tests), dict(self.left_out)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        seconds, tests, left_out = getattr(node, "workeroutput", {}).get("costs", ({}, {}, {}))
        self.seconds.update(seconds)
        self.tests.update(tests)
        self.left_out |= Counter(left_out)  # every process leaves out the same tests

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        if hasattr(self.config, "workeroutput") or not self.tests:
            return
        folders = by_folder(self.seconds, self.tests)
        whole = sum(self.seconds.values())
        wall = time.monotonic() - self.started
        terminalreporter.section("what the tests cost")
        for line in lines(folders, wall):
            terminalreporter.line(line)
        keeps = self.config.getoption("--keep-costs")
        dear = [file for file in self.tests if self.seconds[file] > DEAR * whole]
        if keeps and dear:
            terminalreporter.line(f"more than {DEAR:.0%} each, so that the first line says why: {', '.join(dear)}")
        if self.left_out:
            places = ", ".join(f"{folder} {n}" for folder, (n, _) in by_folder(Counter(), self.left_out).items())
            terminalreporter.line(f"left out: {sum(self.left_out.values())} tests ({places}); make test-rest runs them")
        if keeps and exitstatus == 0:
            keep(folders, wall)


def by_folder(seconds: Counter[str], tests: Counter[str]) -> dict[str, Row]:
    """The tests and their seconds by folder, the dearest first."""
    rows: dict[str, Row] = {}
    for file in {**seconds, **tests}:
        folder = "/".join(file.split("/")[:2])
        count, sum_ = rows.get(folder, (0, 0.0))
        rows[folder] = (count + tests[file], sum_ + seconds[file])
    return dict(sorted(rows.items(), key=lambda row: (-row[1][1], -row[1][0])))


def lines(folders: dict[str, Row], wall: float) -> Iterator[str]:
    """The table as text."""
    yield f"{'folder':28} {'tests':>6} {'processor-seconds':>18}"
    for folder, (count, seconds) in folders.items():
        yield f"{folder:28} {count or '':>6} {seconds:>18.1f}"
    tests, seconds = (sum(column) for column in zip(*folders.values(), strict=True))
    yield f"{'all':28} {tests:>6} {seconds:>18.1f}   in {wall:.0f} s"


def keep(folders: dict[str, Row], wall: float) -> None:
    """Write the table for the contributors' page; one that has the same tests stays, so that a run leaves no change."""
    rows = [{"folder": folder, "tests": count, "seconds": round(s, 1)} for folder, (count, s) in folders.items()]
    kept = json.loads(TABLE.read_text("utf-8"))["folders"] if TABLE.exists() else []
    if {row["folder"]: row["tests"] for row in kept} != {row["folder"]: row["tests"] for row in rows}:
        text = json.dumps({"wall": round(wall), "folders": rows}, indent=1)
        TABLE.write_text(f"{text}\n", "utf-8")
