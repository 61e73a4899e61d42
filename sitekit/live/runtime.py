"""Python for the browser: the files of Pyodide that are needed and NumPy's wheel, each with the hash it must have."""

import hashlib
import json
from pathlib import Path

from ..paths import NODE_MODULES, ROOT

VERSION = "0.27.7"
FOLDER = f"pyodide-{VERSION}"
PYODIDE = NODE_MODULES / "pyodide"
LOCK = "pyodide-lock.json"
# Of npm's pyodide@0.27.7; npm has checked the whole package against the integrity in package-lock.json.
HASHES = {
    "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
    "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
    "pyodide.mjs": "04c052c815abb0bf2981fa38c2dfa58e3120ee5288c956df2b2a15e301782c5f",
    "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    LOCK: "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
}


# Hosts do not agree what a .mjs is, and no browser imports what is sent as application/octet-stream.
SERVED_AS = {"pyodide.mjs": "pyodide.js"}


class RuntimeFileError(Exception):
    """A file is not the one this site was made with."""


def files() -> dict[str, bytes]:
    """What the site serves of Pyodide and NumPy, by name."""
    contents = {name: checked(PYODIDE / name, sha256) for name, sha256 in HASHES.items()}
    lock = json.loads(contents[LOCK])
    numpy = lock["packages"]["numpy"]
    wheel = checked(ROOT / "vendor" / numpy["file_name"], numpy["sha256"])
    lock["packages"] = {"numpy": numpy}  # of more than 200 packages; the rest of the list is nobody's download
    contents[LOCK] = json.dumps(lock).encode()
    contents[numpy["file_name"]] = wheel
    return {f"{FOLDER}/{SERVED_AS.get(name, name)}": content for name, content in contents.items()}


def checked(path: Path, sha256: str) -> bytes:
    """Return the file's content, or refuse it."""
    if not path.exists():
        raise RuntimeFileError(f"{path.name} is missing; the set-up fetches it: make setup")
    content = path.read_bytes()
    if (actual := hashlib.sha256(content).hexdigest()) != sha256:
        raise RuntimeFileError(f"{path} has SHA-256 {actual}, expected {sha256}")
    return content
