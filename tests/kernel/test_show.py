"""What is shown says what was computed: tables, plots, heat maps and diagrams, in every language, for every reader."""

import json
import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from attention import softmax
from lessonkit import Box, Flow, Heat, Line, Maps, Plot, Table
from lessonkit.axis import Axis, nice
from lessonkit.labels import COLOURS, LABELS, colour
from lessonkit.picture import Picture, wrap

Element = ElementTree.Element
Shown = Table | Plot | Heat | Maps | Flow
CAPTION = {"zh": "标题 & <一>", "en": 'caption & <one> "quoted"'}
ALT = {"zh": "最大的是 5 < 6", "en": "the largest is 5 < 6"}
NAME = {"zh": "名字", "en": "name"}
LINES = [Line(NAME, [1, 2, 3], [4, 5, 6], role) for role in ("query", "key", "value", "")]

SHOWN: dict[str, Shown] = {
    "table": Table([[1, -2]], "scores", rows=[NAME], cols=["苹", NAME], caption=CAPTION),
    "plot": Plot(LINES, x=NAME, y=NAME, caption=CAPTION, alt=ALT),
    "heat": Heat([[0, 1], [2, 3]], "weights", caption=CAPTION, alt=ALT),
    "maps": Maps(np.arange(8).reshape(1, 2, 2, 2), "weights", names=[NAME, "b & c"], caption=CAPTION, alt=ALT),
    "flow": Flow([[Box(NAME, "2×4", "query"), Box("k")], [Box("s")]], [(0, 2), (1, 2)], caption=CAPTION, alt=ALT),
}
PICTURES = {name: display for name, display in SHOWN.items() if name != "table"}


def parsed(display: Shown, language: str = "en") -> Element:
    """Only well-formed XML gets through."""
    return ElementTree.fromstring(display.html(language))


def texts(display: Shown, language: str = "en") -> list[str]:
    return [node.text or "" for node in parsed(display, language).iter("text")]


def plot(*lines: Line, **options: Any) -> Plot:
    return Plot(list(lines), x="x", y="y", caption="c", alt="a", **options)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", SHOWN)
def test_it_is_well_formed_and_stands_in_a_named_box_that_the_keyboard_reaches(name: str, language: str) -> None:
    root = parsed(SHOWN[name], language)
    box = next(node for node in root.iter("div") if node.get("class") == "scroll")
    assert (box.get("role"), box.get("tabindex"), box.get("aria-label")) == ("group", "0", CAPTION[language])


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_an_image_that_tells_its_finding(name: str, language: str) -> None:
    root = parsed(PICTURES[name], language)
    (svg,) = root.iter("svg")
    assert (svg.get("role"), svg.get("aria-label")) == ("img", ALT[language])
    assert [node.text for node in root.iter("figcaption")] == [CAPTION[language]]
    width, height = (svg.get("viewBox") or "").split()[2:]
    assert (svg.get("width"), svg.get("height")) == (width, height)


def picture(name: str) -> Picture:
    display = PICTURES[name]
    assert isinstance(display, Picture)
    return display


@pytest.mark.parametrize("name", PICTURES)
def test_an_image_of_its_own_needs_no_page(name: str) -> None:
    image = picture(name).image("en")
    root = ElementTree.fromstring(image)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert [node.text for node in root][-1] == CAPTION["en"]


def test_a_long_caption_of_an_image_has_lines() -> None:
    assert wrap("行是层，列是头，都从 0 数起。", 13) == ["行是层，列是", "头，都从 0 数", "起。"]
    assert wrap("each row of a head", 9) == ["each row ", "of a head"]


@pytest.mark.parametrize("name", PICTURES)
def test_frames_of_an_image_are_empty(name: str) -> None:
    root = ElementTree.fromstring(picture(name).image("en"))
    paths = [node for node in root.iter() if node.get("class") == "frame"]
    assert all(node.get("fill") == "none" for node in paths)


@pytest.mark.parametrize("name", SHOWN)
def test_labels_come_in_the_language_asked_for_and_in_english_where_it_is_unknown(name: str) -> None:
    display = SHOWN[name]
    chinese, english = display.html("zh"), display.html("en")
    assert ("名字" in chinese) == (name != "heat")
    assert "名字" not in english
    assert display.html("fr") == english


@pytest.mark.parametrize("name", SHOWN)
def test_jupyter_gets_text_html_and_every_language(name: str) -> None:
    display = SHOWN[name]
    offered: dict[str, Any] = display._repr_mimebundle_()
    assert offered["text/plain"] == repr(display)
    if name in PICTURES:  # of SVG inside HTML a notebook that is not trusted keeps loose words
        assert "text/html" not in offered
        assert offered["image/svg+xml"] == picture(name).image("en")
        assert offered["application/vnd.attention.svg+json"] == {
            code: picture(name).image(code) for code in ("zh", "en")
        }
    else:
        assert offered["text/html"].endswith(display.html("en"))
    assert offered["application/vnd.attention.html+json"] == {code: display.html(code) for code in ("zh", "en")}
    assert offered["application/vnd.attention.text+json"] == {code: display.plain(code) for code in ("zh", "en")}
    assert offered["text/plain"] == display.plain("en")


def test_a_label_that_is_one_text_serves_all_languages() -> None:
    display = Table([1], caption="softmax")
    assert display.html("zh") == display.html("en")


def test_a_label_without_english_is_refused_only_where_english_is_needed() -> None:
    display = Table([1], caption={"zh": "分数"})
    assert "分数" in display.html("zh")
    with pytest.raises(ValueError, match=r"a label has no 'en', nor 'en' to fall back to; given {'zh': '分数'}"):
        display.html("en")


def test_every_role_has_a_label_in_both_languages_and_a_colour_of_its_own() -> None:
    assert list(LABELS) == list(COLOURS)
    assert {frozenset(label) for label in LABELS.values()} == {frozenset({"zh", "en"})}
    assert len({colour(role) for role in LABELS}) == len(LABELS)
    assert colour("") == "currentColor"
    assert colour("query") == "var(--query,#0072b2)"


# Tables


@pytest.mark.parametrize(
    ("value", "options", "expected"),
    [
        (np.nan, {}, "NaN"),
        (np.inf, {}, "∞"),
        (-np.inf, {}, "−∞"),
        (np.nan, {"percent": True}, "NaN"),
        (-0.0, {}, "0.00"),
        (-0.0, {"percent": True}, "0.0 %"),
        (-0.001, {}, "0.00"),
        (-0.25, {}, "−0.25"),
        (0.982, {"percent": True}, "98.2 %"),
        (0.982, {"percent": True, "digits": 0}, "98 %"),
        (10, {"digits": 0}, "10"),
        (True, {}, "✓"),
    ],
)
def test_a_table_writes_a_number_like_this(value: float, options: dict[str, Any], expected: str) -> None:
    display = Table([value], **options)
    assert [node.text for node in parsed(display).iter("td")] == [expected]
    assert repr(display).strip() == expected


def test_the_deepest_shade_belongs_to_the_largest_finite_number() -> None:
    display = Table([[-4, 2, 0, np.inf, np.nan]], "scores")
    styles = [node.get("style") for node in parsed(display).iter("td")]
    assert styles == ["--v:45%", "--v:22%", "--v:0%", None, None]


@pytest.mark.parametrize("values", [[0.0, 0.0], [-np.inf, np.nan]])
def test_a_table_of_nothing_has_no_shade_and_does_not_divide_by_zero(values: list[float]) -> None:
    assert {node.get("style") for node in parsed(Table(values, "weights")).iter("td")} <= {"--v:0%", None}


def test_without_a_role_there_is_no_shade() -> None:
    assert all(node.get("style") is None for node in parsed(Table([1, 2])).iter("td"))


def test_a_role_gives_the_caption_unless_one_is_given() -> None:
    assert "<caption>权重</caption>" in Table([1], "weights").html("zh")
    assert "<caption>own</caption>" in Table([1], "weights", caption="own").html("zh")
    assert "<caption>" not in Table([1]).html("zh")


@pytest.mark.parametrize(("role", "corner"), [("weights", "query ↓ key →"), ("output", None)])
def test_the_corner_says_which_way_queries_and_keys_run(role: str, corner: str | None) -> None:
    root = parsed(Table([[1]], role, rows=["a"], cols=["b"]))
    assert [node.text for node in root.iter("td") if node.get("class") == "corner"] == [corner]
    assert not [node for node in parsed(Table([[1]], role, cols=["b"])).iter("td") if node.get("class")]


def test_another_corner_may_be_given_where_rows_are_no_queries() -> None:
    def corner(label: Any) -> list[str | None]:
        root = parsed(Table([[1]], "weights", rows=["a"], cols=["b"], corner=label))
        return [node.text for node in root.iter("td") if node.get("class") == "corner"]

    assert corner("") == [None]
    assert corner(NAME) == ["name"]


def test_names_are_headers_of_their_row_or_column_and_chinese_ones_say_so_in_english() -> None:
    def headers(language: str) -> list[tuple[str | None, str | None, str | None]]:
        return [(node.text, node.get("scope"), node.get("lang")) for node in parsed(display, language).iter("th")]

    display = Table([[1]], rows=["苹"], cols=[NAME])
    assert headers("en") == [("name", "col", None), ("苹", "row", "zh")]
    assert headers("zh") == [("名字", "col", None), ("苹", "row", None)]


def test_only_a_long_name_of_a_row_may_wrap() -> None:
    page = Table([[1], [2]], rows=["short", "a name of many words"], cols=["a column of many words"], caption="").html(
        "en"
    )
    assert page.count('class="long"') == 1
    assert '<th scope="row" class="long">a name of many words</th>' in page


def test_in_a_terminal_columns_line_up_though_chinese_is_twice_as_wide() -> None:
    display = Table([[0.5, 0.25], [1, -np.inf]], "weights", rows=["苹", "ab"], cols=["果", "long name"], percent=False)
    assert repr(display).splitlines() == [
        "weights",
        "      果  long name",
        "苹  0.50       0.25",
        "ab  1.00         −∞",
    ]
    assert repr(Table([1.0])) == "  1.00"


# Plots


def test_every_line_has_a_marker_shape_of_its_own() -> None:
    display = plot(*LINES)
    drawn = [list(group) for group in parsed(display).iter("g")]
    on_lines, in_legend = drawn[:4], drawn[4:]
    assert [len(group) for group in drawn] == [3, 3, 3, 3, 1, 1, 1, 1]
    assert [outline(group[0]) for group in on_lines] == [outline(group[0]) for group in in_legend]
    assert len({outline(group[0]) for group in on_lines}) == 4


def outline(marker: Element) -> tuple[str, str]:
    """The shape of a marker, wherever it stands."""
    return marker.tag, re.sub(r"^M\S+ [\d.]+", "", marker.get("d") or "")


@pytest.mark.parametrize(("points", "marks"), [(1, 1), (24, 24), (25, 13), (100, 20), (1000, 24)])
def test_a_line_of_many_points_still_shows_its_marker_but_not_on_each(points: int, marks: int) -> None:
    line = Line("a", np.arange(points), np.arange(points))
    assert plot(line).html("en").count("<circle") == marks + 1, "one more in the legend"


def test_points_lie_where_the_axes_say() -> None:
    display = plot(Line("a", [0, 10], [0, 5]))
    (left, foot), (right, head) = re.findall(r"[ML]([\d.]+) ([\d.]+)", display.draw(display.lines[0], ""))
    ticks = dict((name, at) for at, name in display.x_axis.ticks()), dict((n, at) for at, n in display.y_axis.ticks())
    assert (float(left), float(right)) == (ticks[0]["0"], ticks[0]["10"])
    assert (float(foot), float(head)) == (ticks[1]["0"], ticks[1]["5"])
    assert float(left) < float(right)
    assert float(foot) > float(head), "up is more"


@pytest.mark.parametrize(
    ("ys", "log", "path"),
    [
        ([1, np.nan, 3, 4], False, "MML"),
        ([1, np.inf, 3, -np.inf], False, "MM"),
        ([1, 0, 3, 4], True, "MML"),
        ([np.nan, 2, 3, -1], True, "ML"),
    ],
)
def test_what_lies_nowhere_leaves_a_gap_and_not_a_point(ys: list[float], log: bool, path: str) -> None:
    display = plot(Line("a", [1, 2, 3, 4], ys), log_y=log)
    drawn = display.draw(display.lines[0], "*")
    assert "".join(re.findall(r"[ML]", drawn)) == path
    assert drawn.count("*") == len(path)
    assert not re.search("nan|inf", display.html("en"))


def test_negative_zero_is_drawn_and_written_as_zero() -> None:
    display = plot(Line("a", [-0.0, 1], [-0.0, 1]))
    assert display.y_axis.ticks()[0][1] == "0"
    assert display.y_axis.places([-0.0]) == display.y_axis.places([0.0])


def test_a_plot_may_lie_below_zero_and_marks_zero_all_the_same() -> None:
    ticks = [name for _, name in plot(Line("a", [0, 1], [-10, -1])).y_axis.ticks()]
    assert ticks == ["−10", "−8", "−6", "−4", "−2", "0"]


def test_a_plot_takes_in_zero_unless_told_that_it_lies_far_off() -> None:
    lines = [Line("cosine", [0, 1], [0.72, 1.0])]
    about: dict[str, Any] = {"x": "layer", "y": "cosine", "caption": "c", "alt": "a"}
    ticks = [[name for _, name in Plot(lines, **about, zero_y=zero).y_axis.ticks()] for zero in (True, False)]
    assert ticks == [["0", "0.2", "0.4", "0.6", "0.8", "1"], ["0.7", "0.8", "0.9", "1"]]


def test_a_line_of_zeros_has_an_axis() -> None:
    assert [name for _, name in plot(Line("a", [0, 1], [0, 0])).y_axis.ticks()] == ["0", "1"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, 1000], ["1", "10", "100", "1000"]),
        ([0.02, 3], ["0.01", "0.1", "1", "10"]),
        ([1e6, 1e7], ["10⁶", "10⁷"]),
        ([1e-7, 1e-6], ["10⁻⁷", "10⁻⁶"]),
        ([5, 5], ["1", "10"]),
        ([1, 1e16], ["1", "100", "10000", "10⁶", "10⁸", "10¹⁰", "10¹²", "10¹⁴", "10¹⁶"]),
    ],
)
def test_a_logarithmic_axis_runs_from_power_of_ten_to_power_of_ten(values: list[float], expected: list[str]) -> None:
    axis = Axis(values, 0, 100, log=True)
    assert [name for _, name in axis.ticks()] == expected
    assert [at for at, _ in axis.ticks()][:: len(expected) - 1] == [0, 100]


def test_large_numbers_on_an_even_axis_are_written_with_a_power_of_ten() -> None:
    assert [name for _, name in Axis([0, 9.6e6], 0, 1, log=False).ticks()][1:3] == ["2 × 10⁶", "4 × 10⁶"]


@pytest.mark.parametrize(
    ("step", "expected"), [(0, 1), (1, 1), (1.2, 2), (3, 5), (7, 10), (0.03, 0.05), (96, 100), (100, 100)]
)
def test_steps_are_1_2_or_5_times_a_power_of_ten(step: float, expected: float) -> None:
    assert nice(step) == pytest.approx(expected)


@pytest.mark.parametrize("lines", [1, 2, 3, 4])
def test_nothing_in_the_legend_stands_on_anything_else(lines: int) -> None:
    display = plot(*LINES[:lines])
    (svg,) = parsed(display).iter("svg")
    top = float((svg.get("viewBox") or "").split()[1])
    names = [node for node in svg.iter("text") if node.text in ("name", "y")]
    places = [(float(node.get("x") or "nan"), float(node.get("y") or "nan")) for node in names]
    assert len(set(places)) == len(places) == lines + 1
    (title,) = (float(node.get("y") or "nan") for node in names if node.text == "y")
    assert top + 12 <= title <= min(y for _, y in places if y != title) - 18


# Heat maps


def squares(values: Any) -> dict[str, list[tuple[int, int]]]:
    """The squares of each shade, as (row, column)."""
    root = parsed(Heat(values, "weights", caption="c", alt="a", side=1))
    paths = [node for node in root.iter("path") if node.get("fill-opacity")]
    return {
        node.get("fill-opacity") or "": [(int(y), int(x)) for x, y in re.findall(r"M(\d+) (\d+)", node.get("d") or "")]
        for node in paths
    }


def test_the_larger_the_number_the_stronger_the_square_in_its_row_and_column() -> None:
    assert squares([[0, 1], [4, 2]]) == {"0.2": [(0, 1)], "0.5": [(1, 1)], "1": [(1, 0)]}
    assert squares([[False, True]]) == {"1": [(0, 1)]}


def test_a_heat_map_of_zeros_is_empty_and_negative_zero_is_zero() -> None:
    assert squares([[0.0, -0.0]]) == {}


def test_a_square_has_the_side_asked_for() -> None:
    (svg,) = parsed(Heat(np.ones((2, 3)), "weights", caption="c", alt="a", side=5)).iter("svg")
    assert (svg.get("width"), svg.get("height")) == ("15", "10")


# Diagrams


def test_a_box_shows_its_name_and_its_shape_in_the_colour_of_its_role() -> None:
    assert texts(SHOWN["flow"]) == ["name", "2×4", "k", "s"]
    fills = [node.get("fill") for node in parsed(SHOWN["flow"]).iter("rect")]
    assert fills == [colour("query"), "currentColor", "currentColor"]


def test_boxes_of_one_row_stand_side_by_side_and_rows_below_each_other() -> None:
    first, second, third = parsed(SHOWN["flow"]).iter("rect")
    assert float(first.get("x") or 0) + float(first.get("width") or 0) < float(second.get("x") or 0)
    assert first.get("y") == second.get("y")
    assert float(first.get("y") or 0) + float(first.get("height") or 0) < float(third.get("y") or 0)


def test_arrows_join_the_foot_of_one_box_to_the_head_of_another() -> None:
    paths = [node.get("d") or "" for node in parsed(SHOWN["flow"]).iter("path")]
    starts = [re.match(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", path) for path in paths]
    ends = [tuple(map(float, start.groups())) for start in starts if start]
    assert [(x1, x2) for x1, _, x2, _ in ends] == [(120, 240), (360, 240)]
    assert all(y1 < y2 for _, y1, _, y2 in ends)


# Errors

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a role that is none, in a table": (lambda: Table([1], "weight"), "role is 'weight'; it must be one of query, key"),
    "in a plot": (lambda: plot(Line("a", [1], [1], "weight")), "role is 'weight'; it must be one of"),
    "in a heat map": (lambda: Heat([[1]], "weight", caption="", alt=""), "role is 'weight'; it must be one of"),
    "in a flow": (lambda: Flow([[Box("a", "", "q")]], [], caption="", alt=""), "role is 'q'; it must be one of"),
    "names of rows": (lambda: Table([[1, 2]], rows=["a", "b"]), "rows names 2, but values have shape (1, 2)"),
    "names of columns": (lambda: Table([[1, 2]], cols=["a"]), "cols names 1, but values have shape (1, 2)"),
    "a table of three axes": (lambda: Table(np.ones((2, 2, 2))), "values have shape (2, 2, 2); a table shows a matrix"),
    "no line": (plot, "a plot takes 1 to 4 lines, each with a marker of its own; given 0"),
    "five lines": (lambda: plot(*LINES, LINES[0]), "a plot takes 1 to 4 lines, each with a marker of its own; given 5"),
    "points without an end": (
        lambda: plot(Line(NAME, [1, 2], [1])),
        "line 'name' has xs of shape (2,) and ys of shape (1,); each point needs one of each",
    ),
    "points that are a matrix": (lambda: plot(Line("a", [[1]], [[1]])), "line 'a' has xs of shape (1, 1)"),
    "nothing to draw": (lambda: plot(Line("a", [1], [np.nan])), "an axis needs a number that is finite; given none"),
    "nothing to take the logarithm of": (
        lambda: plot(Line("a", [0, -1], [1, 1]), log_x=True),
        "an axis needs a number that is finite and positive; given none",
    ),
    "negative heat": (lambda: Heat([[-1]], "weights", caption="", alt=""), "finite numbers that are not negative"),
    "NaN heat": (lambda: Heat([[np.nan]], "weights", caption="", alt=""), "finite numbers that are not negative"),
    "infinite heat": (lambda: Heat([[np.inf]], "weights", caption="", alt=""), "finite numbers that are not negative"),
    "an empty heat map": (lambda: Heat([], "weights", caption="", alt=""), "values have shape (1, 0); a heat map"),
    "a heat map of three axes": (
        lambda: Heat(np.ones((1, 1, 1)), "weights", caption="", alt=""),
        "values have shape (1, 1, 1); a heat map shows a matrix",
    ),
    "an arrow to nowhere": (
        lambda: Flow([[Box("a")]], [(0, 1)], caption="", alt=""),
        "an arrow joins (0, 1); there are 1 boxes, counted from 0",
    ),
    "a flow of nothing": (lambda: Flow([], [], caption="", alt=""), "a flow needs rows of at least 1 box"),
    "a row of nothing": (lambda: Flow([[Box("a")], []], [], caption="", alt=""), "given rows of [1, 0]"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_shown_is_refused_when_it_is_made_and_the_message_says_why(case: str) -> None:
    call, message = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


# Small heat maps side by side


def maps(values: Any, **options: Any) -> Maps:
    return Maps(values, "weights", caption="c", alt="a", **options)


def stripes_of(display: Maps) -> list[dict[str | None, str]]:
    """The stripes of each map, by opacity."""
    drawn = [node for node in parsed(display).iter("g") if node.get("class") == "map"]
    return [{path.get("stroke-opacity"): path.get("d", "") for path in one[0]} for one in drawn]


def test_all_maps_have_one_scale() -> None:
    first, second = stripes_of(maps([[[[1, 0]], [[0, 0.5]]]]))
    assert first == {"1": "M0 0.5h1"}
    assert second == {"0.5": "M1 0.5h1"}


def test_neighbours_in_a_row_of_one_shade_are_one_stripe() -> None:
    (only,) = stripes_of(maps([[[[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]]]]))
    assert only == {"1": "M0 0.5h2M3 0.5h1M0 2.5h4"}


def test_maps_without_anything_are_frames() -> None:
    assert stripes_of(maps(np.zeros((2, 3, 2, 2)))) == [{}] * 6


def test_maps_stand_in_rows_and_columns_and_inside_the_picture() -> None:
    ticks = (list("abcd"), list("vwxyz"))
    display = maps(np.ones((2, 3, 4, 5)), rows=["x", "y"], cols=["1", "2", "3"], ticks=ticks, side=4)
    (svg,) = parsed(display).iter("svg")
    wide, high = map(float, (svg.get("viewBox") or "").split()[2:])
    offsets = [re.findall(r"[\d.]+", node.get("transform", "")) for node in svg if node.get("class") == "map"]
    places = [(float(x), float(y)) for x, y in offsets]
    assert len({x for x, _ in places}) == 3
    assert len({y for _, y in places}) == 2
    assert all(x + 5 * 4 <= wide and y + 4 * 4 <= high for x, y in places)
    assert texts(display)[:5] == ["x", "y", "1", "2", "3"]
    assert texts(display)[5:14] == list("abcdvwxyz")


def test_long_names_of_columns_are_turned() -> None:
    assert "rotate(-90)" in maps(np.ones((1, 1, 1, 2)), ticks=(["a"], ["long", "b"])).html("en")
    assert "rotate" not in maps(np.ones((1, 1, 1, 2)), ticks=(["long"], ["a", "10"])).html("en")


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((2, 2)), {}, r"shape \(2, 2\); maps take \(rows, columns, n, m\)"),
        (np.ones((1, 0, 2, 2)), {}, r"shape \(1, 0, 2, 2\)"),
        (-np.ones((1, 1, 2, 2)), {}, "not negative"),
        (np.full((1, 1, 2, 2), np.nan), {}, "finite"),
        (np.ones((1, 2, 2, 2)), {"names": ["a"]}, r"names: given 1 .* 2 wanted"),
        (np.ones((1, 2, 2, 2)), {"rows": ["a", "b"]}, r"rows: given 2 .* 1 wanted"),
        (np.ones((1, 2, 2, 3)), {"ticks": (["a", "b"], ["c"])}, r"ticks of columns: given 1 .* 3 wanted"),
    ],
)
def test_maps_refuse_what_they_cannot_show(values: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        maps(values, **options)


def test_a_table_says_what_it_was_computed_from() -> None:
    q, k, v = np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]])
    scores = q @ k.T / 2
    weights = softmax(np.where(np.tri(2, dtype=bool), scores, -np.inf))
    assert Table(scores, "scores", of=(q, k)).source == (
        '{"q": [[1.0, 0.0], [0.0, 1.0]], "k": [[1.0, 2.0], [3.0, 4.0]], "factor": 0.5}'
    )
    hidden = np.where(np.tri(2, dtype=bool), scores, -np.inf)
    assert Table(hidden, "scores", of=(q, k)).source == Table(scores, "scores", of=(q, k)).source
    assert Table(weights, "weights", of=hidden).source == '{"s": [[0.5, null], [1.0, 2.0]]}'
    assert json.loads(Table(weights @ v, "output", of=(weights, v)).source)["v"] == [[5.0], [6.0]]
    assert Table(scores, "scores").source == ""
    assert "data-of" not in Table(scores, "scores").html("en")
    assert Table(np.zeros((1, 2)), "scores", of=(np.zeros((1, 2)), k)).source.endswith('"factor": 1.0}')


@pytest.mark.parametrize(
    ("role", "values", "of", "message"),
    [
        (
            "scores",
            [[1.0, 2.0]],
            ([[1.0]], [[1.0], [3.0]]),
            r"of does not give the values, of shape \(1, 2\): scores of",
        ),
        ("weights", [[0.5, 0.5]], [[1.0, 2.0]], r"weights of scores are softmax\(scores\)"),
        ("weights", [[0.5, 0.5]], [[1.0]], r"weights of scores are softmax\(scores\)"),
        ("output", [[1.0]], ([[1.0]], [[2.0]]), r"an output of \(weights, v\) is weights @ v"),
        ("query", [[1.0]], [[1.0]], "role is 'query'; only scores, weights and output are computed of something"),
    ],
)
def test_a_table_refuses_a_source_that_does_not_give_its_numbers(role: str, values: Any, of: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Table(values, role, of=of)
