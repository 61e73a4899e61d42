"""The picture of the house: drawn from the imports, without a circle."""

import re

import pytest

from sitekit.languages import languages
from sitekit.paths import ROOT
from sitekit.reference import house
from sitekit.reference.generated import vocabulary

ROOMS = [path.name for path in (ROOT / "sitekit").iterdir() if (path / "__init__.py").exists()]


def test_every_room_imports_only_those_below_it() -> None:
    graph = house.room_imports()
    order = house.bottom_last(graph)
    assert set(ROOMS) < set(order)
    for room, imports in graph.items():
        assert all(order.index(other) > order.index(room) for other in imports), room


def test_the_imports_are_those_of_the_code() -> None:
    graph = house.room_imports()
    assert graph["mkdocs"] >= {"build", "exports", "reference"}  # relative imports
    assert graph["live"] >= {"lessons", "lessonkit"}  # absolute ones, in bridge.py
    assert graph["lessons"] == {"paths", "store"}
    assert [room for room, imports in graph.items() if "mkdocs" in imports] == []


def test_a_circle_is_refused_and_named() -> None:
    with pytest.raises(LookupError, match="a → b → a: rooms import each other in a circle"):
        house.bottom_last({"a": {"b"}, "b": {"a"}})


@pytest.mark.parametrize("language", languages())
def test_the_page_names_every_room_and_draws_every_import(language: str) -> None:
    graph = house.room_imports()
    text = house.render(languages()[language], vocabulary()[language]["house"])
    assert all(f"| **{room}** | " in text for room in graph)
    label = re.findall('aria-label="([^"]*→[^"]*)"', text)[0]
    rooms = [room for room in graph if house.is_room(room)]
    assert set(label.split("; ")) == {f"{a} → {b}" for a in rooms for b in graph[a] if b in rooms}
    assert text.count("<path") == len(label.split("; "))
    assert text.count("<rect") == len(rooms)


def test_a_room_without_words_is_an_error_that_names_it() -> None:
    words = {name: text for name, text in vocabulary()["en"]["house"].items() if name != "live"}
    with pytest.raises(LookupError, match="no words in en for live of sitekit"):
        house.render(languages()["en"], words)
