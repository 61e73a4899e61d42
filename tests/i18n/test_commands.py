"""What the commands that write do: new, diff, accept, add-language."""

import re

import pytest
import yaml

from sitekit.i18n import sections, words
from sitekit.i18n.command import COMMANDS
from sitekit.languages import languages
from tests.conftest import ROOT
from tests.i18n.conftest import Fixture


def test_new_leaves_only_the_sentences_to_do(site: Fixture) -> None:
    code, stdout, _ = site.run("new", "index", "--lang", "fr")
    assert (code, stdout.startswith("docs/fr/index.md is ready")) == (0, True)
    text = site.path("fr/index.md").read_text("utf-8")
    assert text.startswith("---\ntitle: 首页\norigin: human\nsections: {}\n---\n")
    assert "# 注意力 { #home }" in text
    assert '```cell show="output"\ntiny.table\n```' in text
    assert '!!! note "提示"\n    <!-- translate:\n    盒子里的一句。\n    -->' in text
    assert "\n[](two.md#second)\n" in text
    assert site.status("fr")["index.md"]["kind"] == "draft"
    unfinished, title = sorted(site.findings("index"), key=lambda one: str(one["rule"]))
    assert (unfinished["line"], unfinished["found"]) == (7, "5 paragraphs left, in #home, #weights")
    assert (title["rule"], title["found"]) == ("untranslated", "“首页”")  # in the front matter


def test_accept_refuses_what_the_check_would_refuse_and_writes_nothing(site: Fixture) -> None:
    site.run("new", "two", "--lang", "fr")
    skeleton = site.path("fr/two.md").read_bytes()
    code, _, error = site.run("accept", "two", "--lang", "fr", "--by", "Ann")
    assert code == 2
    assert error.startswith("error: docs/fr/two.md is not accepted, for it has errors\ndocs/fr/two.md:")
    assert "paragraphs left" in error
    assert site.path("fr/two.md").read_bytes() == skeleton
    site.path("fr/two.md").unlink()
    site.change("zh/index.md", "98.2 %", "97.2 %")  # a note for the check, until somebody says that ours says so too
    assert site.run("check")[0] == 0
    before = site.path("en/index.md").read_bytes()
    code, _, error = site.run("accept", "index", "--lang", "en", "--by", "Ann")
    assert (code, "expected: 97.2 %" in error, "errors: 1, notes: 0" in error) == (2, True, True)
    line = (
        before.decode()
        .split("\n")
        .index("Two tokens, with 98.2 %, see [page two](two.md#second), written `softmax(x)`. This goes")
    )
    assert f"docs/en/index.md:{line + 1}: section #home: [numbers]" in error
    assert site.path("en/index.md").read_bytes() == before
    assert site.run("accept", "index", "--lang", "en", "--section", "weights", "--by", "Ann")[1] == (
        "docs/en/index.md: accepted before, as it is\n"
    )


def test_a_skeleton_that_is_filled_in_passes(site: Fixture) -> None:
    site.run("new", "two", "--lang", "fr")
    page = site.path("fr/two.md")
    text = re.sub(r"<!-- translate:.*?-->", "Du texte.", page.read_text("utf-8"), flags=re.S)
    page.write_text(text.replace("第二页", "Deux").replace("第二", "Second"), "utf-8")
    assert site.findings() == []
    site.run("accept", "two", "--lang", "fr", "--by", "Ann")
    assert site.status("fr")["two.md"]["kind"] == "current"


def test_new_overwrites_nothing(site: Fixture) -> None:
    code, _, error = site.run("new", "index", "--lang", "en")
    assert code == 2
    assert "docs/en/index.md exists already; what is behind: python -m sitekit.i18n diff index.md --lang en" in error


def test_diff_shows_what_changed_in_the_source_beside_our_text(site: Fixture) -> None:
    site.commit()
    site.change("zh/index.md", "1.2 亿", "1.3 亿")
    code, stdout, _ = site.run("diff", "index", "--lang", "en")
    assert code == 0
    assert stdout.startswith("=== #weights: the source has changed since it was accepted\n--- docs/zh/index.md:")
    assert "- 权重（weights）共有 1.2 亿个。\n+ 权重（weights）共有 1.3 亿个。\n" in stdout
    assert "--- docs/en/index.md:" in stdout
    assert "There are 120 million weights" in stdout
    assert "accept index.md --lang en --section weights" in stdout
    assert "#home" not in stdout


def test_diff_without_git_shows_the_source_as_it_is(site: Fixture) -> None:
    site.change("zh/index.md", "1.2 亿", "1.3 亿")
    stdout = site.run("diff", "index", "--lang", "en")[1]
    assert "\n权重（weights）共有 1.3 亿个。\n" in stdout


def test_diff_of_a_current_page_says_so(site: Fixture) -> None:
    assert "docs/en/index.md is current" in site.run("diff", "index", "--lang", "en")[1]


def test_accept_needs_to_know_who_and_whence(site: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    site.run("new", "two", "--lang", "fr")
    page = site.path("fr/two.md")
    page.write_text(page.read_text("utf-8").replace("origin: human\n", ""), "utf-8")
    error = site.run("accept", "two", "--lang", "fr", "--by", "Ann")[2]
    assert "docs/fr/two.md does not say where its text comes from: --origin human, machine-reviewed, machine" in error
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    error = site.run("accept", "two", "--lang", "fr", "--origin", "machine")[2]
    assert "git does not know your name: say who accepts with --by NAME" in error
    assert "name a page, or say --all" in site.run("accept", "--lang", "fr", "--by", "Ann")[2]
    assert (
        "begin it: python -m sitekit.i18n new index.md --lang fr"
        in site.run("accept", "index", "--lang", "fr", "--by", "Ann")[2]
    )


def test_add_language_does_all_that_a_program_can_do(site: Fixture) -> None:
    code, stdout, _ = site.run("add-language", "ja", "--name", "日本語")
    assert code == 0
    assert re.findall(r"^\d\. ", stdout, re.M) == ["1. ", "2. ", "3. ", "4. ", "5. "]
    language = languages(site.root / "docs")["ja"]
    assert (language.name, language.search, language.complete) == ("日本語", ["ja"], False)
    assert list(languages(site.root / "docs")) == ["zh", "en", "fr", "ja"]
    concepts = yaml.safe_load(site.path("glossary.yml").read_text("utf-8"))
    assert concepts["softmax"]["ja"] == "softmax"
    assert "ja" not in concepts["token"]
    assert {row["kind"] for row in site.status("ja").values()} == {"missing"}
    assert site.findings("--release") == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("jp", "the theme speaks no 'jp'; it speaks af, "),
        ("pt-br", "Did you mean pt-BR?"),
        ("en", "en is open already; languages are zh, en, fr"),
    ],
)
def test_a_language_code_that_cannot_be_is_refused(site: Fixture, code: str, message: str) -> None:
    before = site.path("languages.yml").read_bytes()
    done, _, error = site.run("add-language", code)
    assert done == 2
    assert message in error
    assert site.path("languages.yml").read_bytes() == before


@pytest.mark.parametrize("code", ["pt-BR", "zh-Hant", "he"])
def test_l01_regional_and_right_to_left_languages_fall_behind_like_others(site: Fixture, code: str) -> None:
    """A check that expects two letters would never see them fall behind."""
    assert site.run("add-language", code)[0] == 0
    for page in ("index", "two"):
        site.run("new", page, "--lang", code)
        site.bless(page, code)
    assert site.status(code)["two.md"]["kind"] == "current"
    site.change("zh/two.md", "文字", "新的文字")
    assert site.status(code)["two.md"]["stale"] == ["second"]
    assert site.status(code)["index.md"]["kind"] == "current"
    assert site.run("status", "--lang", code)[1] == f"{code}/two.md: stale: #second\n{code}: 1 current, 1 stale\n"


@pytest.mark.parametrize(
    "guide", ["CONTRIBUTING.md", "CONTRIBUTING.zh.md", "docs/zh/contribute.md", "docs/en/contribute.md", "Makefile"]
)
def test_guides_name_commands_that_there_are(guide: str) -> None:
    named = set(re.findall(r"-m sitekit\.i18n ([a-z-]+)", (ROOT / guide).read_text("utf-8")))
    assert named
    assert named <= set(COMMANDS)


def test_terms_that_are_kept_are_the_same_in_every_language() -> None:
    for name, concept in words.glossary(ROOT / "docs/glossary.yml").items():
        if concept.get("keep"):
            assert {concept[code] for code in languages(ROOT / "docs")} == {name}


def test_hashes_of_the_repository_are_those_of_its_sections() -> None:
    """Twelve hexadecimal digits that YAML takes for a number would come back as another string."""
    for path in sorted((ROOT / "docs" / "en").glob("*.md")):
        for name, value in sections.read(path).meta.values.get("sections", {}).items():
            assert isinstance(name, str)
            assert re.fullmatch("[0-9a-f]{12}", value)
