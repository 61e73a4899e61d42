"""What counts as a change of the source, and what a status says."""

import json
import re
import time

import pytest

from sitekit.i18n.command import main
from sitekit.i18n.sections import read
from tests.conftest import ROOT, figure
from tests.i18n.conftest import PAGE, Fixture

HOME = "zh/index.md"


def test_what_was_accepted_is_current(site: Fixture) -> None:
    assert {row["kind"] for row in site.status().values()} == {"current"}
    row = site.status()["index.md"]
    assert (row["origin"], row["accepted_by"]) == ("human", "Ann")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["accepted"])
    assert site.run("status", "--lang", "en")[1] == "en: 2 current\n"


@pytest.mark.parametrize(
    ("text", "instead", "stale"),
    [
        ("98.2 %", "97.2 %", ["home"]),
        ("1.2 亿", "1.3 亿", ["weights"]),
        ("开头的一句", "另一句", ["home"]),  # before the first heading
        ("title: 首页", "title: 起点", []),
        ("## 权重 {", "## 重量 {", ["weights"]),
        ("tiny.table", "tiny.other", ["home"]),
        ("。\n这一行接着", "。这一行接着", []),  # reflowed
        ("- 一\n", "- 一  \n\n\n", []),
        ("## 权重", "<!-- 备注\n\n两行 -->\n\n## 权重", []),
        ("## 权重 { #weights }", "## 权重   {#weights}", []),
    ],
)
def test_a_change_of_the_source_makes_its_section_stale_and_no_other(
    site: Fixture, text: str, instead: str, stale: list[str]
) -> None:
    site.change(HOME, text, instead)
    assert site.status()["index.md"]["stale"] == stale
    assert site.status()["two.md"]["kind"] == "current"


@pytest.mark.parametrize("ends", ["crlf", "bom", "both"])
def test_line_ends_and_a_byte_order_mark_change_nothing(site: Fixture, ends: str) -> None:
    for page in (HOME, "en/index.md"):
        content = site.path(page).read_bytes()
        if ends != "bom":
            content = content.replace(b"\n", b"\r\n")
        if ends != "crlf":
            content = b"\xef\xbb\xbf" + content
        site.path(page).write_bytes(content)
    assert site.status()["index.md"]["kind"] == "current"
    assert site.findings() == []
    site.run("accept", "index.md", "--lang", "en", "--by", "Bob")
    assert (b"\r\n" in site.path("en/index.md").read_bytes()) == (ends != "bom")
    assert site.status()["index.md"]["accepted_by"] == "Bob"


def test_a_moved_section_is_not_stale(site: Fixture) -> None:
    for language in ("zh", "en"):
        page = site.path(f"{language}/index.md")
        page.write_text(page.read_text("utf-8") + "\n## C { #c }\n", "utf-8")
    site.run("accept", "index", "--lang", "en", "--by", "Ann")
    site.change(HOME, "## 权重", "## C { #c }\n\n## 权重")
    site.path(HOME).write_text(site.path(HOME).read_text("utf-8").removesuffix("\n## C { #c }\n"), "utf-8")
    row = site.status()["index.md"]
    assert (row["fresh"], row["gone"], row["moved"]) == ([], [], True)
    assert row["stale"] == []
    assert site.findings() == []
    assert [one["rule"] for one in site.findings("--release")] == ["release"]
    assert "in another order" in site.run("status")[1]
    site.bless("index")
    (finding,) = site.findings()
    assert (finding["rule"], finding["expected"], finding["found"]) == (
        "headings",
        "the order home, c, weights",
        "home, weights, c",
    )


def test_a_section_deleted_from_the_source_is_gone_and_blocks_nothing(site: Fixture) -> None:
    site.path(HOME).write_text(PAGE["zh"].split("## 权重")[0], "utf-8")
    assert site.status()["index.md"]["gone"] == ["weights"]
    assert site.findings() == []
    assert "#weights: the source has it no longer" in site.run("diff", "index", "--lang", "en")[1]
    site.bless("index")
    assert [one["expected"] for one in site.findings()] == ["no such heading: the source has home"]


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("98.2 %", "12.3 %"),
        ("- 二\n", ""),
        ("tiny.table", "tiny.other"),
        ("!!! note", "!!! tip"),
        ("`softmax(x)`", "`softmax(y)`"),
        ("two.md#second", "two.md"),
        ("| 1 | 2 |\n", ""),
        ("## 权重", "### 权重"),
        ("## 权重", "## 新的 { #new }\n\n文字。\n\n## 权重"),
    ],
)
def test_a_change_of_the_source_never_fails_the_check(site: Fixture, text: str, instead: str) -> None:
    site.change(HOME, text, instead)
    assert site.findings() == []
    assert site.run("check")[0] == 0
    assert [one["rule"] for one in site.findings("--release")] == ["release"]


def test_a_fix_in_the_translation_hides_nothing(site: Fixture) -> None:
    site.change(HOME, "98.2 %", "97.2 %")
    site.change("en/index.md", "A line to begin with", "One line to begin with")
    assert site.status()["index.md"]["stale"] == ["home"]


def test_only_accept_moves_a_hash_and_only_where_it_is_told_to(site: Fixture) -> None:
    site.change(HOME, "98.2 %", "97.2 %")
    site.change(HOME, "1.2 亿", "1.3 亿")
    site.change("en/index.md", "120 million", "130 million")
    code, stdout, _ = site.run("accept", "index", "--lang", "en", "--section", "weights", "--by", "Bob")
    assert (code, stdout) == (0, "docs/en/index.md: accepted weights\n")
    assert site.status()["index.md"]["stale"] == ["home"]
    site.run("check", "--fix")
    assert site.status()["index.md"]["stale"] == ["home"]
    site.change("en/index.md", "98.2 %", "97.2 %")
    assert site.run("accept", "docs/en/index.md", "--lang", "en", "--by", "Bob")[1].endswith("accepted home\n")
    assert site.status()["index.md"]["kind"] == "current"
    assert site.path("en/index.md").read_text("utf-8").startswith("---\ntitle: Home\norigin: human\naccepted: ")


def test_a_new_section_was_never_accepted(site: Fixture) -> None:
    site.path(HOME).write_text(PAGE["zh"] + "\n## 新的 { #new }\n\n文字。\n", "utf-8")
    assert site.status()["index.md"]["fresh"] == ["new"]
    assert "en/index.md: stale: #new (new)" in site.run("status")[1]
    code, _, error = site.run("accept", "index", "--lang", "en", "--section", "new", "--by", "Bob")
    assert code == 2
    assert "docs/en/index.md has no heading { #new }" in error


def test_a_renamed_page_is_an_orphan_with_a_hint(site: Fixture) -> None:
    site.path("zh/two.md").rename(site.path("zh/second.md"))
    rows = site.status()
    assert (rows["two.md"]["kind"], rows["second.md"]["kind"]) == ("orphan", "missing")
    assert rows["two.md"]["hint"] == "renamed? git mv docs/en/two.md docs/en/second.md"
    (finding,) = [one for one in site.findings() if one["rule"] == "orphan"]
    assert (finding["rule"], finding["file"]) == ("orphan", "docs/en/two.md")
    assert "git mv" in finding["found"]
    code, _, error = site.run("accept", "two", "--lang", "en", "--by", "Bob")
    assert (code, "docs/zh/two.md does not exist" in error) == (2, True)


def test_a_language_is_missing_page_by_page(site: Fixture) -> None:
    assert {row["kind"] for row in site.status("fr").values()} == {"missing"}
    assert "fr: 2 missing" in site.run("status")[1]
    assert site.findings() == []


def test_a_broken_front_matter_is_reported_with_its_line_and_stops_nothing(site: Fixture) -> None:
    site.change("en/index.md", "origin: human", "origin: 'human")
    assert site.status()["index.md"]["kind"] == "draft"
    (finding,) = [one for one in site.findings() if one["rule"] == "front matter"]
    assert (finding["file"], finding["expected"]) == ("docs/en/index.md", "front matter that is valid YAML")
    assert finding["line"] > 2
    code, _, error = site.run("accept", "index", "--lang", "en", "--by", "Bob")
    assert (code, "mend this first" in error) == (2, True)


@pytest.mark.parametrize(
    ("text", "instead", "expected"),
    [
        ("origin: human", "origin: angels", "origin: one of human, machine-reviewed, machine"),
        ("accepted_by: Ann\n---", "", "a line of three dashes that ends the front matter"),
        ("title: Home", "title: Home\n- x", "front matter that is valid YAML"),
    ],
)
def test_a_wrong_front_matter_says_what_was_expected(site: Fixture, text: str, instead: str, expected: str) -> None:
    page = site.path("en/index.md")
    content = re.sub(r"sections:\n(  .*\n)+", "", page.read_text("utf-8"))
    assert text in content
    page.write_text(content.replace(text, instead), "utf-8")
    assert expected in [one["expected"] for one in site.findings()]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("enn", "there is no language 'enn'; languages are en, fr. Did you mean en?"),
        ("EN", "there is no language 'EN'; languages are en, fr"),
        ("zh", "zh is the source: nothing is translated into it; try en, fr"),
    ],
)
@pytest.mark.parametrize("command", [["status"], ["diff", "index"], ["new", "index"], ["accept", "index"]])
def test_a_misspelt_language_is_named_with_the_nearest(
    site: Fixture, command: list[str], code: str, message: str
) -> None:
    done, _, error = site.run(*command, "--lang", code)
    assert done == 2
    assert message in error


def test_a_misspelt_page_or_section_is_named_with_the_nearest(site: Fixture) -> None:
    assert (
        "there is no page 'indx'; pages are index.md, two.md. Did you mean index.md?"
        in site.run("diff", "indx", "--lang", "en")[2]
    )
    error = site.run("accept", "index", "--lang", "en", "--section", "weigths", "--by", "Bob")[2]
    assert "index.md has no section 'weigths'; sections are home, weights. Did you mean weights?" in error


def test_l09_a_page_may_say_that_it_is_not_to_be_translated(site: Fixture) -> None:
    site.change(HOME, "title: 首页", "title: 首页\ntranslate: false")
    site.path("en/index.md").unlink()
    assert site.status()["index.md"]["kind"] == "kept"
    assert site.findings("--release") == []
    site.path("en/two.md").unlink()
    assert [one["file"] for one in site.findings("--release")] == ["docs/en/two.md"]


def test_a_release_waits_for_complete_languages_and_nothing_else_does(site: Fixture) -> None:
    site.change(HOME, "1.2 亿", "1.3 亿")
    assert site.run("check")[0] == 0
    assert "#weights: [stale] (note)" in site.run("check", "--notes")[1]
    code, stdout, _ = site.run("check", "--release")
    assert code == 1
    assert "docs/en/index.md:1: [release]" in stdout
    assert "behind: #weights" in stdout
    site.change("en/index.md", "120 million", "130 million")
    site.run("accept", "index", "--lang", "en", "--by", "Ann")
    assert site.run("check", "--release")[0] == 0


def test_status_of_the_whole_site_is_quick() -> None:
    begun = time.monotonic()
    assert main(["status", "--json"], ROOT) == 0
    took = time.monotonic() - begun
    figure("python -m sitekit.i18n status", f"{took:.2f} s", "under 2 s")
    assert took < 2


def test_lines_in_messages_are_those_of_the_file(site: Fixture) -> None:
    content = site.path(HOME).read_text("utf-8").split("\n")
    for section in read(site.path(HOME)).sections:
        assert f"{{ #{section.id} }}" in content[section.line - 1]


def test_json_is_json(site: Fixture) -> None:
    assert json.loads(site.run("check", "--json")[1]) is not None
