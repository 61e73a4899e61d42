"""A third language, a right-to-left one, and a stale section: one build of a small site shows what readers are told."""

import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup, Tag

from sitekit.i18n.command import main
from tests.conftest import TINY_PAGE, Built, build, make_tiny

REPOSITORY = "https://github.com/example/attention"
CONTRIBUTE = "# 参与 { #contribute }\n\n## 翻译 { #translate }\n\n文字。\n"
JAPANESE = "# 注意 { #one }\n\n本文 $a^2$ と[リンク](two.md#second)。\n\n```cell\ntiny.table\n```\n"


def run(root: Path, *arguments: str) -> None:
    assert main(list(arguments), root) == 0


def write(root: Path, pages: dict[str, str]) -> None:
    for page, text in pages.items():
        (root / "docs" / page).write_text(text, "utf-8")


def git(root: Path, name: str, message: str) -> None:
    for command in (["add", "docs"], ["commit", "-qm", message]):
        who = ["-c", f"user.name={name}", "-c", f"user.email={name}@example.org"]
        subprocess.run(["git", *who, *command], cwd=root, check=True)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Chinese; English, with one section that has fallen behind; Japanese with two pages; Hebrew with none."""
    root = make_tiny(tmp_path_factory.mktemp("world"))
    settings = (root / "mkdocs.yml").read_text("utf-8")
    nav = "nav: [index.md, two.md, tiny.md, contribute.md]\n"
    (root / "mkdocs.yml").write_text(settings.replace("nav: [index.md, two.md]\n", nav), "utf-8")
    write(root, {"zh/tiny.md": TINY_PAGE, "en/tiny.md": TINY_PAGE, "zh/contribute.md": CONTRIBUTE})
    run(root, "add-language", "ja", "--name", "日本語")
    run(root, "add-language", "he", "--name", "עברית")
    languages = (root / "docs/languages.yml").read_text("utf-8")
    entry = yaml.safe_load(languages[languages.index("\nja:") :])["ja"]
    write(
        root,
        {
            "languages.yml": languages.replace(entry["site_name"], "注意機構", 3).replace(
                "注意機構", entry["site_name"], 1
            )
        },
    )
    write(root, {"ja/index.md": JAPANESE, "ja/tiny.md": JAPANESE})
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    for language in ("en", "ja"):
        run(root, "accept", "--all", "--lang", language, "--by", "Ann & Bob", "--origin", "human")
    git(root, "Ann", "All")
    write(root, {"zh/two.md": "# Two { #two }\n\n## Second { #second }\n\nOther text.\n"})
    git(root, "Zoe", "Change")
    before = os.environ.get("REPO_URL")
    os.environ["REPO_URL"] = REPOSITORY
    try:
        done = build(root)
    finally:
        os.environ.pop("REPO_URL") if before is None else os.environ.update(REPO_URL=before)
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(root / "site", done.stdout + done.stderr, unknown=["tiny"])


def page(world: Built, address: str) -> BeautifulSoup:
    return BeautifulSoup((world.folder / address / "index.html").read_text("utf-8"), "html.parser")


def notice(world: Built, address: str) -> Tag | None:
    return page(world, address).select_one(".notice")


def text(node: Tag | None) -> str:
    assert node is not None
    return " ".join(node.get_text(" ").split())


@pytest.mark.parametrize(("address", "language"), [("two", "zh"), ("en/two", "en"), ("ja/two", "ja"), ("he/two", "he")])
def test_i03_the_page_says_its_language_translated_or_not(world: Built, address: str, language: str) -> None:
    html = page(world, address).html
    assert html is not None
    assert html["lang"] == language
    assert html.body["dir"] == ("rtl" if language == "he" else "ltr")


def test_i09_the_menu_names_what_is_not_translated_as_such_and_speaks_one_language_else(world: Built) -> None:
    menu = text(page(world, "ja").select_one(".md-nav--primary"))
    assert "Two (中文)" in menu
    assert "参与 (中文)" in menu
    assert "注意 (" not in menu
    assert "(中文)" not in text(page(world, "").select_one(".md-nav--primary"))
    assert "Two (" not in text(page(world, "en").select_one(".md-nav--primary"))


def test_what_is_not_translated_is_shown_in_the_source_and_says_so(world: Built) -> None:
    banner = notice(world, "ja/two")
    assert banner is not None
    assert banner["data-notice"] == "untranslated"
    assert "not translated yet" in text(banner)  # in English until the labels are translated
    (original,) = banner.select("a[hreflang=zh]")
    assert (world.folder / "ja/two" / original["href"]).resolve() == world.folder / "two"
    block = page(world, "ja/two").select_one("article div[lang=zh]")
    assert block is not None
    assert (block["dir"], "Other text." in text(block)) == ("ltr", True)
    assert page(world, "ja/tiny").select_one("article div[lang=zh]") is None
    canonical = page(world, "ja/two").select_one("link[rel=canonical]")
    assert canonical is not None
    assert canonical["href"] == "http://127.0.0.1:8000/two/"


def test_a_right_to_left_page_keeps_the_source_left_to_right(world: Built) -> None:
    block = page(world, "he/two").select_one("article div[lang=zh]")
    assert block is not None
    assert block["dir"] == "ltr"
    assert "[dir=rtl] pre" in "".join(path.read_text("utf-8") for path in world.folder.glob("assets/stylesheets/*.css"))


def test_l03_a_page_that_is_behind_names_the_sections_and_links_to_the_original(world: Built) -> None:
    banner = notice(world, "en/two")
    assert banner is not None
    assert banner["data-notice"] == "stale"
    assert "fallen behind its Chinese original" in text(banner)
    section, original, *_ = sorted(banner.select("a"), key=lambda a: not a["href"].startswith("#"))
    assert (section["href"], text(section)) == ("#second", "Second")
    assert page(world, "en/two").find(id="second")
    assert (world.folder / "en/two" / original["href"]).resolve() == world.folder / "two"


def test_a_current_page_says_below_the_text_what_it_is_translated_from(world: Built) -> None:
    assert notice(world, "en/tiny") is None
    foot = page(world, "en/tiny").select_one(".about-page")
    assert re.search(
        r"Translated from the Chinese , and last held against it on \d{4}-\d\d-\d\d by Ann & Bob", text(foot)
    )
    assert "A person translated it." in text(foot)
    assert notice(world, "tiny") is None
    assert "译自" not in text(page(world, "tiny").select_one(".about-page"))


def test_the_people_of_a_page_come_from_git(world: Built) -> None:
    assert "Ann、Zoe" in text(page(world, "two").select_one(".people"))
    assert "Zoe" not in text(page(world, "en/two").select_one(".people"))


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("two", "docs/zh/two.md"),
        ("en/two", "docs/en/two.md"),
        ("ja/tiny", "docs/ja/tiny.md"),
        ("ja/two", "docs/zh/two.md"),
    ],
)
def test_l07_the_edit_link_opens_a_file_that_exists_in_the_language_shown(
    world: Built, address: str, file: str
) -> None:
    link = page(world, address).select_one("a.edit")
    assert link is not None
    assert link["href"] == f"{REPOSITORY}/edit/main/{file}"
    assert (world.folder.parent / file).exists()


def test_help_leads_to_the_guide_from_every_notice(world: Built) -> None:
    for address in ("en/two", "ja/two", "he"):
        banner = notice(world, address)
        assert banner is not None
        target, _, anchor = banner.select("a")[-1]["href"].partition("#")
        there = (world.folder / address / target / "index.html").resolve()
        assert f'id="{anchor}"' in there.read_text("utf-8")


def test_i05_a_link_to_a_page_that_is_not_translated_resolves(world: Built) -> None:
    link = page(world, "ja").select_one("article a[href*=second]")
    assert link is not None
    there = (world.folder / "ja" / link["href"].partition("#")[0] / "index.html").resolve()
    assert there == world.folder / "ja/two/index.html"
    assert 'id="second"' in there.read_text("utf-8")
    assert "WARN" not in world.log


def test_i01_the_switch_offers_every_language_on_every_page(world: Built) -> None:
    for address in ("", "en/two", "ja/two", "he/tiny"):
        links = page(world, address).select(".md-select__link")
        assert [link["hreflang"] for link in links] == ["zh", "en", "ja", "he"]
        slug = address.rpartition("/")[2]
        for link in links:
            there = (world.folder / address / link["href"]).resolve()
            assert there.name == slug or slug == ""
            assert (there / "index.html").exists()


@pytest.mark.parametrize("language", ["", "en/", "ja/", "he/"])
def test_i07_the_sitemap_lists_translations_and_no_page_that_is_none(world: Built, language: str) -> None:
    spaces = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
    tree = ElementTree.parse(world.folder / language / "sitemap.xml")
    start = "http://127.0.0.1:8000/"
    listed = {
        (url.findtext("s:loc", "", spaces)).removeprefix(start): [
            x.get("hreflang") for x in url.findall("x:link", spaces)
        ]
        for url in tree.findall("s:url", spaces)
    }
    assert listed["ja/tiny/"] == listed["tiny/"] == ["zh", "en", "ja", "x-default"]
    assert listed["two/"] == listed["en/two/"] == ["zh", "en", "x-default"]
    assert not [address for address in listed if address.startswith("he/") or address == "ja/two/"]


@pytest.mark.parametrize(("language", "stemmer"), [("ja", "ja"), ("he", "he")])
def test_search_finds_translated_and_untranslated_pages(world: Built, language: str, stemmer: str) -> None:
    index = json.loads((world.folder / language / "search/search_index.json").read_text("utf-8"))
    assert index["config"]["lang"] == [stemmer]
    texts = {doc["location"]: doc["text"] for doc in index["docs"]}
    assert "Other text." in texts["two/#second"]
    assert ("本文" in texts[""].replace("\u200b", "")) == (language == "ja")


@pytest.mark.parametrize(("language", "words"), [("ja", "本文"), ("he", "Text,")])
def test_every_language_has_the_notebook_of_its_page(world: Built, language: str, words: str) -> None:
    nb = nbformat.read(world.folder / language / "notebooks/tiny/tiny.ipynb", as_version=4)
    assert any(words in cell.source for cell in nb.cells)
    assert any("25.0 %" in str(cell.get("outputs")) for cell in nb.cells)
    article = page(world, f"{language}/notebooks/tiny").select_one("article div[lang=zh]")
    assert (article is not None) == (language == "he")


def test_the_cells_are_there_in_every_language(world: Built) -> None:
    for address in ("tiny", "en/tiny", "ja/tiny", "he/tiny"):
        assert "25.0 %" in text(page(world, address).select_one("[data-cell]"))


def test_two_more_languages_start_no_more_kernels(world: Built) -> None:
    assert re.findall(r"lesson (\S+): executing", world.log) == ["tiny"]


def test_labels_follow_the_entry_of_the_language(world: Built) -> None:
    title = page(world, "ja").select_one(".md-header__title")
    assert "注意機構" in text(title)


@pytest.mark.parametrize("language", ["ja", "he"])
def test_scripts_to_download_are_there_in_every_language(world: Built, language: str) -> None:
    link = page(world, f"{language}/tiny").select_one("article a.take")
    assert link is not None
    assert (world.folder / language / "tiny" / link["href"]).resolve().exists()
