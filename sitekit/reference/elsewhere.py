"""The page of the same call in other libraries, from what tests/oracles has measured."""

import json
import re
from typing import Any

from ..paths import LESSONS

Terms = dict[str, Any]
Row = dict[str, Any]
CONVENTIONS = ("mask_true_means", "causal_alignment", "default_scale", "empty_row", "hidden_nan")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def rows() -> list[Row]:
    """Ours first."""
    return list(json.loads((LESSONS / "data" / "elsewhere.json").read_text("utf-8"))["rows"])


def table(terms: Terms) -> str:
    """One line for each library; what differs from ours is bold."""
    ours, *others = rows()
    lines = [line([terms["library"], *(terms[name] for name in CONVENTIONS), terms["equal_within"]]), "|---" * 7 + "|"]
    lines.append(line([say(ours["name"], terms), *(say(ours[name], terms) for name in CONVENTIONS), "0"]))
    for row in others:
        cells = [f"**{say(row[n], terms)}**" if differs(row, ours, n) else say(row[n], terms) for n in CONVENTIONS]
        lines.append(line([f"[{breakable(row['name'])}](#{anchor(row)})", *cells, off(row, terms)]))
    return "\n".join(lines)


def libraries(terms: Terms) -> str:
    """Library by library."""
    ours, *others = rows()
    return "\n\n".join(section(row, ours, terms) for row in others)


def section(row: Row, ours: Row, terms: Terms) -> str:
    """One library: both calls, what differs, and the small print."""
    colon, comma = terms["colon"], terms["comma"]
    call = row["call"] or row["causal_call"]
    code = f"```python\n# {terms['theirs']}\n{call}\n\n# {terms['ours']}\n{row['ours']}\n```"
    odd = [
        f"{terms[n]}{colon}{say(row[n], terms)}{terms['than_ours'].format(say(ours[n], terms))}"
        for n in CONVENTIONS
        if differs(row, ours, n)
    ]
    listed = [f"- {terms['differs']}{colon}{comma.join(odd) or terms['nothing']}"]
    listed += [f"- {terms[n]}{colon}`({axes(row[n], terms)})`" for n in ("layout", "mask_layout") if row[n]]
    if row["causal_call"] and row["call"]:
        listed.append(f"- {terms['causal_call']}{colon}`{row['causal_call']}`")
    if row["version"]:
        listed.append(f"- {terms['version']}{colon}{row['version']}")
    listed.append(f"- {terms['equal_within']}{colon}{off(row, terms)}")
    listed.append(f"- [{terms['documentation']}]({row['docs']})")
    parts = [f"### {escape_name(row['name'])} {{ #{anchor(row)} }}", code, "\n".join(listed)]
    if row["equal_within"] is None:
        parts.insert(1, terms["not_run_why"])
    return "\n\n".join(parts)


def differs(row: Row, ours: Row, name: str) -> bool:
    return row[name] is not None and row[name] != ours[name]


def say(value: str | None, terms: Terms) -> str:
    """A measured convention in the page's language."""
    return "—" if value is None else str(terms["values"].get(value, value))


def axes(layout: str, terms: Terms) -> str:
    """A layout with each of its words in the page's language."""
    return re.sub(r"[a-z]+(?!\w|_)", lambda word: str(terms["values"].get(word[0], word[0])), layout)


def off(row: Row, terms: Terms) -> str:
    """The measured bound, as a power of ten."""
    if row["equal_within"] is None:
        return str(terms["not_run"])
    factor, _, power = f"{row['equal_within']:.0e}".partition("e")
    return (f"{factor} × " if factor != "1" else "") + "10" + str(int(power)).translate(SUPERSCRIPTS)


def escape_name(name: str) -> str:
    return name.replace("_", r"\_")


def breakable(name: str) -> str:
    """A long dotted name that may be broken where it has dots and underscores, so that the table fits."""
    return re.sub(r"([._]+)", r"<wbr>\1", name).replace("_", r"\_")


def anchor(row: Row) -> str:
    return re.sub(r"[^\w.]+", "-", row["name"]).strip("-")


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
