"""Every file of the site and of its zip belongs to a part with terms, and LICENSES.txt has the notice of each part."""

import re
import zipfile
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from sitekit.exports import notices, offline
from tests.conftest import Built

COPYRIGHT = {
    "KaTeX": "Khan Academy and other contributors",
    "Material for MkDocs": "Martin Donath",
    "CPython": "Python Software Foundation; All Rights Reserved",
    "NumPy": "NumPy Developers",
    "Lunr": "Oliver Nightingale",
    "iframe-worker": "Martin Donath",
    "Pyodide": "Mozilla Public License Version 2.0",
    "Latin Modern Math": "GUST Font License",
    "This site: text": "Creative Commons Attribution 4.0 International",
}


def held(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]


def test_every_file_of_the_site_and_of_the_zip_belongs_to_a_part(built: Built) -> None:
    with zipfile.ZipFile(built.folder / offline.FILE) as packed:
        inside = [name.removeprefix(f"{offline.NAME}/") for name in packed.namelist()]
        assert packed.read(f"{offline.NAME}/{notices.NAME}") == (built.folder / notices.NAME).read_bytes()
    assert notices.unowned([*held(built.folder), *inside]) == []


def test_the_notice_of_every_part_of_the_site_is_there(built: Built) -> None:
    text = (built.folder / notices.NAME).read_text("utf-8")
    parts = notices.served([*held(built.folder), *notices.ZIPPED])
    for part in parts:
        assert part.texts, part.name
        assert f"{part.name}: {part.terms}\n" in text
        for path in part.texts:
            assert notices.read(notices.TEXTS / path) in text, part.name
    for name, words in COPYRIGHT.items():
        assert any(part.name.startswith(name) for part in parts), name
        assert words in text, name


def test_a_part_is_listed_for_each_package_that_the_scripts_name(built: Built) -> None:
    """What a bundler has kept of the notices in a script names a part of LICENSES.txt."""
    text = (built.folder / notices.NAME).read_text("utf-8")
    for script in built.folder.rglob("*.js"):
        for comment in re.findall(r"/\*!(.*?)\*/|/\*!? @license (.*?)\*/", script.read_text("utf-8"), re.S):
            for holder in re.findall(
                r"Copyright (?:\([cC]\)|©)?\s*(?:\d{4}[-\d, ]*)?(?:by )?(\w+ \w+)", "".join(comment)
            ):
                assert holder in text, f"{script.name}: {holder}"


def test_a_font_that_was_cut_down_does_not_bear_the_reserved_name(built: Built) -> None:
    for path in (built.folder / "assets" / "fonts").iterdir():
        assert not any("KaTeX" in str(record) for record in TTFont(path)["name"].names), path.name


@pytest.mark.parametrize(
    "path", ["assets/javascripts/lunr/tinyseg.js", "assets/run/new.js", "assets/fonts/Other.woff2"]
)
def test_a_file_that_belongs_to_no_part_is_found(path: str) -> None:
    assert notices.unowned(["index.html", path]) == [path]


def test_each_text_has_a_part() -> None:
    used = {notices.TEXTS / text for part in notices.all_parts() for text in part.texts}
    assert set(notices.TEXTS.iterdir()) <= used
