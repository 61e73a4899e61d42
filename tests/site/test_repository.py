"""What the repository promises to those who install it, publish it or copy from it."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from sitekit.environments import index_of_pip
from tests.conftest import ROOT

TRACKED = [
    ROOT / name
    for name in subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True
    ).splitlines()
    if (ROOT / name).is_file()
]


def test_the_wheel_holds_the_package_alone(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
        "-w",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(command, check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"attention"}
    assert "attention/py.typed" in names
    assert not [name for name in names if name.endswith((".pyc", ".ipynb"))]


def test_numpy_is_all_that_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [re.match(r"[\w-]+", name)[0] for name in project["dependencies"]] == ["numpy"]


# file: the groups of pyproject.toml in it, and more packages than this
LOCKS = {
    "requirements-uv.txt": (["installer"], 0),
    "requirements.txt": (["site", "test"], 50),
    "requirements-weights.txt": (["weights"], 4),
}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    blocks = re.split(r"\n(?=\S)", text.strip())
    assert len(blocks) > LOCKS[lock][1]
    for block in blocks:
        assert re.match(r"[\w.-]+==[\w.]+", block), block
        assert "--hash=sha256:" in block, block
    assert "://" not in text
    assert "resolved" not in (ROOT / "package-lock.json").read_text("utf-8")


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_covers_what_the_project_asks_for(lock: str) -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / lock).read_text("utf-8"), re.M))
    required = {re.match(r"[\w.-]+", name)[0] for group in LOCKS[lock][0] for name in groups[group]}
    assert required <= locked


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 11, 9)], ids=str)
def test_an_old_python_is_told_what_to_type(version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(
        SystemExit, match=r"this is \d\.\d+\.\d+ \(.*\); name another: make setup PYTHON=python3\.12, or"
    ):
        runpy.run_path(str(ROOT / "sitekit/setup.py"))


def test_an_old_python_can_read_the_set_up_as_far_as_that() -> None:
    nodes = [*ast.walk(ast.parse((ROOT / "sitekit/setup.py").read_text("ascii")))]
    newer = (ast.JoinedStr, ast.AnnAssign, ast.FunctionDef, ast.NamedExpr, ast.Match, ast.Starred, ast.With)
    assert not [node for node in nodes if isinstance(node, newer)]


def test_nobody_is_told_to_install_the_other_distribution_called_attention() -> None:
    for path in TRACKED:
        if path.suffix in (".md", ".py", ".toml", ".yml", ".yaml", ".html", ".js") or path.name == "Makefile":
            assert not re.search(r"pip install( -\S+)* ['\"]?attention(?![-\w])", path.read_text("utf-8")), path


def test_both_readmes_warn_of_the_import_name() -> None:
    for name in ("README.md", "README.zh.md"):
        text = (ROOT / name).read_text("utf-8")
        assert "attention-executed" in text
        assert "PyPI" in text


def test_the_set_up_fetches_from_where_pip_would(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = http://127.0.0.1/mirror\n", "utf-8")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    assert index_of_pip(Path(sys.executable).parent) == ["--default-index", "http://127.0.0.1/mirror"]
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1/of-the-moment")
    assert index_of_pip(Path(sys.executable).parent) == ["--default-index", "http://127.0.0.1/of-the-moment"]


@pytest.mark.parametrize("file", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.stem)
def test_what_the_hosted_tests_use_is_pinned(file: Path) -> None:
    uses = re.findall(r"uses: (\S+)", file.read_text("utf-8"))
    assert bool(uses) == (file.parent.name in ("workflows", "set-up"))
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}|\$/\.github/[\w/.-]+", action) for action in uses)


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_ask_for_little(workflow: Path) -> None:
    assert yaml.safe_load(workflow.read_text("utf-8"))["permissions"] in ({}, {"contents": "read"})


def test_workflows_pass_the_linter() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    done = subprocess.run([zizmor, "--offline", "--no-progress", ".github"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
