"""A downloaded notebook runs from top to bottom without this repository, and gives what the page shows."""

import ast
import os
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

from sitekit.exports.bare import PLAIN
from sitekit.languages import languages
from sitekit.lessons import execute, files, source
from sitekit.lessons.cells import Lessons
from tests.conftest import Built, sampled

LESSONS = [path.stem for path in files.lesson_scripts()]
WITHOUT_US = "import sys\nfor name in ('attention', 'sitekit', 'mkdocs'):\n    sys.modules[name] = None\n"


def notebook(built: Built, language: str, slug: str) -> nbformat.NotebookNode:
    prefix = languages()[language].prefix
    return nbformat.read(built.folder / prefix / "notebooks" / slug / f"{slug}.ipynb", as_version=4)


def code(nb: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def output_texts(cell: nbformat.NotebookNode) -> list[str]:
    return [out.text if out.output_type == "stream" else out.data["text/plain"] for out in cell.outputs]


@pytest.fixture
def elsewhere(tmp_path: Path) -> tuple[dict[str, str], Config]:
    """A kernel in which this repository cannot be imported."""
    startup = tmp_path / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-without-us.py").write_text(WITHOUT_US, "utf-8")
    return os.environ | {"IPYTHONDIR": str(tmp_path)}, Config({"KernelManager": execute.connection(tmp_path)})


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", sampled(LESSONS, "by-hand"))
def test_it_runs_by_itself_and_repeats_the_page(
    built: Built, slug: str, language: str, elsewhere: tuple[dict[str, str], Config], tmp_path: Path
) -> None:
    environment, config = elsewhere
    ours = notebook(built, language, slug)
    theirs = nbformat.from_dict(ours)
    for cell in code(theirs):
        cell.outputs = []
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(theirs, config=config, coalesce_streams=True, resources=where).execute(env=environment)
    assert [output_texts(cell) for cell in code(theirs)] == [output_texts(cell) for cell in code(ours)]
    assert any(output_texts(cell) for cell in code(ours))
    for mine, again in zip(code(ours), code(theirs), strict=True):
        for out, new in zip(mine.outputs, again.outputs, strict=True):
            assert "<svg" not in out.get("data", {}).get("text/html", "")
            if "image/svg+xml" in out.get("data", {}):
                assert out.data["image/svg+xml"] == new.data["image/svg+xml"]
            if "text/html" in out.get("data", {}):
                assert out.data["text/html"] in new.data["text/html"], (
                    "tables speak the notebook's language when run again"
                )


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", LESSONS)
def test_it_needs_numpy_alone(built: Built, slug: str, language: str) -> None:
    nodes = [node for cell in code(notebook(built, language, slug)) for node in ast.walk(ast.parse(cell.source))]
    imported = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert "numpy" in imported
    assert imported <= {"numpy", *sys.stdlib_module_names}


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", LESSONS)
def test_its_prose_is_plain_markdown(built: Built, slug: str, language: str) -> None:
    prose = "\n".join(cell.source for cell in notebook(built, language, slug).cells if cell.cell_type == "markdown")
    for leftover in ("```cell", "!!!", "???", "{ #", "{ .", ".md)", ".md#"):
        assert leftover not in prose
    assert prose.startswith("# ")


def test_no_two_definitions_of_the_package_share_a_name() -> None:
    """Otherwise a notebook that takes both would lose one; functions of the core go by core.NAME and core_NAME."""
    modules = [module for name, module in source.read_modules().items() if name not in (source.CORE, PLAIN)]
    names = [name for module in modules for name in module.definitions if name != "__all__"]
    assert len(names) == len(set(names))


def test_what_is_taken_along_runs_with_numpy_alone() -> None:
    modules = source.read_modules()
    public = dict.fromkeys(modules[""].neighbours, "")
    namespace: dict[str, object] = {}
    taken = [name for name in modules["lessonkit"].neighbours if name != "recording"]  # recordings come as data
    display = dict.fromkeys(taken, "lessonkit")
    exec(source.standalone(public | display, modules), namespace)
    assert set(public) <= set(namespace)
    use = """
Table([1], "weights").html("en")
Plot([Line("a", [1, 2], [1, 2])], x="x", y="y", caption="c", alt="a").html("en")
Heat([[1]], "weights", caption="c", alt="a").html("en")
Flow([[Box("a")]], [], caption="c", alt="a").html("en")
"""
    exec(use, namespace)


def test_a_page_shows_a_function_with_one_line_of_docstring() -> None:
    code = Lessons({}, source.read_modules()).find("attention.core.causal").source
    assert code.startswith("def causal(n_q: int, n_k: int) -> Array:  # -> [n_q, n_k]\n")
    assert code.count('"""') == 2
    assert "Parameters" not in code
