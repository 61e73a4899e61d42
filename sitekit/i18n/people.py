"""Who has written a page, as git remembers it, and where its text can be edited. No network."""

import os
import subprocess
from collections import Counter
from pathlib import Path

from ..paths import DOCS, ROOT

BRANCH = "main"


def repository() -> str:
    """The address of the repository on the web, as the publishing build gives it; empty elsewhere."""
    return os.environ.get("REPO_URL", "").rstrip("/")


def edit_url(path: Path) -> str:
    """Where this file can be edited in a browser; empty where there is no such place."""
    return f"{repository()}/edit/{BRANCH}/{path.relative_to(ROOT).as_posix()}" if repository() else ""


def contributors() -> dict[str, list[str]]:
    """The authors of every page by its path, those with most changes first; none where there is no git."""
    command = [
        "git",
        "-c",
        "safe.directory=*",  # another user's checkout has authors, too
        "-c",
        "core.quotePath=false",
        "log",
        "--format=%x00%aN",
        "--name-only",
        "--relative",
        "--",
        DOCS.name,
    ]
    try:
        log = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    changes: dict[str, Counter[str]] = {}
    for commit in log.split("\0")[1:]:
        name, *files = (line for line in commit.split("\n") if line)
        for file in files:
            changes.setdefault(file, Counter())[name] += 1
    return {file: sorted(counted, key=lambda name: (-counted[name], name)) for file, counted in changes.items()}
