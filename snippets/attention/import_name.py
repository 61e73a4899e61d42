"""The import name: a distribution on PyPI, called attention, installs its files into a folder `attention` as well."""

import warnings
from pathlib import Path

FOREIGN = "attention.py"  # that distribution's module; this package has none of that name
WAY = "pip uninstall attention, then install attention-executed again"


def warn_of_foreign_file(folder: str) -> None:
    """Warn in one line where the folder of this package holds the other distribution's module.

    >>> warn_of_foreign_file(str(Path(__file__).parent))
    """
    if (file := Path(folder, FOREIGN)).exists():
        message = f"{file} belongs to the distribution called attention, which has the same import name: {WAY}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)


def check_origin(names: dict[str, object]) -> None:
    """Refuse, by these names of a package called attention, to go on if they are another distribution's.

    >>> check_origin({"__file__": "lib/attention/__init__.py"})
    Traceback (most recent call last):
        ...
    SystemExit: attention: lib/attention/__init__.py belongs to another distribution, which has the same import name: \
pip uninstall attention, then install attention-executed again
    """
    if "merge_blocks" not in names:
        where = names.get("__file__")
        raise SystemExit(f"attention: {where} belongs to another distribution, which has the same import name: {WAY}")
