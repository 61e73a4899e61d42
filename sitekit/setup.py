"""Set up all that the site and its tests need, in .venv and node_modules. Runs on bare Python."""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "set-up.sha256"
LOG = ROOT / ".cache" / "setup.log"


def fingerprint() -> str:
    """What the set-up depends on; a change of any of it sets up again."""
    inputs = [ROOT / "requirements.txt", ROOT / "package-lock.json", ROOT / ".npmrc"]
    digest = hashlib.sha256(sys.version.encode() + str(ROOT).encode())
    for path in inputs:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def run(step: str, *command: str) -> None:
    """Run one step quietly; when it fails, say so in one line and where the whole story is."""
    print(f"set-up: {step} ...", flush=True)
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8"
    )
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text(done.stdout, "utf-8")
    if done.returncode:
        last = next((line.strip() for line in reversed(done.stdout.splitlines()) if "rror" in line), "no message")
        sys.exit(f"set-up failed while {step}; is the network reachable? {last} (all of it: {LOG.relative_to(ROOT)})")


def main() -> None:
    """Make the virtual environment unless it is there already and up to date."""
    if sys.version_info < (3, 12):
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit(
            f"Python 3.12 or newer is needed, this is {found} ({sys.executable}); name another: make PYTHON=python3.12"
        )
    wanted = fingerprint()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return
    print("set-up: creating .venv ...", flush=True)
    venv.create(VENV, with_pip=True, clear=True)
    python = str(BIN / "python")
    run(
        "installing Python packages",
        python,
        "-m",
        "pip",
        "install",
        "--retries=1",
        "--require-hashes",
        "-r",
        "requirements.txt",
    )
    run("installing Node packages", str(BIN / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    packages = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    Path(packages.strip(), "attention-executed.pth").write_text(f"{ROOT}\n{ROOT / 'snippets'}\n", "utf-8")
    STAMP.write_text(wanted)


if __name__ == "__main__":
    main()
