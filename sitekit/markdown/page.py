"""The page that is being rendered: Markdown extensions ask here for its language and for the line to blame."""

import re
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from ..languages import Language
from ..paths import ROOT

FENCE = re.compile(
    r"^(?P<indent> *)(?P<ticks>`{3,})cell(?P<options>[^\n]*)\n(?P<body>.*?)^ *(?P=ticks) *$", re.M | re.S
)

GENERATED = re.compile(r"^```generated[^\n]*\n(?P<body>.*?)^``` *$", re.M | re.S)


@dataclass(frozen=True)
class Page:
    """One page in one language."""

    path: Path
    language: Language

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT)) if self.path.is_relative_to(ROOT) else str(self.path)

    def where(self, needle: str) -> str:
        """`file:line` of the first place that holds this text, for an error message."""
        text = self.path.read_text("utf-8") if self.path.exists() else ""
        position = text.find(needle)
        return f"{self.name}:{text.count(chr(10), 0, position) + 1}" if position >= 0 else self.name


current: ContextVar[Page] = ContextVar("current page")
