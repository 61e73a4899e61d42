"""The package as a wheel for the browser, with what lessons show with: the same bytes from the same source."""

import tempfile
import tomllib
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder
from hatchling.plugin.manager import PluginManager

from ..paths import KIT, ROOT

WEIGHTS = "*.npz"  # recorded arrays and trained weights, ten times the code; no lesson reads one


def name() -> str:
    """Return the wheel's file name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return f"{project['name'].replace('-', '_')}-{project['version']}-py3-none-any.whl"


def build() -> tuple[str, bytes]:
    """Return the wheel's file name and content."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    target = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    target["packages"].append(KIT.relative_to(ROOT).as_posix())
    target["exclude"] = [WEIGHTS]
    with tempfile.TemporaryDirectory() as folder:
        builder = WheelBuilder(str(ROOT), plugin_manager=PluginManager(), config=project)
        path = Path(next(iter(builder.build(directory=folder, versions=["standard"]))))
        return path.name, path.read_bytes()
