"""Pages as they lie on the disk: what is not UTF-8."""

import pytest

from tests.i18n.conftest import Fixture

NOT_UTF_8 = "# 二 { #two }\n\n## 二 { #second }\n\n".encode() + "文字。\n".encode("gbk")


@pytest.mark.parametrize("page", ["zh/two.md", "en/two.md"])
@pytest.mark.parametrize("command", [["status"], ["check", "two"], ["check", "--fix"]])
def test_a_page_that_is_not_in_utf_8_is_named_beside_all_else(site: Fixture, page: str, command: list[str]) -> None:
    site.path(page).write_bytes(NOT_UTF_8)
    code, stdout, error = site.run(*command)
    assert code == 1
    assert f"docs/{page}:5: [encoding]\n    expected: text in UTF-8\n    found:    the byte 0xce" in stdout + error
    assert site.path(page).read_bytes() == NOT_UTF_8


@pytest.mark.parametrize("page", ["zh/two.md", "en/two.md"])
def test_a_page_that_is_not_in_utf_8_is_not_accepted(site: Fixture, page: str) -> None:
    site.path(page).write_bytes(NOT_UTF_8)
    code, stdout, error = site.run("accept", "two", "--lang", "en", "--by", "Ann")
    assert (code, stdout) == (2, "")
    assert error == f"error: docs/{page}:5: expected text in UTF-8, found the byte 0xce; mend this first\n"
    assert site.path(page).read_bytes() == NOT_UTF_8


def test_a_byte_order_mark_and_windows_line_ends_are_fine(site: Fixture) -> None:
    text = site.path("en/two.md").read_text("utf-8")
    site.path("en/two.md").write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode())
    assert site.findings() == []
