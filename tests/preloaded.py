"""New processes that have loaded the large libraries already: to load them takes longer than many a task with them."""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.costs import charge

KIND = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
PROCESSES = multiprocessing.get_context(KIND)
PROCESSES.set_forkserver_preload(
    ["mkdocs.__main__", "mkdocs.commands.build", "mkdocs_jupyter.plugin", "pytest", "numpy", "hypothesis"]
)

Work = Callable[..., object]


def run_apart(work: Work, *args: object, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Call a function in a process of its own, as a program is run; PYTHONPATH in `env` says where it imports from."""
    with tempfile.TemporaryDirectory() as folder:
        output, spent = Path(folder) / "output.txt", Path(folder) / "processor-seconds.txt"
        process = PROCESSES.Process(target=_start, args=(work, args, cwd, env, output, spent))
        process.start()
        process.join(300)
        charge(float(spent.read_text("utf-8")) if spent.exists() else 0.0)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"{work.__name__}{args} goes on and on: {output.read_text('utf-8')}")
        return subprocess.CompletedProcess(work.__name__, process.exitcode, output.read_text("utf-8"), "")


def _start(work: Work, args: tuple[object, ...], cwd: Path, env: dict[str, str], output: Path, spent: Path) -> None:
    os.environ.update(env)
    os.chdir(cwd)
    sys.path[:0] = env["PYTHONPATH"].split(os.pathsep)
    with output.open("wb", buffering=0) as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        work(*args)
    finally:
        spent.write_text(str(sum(os.times()[:4])), "utf-8")
