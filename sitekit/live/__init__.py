"""Code that runs in the reader's browser: Python itself, the package's wheel, the lessons, and the script of the page.

Everything is served once, from the root of the site, and nothing of it before a reader presses Run, except run.js and
run.css. The modules here know nothing of MkDocs.
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
from . import figures, lessons, runtime, wheel

FOLDER = "assets/run"
BROWSER = Path(__file__).with_name("browser")
LAB = 'export * from "../browser/lab.js";'
PYTHON = ("sitekit/lessons/slices.py", "sitekit/live/bridge.py")  # ours, and run there as here


def files(known: Lessons, languages: Mapping[str, Language]) -> dict[str, bytes]:
    """What the site serves, by path."""
    name, content = wheel.build()
    fetched = runtime.files() | {name: content} | {path: (ROOT / path).read_bytes() for path in PYTHON}
    fetched |= {f"lessons/{slug}.json": lessons.as_json(one).encode() for slug, one in known.notebooks.items()}
    sizes = {path: [len(data), on_the_wire(path, data), sha256(data)] for path, data in fetched.items()}
    words = {code: language.run | {"output": language.labels["output"]} for code, language in languages.items()}
    served = fetched | {
        "worker.js": script("worker.js", "FILES", sizes),
        "run.js": figures.minify(script("run.js", "WORDS", words).decode(), "js").encode(),  # every chapter loads it
        "grids.js": script("grids.js", "WORDS", lab_words(known, languages)),
        "LICENSES.txt": (BROWSER / "LICENSES.txt").read_bytes() + runtime.NUMPY_LICENCE.read_bytes(),
    }
    served["purify.js"] = figures.bundle('export { default } from "dompurify";', "js", "--format=esm").encode()
    served["lab.js"] = figures.bundle(LAB, "js", "--format=esm", "--external:./grids.js").encode()
    served |= {name: (BROWSER / name).read_bytes() for name in ("grids.css", "run.css")}
    served |= figures.files()
    return {f"{FOLDER}/{path}": data for path, data in served.items()}


def lab_words(known: Lessons, languages: Mapping[str, Language]) -> dict[str, dict[str, object]]:
    """The words of the laboratory, and the labels that the code of its examples names."""
    labels = labels_of(known.notebooks["lab"]) if "lab" in known.notebooks else {}
    return {code: language.lab | {"labels": labels.get(code, {})} for code, language in languages.items()}


def script(name: str, constant: str, value: object) -> bytes:
    """The script with what the build knows put in for one constant."""
    before, empty, after = (BROWSER / name).read_text("utf-8").partition(f"const {constant} = {{}};")
    if not empty:
        raise ValueError(f"{name} has no line 'const {constant} = {{}};' to fill in")
    literal = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return f"{before}const {constant} = {literal};{after}".encode()


def on_the_wire(path: str, data: bytes) -> int:
    """About how many bytes a reader downloads: hosts compress all but what is compressed already."""
    return len(data) if path.endswith((".whl", ".zip")) else len(gzip.compress(data, 1))


def sha256(data: bytes) -> str:
    return base64.b64encode(hashlib.sha256(data).digest()).decode()
