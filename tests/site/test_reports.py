"""What people reported of other sites in several languages: each case has a test here that carries its number."""

import re

import pytest

from tests.conftest import ROOT
from tests.kernel.reports import REPORTS

AREAS = ("site-i18n", "translation")
TESTS = [path for folder in ("i18n", "site", "browser") for path in sorted((ROOT / "tests" / folder).glob("test_*.py"))]
NAMES = "\n".join(name for path in TESTS for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.M))


@pytest.mark.parametrize("report", [name for name, report in REPORTS.items() if report["area"] in AREAS])
def test_every_reported_case_has_a_test(report: str) -> None:
    assert re.search(rf"^test_{report.lower()}_", NAMES, re.M), REPORTS[report]["title"]
