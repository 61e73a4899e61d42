"""The zip of the whole site: all of it is inside, every link stays inside, and the same site makes the same bytes."""

import hashlib
import json
import posixpath
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from sitekit.exports import offline
from sitekit.languages import languages
from sitekit.lessons import files
from sitekit.live.runtime import RuntimeFileError, checked
from tests.conftest import ROOT, Built

URL = "http://127.0.0.1:8000/"
LEFT_OUT = {"404.html", "_headers", "robots.txt", "sitemap.xml", "sitemap.xml.gz", "attention-site.zip"}
FOLDER = "attention-site/"


@pytest.fixture(scope="module")
def packed(built: Built) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(built.folder / "attention-site.zip") as packed:
        yield packed


@pytest.fixture(scope="module")
def pages(packed: zipfile.ZipFile) -> dict[str, "Links"]:
    links_by_page = {name: Links() for name in packed.namelist() if name.endswith(".html")}
    for name, links in links_by_page.items():
        links.feed(packed.read(name).decode())
    return links_by_page


class Links(HTMLParser):
    """Where a page leads, what it loads, and what can be led to in it."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.ids |= {known[name] for name in ("id", "name") if name in known}
        if known.get("rel") != "canonical":
            self.addresses += [known[name] for name in ("href", "src", "data-folder") if name in known]


@pytest.mark.parametrize(
    ("address", "up", "expected"),
    [
        ("../by-hand/", "../", "../by-hand/index.html"),
        ("../by-hand/#x", "../", "../by-hand/index.html#x"),
        ("../by-hand/?h=q#x", "../", "../by-hand/index.html?h=q#x"),
        ("by-hand/", "", "by-hand/index.html"),
        ("./", "", "./index.html"),
        (".", "", "./index.html"),
        ("..", "../", "../index.html"),
        ("../", "../", "../index.html"),
        ("../..", "../../", "../../index.html"),
        ("../..#x", "../../", "../../index.html#x"),
        ("../en/", "../", "../en/index.html"),
        ("../scripts/by-hand.py", "../", "../scripts/by-hand.py"),
        ("by-hand.ipynb", "../../", "by-hand.ipynb"),
        ("...", "", "..."),
        ("#a", "../", "#a"),
        ("#a/", "../", "#a/"),
        ("?x", "../", "?x"),
        ("?x=/", "../", "?x=/"),
        ("", "../", ""),
        ("mailto:a@b.example/", "../", "mailto:a@b.example/"),
        ("https://b.example/c/", "../", "https://b.example/c/"),
        ("//b.example/c/", "../", "//b.example/c/"),
        ("/c/", "../", "/c/"),
        ("data:image/svg+xml,<svg/>/", "../", "data:image/svg+xml,<svg/>/"),
        (URL, "", "./index.html"),
        (URL, "../", "../index.html"),
        (f"{URL}qkv/#x", "../../", "../../qkv/index.html#x"),
        (f"{URL}scripts/by-hand.py", "", "./scripts/by-hand.py"),
    ],
)
def test_a_link_to_a_folder_names_the_file_in_it(address: str, up: str, expected: str) -> None:
    assert offline.link(address, up, URL) == expected


def test_without_an_address_of_its_own_a_site_has_only_relative_links() -> None:
    assert offline.link("https://b.example/", "../", "") == "https://b.example/"
    assert offline.link("../", "../", "") == "../index.html"


PAGE = """<head><link rel="canonical" href="http://127.0.0.1:8000/a/"><link rel='next' href='../b/'></head>
<a class="x" title="it's" href="..">up</a><a
 href="../b/#c">b</a><area href="../b/"><p data-href="../b/">href="../b/"</p>
<span data-online>· <a href="../attention-site.zip" download>all</a></span>"""


def test_of_a_page_only_links_change_and_what_it_offers_on_line_alone() -> None:
    packed_page = offline.page(PAGE, "en/a/index.html", URL, languages()["en"])
    added = packed_page[packed_page.index("<script") : packed_page.index("</head>")]
    assert packed_page.replace(added, "") == (
        PAGE.replace("href='../b/'", "href='../b/index.html'")
        .replace('href=".."', 'href="../index.html"')
        .replace('href="../b/#c"', 'href="../b/index.html#c"')
        .replace('<span data-online>· <a href="../attention-site.zip" download>all</a></span>', "")
    )
    assert added.count('<script src="../../assets/offline/') == 2
    assert languages()["en"].labels["as_file"] in added


def test_places_in_the_index_are_files() -> None:
    places = ("", "#x", "a/", "a/#x", "a/b.html#x")
    index = {"config": {"lang": ["zh"]}, "docs": [{"location": place, "text": "注意\u200b力"} for place in places]}
    entries = json.loads(offline.search(json.dumps(index).encode()))
    assert [doc.pop("location") for doc in entries["docs"]] == [
        "index.html",
        "index.html#x",
        "a/index.html",
        "a/index.html#x",
        "a/b.html#x",
    ]
    assert entries == {"config": {"lang": ["zh"]}, "docs": [{"text": "注意\u200b力"}] * len(places)}


def test_the_whole_site_is_inside_and_unchanged_but_for_links(built: Built, packed: zipfile.ZipFile) -> None:
    site = {path.relative_to(built.folder).as_posix(): path for path in built.folder.rglob("*") if path.is_file()}
    site = {
        name: path
        for name, path in site.items()
        if path.name not in LEFT_OUT and not name.startswith(offline.TOO_LARGE)
    }
    names = packed.namelist()
    added = {name.removeprefix(FOLDER) for name in names} - site.keys()
    assert names == sorted(names)
    assert {name.removeprefix(FOLDER) for name in names} >= site.keys()
    assert added == {
        *(f"{language.prefix}search/search_index.js" for language in languages().values()),
        "assets/offline/offline.js",
        "assets/offline/iframe-worker.js",
    }
    for name, path in site.items():
        if path.suffix != ".html" and path.name != "search_index.json":
            assert packed.read(FOLDER + name) == path.read_bytes(), name


def test_every_link_and_every_file_that_a_page_loads_is_inside(
    packed: zipfile.ZipFile, pages: dict[str, Links]
) -> None:
    names = set(packed.namelist())
    checked = 0
    for page, links in pages.items():
        for address in links.addresses:
            if address.startswith(("https://", "mailto:", "data:")):
                continue
            path, _, anchor = address.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(path))) if path else page
            assert target in names, f"{page}: {address}"
            assert not anchor or unquote(anchor) in pages[target].ids, f"{page}: {address}"
            checked += 1
    assert checked > 100 * len(languages())


def test_the_index_of_each_language_leads_to_files_and_is_the_same_as_a_script(
    packed: zipfile.ZipFile, pages: dict[str, Links]
) -> None:
    for language in languages().values():
        folder = f"{FOLDER}{language.prefix}"
        index = packed.read(f"{folder}search/search_index.json")
        assert packed.read(f"{folder}search/search_index.js") == b"var __index = " + index
        for doc in json.loads(index)["docs"]:
            path, _, section = doc["location"].partition("#")
            assert not section or unquote(section) in pages[folder + path].ids, doc["location"]


def test_each_page_says_in_its_language_what_a_file_cannot_do(packed: zipfile.ZipFile, pages: dict[str, Links]) -> None:
    for language in languages().values():
        mine = [name for name in pages if offline.language_of(name.removeprefix(FOLDER), languages()) == language]
        assert mine
        assert all(f'data-say="{language.labels["as_file"]}"' in packed.read(name).decode() for name in mine)


def test_every_chapter_offers_the_zip_and_the_zip_does_not(built: Built, packed: zipfile.ZipFile) -> None:
    for language in languages().values():
        for script in files.lesson_scripts():
            name = f"{language.prefix}{script.stem}/index.html"
            up = "../" * name.count("/")
            assert f'href="{up}attention-site.zip" download' in (built.folder / name).read_text("utf-8")
            assert "attention-site.zip" not in packed.read(FOLDER + name).decode()


def test_pages_on_line_load_nothing_of_it(built: Built) -> None:
    assert not (built.folder / "assets" / "offline").exists()
    assert not [page for page in built.pages() if "iframe-worker" in page.read_text("utf-8")]


def test_the_same_site_makes_the_same_bytes(tmp_path: Path) -> None:
    digests = []
    for order in (("a", "b"), ("b", "a")):
        site = tmp_path / "".join(order)
        for name in order:
            (site / name).mkdir(parents=True)
            (site / name / "index.html").write_text(f"<head></head>{name}", "utf-8")
        offline.write(site, URL, languages())
        first = (site / "attention-site.zip").read_bytes()
        offline.write(site, URL, languages())  # over the one that is there, which must not get in
        assert (site / "attention-site.zip").read_bytes() == first
        digests.append(hashlib.sha256(first).hexdigest())
    assert len(set(digests)) == 1


def test_what_is_packed_already_is_not_packed_again(packed: zipfile.ZipFile) -> None:
    stored = {entry.filename for entry in packed.infolist() if entry.compress_type == zipfile.ZIP_STORED}
    assert stored
    ends = (".bin", ".whl", ".zip", ".woff2", ".png", ".gz")
    assert stored == {name for name in packed.namelist() if name.endswith(ends)}


def test_another_script_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    assert checked(offline.WORKER / "shim" / "index.js", offline.WORKER_SHA256)
    (tmp_path / "index.js").write_text("elsewhere()")
    with pytest.raises(RuntimeFileError, match="SHA-256"):
        checked(tmp_path / "index.js", offline.WORKER_SHA256)
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]["node_modules/iframe-worker"]
    assert (locked["license"], locked["integrity"][:7]) == ("MIT", "sha512-")
