"""What the languages of the site share, and what hosts are told about it. Costs 1 processor-second."""

import re
from pathlib import Path

import pytest
from mkdocs.exceptions import PluginError

from sitekit.languages import languages
from sitekit.mkdocs import assets
from tests.conftest import Built

ZH, EN = languages().values()
PAGES = {
    "index.html": '<link href="assets/a.css">',
    "en/index.html": '<link href="assets/a.css"><script src="./../assets/run/run.js">',
    "en/page/index.html": '<link href="../assets/a.css"><script src="../../assets/run/run.js">{"f":"../assets/a.css"}',
    "en/404.html": '<link href="/sub/en/assets/a.css">',
}


def small_site(folder: Path, other: str = "a{}") -> Path:
    for path, text in {**PAGES, "assets/a.css": "a{}", "assets/only.txt": "", "en/assets/a.css": other}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def test_pages_of_every_language_ask_for_the_same_files(tmp_path: Path) -> None:
    site = small_site(tmp_path)
    assets.share(site, "https://example.org/sub/", [ZH, EN])
    assert {path: (site / path).read_text("utf-8") for path in PAGES} == {
        "index.html": PAGES["index.html"],
        "en/index.html": '<link href="../assets/a.css"><script src="./../assets/run/run.js">',
        "en/page/index.html": PAGES["en/page/index.html"].replace('"../assets', '"../../assets'),
        "en/404.html": '<link href="/sub/assets/a.css">',
    }
    assert not (site / "en/assets").exists()


def test_a_file_that_differs_fails_the_build(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"en/assets/a\.css is not the file of the other languages"):
        assets.share(small_site(tmp_path, "a{top:0}"), "https://example.org/", [ZH, EN])


def test_every_asset_that_a_page_names_is_there(built: Built) -> None:
    for page in built.pages():
        for path in re.findall(r'"([./]*assets/[^"?#]+\.\w+)"', page.read_text("utf-8")):
            root = built.folder if path.startswith("/") else page.parent
            assert (root / path.lstrip("/")).is_file(), (page, path)
    assert [path.parent for path in built.folder.rglob("assets")] == [built.folder]


def test_the_search_brings_no_other_languages(built: Built) -> None:
    names = {path.name for path in (built.folder / assets.LUNR).rglob("*.js")}
    assert names == {"lunr.stemmer.support.min.js", "lunr.multi.min.js", "lunr.zh.min.js", "lunr.en.min.js"} & names
    assert "lunr.zh.min.js" in names


def test_hosts_are_told_to_keep_what_carries_its_hash_or_version(built: Built) -> None:
    kept = set(
        re.findall(r"^/(.+)\n  Cache-Control: .*immutable$", (built.folder / "_headers").read_text("utf-8"), re.M)
    )
    assert all((built.folder / name).is_file() for name in kept)
    kinds = {re.sub(r"[0-9a-f]{8,}", "#", name) for name in kept if name.startswith("assets/")}
    assert {"assets/stylesheets/theme.#.min.css", "assets/fonts/formula.#.woff2"} <= kinds
    assert not {name for name in kept if name.endswith(("run.js", ".html", ".json"))}
    (style,) = (path.read_text("utf-8") for path in built.folder.glob("assets/stylesheets/*.css"))
    assert all(name.removeprefix("assets/") in style for name in kept if name.startswith("assets/fonts/"))
