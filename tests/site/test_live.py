"""What the site serves for Run: the right files, once, and a bridge that does the same in CPython as in a browser."""

import hashlib
import json
import re
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from sitekit import live
from sitekit.exports import policy
from sitekit.live import bridge, figures, runtime, wheel
from tests.conftest import ROOT, Built

LOCK = json.loads((ROOT / "node_modules" / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
NUMPY = LOCK["packages"]["numpy"]


def test_numpy_is_the_one_that_pyodide_names() -> None:
    vendored = ROOT / "vendor" / NUMPY["file_name"]
    assert NUMPY["version"] == "2.0.2"
    assert hashlib.sha256(vendored.read_bytes()).hexdigest() == NUMPY["sha256"]
    licence = zipfile.ZipFile(vendored).read("numpy-2.0.2.dist-info/LICENSE.txt")
    assert (ROOT / "vendor" / "notices" / "numpy-2.0.2.txt").read_bytes() == licence


def test_the_wheel_has_the_name_that_scripts_install(built: Built) -> None:
    assert wheel.build()[0] == wheel.name()
    page = (built.folder / "by-hand" / "index.html").read_text("utf-8")
    assert f'data-wheel="../{live.FOLDER}/{wheel.name()}"' in page
    assert (built.folder / live.FOLDER / wheel.name()).is_file()


def test_pyodide_is_pinned_and_locked() -> None:
    assert json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]["pyodide"] == runtime.VERSION
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]["node_modules/pyodide"]
    assert locked["version"] == LOCK["info"]["version"] == runtime.VERSION == "0.27.7"
    assert locked["integrity"].startswith("sha512-")
    assert "resolved" not in (ROOT / "package-lock.json").read_text("utf-8")


def test_another_file_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    wrong = tmp_path / "pyodide.mjs"
    wrong.write_text("import 'elsewhere'")
    with pytest.raises(runtime.RuntimeFileError, match=r"pyodide\.mjs has SHA-256 .*, expected 5"):
        runtime.checked(wrong, "5" * 64)
    with pytest.raises(runtime.RuntimeFileError, match="missing; the set-up fetches it"):
        runtime.checked(tmp_path / "none", "")


def test_the_wheel_is_the_package_as_it_is_here() -> None:
    name, content = wheel.build()
    assert (name, content) == wheel.build()  # the same bytes each time
    assert re.fullmatch(r"attention_executed-[\d.]+-py3-none-any\.whl", name)
    packed = zipfile.ZipFile(BytesIO(content))
    snippets = ROOT / "snippets"
    packages = [snippets / "attention", snippets / "lessonkit"]
    required = {path.relative_to(snippets).as_posix() for one in packages for path in one.rglob("*") if path.is_file()}
    required = {path for path in required if "__pycache__" not in path and not path.endswith(".npz")}
    assert {path for path in packed.namelist() if ".dist-info/" not in path} == required
    for path in required:
        assert packed.read(path) == (snippets / path).read_bytes()


def test_the_site_serves_each_file_once_and_what_the_worker_expects(built: Built) -> None:
    folder = built.folder / live.FOLDER
    assert [path.parent for path in built.folder.rglob("run.js")] == [folder]
    worker = (folder / "worker.js").read_text("utf-8")
    sizes = json.loads(re.findall(r"^const FILES = (\{.*\});", worker, re.M)[0])
    served = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    served -= set(figures.files())
    assert served == sizes.keys() | {
        "worker.js",
        "run.js",
        "cells.js",
        "run.css",
        "grids.js",
        "grids.css",
        "lab.js",
        "microscope.js",
        "microscope.css",
        "microscope-worker.js",
        "purify.js",
    }
    for path, (size, _, sha256) in sizes.items():
        content = (folder / path).read_bytes()
        assert (len(content), live.sha256(content)) == (size, sha256)


def test_every_module_has_a_name_that_each_host_sends_as_javascript(built: Built) -> None:
    modules = [path.name for path in (built.folder / live.FOLDER).rglob("*") if path.suffix in (".mjs", ".cjs")]
    assert modules == []
    assert (built.folder / live.FOLDER / runtime.FOLDER / "pyodide.js").is_file()


def test_only_pages_with_something_to_run_ask_for_the_script(built: Built) -> None:
    for page in built.pages():
        html = page.read_text("utf-8")
        assert (" data-run" in html) == ("assets/run/run.js" in html), page


def test_the_policy_allows_no_other_host_and_lists_the_scripts_of_the_theme(built: Built) -> None:
    sent = (built.folder / "_headers").read_text("utf-8")
    assert "http" not in sent
    assert "*" not in sent.removeprefix("/*")
    assert "'unsafe-inline'" not in re.findall("script-src ([^;]*);", sent)[0]
    assert sent.count("'sha256-") == len(policy.THEME)
    for page in built.pages():
        (meta,) = re.findall('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page.read_text("utf-8"))
        assert f"{meta}{policy.HEADERS_ALONE}" in sent


@pytest.mark.parametrize(
    "script",
    ["<script>alert(1)</script>", "<SCRIPT defer>alert(1)</SCRIPT >", '<script type="module">alert(1)</script>'],
)
def test_a_page_with_a_script_that_is_not_listed_is_refused(script: str) -> None:
    with pytest.raises(policy.PolicyError, match="does not list: 'alert"):
        policy.add_policy(f"{policy.CHARSET}{script}")


SESSION = bridge.Session()
CELLS = [
    ["setup", "import numpy as np\n\nfrom lessonkit import Labels, Table"],
    ["a", "x = np.array([[1.0, 2.0]])\nprint('not needed')"],
    ["f", "def f():\n    return x"],
    ["b", "x += 1\nprint(f())\nTable(x, 'query')"],
    ["c", "x"],
    ["d", "Table(x, **Labels('short')('d', n=2))"],
]
LABELS = {"zh": {"d": {"caption": "{n} 个"}}, "en": {"d": {"caption": "{n} numbers"}}}
LESSON = json.dumps({"cells": CELLS, "labels": LABELS})


def run(*required: str, language: str = "en", **edits: str) -> dict[str, Any]:
    job = {"lesson": "short", "wanted": required, "edits": edits, "language": language}
    return dict(json.loads(SESSION.run(LESSON, json.dumps(job), lambda cell, text: None)))


def test_a_cell_starts_afresh_each_time() -> None:
    first = run("b")
    assert first == run("b")
    assert first["results"][0]["outputs"][0] == {"text": "[[2. 3.]]\n"}
    assert "<caption>query<" in first["results"][0]["outputs"][1]["html"]
    assert "<caption>查询<" in run("b", language="zh")["results"][0]["outputs"][1]["html"]


def test_labels_come_with_the_lesson() -> None:
    assert "<caption>2 numbers<" in run("d")["results"][0]["outputs"][0]["html"]
    assert "<caption>2 个<" in run("d", language="zh")["results"][0]["outputs"][0]["html"]


def test_edits_above_count_and_those_below_do_not() -> None:
    edited = run("b", a="x = np.array([[7.0, 2.0]])", c="1 / 0")
    assert edited["results"][0]["outputs"][0] == {"text": "[[8. 3.]]\n"}
    assert run("b") != edited
    assert run("c", f="x = 5")["results"][0]["outputs"] == [{"text": "6"}]


def test_what_an_edit_newly_needs_is_there() -> None:
    assert run("b", b="1")["results"][0]["outputs"] == [{"text": "1"}]
    assert run("b", b="f()")["results"][0]["outputs"] == [{"text": "array([[1., 2.]])"}]


def test_several_cells_run_one_after_the_other() -> None:
    results = run("b", "c")["results"]
    assert [result["cell"] for result in results] == ["b", "c"]
    assert results[1]["outputs"] == [{"text": "array([[2., 3.]])"}]


@pytest.mark.parametrize(
    ("code", "name", "line"),
    [
        ("\n\nf() @ np.ones(7)", "ValueError", 3),
        ("x = 1\nif x\n    y", "SyntaxError", 2),
        ("\nraise SystemExit", "SystemExit", 2),
        ("\nraise KeyboardInterrupt", "KeyboardInterrupt", 2),
        ("x = [\n", "SyntaxError", 1),
    ],
)
def test_an_error_names_its_line(code: str, name: str, line: int) -> None:
    error = run("b", b=code)["error"]
    assert (error["name"], error["frames"][-1]["cell"], error["frames"][-1]["line"]) == (name, "b", line)


def test_output_has_an_end() -> None:
    result = run("b", b="print('x' * 10**6)\nnp.zeros(3)")["results"][0]
    assert result["capped"]
    assert [len(output["text"]) for output in result["outputs"]] == [bridge.MOST_TEXT, len("array([0., 0., 0.])")]
    assert run("b", b="Table(np.ones((200, 200)))")["results"][0] == {
        "cell": "b",
        "outputs": [{"text": ""}],
        "capped": True,
    }


def test_what_a_run_breaks_is_whole_again() -> None:
    run("b", b="import attention\nattention.softmax = np.pi = None\nnp.set_printoptions(1)\nnp.new = 1")
    answer = run("b", b="import attention\nprint(attention.softmax([0.0]), np.pi, hasattr(np, 'new'))")
    assert answer["results"][0]["outputs"] == [{"text": "[1.] 3.141592653589793 False\n"}]
