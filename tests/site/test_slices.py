"""A backward slice holds what the wanted statement needs, and nothing more."""

import ast

import pytest

from sitekit.lessons.slices import needed

CASES = {
    "a value is taken from where it was last given": ("x = 1\nx = 2\nprint(x)", ["x = 2"]),
    "what is not read is left out": ("x = 1\ny = 2\nprint(x)", ["x = 1"]),
    "what a needed value is made of is needed": ("a = 1\nb = a\nc = 5\nprint(b)", ["a = 1", "b = a"]),
    "a change in place counts": ("x = [1]\nx.append(2)\nx[0] = 3\nprint(x)", ["x = [1]", "x.append(2)", "x[0] = 3"]),
    "an addition in place needs what was there": ("x = 1\nx += 1\nprint(x)", ["x = 1", "x += 1"]),
    "a method that changes nothing does not count": ("x = f()\nm = x.mean()\nprint(x)", ["x = f()"]),
    "a function of a module does not change the module": (
        "import math\ny = math.exp(1)\nz = math.exp(2)\nprint(y)",
        ["import math", "y = math.exp(1)"],
    ),
    "a function that writes through its first argument counts": (
        "x = f()\nnp.fill_diagonal(x, 0)\nprint(x)",
        ["x = f()", "np.fill_diagonal(x, 0)"],
    ),
    "drawing from a generator moves it on": (
        "rng = np.random.default_rng(0)\na = rng.normal()\nb = rng.normal()\nprint(b)",
        ["rng = np.random.default_rng(0)", "a = rng.normal()", "b = rng.normal()"],
    ),
    "so does a function that draws": (
        "rng = np.random.default_rng(0)\ndef draw():\n    return rng.normal()\na = draw()\nb = draw()\nprint(b)",
        ["rng = np.random.default_rng(0)", "def draw():\n    return rng.normal()", "a = draw()", "b = draw()"],
    ),
    "a function needs what it reads when it is called": (
        "def f():\n    return g() + k\ndef g():\n    return 1\nk = 2\nprint(f())",
        ["def f():\n    return g() + k", "def g():\n    return 1", "k = 2"],
    ),
    "a change after a definition counts for its calls": (
        "table = {}\ndef f(x):\n    return table[x]\ntable['a'] = 1\nprint(f('a'))",
        ["table = {}", "def f(x):\n    return table[x]", "table['a'] = 1"],
    ),
    "a function that changes something counts where it is called": (
        "log = []\ndef note(x):\n    log.append(x)\nnote(1)\nother = 2\nprint(log)",
        ["log = []", "def note(x):\n    log.append(x)", "note(1)"],
    ),
    "a function's own names are its own": ("x = 1\ndef f(x):\n    y = x\n    return y\nprint(f(2))", None),
    "a loop's variable has a value inside the loop": (
        "for i in range(3):\n    a = i\nfor i in 'ab':\n    print(i)",
        [],
    ),
    "a branch may not have been taken": ("x = 1\nif flag:\n    x = 2\nprint(x)", ["x = 1", "if flag:\n    x = 2"]),
}


@pytest.mark.parametrize("case", CASES)
def test_of_the_earlier_statements_those_are_kept_that_are_needed(case: str) -> None:
    program, kept = CASES[case]
    *before, last = ast.parse(program).body
    if kept is None:
        kept = [ast.unparse(before[1])]
    assert [ast.unparse(one) for one in needed(before, [last])] == kept
