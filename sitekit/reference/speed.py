"""The page on speed: what `make bench` wrote into docs/speed.json, as tables."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from ..paths import DOCS

NO_ROOM = re.compile(r"(.+), (\d+) tokens: too little memory is free")
HELD = "\N{NO-BREAK SPACE}"


def report() -> dict[str, Any]:
    return dict(json.loads((DOCS / "speed.json").read_text("utf-8")))


def render(words: Mapping[str, Any]) -> str:
    """The machine, then for each kind of attention a table of times (as multiples of torch's) and peak memory."""
    measured = report()
    versions = ", ".join(f"{name} {version}" for name, version in measured["versions"].items())
    machine = words["machine"].format(cores=measured["cores"], rate=f"{measured['sgemm_gflops']:.0f}")
    parts = [f"{machine}{versions}{words['stop']}"]
    for mode in dict.fromkeys(row["mode"] for row in measured["rows"]):
        rows = [row for row in measured["rows"] if row["mode"] == mode]
        parts += [f"## {words['modes'][mode]} {{ #{mode.replace(' ', '-')} }}", table(rows, words)]
    parts += [f"- {words['left_out'].format(left_out(what, words))}" for what in measured["left_out"]]
    return "\n\n".join(parts)


def table(rows: list[dict[str, Any]], words: Mapping[str, Any]) -> str:
    """One row a length; in each cell the time as a multiple of torch's, and the memory it took on top."""
    names = list(dict.fromkeys(row["name"] for row in rows))
    titles = [words["names"].get(name, name) for name in names]
    lines = [f"| {words['tokens']} | {' | '.join(titles)} |", f"|---:|{'---:|' * len(names)}"]
    for n in dict.fromkeys(row["n"] for row in rows):
        cells = {row["name"]: cell(row) for row in rows if row["n"] == n}
        lines.append(f"| {n} | {' | '.join(cells.get(name, '—') for name in names)} |")
    return "\n".join(lines)


def left_out(what: str, words: Mapping[str, Any]) -> str:
    """Why something was not measured, in the page's language where it is a lack of memory."""
    match = NO_ROOM.fullmatch(what)
    return str(words["no_room"].format(name=words["names"].get(match[1], match[1]), n=match[2])) if match else what


def cell(row: Mapping[str, Any]) -> str:
    memory = "—" if math.isnan(row["peak_mib"]) else f"{row['peak_mib']:.0f}{HELD}MiB"
    return f"{row['ratio']:.2f}{HELD}×{HELD}· {memory}"
