"""What the benchmark found, as facts and as a Markdown table."""

import math
import statistics
from typing import Any

OURS = "tiled_attention"
Rows = list[dict[str, Any]]
COLUMNS = {"ms": ".1f", "ratio": ".2f", "to_first_mode": ".2f", "peak_mib": ".0f", "gflops": ".0f", "difference": ".1g"}


def facts(rows: Rows) -> dict[str, float]:
    """What the rows of `tiled_attention` say about how its time grows with the window on."""
    window = [row for row in rows if row["name"] == OURS and "window" in row["mode"] and row["n"] >= 1024]
    if len(window) < 2:
        return {}
    logs = [[math.log(row[key]) for row in window] for key in ("n", "ms")]
    return {"window: time grows as n to the power of": statistics.linear_regression(*logs).slope}


def show(report: dict[str, Any]) -> None:
    """Print the report as Markdown."""
    print(
        f"{report['machine']}; {report['cores']} cores; one large float32 product: {report['sgemm_gflops']:.0f} GFLOP/s"
    )
    print(", ".join(f"{name} {version}" for name, version in report["versions"].items()))
    print(f"\n| mode | n | name | {' | '.join(COLUMNS)} |\n|{'---|' * (3 + len(COLUMNS))}")
    for row in report["rows"]:
        cells = (format(row[column], form) for column, form in COLUMNS.items())
        print(f"| {row['mode']} | {row['n']} | {row['name']} | {' | '.join(cells)} |")
    print(*(f"\n- {what}: {value:.2f}" for what, value in report["facts"].items()), sep="")
    print(*(f"\n- not measured: {what}" for what in report["left_out"]), sep="")
