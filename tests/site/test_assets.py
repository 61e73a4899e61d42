"""Which assets of a built site stay, and that languages share them. Costs 1 processor-second."""

import json
import re
from pathlib import Path

import pytest

from sitekit.languages import languages
from sitekit.mkdocs import assets
from tests.conftest import Built


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_equal_is_kept_once_and_the_rest_stays(tmp_path: Path) -> None:
    both = {"assets/a.css": "a", "assets/b.js": "b", "assets/c/d.bin": "d"}
    site = write(tmp_path, both | {f"en/{name}": text for name, text in (both | {"assets/b.js": "other"}).items()})
    write(site / "en", {"page/index.html": '"../assets/a.css" "../assets/b.js?v" "../assets/c/"', "404.html": ""})
    assets.share(site, "https://example.org/book/", ["en/"])
    assert names(site / "en") == {"assets/b.js", "page/index.html", "404.html"}
    page = (site / "en/page/index.html").read_text("utf-8")
    assert page == '"../../assets/a.css" "../assets/b.js?v" "../../assets/c/"'


@pytest.mark.parametrize(
    ("page", "html", "expected"),
    [
        ("index.html", "'assets/a.css' x='./../assets/a.css'", "'../assets/a.css' x='./../assets/a.css'"),
        ("404.html", '"/book/en/assets/a.css" "/book/en/search"', '"/book/assets/a.css" "/book/en/search"'),
        ("a/b/index.html", '"../../assets/a.css#x" assets/a.css', '"../../../assets/a.css#x" assets/a.css'),
    ],
)
def test_a_reference_leads_to_the_root(page: str, html: str, expected: str) -> None:
    assert assets.refer(html, Path(page), "/book/", "en/", {"assets/a.css"}) == expected


def test_search_keeps_its_own_languages(tmp_path: Path) -> None:
    every = ["tinyseg", "wordcut", *(f"min/lunr.{one}.min" for one in ("stemmer.support", "multi", "zh", "ja", "th"))]
    site = write(tmp_path, {f"{assets.SEARCH}/{name}.js": "" for name in every})
    write(site, {"search/search_index.json": json.dumps({"config": {"lang": ["ja"]}, "docs": []})})
    assets.drop_search_languages(site)
    kept = {"tinyseg.js", *(f"min/lunr.{one}.min.js" for one in ("stemmer.support", "multi", "ja"))}
    assert names(site / assets.SEARCH) == kept


def test_the_languages_of_the_site_have_no_assets_of_their_own_and_ask_for_none(built: Built) -> None:
    for prefix in (one.prefix for one in languages().values() if one.prefix):
        assert not (built.folder / prefix / "assets").exists()
        for page in (built.folder / prefix).rglob("*.html"):
            up = "../" * (len(page.relative_to(built.folder / prefix).parts) - 1)
            assert not re.search(f"""["'](?:{up}|/{prefix})assets/""", page.read_text("utf-8")), page
