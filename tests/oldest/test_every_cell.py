"""Every cell that readers can run, with the NumPy that their browser has, on CPython: it puts out what the page shows.

`make test-oldest` sets up .venv-oldest, which holds NumPy 2.0.2 and nothing else: the oldest NumPy that the package
works with, and the one that Pyodide brings.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sitekit.lessons.files import lesson_scripts
from sitekit.live import FOLDER, PYTHON
from tests.browser.test_run_every_cell import compare, jobs_of
from tests.conftest import ROOT, Built

BIN = ROOT / ".venv-oldest" / ("Scripts" if os.name == "nt" else "bin")
DRIVER = """
import json, sys, numpy
from sitekit.live import bridge
assert numpy.__version__ == "2.0.2", numpy.__version__
lesson, jobs = json.load(sys.stdin)
session = bridge.Session()
print(json.dumps([json.loads(session.run(lesson, json.dumps(job), lambda *printed: None)) for job in jobs]))
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two files of sitekit that the browser gets, as it gets them."""
    folder = tmp_path_factory.mktemp("python")
    for path in PYTHON:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
        for package in (folder / path).parents[: len(Path(path).parents) - 1]:
            (package / "__init__.py").touch()  # a whole package, so that no other of that name is preferred
    return folder


@pytest.mark.parametrize("slug", [script.stem for script in lesson_scripts()])
def test_a_lesson_s_cells_run_and_show_what_the_pages_show(built: Built, alone: Path, slug: str) -> None:
    jobs = jobs_of(built, slug)
    lesson = (built.folder / FOLDER / "lessons" / f"{slug}.json").read_text("utf-8")
    done = subprocess.run(
        [BIN / "python", "-W", "error", "-c", DRIVER],
        cwd=alone,
        input=json.dumps([lesson, jobs]),
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(alone), str(ROOT / "snippets")]), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert compare(built, slug, jobs, json.loads(done.stdout)) == []
