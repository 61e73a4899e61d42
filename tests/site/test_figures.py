"""Figures start from the numbers of their cells, stay small, and have words for every state."""

import gzip
import itertools
import json
import re
from typing import Any

import numpy as np
import pytest
from bs4 import BeautifulSoup

from attention import MODELS, attend_block, attention_flops, layer_flops, score_bytes
from lessonkit import Figure, Table
from sitekit.languages import languages
from sitekit.lessons import execute, files
from sitekit.live import figures
from sitekit.reference import claims, generated, heads
from tests.conftest import Built, figure
from tests.site.javascript import call

CHAPTER = 14_000  # bytes, gzip: the figures of one chapter
STYLE = 5_000  # their style, with what all figures share
STYLES = re.compile(r"figures/([a-z-]+)\.css")
PAGE = re.compile(r"<(?P<name>[a-z-]+) class=\"hand\".*?</(?P=name)>", re.S)
each_language = pytest.mark.parametrize("language", figures.LANGUAGES)


@pytest.fixture(scope="module")
def shown() -> dict[str, dict[str, Any]]:
    """Every figure by its name; of one that several lessons have, the last. Two come from no lesson."""
    executed = execute.execute_all(files.lesson_scripts())
    outputs = [out for lesson in executed.values() for cell in lesson.cells for out in cell.get("outputs", [])]
    found = [out.data[figures.FIGURE] for out in outputs if figures.FIGURE in out.get("data", {})]
    return {
        one["name"]: one
        for one in [
            *found,
            heads.explorer(),
            claims.figure(claims.claims(), "en", generated.vocabulary()["en"]["claims"]),
        ]
    }


def test_every_figure_is_on_a_page(shown: dict[str, Any]) -> None:
    assert sorted(shown) == figures.names()


def test_a_figure_that_computes_something_else_than_its_cell_is_refused(shown: dict[str, Any]) -> None:
    one = json.loads(json.dumps(shown["drag-query"]))
    one["numbers"]["weights"][0] += 1e-6
    with pytest.raises(figures.FigureError, match=r"drag-query: the figure shows weights .*, the cell computed"):
        figures.render(one, "zh")


def test_a_figure_that_nobody_has_drawn_is_refused() -> None:
    with pytest.raises(figures.FigureError, match=r"no figure 'pull-hair'; there are .*drag-query"):
        figures.render({"name": "pull-hair", "data": {}, "numbers": {"x": [1]}}, "en")


def test_a_number_that_the_figure_does_not_know_is_refused(shown: dict[str, Any]) -> None:
    with pytest.raises(figures.FigureError, match="the figure has no sum; it has scores, weights, output"):
        figures.render({**shown["drag-query"], "numbers": {"sum": 1}}, "en")


def test_a_cell_gives_at_least_one_number() -> None:
    with pytest.raises(ValueError, match="no numbers to be held to"):
        Figure("drag-query", {}, {}, Table([[1]]))


def test_a_page_in_another_language_has_the_figure_in_english(shown: dict[str, Any]) -> None:
    assert figures.render(shown["drag-query"], "fr") == figures.render(shown["drag-query"], "en")


@each_language
def test_the_still_picture_can_be_read_and_offers_nothing_that_needs_a_script(
    shown: dict[str, Any], language: str
) -> None:
    for name, one in shown.items():
        soup = BeautifulSoup(figures.render(one, language), "html.parser")
        lead, because = soup.select_one(".lead"), soup.select_one(".because")
        assert lead, name
        assert lead.text
        assert because, name
        assert because.text
        assert not soup.select("[tabindex], [role=slider], [role=button]"), name
        assert not re.search("NaN|undefined|null|Infinity", soup.get_text()), name
        ids = [node["id"] for node in soup.select("[id]")]
        assert len(ids) == len(set(ids))
        assert all(str(one_id).startswith(name) for one_id in ids)


def test_a_chapter_stays_small(built: Built) -> None:
    files = {path: gzip.compress(data, 9) for path, data in figures.files().items()}
    loader = files[f"{figures.SERVED}/loader.js"]
    for page in built.pages():
        html = page.read_text("utf-8")
        names = {match["name"] for match in PAGE.finditer(html)}
        styles = set(STYLES.findall(html))
        assert styles - {"figures"} == names
        if names:
            style = b"".join(files[f"{figures.SERVED}/{name}.css"] for name in styles)
            assert len(style) <= STYLE
            size = len(loader) + sum(len(files[f"{figures.SERVED}/{name}.js"]) for name in names)
            slug = page.parent.relative_to(built.folder).as_posix()
            figure(
                f"figures of {slug}", f"{size / 1000:.1f} kB + {len(style) / 1000:.1f} kB style", "at most 14 kB gzip"
            )
            assert size <= (2 * CHAPTER if slug.endswith("lab") else CHAPTER)  # the laboratory gathers four chapters
    assert not [path for path in built.folder.rglob("*.map") if figures.SERVED in path.as_posix()]


def test_pages_without_a_figure_load_nothing_of_them(built: Built) -> None:
    for page in built.pages():
        text = page.read_text("utf-8")
        assert ("figures/loader.js" in text) == (bool(PAGE.search(text)) or '"admonition guess"' in text), page


@each_language
def test_every_query_has_words_and_finite_places(shown: dict[str, Any], language: str) -> None:
    data = shown["drag-query"]["data"]
    start = {"event": "drag", "before": None}
    axis = [-1.5, -0.5, 0, 0.02, 1.7, 3, 4.3]
    states = [
        {**start, "q": [x, y], "third": third, "scaled": scaled, "ask": ask}
        for x, y, third, scaled, ask in itertools.product(axis, axis, (0, 1), (0, 1), (0, 1))
    ]
    for event in ("start", "add", "remove", "scaled", "unscaled", "ask"):
        states.append({**states[-1], "event": event})
    views = call("drag-query.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views))


def test_drag_query_shows_the_numbers_of_the_chapter(shown: dict[str, Any]) -> None:
    data = shown["drag-query"]["data"]
    start = {"ask": 0, "q": [3, 1], "scaled": 0, "third": 0, "event": "start", "before": None}
    plain, scaled, third = call(
        "drag-query.model.js",
        [("view", {**start, **state}, "zh", data) for state in ({}, {"scaled": 1}, {"third": 1, "event": "add"})],
    )
    parts = ("scoreN0", "scoreN1", "expN0", "shareN0", "shareN1", "output")
    assert texts(plain, *parts) == ["10", "6", "22 026", "98.2 %", "1.8 %", "[5.90, 0.60]"]
    assert texts(scaled, *parts[:2], *parts[3:]) == ["7.07", "4.24", "94.4 %", "5.6 %", "[5.69, 0.81]"]
    assert texts(third, "shareN0", "shareN1", "shareN2") == ["70.0 %", "1.3 %", "28.7 %"]
    assert "54.6 比 1" in third["because"]["text"]


def texts(view: dict[str, Any], *parts: str) -> list[str]:
    return [view[part]["text"].replace("\u202f", " ") for part in parts]


@each_language
@pytest.mark.parametrize("event", ["start", "pull", "add", "subtract", "double", "halve", "temperature", "limit"])
def test_every_score_and_temperature_has_words(shown: dict[str, Any], language: str, event: str) -> None:
    data = shown["pull-bars"]["data"]
    before = {"weights": [0.25] * 4, "bits": 2}
    states = [
        {"scores": [low, high, 0, 0], "temperature": temperature, "event": event, "at": 0, "before": before}
        for low, high, temperature in itertools.product((-2, 0, 0.1), (0, 0.1, 6), (0.5, 1, 1000))
    ]
    for given in (data, {**data, "temperature": 1}):
        views = call("pull-bars.model.js", [("view", state, language, given) for state in states])
        assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
        assert not re.search("NaN|Infinity|undefined|null", json.dumps(views))


def test_what_would_leave_the_scale_is_not_done() -> None:
    ends = {"low": -2, "high": 6, "step": 0.1}
    high, low, near = call("pull-bars.model.js", [("clamp", x, ends) for x in (7, -3, 0.349)])
    assert [high, low, near] == pytest.approx([6, -2, 0.3])
    steps = [call("pull-bars.model.js", [("toTemperature", step)])[0] for step in (0, 100, 170, 300)]
    assert steps == [1, 10, 50, 1000]


@each_language
def test_every_hidden_word_and_layer_of_the_needle_has_words(shown: dict[str, Any], language: str) -> None:
    given = shown["which-apple"]["data"][language]
    (data,) = call("which-apple.model.js", [("open", given)])
    states = [
        {"sentence": i, "hidden": hidden, "layer": layer, "needle": None, "event": "start"}
        for i, one in enumerate(given["sentences"])
        for hidden in range(2 ** (len(one["words"]) - 1))
        for layer in range(given["n_layers"] + 1)
    ]
    answers = call("which-apple.model.js", [("words", state, language, data) for state in states])
    assert all(lead and because for lead, because in answers)
    assert not re.search("NaN|undefined|null", json.dumps(answers))


@each_language
def test_the_needle_and_the_arcs_are_those_of_the_recording(shown: dict[str, Any], language: str) -> None:
    recorded = json.loads((execute.SNIPPETS / "lessonkit" / "recorded" / "e5.json").read_text("utf-8"))[language]
    (data,) = call("which-apple.model.js", [("open", shown["which-apple"]["data"][language])])
    for sentence, one in zip(data["sentences"], recorded["shown"].values(), strict=True):
        others = [i for i in range(len(sentence["words"])) if i != sentence["at"]]
        bits = call("which-apple.model.js", [("bit", sentence, i) for i in others])
        hidden = [0, *bits]
        right = [one["reading"], *(one["hidden"][sentence["words"][i]]["reading"] for i in others)]
        layers = range(1, data["layers"] + 1)
        read = call("which-apple.model.js", [("read", sentence, h, k) for h in hidden for k in layers])
        assert read == pytest.approx([row[k] for row in right for k in layers], abs=0.005 + 1e-9)


def test_the_site_serves_no_source_of_a_figure(built: Built) -> None:
    served = {path.name for path in (built.folder / "assets" / "run" / figures.SERVED).iterdir()}
    assert served == {f"{name}.js" for name in [*figures.names(), *figures.PLAIN]} | {
        f"{name}.css" for name in [*figures.names(), "figures"]
    }


@each_language
def test_without_a_script_a_guess_is_open(built: Built, language: str) -> None:
    page = built.folder / languages()[language].prefix / "by-hand" / "index.html"
    guesses = BeautifulSoup(page.read_text("utf-8"), "html.parser").select(".admonition.guess")
    assert len(guesses) == 2
    for box in guesses:
        title, choices, *answer = box.find_all(recursive=False)
        assert title["class"] == ["admonition-title"]
        assert len(choices.select("li")) == 3
        assert answer
        assert not box.select("[hidden], [inert]")


@each_language
def test_every_distance_has_words_and_finite_places(shown: dict[str, Any], language: str) -> None:
    data = shown["reach-back"]["data"]
    states = [
        {"distance": distance, "radius": radius, "query": query, "event": "pull"}
        for distance in range(1, len(data["chains"]["3"]) + 1)
        for radius in data["chains"]
        for query in data["direct"]
    ]
    views = call("reach-back.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views))


def test_a_place_on_the_chain_is_a_distance_and_back(shown: dict[str, Any]) -> None:
    data = shown["reach-back"]["data"]
    steps = [1, 16, 64]
    places = call("reach-back.model.js", [("place", step, data) for step in steps])
    assert call("reach-back.model.js", [("distanceAt", x, data) for x in (*places, -9, 999)]) == [*steps, 1, 64]


@each_language
def test_every_exhibit_has_words_whatever_is_chosen(shown: dict[str, Any], language: str) -> None:
    data = shown["spot-wrong"]["data"]
    states = [
        {"exhibit": exhibit, "choice": choice, "mend": mend}
        for exhibit in range(len(data["exhibits"]))
        for choice, mend in ((None, 0), (0, 0), (1, 0), (0, 0.5), (1, 1))
    ]
    views = call("spot-wrong.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views))
    for view in views[4::5]:  # put right: the two sides show the same
        assert [view[f"wA{i}-{j}"]["text"] for i in range(3) for j in range(3)] == [
            view[f"wB{i}-{j}"]["text"] for i in range(3) for j in range(3)
        ]


@each_language
def test_every_layer_of_the_clouds_and_of_the_measure_words_has_words(shown: dict[str, Any], language: str) -> None:
    (clouds,) = call("part-clouds.model.js", [("open", shown["part-clouds"]["data"])])
    views = call("part-clouds.model.js", [("view", {"layer": k / 2}, language, clouds) for k in range(2, 25)])
    swap = shown["swap-word"]["data"]
    states = [
        {"choice": i, "layer": layer, "at": None} for i in range(len(swap["choices"])) for layer in swap["layers"]
    ]
    views += call("swap-word.model.js", [("view", state, language, swap) for state in states])
    (heads,) = call("pick-head.model.js", [("open", shown["pick-head"]["data"])])
    places = itertools.product(range(heads["n_layers"]), range(heads["n_heads"]))
    views += call("pick-head.model.js", [("view", {"layer": i, "head": j}, language, heads) for i, j in places])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views, ensure_ascii=False))


def test_the_clouds_are_judged_as_in_the_recording(shown: dict[str, Any]) -> None:
    one = shown["part-clouds"]["data"]
    (data,) = call("part-clouds.model.js", [("open", one)])
    layers = range(1, data["n_layers"] + 1)
    counts = call("part-clouds.model.js", [("numbers", {"layer": k}, data) for k in layers])
    for k, count in zip(layers, counts, strict=True):  # a reading beside 0 may be rounded to it
        exact = [2 * one["each"] * one["right"][language][k] for language in ("zh", "en")]
        assert count["judged"] == pytest.approx(exact, abs=1.01)


@each_language
def test_whatever_words_are_added_the_map_has_words_and_finite_places(shown: dict[str, Any], language: str) -> None:
    data = shown["add-words"]["data"]
    n = len(data["context"])
    there = [[k >> i & 1 for i in range(n)] for k in range(0, 2**n, 7)] + [[0.5] * n]
    states = [
        {"there": row, "event": event, "last": 2, "before": [0.7, 0.7]}
        for row, event in itertools.product(there, ("add", "remove", "bought"))
    ]
    views = call("add-words.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views, ensure_ascii=False))


@each_language
def test_every_cell_of_the_grids_has_words(shown: dict[str, Any], language: str) -> None:
    data = shown["trace-cell"]["data"]
    states = [
        {"x": [a, b, c], "at": at, "event": event, "last": 2, "before": 1}
        for a, b, c in itertools.product((-3, 0, 3), repeat=3)
        for at, event in itertools.product(range(6), ("choose", "change"))
    ]
    views = call("trace-cell.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|undefined|null", json.dumps(views))


@each_language
def test_every_tile_stage_and_length_has_words(shown: dict[str, Any], language: str) -> None:
    tiles, walk, square = (shown[name]["data"] for name in ("sweep-tiles", "step-through", "grow-square"))
    n = len(tiles["q"])
    views = [
        *call(
            "sweep-tiles.model.js",
            [
                ("view", {"size": size, "step": step}, language, tiles)
                for size in (1, 2, 4, 8)
                for step in range((n // size) ** 2)
            ],
        ),
        *call("step-through.model.js", [("view", {"step": step}, language, walk) for step in range(37)]),
        *call("grow-square.model.js", [("view", {"n": n}, language, square) for n in (10, 99, 1024, 4608, 10**6)]),
    ]
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views))


def test_the_tiles_of_every_size_keep_what_the_package_keeps(shown: dict[str, Any]) -> None:
    data = shown["sweep-tiles"]["data"]
    q, k, v = (np.array(data[part]) for part in ("q", "k", "v"))
    for size in (1, 2, 4, 8):
        steps = range((len(q) // size) ** 2)
        kept = call("sweep-tiles.model.js", [("numbers", {"size": size, "step": step}, data) for step in steps])
        for step, one in zip(steps, kept, strict=True):
            strip, column = divmod(step, len(k) // size)
            rows, seen = slice(strip * size, (strip + 1) * size), (column + 1) * size
            block = attend_block(q[rows], k[:seen], v[:seen])
            assert np.allclose(one["maximum"], block.maximum[:, 0], atol=1e-12)
            assert np.allclose(one["normaliser"], block.normaliser[:, 0], atol=1e-12)
            assert np.allclose(one["output"], block.output, atol=1e-12)


def test_the_square_is_as_large_as_the_package_says(shown: dict[str, Any]) -> None:
    data, gpt2 = shown["grow-square"]["data"], MODELS["gpt2"]
    lengths = [10, 1024, 4608, 100_000]
    for n, one in zip(
        lengths, call("grow-square.model.js", [("compute", {"n": n}, data) for n in lengths]), strict=True
    ):
        assert one["layer"] == score_bytes(gpt2, n)
        assert one["share"] == pytest.approx(attention_flops(gpt2, n) / layer_flops(gpt2, n))
    assert call("grow-square.model.js", [("size", x) for x in (999, 2e6, 2.4e9, 28.8e9)]) == [
        "999\u202fB",
        "2.0\u202fMB",
        "2.4\u202fGB",
        "28.8\u202fGB",
    ]
    assert call("grow-square.model.js", [("toLength", step) for step in (0, 40, 100)]) == [10, 1000, 10**6]


@each_language
def test_every_word_and_way_of_the_arrows_has_words_and_finite_places(shown: dict[str, Any], language: str) -> None:
    data = shown["turn-arcs"]["data"]
    ways = ("apart", "exchanged", "tied")
    vectors = dict(zip(ways, call("turn-arcs.model.js", [("vectors", way, data) for way in ways]), strict=True))
    states = [
        {"way": way, **vectors[way], "row": row, "event": event}
        for way, row, event in itertools.product(ways, range(len(data["tokens"])), ("choose", "way"))
    ]
    views = call("turn-arcs.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views, ensure_ascii=False))


def test_arrows_as_thick_as_their_scores_turn_round_and_mirror_each_other(shown: dict[str, Any]) -> None:
    data = shown["turn-arcs"]["data"]
    ways = ("apart", "exchanged", "tied")
    vectors = call("turn-arcs.model.js", [("vectors", way, data) for way in ways])
    views = call(
        "turn-arcs.model.js",
        [
            ("view", {"way": way, **one, "row": 0, "event": "way"}, "en", data)
            for way, one in zip(ways, vectors, strict=True)
        ],
    )
    pairs = list(itertools.permutations(range(len(data["tokens"])), 2))
    thick, turned, tied = ({(i, j): view[f"arc{i}-{j}"]["stroke-width"] for i, j in pairs} for view in views)
    assert all(thick[i, j] == turned[j, i] and tied[i, j] == tied[j, i] for i, j in pairs)
    assert thick[1, 0] > thick[0, 1]


@each_language
def test_every_width_of_a_head_has_words_and_finite_places(shown: dict[str, Any], language: str) -> None:
    data = shown["widen-head"]["data"]
    n = range(len(data["widths"]))
    states = [{"at": at, "before": before} for at, before in itertools.product(n, n)]
    views = call("widen-head.model.js", [("view", state, language, data) for state in states])
    assert all(view["lead"]["text"] and view["because"]["text"] for view in views)
    assert not re.search("NaN|Infinity|undefined|null", json.dumps(views, ensure_ascii=False))


def test_the_drawn_hills_are_as_wide_as_the_spread_that_is_said(shown: dict[str, Any]) -> None:
    data = shown["widen-head"]["data"]
    for way in ("bare", "divided"):
        bins, spread = np.array(data[way]["bins"], float), np.array(data[way]["spread"])
        points = np.arange(bins.shape[1]) - (bins.shape[1] - 1) / 2
        measured = np.sqrt((bins * points**2).sum(axis=1) / bins.sum(axis=1))
        assert measured == pytest.approx(np.sqrt(spread**2 + 1 / 12), rel=0.02)  # bins are a point wide, and end at 100
        assert np.sum(data[way]["shares"], axis=1) == pytest.approx(1)
