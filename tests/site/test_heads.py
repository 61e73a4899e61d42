"""What the head explorer shows is what was recorded; without a script the page has the grid and one head."""

import itertools
import json
import re

import numpy as np
import pytest
from bs4 import BeautifulSoup, Tag

from sitekit.languages import languages
from sitekit.reference import heads
from sitekit.reference.generated import vocabulary
from tests.conftest import Built, figure
from tests.models.recorded import FOLDER
from tests.site.javascript import call

MINILM = json.loads((FOLDER / "minilm.json").read_text("utf-8"))
WORDS = {code: words["heads"] for code, words in vocabulary().items()}
each_language = pytest.mark.parametrize("language", languages())


def block(built: Built, language: str) -> Tag:
    page = built.folder / languages()[language].prefix / "multi-head" / "index.html"
    section = BeautifulSoup(page.read_text("utf-8"), "html.parser").select_one(".heads")
    assert section is not None
    return section


def test_the_site_serves_every_weight_as_it_was_recorded(built: Built) -> None:
    folder = built.folder / heads.FOLDER
    with np.load(FOLDER / "minilm.npz") as stored:
        for key, sentence in MINILM["sentences"].items():
            served = np.frombuffer((folder / f"{key}.f16").read_bytes(), "<f2")
            n = len(sentence["tokens"])
            assert np.array_equal(served.reshape(6, 12, n, n), stored[f"weights/{key}"])
    total = sum(path.stat().st_size for path in folder.iterdir())
    figure("head explorer, all its data", f"{total / 1000:.1f} kB", "at most 150 kB, a sentence at a time")
    assert total <= 150_000


@each_language
def test_the_explorer_has_every_sentence_and_shows_each_head_as_it_was_recorded(language: str) -> None:
    given = heads.explorer()["data"]
    (data,) = call("choose-head.model.js", [("open", given)])
    recorded = heads.weights()[heads.FIRST].astype(float)
    (read,) = call("choose-head.model.js", [("halves", list(heads.files()[f"{heads.FOLDER}/{heads.FIRST}.f16"]))])
    assert np.array_equal(read, recorded.ravel())
    assert np.array_equal(data["opening"], recorded[heads.START].ravel())
    data["weights"]["0"] = read
    assert {one["key"]: one["tokens"] for one in given["sentences"]} == {
        key: one["tokens"] for key, one in MINILM["sentences"].items()
    }
    states = [
        {"sentence": 0, "layer": layer, "head": head, "row": row, "status": ""}
        for layer, head, row in itertools.product(range(6), range(12), range(8))
    ]
    rows = call("choose-head.model.js", [("numbers", state, data) for state in states])
    assert np.array_equal([one["row"] for one in rows], recorded.reshape(-1, 8))
    said = call("choose-head.model.js", [("words", state, language, data) for state in states])
    assert all(lead and because for lead, because in said)
    assert not re.search("NaN|undefined|null", json.dumps(said))


@each_language
def test_without_a_script_there_is_the_grid_and_the_head_that_it_opens_on(built: Built, language: str) -> None:
    section = block(built, language)
    assert len(section.select("svg .map")) == 72
    lead = section.select_one("choose-head .lead")
    assert lead is not None
    assert all(part in lead.text for part in ("L0·H1", "apple", "97.6", "iphone"))


def test_the_grid_is_drawn_from_the_recording() -> None:
    """Every square's shade, read back from the picture."""
    recorded = heads.weights()[heads.FIRST].astype(float)
    soup = BeautifulSoup(heads.render(languages()["en"], WORDS["en"]), "html.parser")
    for drawn, weights in zip(soup.select(".map"), recorded.reshape(72, 8, 8), strict=True):
        shades = np.zeros((8, 8), int)
        for path in drawn.g.select("path"):
            for stripe in str(path["d"]).split("M")[1:]:
                (col, row), length = stripe.partition("h")[0].split(), int(stripe.partition("h")[2])
                shades[int(float(row)), int(col) : int(col) + length] = round(10 * float(str(path["stroke-opacity"])))
        assert np.array_equal(shades, np.rint(10 * weights / recorded.max()))


@each_language
def test_the_text_alternative_tells_what_was_counted(language: str) -> None:
    recorded = heads.weights()[heads.FIRST]
    most = (recorded[:, :, 1:-1].argmax(axis=-1) == 0).mean(axis=-1) > 0.5
    before = 100 * np.diagonal(recorded[0, 2].astype(float), -1).mean()
    soup = BeautifulSoup(heads.render(languages()[language], WORDS[language]), "html.parser")
    label = str(soup.svg["aria-label"])
    assert all(figure in label for figure in ("72", str(most.sum()), f"{before:.1f} %"))
    assert "{" not in label
