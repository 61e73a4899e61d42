"""Code that runs in the reader's browser: Python itself, the package's wheel, the lessons, and the script of the page.

Everything is served once, from the root of the site, and nothing of it before a reader presses Run, except run.js.
The modules here know nothing of MkDocs.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from ..languages import Language
from ..lessons.cells import Lessons, labels_of
from ..paths import ROOT
from . import figures, lessons, models, runtime, wheel

FOLDER = "assets/run"
BROWSER = Path(__file__).with_name("browser")
SERVICE_WORKER = "service-worker.js"  # at the root, for it serves nothing above its own folder
LAB = 'export * from "../browser/lab.js";'
PLAIN = ("grids.css", "run.css", "microscope-worker.js", "microscope.css")  # made smaller, and nothing else
BUTTONS = ("run", "edit", "reset", "answer", "unreachable")  # the words that run.js needs; every chapter loads it
SCOPE = ("held", "parts", "decoder_parts", "microscope", "next_word", "session")  # what the microscope runs
PYTHON = ("sitekit/lessons/slices.py", "sitekit/live/bridge.py", *(f"sitekit/live/{name}.py" for name in SCOPE))


def files(known: Lessons, languages: Mapping[str, Language]) -> dict[str, bytes]:
    """What the site serves, by path."""
    name, content = wheel.build()
    fetched = runtime.files() | {name: content} | {path: (ROOT / path).read_bytes() for path in PYTHON}
    fetched |= {f"lessons/{slug}.json": lessons.as_json(one).encode() for slug, one in known.notebooks.items()}
    sizes: dict[str, tuple[int, int, str]] = {
        path: (len(data), on_the_wire(path, data), sha256(data)) for path, data in fetched.items()
    }
    words = {code: language.run | {"output": language.labels["output"]} for code, language in languages.items()}
    served = fetched | {
        "worker.js": script("worker.js", "FILES", sizes),
        "run.js": minified("run.js", {code: {key: some[key] for key in BUTTONS} for code, some in words.items()}),
        "cells.js": minified("cells.js", words),
        "grids.js": script("grids.js", "WORDS", lab_words(known, languages)),
    }
    served["purify.js"] = figures.bundle('export { default } from "dompurify";', "js", "--format=esm").encode()
    served["lab.js"] = figures.bundle(LAB, "js", "--format=esm", "--external:./grids.js").encode()
    for name in PLAIN:
        served[name] = figures.minify((BROWSER / name).read_text("utf-8"), name.rpartition(".")[2]).encode()
    served["microscope.js"] = microscope_script(
        languages, sum(size[1] for path, size in sizes.items() if is_core(path))
    )
    served |= figures.files()
    return {f"{FOLDER}/{path}": data for path, data in served.items()} | {
        SERVICE_WORKER: (BROWSER / SERVICE_WORKER).read_bytes()
    }


def microscope_script(languages: Mapping[str, Language], python: int) -> bytes:
    """The script of the microscope: it knows which models there are, and how much each of them is."""
    words = {code: language.run | language.microscope for code, language in languages.items()}
    page = next(iter(languages.values())).docs / "microscope.md"
    given = {"WORDS": words, "MODELS": models.prepare() if page.exists() else {}, "PYTHON": {"bytes": python}}
    code = (BROWSER / "microscope.js").read_text("utf-8")
    for constant, value in given.items():
        code = fill_in(code, constant, value)
    return figures.bundle(code, "js").encode()


def is_core(path: str) -> bool:
    """Whether Python needs the file to start; lessons come one by one."""
    return not path.startswith("lessons/")


def lab_words(known: Lessons, languages: Mapping[str, Language]) -> dict[str, dict[str, object]]:
    """The words of the laboratory, and the labels that the code of its examples names."""
    labels = labels_of(known.notebooks["lab"]) if "lab" in known.notebooks else {}
    return {code: language.lab | {"labels": labels.get(code, {})} for code, language in languages.items()}


def minified(name: str, words: Mapping[str, object]) -> bytes:
    return figures.minify(script(name, "WORDS", words).decode(), "js").encode()


def script(name: str, constant: str, value: object) -> bytes:
    """The script with what the build knows put in for one constant."""
    return fill_in((BROWSER / name).read_text("utf-8"), constant, value, name).encode()


def fill_in(code: str, constant: str, value: object, name: str = "microscope.js") -> str:
    before, empty, after = code.partition(f"const {constant} = {{}};")
    if not empty:
        raise ValueError(f"{name} has no line 'const {constant} = {{}};' to fill in")
    literal = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"{before}const {constant} = {literal};{after}"


def on_the_wire(path: str, data: bytes) -> int:
    """About how many bytes a reader downloads: hosts compress all but what is compressed already."""
    return len(data) if path.endswith((".whl", ".zip")) else len(gzip.compress(data, 1))


def sha256(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()
