"""The YAML files of docs/, each parsed once for as long as its text is the same."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml


def read_list(path: Path) -> dict[str, Any]:
    return dict(parse(path.read_text("utf-8")))


@lru_cache(maxsize=4)
def parse(text: str) -> dict[str, Any]:
    return dict(yaml.safe_load(text))
