"""Each rule, broken once: the message names file, line, section, what was expected and what was found."""

import pytest

from sitekit.i18n import words
from sitekit.i18n.repository import findings
from sitekit.i18n.site import Site
from tests.conftest import ROOT
from tests.i18n.conftest import Fixture

ENGLISH, CHINESE = "en/index.md", "zh/index.md"

# name: (page, text, text instead, rule, section, expected, found)
BROKEN = {
    "a heading is deleted": (
        ENGLISH, "## Weights { #weights }\n", "", "headings", "weights",
        "a heading ## … { #weights } for “权重”", "ids home",
    ),
    "a heading is on another level": (
        ENGLISH, "## Weights", "### Weights", "headings", "weights", "level 2 (##)", "level 3 (###)",
    ),
    "an id is misspelt": (
        ENGLISH, "{ #weights }", "{ #wieghts }", "headings", "wieghts",
        "no such heading: the source has home, weights", "“Weights”",
    ),
    "a heading has no id": (
        ENGLISH, "## Weights { #weights }", "## Weights { #weights }\n\n## More", "headings", "",
        "an id behind the heading: More { #some-id }", "none",
    ),
    "a cell is missing": (
        ENGLISH, '```cell show="output"\ntiny.table\n```\n', "", "cells", "home",
        'no. 1: tiny.table show="output"', "no more than 0: nothing",
    ),
    "a cell is shown otherwise": (
        ENGLISH, ' show="output"', "", "cells", "home", 'no. 1: tiny.table show="output"', "no. 1: tiny.table",
    ),
    "a box is of another kind": (ENGLISH, "!!! note", "!!! tip", "blocks", "home", "no. 1: !!! note", "no. 1: !!! tip"),
    "a box stands in a box": (
        ENGLISH, "    A line inside", '    ??? tip "More"\n        A line inside', "blocks", "home",
        "no more than 1: !!! note", "no. 2: ??? tip (depth 1)",
    ),
    "a link leads elsewhere": (
        ENGLISH, "two.md#second", "two.md", "links", "home", "two.md#second", "two.md",
    ),
    "a guess has no choices": (
        ENGLISH, "!!! note", '!!! guess "How much?"', "guess", "home",
        "a list of at least two choices right below the question, and below the list the answer",
        "0 choices, an answer",
    ),
    "an item is missing": (ENGLISH, "- two\n", "", "lists", "home", "bullet", "not there (bullet)"),
    "a table has another shape": (
        ENGLISH, "| 1 | 2 |\n", "", "tables", "weights",
        "table of 3 rows, 2 columns", "table of 2 rows, 2 columns",
    ),
    "code is translated": (ENGLISH, "`softmax(x)`", "`softmax(y)`", "code", "home", "softmax(x)", "softmax(y)"),
    "a number is mistyped": (ENGLISH, "98.2 %", "98.3 %", "numbers", "home", "98.2 %", "98.3 %"),
    "a large number is a tenth": (ENGLISH, "120 million", "12 million", "numbers", "weights", "120000000", "12000000"),
    "a word is to be avoided": (
        CHINESE, "文字。", "令牌。", "glossary", "second", "“词元”", "“令牌”",
    ),
    "a plural is to be avoided": (
        ENGLISH, "million weights", "million weights, or coefficients", "glossary", "weights",
        "“weights”", "“coefficients”",
    ),
    "the other name comes too late": (
        CHINESE, "开头的一句", "开头的词元", "glossary", "home",
        "“词元” with its other name at its first use: 词元 (token)", "“词元。”, and the name later",
    ),
    "a term is glossed where only its tooltip has the other name": (
        ENGLISH, "Two tokens", "Two tokens (词元)", "glosses", "home",
        "the term alone; what is itself Chinese comes first, its meaning in brackets: 苹果 (apple)", "(词元)",
    ),
    "a head is counted in another way": (
        ENGLISH, "A line inside a box", "A line inside head 2.7", "heads", "home",
        "L0·H2: layer and head, both counted from 0", "head 2.7",
    ),
    "a Chinese head is counted in another way": (
        CHINESE, "盒子里的一句", "第 2 层的 7 号头", "heads", "home",
        "L0·H2: layer and head, both counted from 0", "第 2 层的 7 号头",
    ),
    "Markdown makes a list of a sentence": (
        ENGLISH, "A line inside a box", "120. That many million", "rendered", "home",
        "only what the source has: list, 2 × list item", "list item, numbered list",
    ),
    "no space before Latin": (
        CHINESE, "头的一句", "头的一句text", "typography", "home", "开头的一句 text。", "开头的一句text。",
    ),
    "a half-width comma": (
        CHINESE, "盒子里的一句", "盒子,里的一句", "typography", "home", "盒子，里的一句。", "盒子,里的一句。",
    ),
    "straight quotation marks": (
        CHINESE, "盒子里的一句", '盒子"里"的一句', "typography", "home",
        "full-width marks in Chinese text: ，。：；？！（）“”", "\" in “盒子\"里\"的一句。”",
    ),
    "a half-width colon before bold ends": (
        CHINESE, "开头的一句", "**开头:**的一句", "typography", "home",
        "full-width marks in Chinese text: ，。：；？！（）“”", ": in “**开头:**的一句。”",
    ),
    "a half-width colon behind bold": (
        CHINESE, "开头的一句", "**开头**:的一句", "typography", "home",
        "full-width marks in Chinese text: ，。：；？！（）“”", ": in “**开头**:的一句。”",
    ),
    "a full-width percent sign": (
        CHINESE, "98.2 %", "98.2％", "typography", "home", "98.2 %: a half-width sign behind a space", "98.2％",
    ),
    "code without a space": (CHINESE, "写成 `softmax(x)`", "写成`softmax(x)`", "typography", "home", None, None),
    "a break after an opening bracket": (
        CHINESE, "开头的一句", "开头（\n的）一句", "line breaks", "home",
        "no line break here: it would show as a space", "…开头（⏎的）一句。…",
    ),
    "a break inside bold": (CHINESE, "开头的一句", "**开头**\n的一句", "line breaks", "home", None, None),
    "a comment of the skeleton is left": (
        ENGLISH, "- one", "<!-- translate:\n- 一\n-->\n- one", "unfinished", "home",
        "a translation in place of each comment <!-- translate: …", "1 paragraphs left, in #home",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_named_with_all_that_one_needs(site: Fixture, name: str) -> None:
    page, text, instead, rule, section, expected, actual = BROKEN[name]
    assert site.findings() == []
    if page == CHINESE and text == "文字。":
        page = "zh/two.md"
    site.change(page, text, instead)
    matching = [one for one in site.findings() if one["rule"] == rule and one["section"] == section]
    assert len(matching) == 1, site.findings()
    (one,) = matching
    assert one["file"] == f"docs/{page}"
    if expected is not None:
        assert (one["expected"], one["found"]) == (expected, actual)
    code, stdout, _ = site.run("check")
    assert code == 1
    where = f" section #{section}:" if section else ""
    assert f"docs/{page}:{one['line']}:{where} [{rule}]\n    expected: {one['expected']}\n" in stdout


def test_the_line_is_where_the_fault_is(site: Fixture) -> None:
    site.change(ENGLISH, "98.2 %", "98.3 %")
    lines = site.path(ENGLISH).read_text("utf-8").split("\n")
    (one,) = site.findings()
    assert "98.3 %" in lines[one["line"] - 1]


@pytest.mark.parametrize("why", ["", "; half the readers count in dozens"])
def test_a_section_may_differ_where_it_says_so(site: Fixture, why: str) -> None:
    site.change(ENGLISH, "98.2 %", "98.3 %")
    site.change(ENGLISH, "- one", f"<!-- differs: numbers{why} -->\n\n- one")
    assert site.findings() == []
    site.change(ENGLISH, "120 million", "12 million")
    assert [one["section"] for one in site.findings()] == ["weights"]


@pytest.mark.parametrize("example", ["`{}`", "```markdown\n{}\n```"])
def test_an_exception_in_code_is_an_example(site: Fixture, example: str) -> None:
    for page in (CHINESE, ENGLISH):
        with site.path(page).open("a", encoding="utf-8") as file:
            file.write(f"\n{example.format('<!-- differs: numbers; why -->')}\n")
    site.bless("index")
    assert site.findings() == []
    site.change(ENGLISH, "120 million", "12 million")
    assert [one["rule"] for one in site.findings()] == ["numbers"]


def test_order_counts_for_cells_and_not_for_links(site: Fixture) -> None:
    cell = "\n```cell\ntiny.{}\n```\n"
    for page, names in ((CHINESE, "ab"), (ENGLISH, "ba")):
        text = site.path(page).read_text("utf-8")
        links = " ".join(f"[x](two.md#{name})" for name in names)
        site.path(page).write_text(text + "\n" + links + "\n" + "".join(map(cell.format, names)), "utf-8")
    site.bless("index")
    assert [one["rule"] for one in site.findings()] == ["cells"]


def test_a_word_of_the_everyday_may_come_without_its_other_name(site: Fixture) -> None:
    site.change(CHINESE, "开头的一句", "开头的词元")
    site.change("glossary.yml", "token: {zh", "token: {everyday: true, zh")
    assert site.findings() == []


def test_a_page_gives_the_other_name_of_every_term(site: Fixture) -> None:
    site.change(CHINESE, "权重（weights）", "权重")
    (one,) = site.findings()
    assert (one["rule"], one["section"]) == ("glossary", "weights")
    assert one["found"] == "“权重共有 1.2 亿个。”, and the name nowhere"


def test_what_is_itself_chinese_has_its_meaning_in_brackets(site: Fixture) -> None:
    site.change(CHINESE, "开头的一句", "开头的“苹果”")
    site.change(ENGLISH, "A line to begin with", "苹果 (apple) is what it says")
    assert site.findings() == []


def test_a_link_to_a_chapter_carries_its_number(site: Fixture) -> None:
    for name, text in (
        ("zh/two.md", "[第 4 章](by-hand.md#weights)"),
        ("en/two.md", "[Chapter 4](by-hand.md#weights)"),
    ):
        with site.path(name).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
    wrong = [one for one in site.findings() if one["rule"] == "chapters"]
    assert [(one["file"], one["expected"], one["found"]) for one in wrong] == [
        ("docs/zh/two.md", "by-hand.md is chapter 3", "第 4 章"),
        ("docs/en/two.md", "by-hand.md is chapter 3", "Chapter 4"),
    ]


@pytest.mark.parametrize(
    ("term", "written", "not_meant"),
    [
        ("query", ["query", "Queries"], ["queried"]),
        ("key", ["key", "keys"], ["keyed"]),
        ("scores", ["score", "scores"], ["scored", "underscores"]),
        ("softmax", ["softmax", "softmaxes"], []),
        ("bias", ["bias"], ["bia"]),
        ("dot product", ["dot product", "dot\nproducts"], ["dot-product"]),
    ],
)
def test_a_term_is_known_as_one_and_as_several(term: str, written: list[str], not_meant: list[str]) -> None:
    form = words.term(term, "en")
    assert all(form.search(f"a {text}.") for text in written)
    assert not any(form.search(f"a {text}.") for text in not_meant)


def test_the_text_of_a_link_and_a_list_of_sources_introduce_no_terms(site: Fixture) -> None:
    for language, text in (("zh", "[权重](two.md)"), ("en", "[weights](two.md)")):
        page = site.path(f"{language}/index.md")
        page.write_text(
            page.read_text("utf-8").replace("# A", f"{text}\n\n# A").replace("# 注", f"{text}\n\n# 注"), "utf-8"
        )
    site.bless("index")
    assert site.findings() == []


def test_check_looks_at_one_page_when_asked(site: Fixture) -> None:
    site.change(ENGLISH, "98.2 %", "98.3 %")
    assert site.findings("two") == []
    assert len(site.findings("index")) == 1


def test_l05_a_link_to_a_page_that_has_moved_fails_in_every_language(site: Fixture) -> None:
    for language in ("zh", "en"):
        site.path(f"{language}/two.md").rename(site.path(f"{language}/second.md"))
    site.change(CHINESE, "two.md#second", "second.md#second")
    assert [(one["file"], one["rule"], one["found"]) for one in site.findings()] == [
        ("docs/en/index.md", "links", "two.md#second")
    ]


def test_fix_sets_chinese_right_and_nothing_else(site: Fixture) -> None:
    before = {page: site.path(page).read_bytes() for page in (ENGLISH, CHINESE)}
    site.change(CHINESE, "开头的一句", "开头（\n的）一句text")
    site.change(CHINESE, "盒子里的", "盒子,里的`a,b`")
    site.change(CHINESE, "tiny.table", "tiny.好table")
    _, _, stderr = site.run("check", "--fix")
    assert "set right: docs/zh/index.md" in stderr
    text = site.path(CHINESE).read_text("utf-8")
    assert "开头（的）一句 text。" in text
    assert "    盒子，里的 `a,b` 一句。" in text
    assert "tiny.好table" in text
    assert site.path(ENGLISH).read_bytes() == before[ENGLISH]
    assert "nothing to set right" in site.run("check", "--fix")[2]


def test_fix_leaves_a_right_page_byte_for_byte(site: Fixture) -> None:
    before = site.path(CHINESE).read_bytes()
    assert site.run("check", "--fix")[0] == 0
    assert site.path(CHINESE).read_bytes() == before


def test_this_repository_keeps_every_rule() -> None:
    wrong = [str(finding) for finding in findings(Site(ROOT)) if finding.weight == "error"]
    assert wrong == [], "\n".join(wrong)
