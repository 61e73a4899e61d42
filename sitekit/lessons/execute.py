"""Run every lesson once, in a process of its own, and remember what it showed."""

import hashlib
import json
import os
import platform
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import yaml
from jupyter_core.utils import ensure_event_loop
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from ..paths import CACHE, ROOT, SNIPPETS
from ..store import read_or_make
from .files import label_files, lesson_scripts, parts, slug

STORE = CACHE / "lessons"
CELL_TIMEOUT = 300  # seconds; a lesson that hangs must not hang the build
# Runs after the lesson's own cells; json writes nan and inf as Python reads them.
EXPORT = "import json; print(json.dumps(globals().get('facts', {}), default=lambda value: value.tolist()))"
# What may not stand on a page: addresses in memory, places of this machine, colours of a terminal.
PLACES = [str(place) for place in (ROOT, Path.home(), Path(tempfile.gettempdir())) if len(place.parts) > 1]
PASSING = re.compile("|".join([r"\bat 0x[0-9a-f]{4,}", r"\x1b\[", *map(re.escape, PLACES)]))
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


class LessonError(Exception):
    """A lesson cannot be shown; the message names file and line."""


def execute_all(scripts: Iterable[Path], report: Callable[[str], None] = print) -> dict[str, NotebookNode]:
    """Execute the lessons whose content changed, in parallel; return every lesson's executed notebook by slug."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {slug(script): pool.submit(executed, script, report) for script in scripts}
        return {name: future.result() for name, future in futures.items()}


def place(script: Path) -> Path:
    """Return where a lesson's executed notebook is remembered: the name changes with all that it can read."""
    return STORE / f"{slug(script)}-{fingerprint(script)}.ipynb"


def executed(script: Path, report: Callable[[str], None] = print) -> NotebookNode:
    """Return the lesson's executed notebook, from the cache where nothing it can read has changed."""
    stored = place(script)

    def make() -> bytes:
        report(f"lesson {slug(script)}: executing ...")
        start = time.monotonic()
        content = nbformat.writes(run(script)).encode()
        for old in STORE.glob(f"{slug(script)}-*.ipynb"):
            if len(old.stem) == len(stored.stem):
                old.unlink(missing_ok=True)
        report(f"lesson {slug(script)}: done in {time.monotonic() - start:.1f} s")
        return content

    return nbformat.reads(read_or_make(stored, make, report).decode(), as_version=4)


def fingerprint(script: Path) -> str:
    """A hash of all that the lesson can read: itself, its labels, packages, data, libraries, and this module."""
    digest = hashlib.sha256("\n".join([platform.python_version(), *libraries()]).encode())
    lessons = {part for one in lesson_scripts() for part in parts(one)}
    readable = {path for path in SNIPPETS.rglob("*") if path.is_file() and not left_behind(path)} - lessons
    for path in [*parts(script), *label_files(script), *sorted(readable), Path(__file__)]:
        digest.update(f"\n{path.parent.name}/{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:24]


def left_behind(path: Path) -> bool:
    """Whether Python or a tool has left the file behind: in a __pycache__, a .ruff_cache, or as .DS_Store."""
    return any(part == "__pycache__" or part.startswith(".") for part in path.relative_to(SNIPPETS).parts)


@cache
def libraries() -> list[str]:
    return sorted(f"{package.metadata['Name']}=={package.version}" for package in distributions())


def read(script: Path) -> NotebookNode:
    """Return the lesson as a notebook of named cells, not yet executed; every cell knows its file and line."""
    notebook = new_notebook(metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})
    seen: set[str] = set()
    for part in parts(script):
        for cell in read_cells(part):
            where, line, name = cell.metadata.where, cell.metadata.line - 1, cell.metadata.name
            if not re.fullmatch(r"[a-z][a-z0-9-]*", name) or name in seen:
                raise LessonError(f"{where}:{line}: cell name {name!r} must be lower-case ASCII and occur once")
            seen.add(name)
            notebook.cells.append(cell)
    return notebook


def read_cells(part: Path) -> list[NotebookNode]:
    text = part.read_text("utf-8")
    markers = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("# %%")]
    cells: list[NotebookNode] = jupytext.reads(text, fmt="py:percent").cells
    where = part.relative_to(ROOT) if part.is_relative_to(ROOT) else part
    if len(markers) != len(cells):
        raise LessonError(f"{where}:1: a lesson starts with '# %% name' and holds nothing outside its cells")
    for line, cell in zip(markers, cells, strict=True):
        cell.metadata = {"name": cell.metadata.get("title", ""), "line": line + 1, "where": str(where)}
    return cells


def run(script: Path) -> NotebookNode:
    """Execute one lesson; an exception, a warning or anything else on stderr is an error."""
    notebook = read(script)
    notebook.cells.append(new_code_cell(EXPORT, metadata={"name": "export", "line": 1, "where": str(script)}))
    path = os.pathsep.join([str(SNIPPETS), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {
            "PYTHONPATH": path,
            "PYTHONHASHSEED": "0",
            "IPYTHONDIR": folder,
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",  # the last bits of a product depend on how many threads share it
        }
        client = NotebookClient(
            notebook,
            timeout=CELL_TIMEOUT,
            coalesce_streams=True,  # how a kernel cuts what is printed into pieces depends on the moment
            resources={"metadata": {"path": str(SNIPPETS)}},
            config=Config({"KernelManager": connection(Path(folder))}),
        )
        carry_out(client, script, env, stderr_path=Path(folder) / "stderr.txt")
    notebook.metadata["facts"] = exported(notebook.cells.pop())
    entries = {path.parent.name: yaml.safe_load(path.read_text("utf-8")) for path in label_files(script)}
    notebook.metadata["labels"] = json.dumps(entries, ensure_ascii=False)  # a text: nbformat sorts the keys of mappings
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            first = f"{cell.metadata.where}:{cell.metadata.line}: cell {cell.metadata.name!r}"
            if output.output_type == "stream" and output.name == "stderr":
                raise LessonError(f"{first} writes to stderr: {output.text.strip()}")
            if match := PASSING.search(visible_text(output)):
                raise LessonError(f"{first} puts out {match[0]!r}, which holds for this run or this machine alone")
    return notebook


def visible_text(output: NotebookNode) -> str:
    """What a reader sees of an output."""
    return str(output.text) if output.output_type == "stream" else "\n".join(map(str, output.get("data", {}).values()))


def carry_out(client: NotebookClient, script: Path, env: dict[str, str], stderr_path: Path) -> None:
    """Let the kernel execute the lesson. What it says itself, while it shuts down for one, matters only if it dies."""
    try:
        with stderr_path.open("wb") as stderr:
            client.execute(env=env, stderr=stderr)
    except CellExecutionError as error:
        raise LessonError(explain(client.nb, error)) from None
    except CellTimeoutError as error:
        raise LessonError(f"{script}: {error}") from None
    except DeadKernelError as error:
        raise LessonError(f"{script}: {error}: {stderr_path.read_text('utf-8', 'replace').strip()}") from None
    finally:
        if not (loop := ensure_event_loop()).is_running():
            loop.close()  # which nbclient has opened for this thread and leaves open


def exported(cell: NotebookNode) -> dict[str, Any]:
    """The lesson's facts, as plain numbers and lists, for pages that quote other lessons."""
    return dict(json.loads("".join(output.text for output in cell.outputs)))


def connection(folder: Path) -> dict[str, str]:
    """How to talk to the kernel: through files in `folder`; Windows lacks such sockets and uses TCP."""
    return {} if os.name == "nt" else {"transport": "ipc", "connection_file": str(folder / "kernel.json")}


def explain(notebook: NotebookNode, error: CellExecutionError) -> str:
    """Say in which line of which file a cell failed, and how."""
    cell = next(c for c in notebook.cells if any(o.output_type == "error" for o in c.get("outputs", [])))
    trace = re.sub(r"\x1b\[[\d;]*m", "", str(error.traceback))
    match = re.search(r"Cell In\[\d+\], line (\d+)", trace)
    line = cell.metadata.line + (int(match[1]) - 1 if match else 0)
    return f"{cell.metadata.where}:{line}: cell {cell.metadata.name!r} raised {error.ename}: {error.evalue}"
