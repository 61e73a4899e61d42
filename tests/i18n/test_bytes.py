"""Pages as they lie on the disk: what is not UTF-8."""

import pytest

from tests.i18n.conftest import Fixture


@pytest.mark.parametrize("page", ["zh/two.md", "en/two.md"])
@pytest.mark.parametrize(
    "command",
    [["status"], ["check"], ["check", "two"], ["check", "--fix"], ["accept", "two", "--lang", "en", "--by", "Ann"]],
)
def test_a_page_that_is_not_in_utf_8_ends_in_one_line(site: Fixture, page: str, command: list[str]) -> None:
    before = "# 二 { #two }\n\n## 二 { #second }\n\n".encode() + "文字。\n".encode("gbk")
    site.path(page).write_bytes(before)
    code, stdout, error = site.run(*command)
    assert (code, stdout) == (2, "")
    assert error.splitlines()[-1] == f"error: docs/{page}:5: expected text in UTF-8, found the byte 0xce"
    assert site.path(page).read_bytes() == before


def test_a_byte_order_mark_and_windows_line_ends_are_fine(site: Fixture) -> None:
    text = site.path("en/two.md").read_text("utf-8")
    site.path("en/two.md").write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    assert site.findings() == []
