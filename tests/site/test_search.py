"""What is typed finds its page: the search worker of the built site answers under node."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from sitekit.chapters import number_of
from sitekit.languages import languages
from sitekit.markdown.katex import node, spell
from sitekit.mkdocs.search import words
from sitekit.paths import DOCS
from sitekit.reference.glossary import concepts
from tests.conftest import ROOT, Built

ASK = Path(__file__).with_name("search.js")
SIGNS = [
    "*",
    "+",
    "-",
    "~",
    ":",
    "^",
    "\\",
    "QK^",
    "a:b",
    "title:",
    "softmax~x",
    "-softmax",
    "+",
    "x^y^z",
    "**",
    "$",
    "a\\",
]


def search(built: Built, language: str, queries: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The places that each query is answered with, best first, and what the worker complains of."""
    site = built.folder / languages()[language].prefix
    command = [
        str(node()),
        str(ASK),
        str(built.folder),
        str(site),
        str(ROOT / "sitekit" / "mkdocs" / "query.js"),
        *queries,
    ]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["answers"], answer["warnings"]


@pytest.mark.parametrize("language", languages())
def test_no_sign_is_a_command(built: Built, language: str) -> None:
    answers, warnings = search(built, language, [*SIGNS, *(f"softmax {sign}" for sign in SIGNS)])
    assert warnings == []
    for sign in SIGNS:
        assert any(place.startswith("softmax/") for place in answers[f"softmax {sign}"]), sign


@pytest.mark.parametrize("language", languages())
def test_formulas_and_figures_find_their_page(built: Built, language: str) -> None:
    pages = {
        "QK^T": "by-hand/",
        "QK⊤": "by-hand/",
        "QKᵀ": "by-hand/",
        "softmax(QK^T/√d_k)V": "by-hand/",
        r"\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V": "by-hand/",
        "1/√d": "scaling/",
        "sqrt(d)": "scaling/",
        "4N^2 d": "cost/",
        "W_q": "qkv/",
        "22026.466": "by-hand/",
        "33.9 %": "softmax/",
        "scale=1": "by-hand/",
    }
    answers, warnings = search(built, language, list(pages))
    assert warnings == []
    missing = [query for query, page in pages.items() if not any(at.startswith(page) for at in answers[query][:5])]
    assert missing == []


@pytest.mark.parametrize("language", languages())
def test_the_best_page_comes_first(built: Built, language: str) -> None:
    queries = yaml.safe_load((ROOT / "tests" / "cases" / "queries.yml").read_text("utf-8"))[language]
    answers, _ = search(built, language, list(queries))
    first = {query: next(iter(answers[query]), "nothing").partition("#")[0] for query in queries}
    assert {query: page for query, page in first.items() if page not in queries[query]} == {}


def test_words_lead_to_chapters_that_there_are() -> None:
    listed = yaml.safe_load((DOCS / "search.yml").read_text("utf-8"))
    chapters = {*listed, *(concept["chapter"] for concept in concepts().values())}
    assert [chapter for chapter in chapters if number_of(f"{chapter}.md") is None] == []
    assert "attention" not in words("efficient", languages())  # which chapter 3 explains
    assert {"cache", "键值缓存", "flashattention"} <= set(words("efficient", languages()))


@pytest.mark.parametrize("language", languages())
def test_a_chapter_comes_before_the_reference(built: Built, language: str) -> None:
    pages = {"softmax": "softmax/", "Ｓoftmax": "softmax/", "softmax函数": "softmax/", "attention.softmax": "softmax/"}
    answers, _ = search(built, language, list(pages))
    assert {query: places[0] for query, places in answers.items()} == pages


@pytest.mark.parametrize(
    ("tex", "typed"),
    [
        (r"\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V", "softmax(QK^T/√d_k)V"),
        (r"w_{ij} = \frac{e^{s_{ij}}}{\sum_{m} e^{s_{im}}}", "w_ij = e^s_ij/Σ_m e^s_im"),
        (r"q = x\,W_q, \qquad y = \tanh(x)", "q = x W_q, y = tanh(x)"),
    ],
)
def test_a_formula_is_spelled_in_one_line(tex: str, typed: str) -> None:
    assert spell(tex) == typed
