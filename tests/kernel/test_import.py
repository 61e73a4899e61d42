"""What the import says where it cannot work: on an old Python, and beside another distribution of the same name."""

import ast
import runpy
import sys
from pathlib import Path

import pytest

import attention
from attention.import_name import check_origin, warn_of_foreign_file

INIT = Path(str(attention.__file__))


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 11, 9)], ids=str)
def test_an_old_python_is_told_so_in_one_line(version: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(
        ImportError, match=rf"^attention needs Python 3\.12 or newer, this is {version[0]}\.{version[1]}"
    ):
        runpy.run_path(str(INIT))


def test_an_old_python_can_read_as_far_as_that() -> None:
    first, _, check = ast.parse(INIT.read_text("ascii")).body[:3]
    assert isinstance(first, ast.Expr)
    assert isinstance(check, ast.If)
    assert not [node for node in ast.walk(ast.parse(INIT.read_text("ascii"))) if isinstance(node, ast.JoinedStr)]


def test_a_module_of_the_other_distribution_in_our_folder_is_named(tmp_path: Path) -> None:
    warn_of_foreign_file(str(tmp_path))  # any warning is an error
    (tmp_path / "attention.py").touch()
    with pytest.warns(RuntimeWarning, match=rf"{tmp_path}/attention\.py belongs to the distribution called attention"):
        warn_of_foreign_file(str(tmp_path))


def test_the_command_refuses_to_run_under_the_other_distribution() -> None:
    check_origin(vars(attention))
    with pytest.raises(SystemExit, match=r"^attention: elsewhere/__init__\.py belongs to another distribution"):
        check_origin({"__file__": "elsewhere/__init__.py", "Attention": object()})


def test_this_package_has_no_module_that_the_other_distribution_has() -> None:
    assert not (INIT.parent / "attention.py").exists()
    assert {"sys", "warn_of_foreign_file"}.isdisjoint(vars(attention))
