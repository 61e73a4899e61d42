"""Run the tests of every day, `python -m tests`; one part, `python -m tests i18n`; or the rest, `--rest`.

A part is kernel, models, lessons, i18n, site, browser, or one chapter: lessons/by-hand. Other options go to pytest.
"""

import os
import subprocess
import sys
from pathlib import Path

from sitekit.lessons.files import lesson_scripts
from tests.browser.chromium import chromium

ROOT = Path(__file__).resolve().parents[1]
PARTS = {
    "kernel": ["tests/kernel", "snippets/attention", "snippets/lessonkit"],
    "models": ["tests/models", "snippets/toy"],
    "lessons": ["tests/lessons"],
    "i18n": ["tests/i18n"],
    "site": ["tests/site"],
    "browser": ["tests/browser"],
}
CHAPTER = "lessons/"
LONG = ("", "kernel", "site", "browser")  # worth several processes
SHARED = ["--numprocesses=auto", "--maxprocesses=4", "--dist=loadfile", "--no-loadscope-reorder"]
DAILY, REST = ["-m", "not thorough"], ["-m", "thorough"]


def select(part: str) -> list[str]:
    """Return pytest's arguments for a part; without a name, for all parts."""
    if part.startswith(CHAPTER):
        slug = part.removeprefix(CHAPTER)
        known = [script.stem for script in lesson_scripts()]
        if slug not in known:
            sys.exit(f"tests: there is no lesson {slug!r}; lessons are {', '.join(known)}")
        return [f"tests/lessons/test_{slug.replace('-', '_')}.py", "tests/chapter", f"--chapter={slug}"]
    if part and part not in PARTS:
        sys.exit(f"tests: there is no part {part!r}; parts are {', '.join(PARTS)}, or a chapter: {CHAPTER}by-hand")
    return PARTS[part] if part else []


def find_browser(part: str) -> str:
    """Look for a Chromium, or fetch one, before the tests start; return why there is none.

    All but the browser's tests run without one, except where these alone are asked for, and on a build server.
    """
    try:
        print(f"tests: the browser is {chromium()}", flush=True)
    except FileNotFoundError as missing:
        if part or os.environ.get("CI"):
            sys.exit(f"tests: {missing}")
        return f"tests: the browser's tests are left out: {missing}"
    return ""


def main(arguments: list[str]) -> int:
    """Run what the command line names and return pytest's exit status."""
    marks = REST if "--rest" in arguments else DAILY
    options = [argument for argument in arguments if argument != "--rest"]
    part = options.pop(0) if options and not options[0].startswith("-") else ""
    selected = select(part)
    missing = find_browser(part) if part in ("", "browser") else ""
    if missing:
        print(missing, flush=True)
        selected = [f"--ignore={path}" for path in PARTS["browser"]]
    keep = ["--keep-costs"] if marks == DAILY and not part and not selected else []
    workers = SHARED if part in LONG else []
    print(f"tests: {part or 'every part'}, {'the rest' if marks == REST else 'what is for every day'} ...", flush=True)
    # The test processes compile a module once for all of them.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "pytest", *selected, *workers, *marks, *keep, *options]
    status = subprocess.run(command, cwd=ROOT, env=env, check=False).returncode
    if missing:
        print(missing)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
