"""The site of before stays until the next one is finished: folders alone, no build. Costs 0.2 processor-seconds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sitekit.mkdocs import beside


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return fill(tmp_path / "site", "before")


def fill(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "index.html").write_text(text, "utf-8")
    return folder


def ended() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def text(site: Path) -> str:
    return (site / "index.html").read_text("utf-8")


def test_a_finished_site_takes_the_place_of_the_one_before(site: Path) -> None:
    beside.replace(site, fill(beside.beside(site, os.getpid()), "after"))
    assert text(site) == "after"
    assert list(site.parent.iterdir()) == [site]


def test_two_builds_that_end_at_once_leave_one_whole_site(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, finished = Path.rename, fill(beside.beside(site, os.getpid()), "ours")

    def meet(path: Path, target: Path) -> Path:
        """The other build is quicker by one step."""
        if path == finished and not site.exists():
            monkeypatch.undo()
            fill(site, "theirs")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", meet)
    beside.replace(site, finished)
    assert text(site) == "ours"
    assert list(site.parent.iterdir()) == [site]


def test_what_killed_builds_leave_is_cleared_up_and_nothing_else(site: Path) -> None:
    fill(beside.beside(site, ended()), "half")
    fill(beside.beside(site, ended(), "-before"), "old")
    running, other = fill(beside.beside(site, os.getppid()), "running"), fill(site.parent / ".site-notes", "mine")
    beside.clear_up(site)
    assert sorted(site.parent.iterdir()) == sorted([running, other, site])
    assert text(site) == "before"


def test_a_site_that_was_put_aside_comes_back(site: Path) -> None:
    site.rename(beside.beside(site, ended(), "-before"))
    beside.clear_up(site)
    assert text(site) == "before"
