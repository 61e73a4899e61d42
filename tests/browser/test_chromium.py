"""Tests never go without a browser: where there is none, one is fetched, once, or it is said what to install."""

import os
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium

APT = f"""\
#!{sys.executable}
import pathlib, sys
here = pathlib.Path(__file__).parent
if sys.argv[1] == "install":
    (here / "chromium").touch(mode=0o755)
    with (here / "asked").open("a") as file:
        print(*sys.argv[1:], file=file)
"""


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without a browser, whose one folder of programs is given; Playwright's download is out of reach."""
    (tmp_path / "playwright").mkdir()
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", "http://127.0.0.1:9")
    monkeypatch.setattr(chromium, "PLACES", ())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path


def test_apt_is_asked_for_it_where_playwright_has_none(browser: Browser, bare: Path) -> None:
    """While another browser runs in this process, as when a test asks for one and Playwright is there already."""
    assert browser.is_connected()
    apt = bare / "apt-get"
    apt.write_text(APT, "utf-8")
    apt.chmod(0o755)
    assert chromium.chromium() == str(bare / "chromium")
    assert chromium.chromium() == str(bare / "chromium")
    (asked,) = (bare / "asked").read_text("utf-8").splitlines()
    assert "chromium" in asked.split()


def test_without_any_it_is_said_in_one_line_what_to_install(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "downloaded", lambda: iter(()))
    with pytest.raises(FileNotFoundError, match=r"^there is no Chromium here, .*: install Chromium or Chrome"):
        chromium.chromium()


def test_a_variable_can_name_another(monkeypatch: pytest.MonkeyPatch, bare: Path) -> None:
    monkeypatch.setenv("CHROMIUM", "/opt/mine")
    assert chromium.chromium() == "/opt/mine"
