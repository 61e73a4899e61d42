"""A figure hands its data and numbers to the site, and is a table elsewhere."""

import numpy as np
import pytest

from lessonkit import Figure, Table


def test_a_figure_is_its_table_elsewhere_and_brings_plain_numbers() -> None:
    table = Table([[0.25, 0.75]], "weights")
    figure = Figure(
        "pull-bars",
        {"scores": np.array([0, 1]), "n": np.float64(2), "names": ["a", "b"]},
        {"w": np.array([0.25])},
        table,
    )
    assert figure.plain("en") == table.plain("en")
    assert figure.html("en") == table.html("en")
    bundle = figure._repr_mimebundle_()
    assert "application/vnd.attention.figure+json" in bundle
    assert "pull-bars" in str(bundle)


def test_a_figure_without_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="figure 'pull-bars' has no numbers to be held to"):
        Figure("pull-bars", {}, {}, Table([[1]], "weights"))
