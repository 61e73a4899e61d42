"""What several test folders share: the built site, and the facts of each lesson."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.costs import Costs
from tests.preloaded import run_apart

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # processes share the cores; threads of each would wait for others


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--chapter", default="", help="the chapter that tests/chapter looks at")
    parser.addoption("--keep-costs", action="store_true", help="keep what the tests cost in docs/tests.json")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(config), "costs")


Figure = tuple[str, str, str]
FIGURES: list[Figure] = []


def figure(name: str, measured: str, asked: str) -> None:
    """Note a figure for the table at the end of the test log."""
    FIGURES.append((name, measured, asked))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where several processes share the tests, each hands its figures over at its end ..."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["figures"] = FIGURES


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """... to the one that prints them."""
    FIGURES.extend(tuple(figure) for figure in getattr(node, "workeroutput", {}).get("figures", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not FIGURES:
        return
    terminalreporter.section("figures")
    for name, measured, asked in [("figure", "measured", "asked"), *FIGURES]:
        terminalreporter.line(f"{name:44} {measured:>24}   {asked}")


@cache
def lesson(slug: str) -> dict[str, Any]:
    """Run a lesson as a plain script, its parts one after the other, and return everything it defined."""
    from sitekit.lessons import files  # late: processes that start from this one may have a sitekit of their own

    script = files.lesson_script(slug)
    defined: dict[str, Any] = {}
    for part in files.parts(script):
        exec(compile(part.read_text("utf-8"), str(part), "exec"), defined)
    advice = "end it with a cell `# %% facts` that puts what it has computed into a dict `facts`"
    assert isinstance(defined.get("facts"), dict), f"{script.relative_to(ROOT)} defines no facts: {advice}"
    return defined


@pytest.fixture(scope="session", name="facts")
def facts_of() -> Callable[[str], dict[str, Any]]:
    return lambda slug: lesson(slug)["facts"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, for tests of the browser wait more than they compute; memory is for four."""
    return min(4, (os.cpu_count() or 1) + 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest file comes first, and has the site built; meanwhile come those that do not wait for it."""
    waiting = {item.path for item in items if "built" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: (item.path.name != "test_every_page.py", item.path in waiting))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The few journeys share one browser; with all tests of the browser, its files are shared out."""
    if "not thorough" not in config.getoption("-m"):
        return None
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "tests/browser" if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)

    return OneBrowser(config, log)


def sampled(values: Iterable[str], *sample: str) -> list[Any]:
    """Parameters of which make test takes the sample alone, and make test-rest the others."""
    return [value if value in sample else pytest.param(value, marks=pytest.mark.thorough) for value in values]


def environment(root: Path) -> dict[str, str]:
    """Of a build: it imports the package and sitekit from the repository that it builds."""
    return {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": os.pathsep.join([str(root), str(root / "snippets")])}


def build(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the site of a repository as `make site` does, and keep what it prints."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", *options]
    env = os.environ | environment(root)
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, encoding="utf-8", timeout=300)


def build_small(root: Path) -> subprocess.CompletedProcess[str]:
    """The same, sooner, for one of many small sites."""
    return run_apart(_build, cwd=root, env=environment(root))


def _build() -> None:
    from mkdocs.__main__ import cli

    cli(["build", "--strict"], prog_name="mkdocs")


@dataclass
class Built:
    """A finished build: where it is, what it printed, and the lessons that were not executed before it."""

    folder: Path
    log: str
    unknown: list[str]

    def pages(self) -> list[Path]:
        return sorted(self.folder.rglob("*.html"))


def report(config: pytest.Config, message: str) -> None:
    """Say what takes long while it goes on; pytest keeps what tests print."""
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"tests: {message}", file=sys.stderr, flush=True)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str, pytestconfig: pytest.Config) -> Built:
    """The whole site, built once for all tests, by whichever process needs it first."""
    from filelock import FileLock  # these two are not in the environments of the oracles, where nothing is built

    from sitekit.lessons import execute, files

    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "built"
    site, about = folder / "site", folder / "about.json"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not about.exists():
            unknown = [script.stem for script in files.lesson_scripts() if not execute.place(script).exists()]
            report(pytestconfig, f"building the site once for all tests, {len(unknown)} lessons to execute ...")
            done = build(ROOT, "--site-dir", str(site))
            report(pytestconfig, "the site is built" if done.returncode == 0 else "the site cannot be built")
            about.write_text(json.dumps([done.returncode, done.stdout + done.stderr, unknown]), "utf-8")
    status, log, unknown = json.loads(about.read_text("utf-8"))
    assert status == 0, log  # a build that failed is not tried again
    return Built(site, log, unknown)


def configured_markdown(notebooks: dict[str, Any]) -> Any:
    """Markdown with the extensions of the site and these lessons. MkDocs is not there: it alone looks at links."""
    from markdown import Markdown
    from mkdocs.config import load_config

    from sitekit.build import build_from
    from sitekit.lessons.cells import Lessons
    from sitekit.lessons.source import read_modules
    from sitekit.mkdocs.settings import configure_markdown

    config = load_config(str(ROOT / "mkdocs.yml"))
    configure_markdown(config, build_from(Lessons(notebooks, read_modules())))
    return Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs)


TINY_LESSON = """\
# %% setup
from lessonkit import Table

# %% table
Table([[0.25, 0.75]], "weights", percent=True)
"""

TINY_PAGE = """\
# One { #one }

Text, $a^2$, and [a link](two.md#second).

```cell
tiny.table
```
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return make_tiny(tmp_path)


PROJECT = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-CC-BY", "vendor")  # what the wheel is made from


def make_tiny(tmp_path: Path) -> Path:
    """A repository like this one with one lesson and two pages a language, to break in one place at a time."""
    parts = (
        "sitekit",
        "snippets/attention",
        "snippets/lessonkit",
        "docs/languages.yml",
        "docs/glossary.yml",
        "mkdocs.yml",
    )
    for name in (*parts, *PROJECT):
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules", target_is_directory=True)
    (tmp_path / "snippets" / "lessons").mkdir()
    (tmp_path / "snippets" / "lessons" / "tiny.py").write_text(TINY_LESSON, "utf-8")
    for language in ("zh", "en"):
        (tmp_path / "docs" / language).mkdir()
        (tmp_path / "docs" / language / "index.md").write_text(TINY_PAGE, "utf-8")
        (tmp_path / "docs" / language / "two.md").write_text(
            "# Two { #two }\n\n## Second { #second }\n\nText.\n", "utf-8"
        )
    settings, rest = (tmp_path / "mkdocs.yml").read_text("utf-8").split("\nnav:\n")
    rest = rest[rest.index("\nplugins:") :]
    (tmp_path / "mkdocs.yml").write_text(f"{settings}\nnav: [index.md, two.md]\n{rest}", "utf-8")
    return tmp_path
