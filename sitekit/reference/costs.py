"""What the tests cost, as `make test` wrote it into docs/tests.json: a table for the contributors' page."""

import json
from collections.abc import Mapping

from ..paths import DOCS


def render(words: Mapping[str, str]) -> str:
    """One row a folder, then the sum; what belongs to no test has no count."""
    report = json.loads((DOCS / "tests.json").read_text("utf-8"))
    rows = [(f"`{row['folder']}`" if row["tests"] else words["loading"], row) for row in report["folders"]]
    tests, seconds = (sum(row[column] for row in report["folders"]) for column in ("tests", "seconds"))
    lines = [f"| {words['folder']} | {words['tests']} | {words['seconds']} |", "|---|---:|---:|"]
    lines += [f"| {name} | {row['tests'] or ''} | {row['seconds']:.1f} |" for name, row in rows]
    lines += [f"| {words['all']} | {tests} | {seconds:.1f} |", "", words["wall"].format(report["wall"])]
    return "\n".join(lines)
