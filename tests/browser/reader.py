"""A reader at a chapter: what they press and type, and what they are told."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from sitekit.languages import languages
from tests.browser.host import Host

START = 60_000  # milliseconds for Python to start on a busy machine
WIDTHS = {"desktop": 1280, "phone": 390}


@dataclass
class Visit:
    """A chapter opened by a reader."""

    page: Page
    host: Host
    language: str
    slug: str
    complaints: list[str]

    @property
    def words(self) -> dict[str, str]:
        return languages()[self.language].run

    def cell(self, name: str) -> Locator:
        return self.page.locator(f"[data-cell='{self.slug}.{name}']:has(.tools)")

    def output(self, name: str) -> Locator:
        return self.page.locator(f"[data-cell='{self.slug}.{name}'] > .output").last

    def edit(self, name: str, old: str, new: str) -> None:
        self.rewrite(name, lambda code: code.replace(old, new))

    def rewrite(self, name: str, change: Callable[[str], str]) -> None:
        cell = self.cell(name)
        if not cell.locator("textarea").count():
            cell.get_by_role("button", name=self.words["edit"]).click()
        area = cell.locator("textarea")
        area.fill(change(area.input_value()))

    def press(self, name: str) -> Locator:
        cell = self.cell(name)
        cell.locator("button.run").click()
        return cell

    def run(self, name: str) -> str:
        """Press Run, wait for the end, return what the status says."""
        finished(self.press(name))
        return self.said(name)

    def said(self, name: str) -> str:
        return self.cell(name).locator(".said").inner_text()

    def says(self, word: str, **values: Any) -> re.Pattern[str]:
        """What the page says in this language, whatever the numbers in it."""
        parts = re.split(r"\{(\w+)\}", self.words[word])
        return re.compile(
            "".join(re.escape(str(values.get(p, ""))) or ".+" if i % 2 else re.escape(p) for i, p in enumerate(parts))
        )


def finished(cell: Locator) -> None:
    expect(cell).not_to_have_class(re.compile("busy"), timeout=START)


def numbers(output: Locator) -> list[str]:
    return output.locator("td:not(.corner)").evaluate_all("all => all.map(td => td.textContent)")
