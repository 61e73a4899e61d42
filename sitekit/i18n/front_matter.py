"""The front matter of a translated page: where its text comes from, and what its sections were accepted against."""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*(?:\n|\Z)", re.M | re.S)
ORIGINS = ("human", "machine-reviewed", "machine")
OURS = ("origin", "accepted", "accepted_by", "sections")
KNOWN = ("title", "description", "hide", "stage", "translate", *OURS)
# MkDocs takes such lines for a front matter, even without dashes.
UNFENCED = re.compile(r"\ufeff? {0,3}[\w-]+:", re.A)
MARKUP = re.compile(r"[<>\"\x00-\x08\x0b-\x1f\x7f-\x9f]|&#?\w+;")  # the theme prints values as they are


@dataclass(frozen=True)
class Fault:
    """What is wrong with a front matter: in which line, what was expected, what was found."""

    line: int
    expected: str
    found: str


@dataclass
class Meta:
    """The values of a front matter that has been read, and its faults."""

    values: dict[str, Any] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    @property
    def sections(self) -> dict[str, str]:
        """The accepted hash of each section, by its id; none where the front matter does not give a mapping."""
        listed = self.values.get("sections")
        return {str(name): str(value) for name, value in listed.items()} if isinstance(listed, dict) else {}

    @property
    def origin(self) -> str:
        return str(self.values.get("origin", ""))


def split(text: str) -> tuple[str, str]:
    """The front matter with its two lines of dashes (empty where there is none), and the rest of the page."""
    match = FRONT_MATTER.match(text)
    return (match[0], text[match.end() :]) if match else ("", text)


def read(text: str) -> Meta:
    """Read the front matter of a page; what is broken becomes a fault, never an exception."""
    match = FRONT_MATTER.match(text)
    if not match:
        closed = Fault(1, "a line of three dashes that ends the front matter", "none up to the end of the file")
        fenced = Fault(1, "text, or a front matter between two lines of three dashes", text.partition("\n")[0][:80])
        return Meta(faults=[closed] if re.match(r"---[ \t]*\n", text) else [fenced] if UNFENCED.match(text) else [])
    if wrong := parsing_fault(match["yaml"]):
        return Meta(faults=[wrong])
    values = yaml.safe_load(match["yaml"]) or {}
    if not isinstance(values, dict):
        return Meta(faults=[Fault(2, "lines of the form `name: value`", repr(values))])
    return Meta(values, [*faults(values, match[0]), *(replace(one, line=one.line + 1) for one in plain(match["yaml"]))])


def parsing_fault(text: str) -> Fault | None:
    """Why the text between the dashes cannot be read, if so."""
    try:
        for token in yaml.scan(text, yaml.SafeLoader):
            if isinstance(token, yaml.AliasToken | yaml.AnchorToken | yaml.DocumentEndToken | yaml.TagToken):
                found = text[token.start_mark.index : token.end_mark.index]
                return Fault(token.start_mark.line + 2, "names and values without &, * or ! before them", found)
        yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date such as 2026-13-01
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        return Fault(mark.line + 2 if mark else 1, "front matter that is valid YAML", str(problem))
    return None


def plain(text: str) -> Iterator[Fault]:
    """Names that YAML gives twice, and values that are no plain text, with their lines in the YAML."""
    yield from plain_nodes(yaml.compose(text, yaml.SafeLoader))


def plain_nodes(node: yaml.Node | None) -> Iterator[Fault]:
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if lines.setdefault(str(key.value), line) != line:
                yield Fault(line, f"{key.value} once", "it once more")
            yield from (*plain_nodes(key), *plain_nodes(value))
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from plain_nodes(each)
    elif isinstance(node, yaml.ScalarNode) and MARKUP.search(node.value):
        yield Fault(node.start_mark.line + 1, 'plain text without <, >, " and &…;', node.value[:80])


def faults(values: dict[str, Any], head: str) -> list[Fault]:
    """What our own entries get wrong."""

    def line(name: str) -> int:
        return next((n for n, each in enumerate(head.split("\n"), 1) if each.startswith(f"{name}:")), 1)

    wrong = [Fault(line(str(name)), f"only {', '.join(KNOWN)}", f"{name}:") for name in values if name not in KNOWN]
    if values.get("origin", "human") not in ORIGINS:
        wrong.append(Fault(line("origin"), f"origin: one of {', '.join(ORIGINS)}", repr(values["origin"])))
    if not isinstance(values.get("accepted", datetime.date.min), datetime.date):
        wrong.append(Fault(line("accepted"), "accepted: a date such as 2026-01-31", repr(values["accepted"])))
    if not isinstance(values.get("sections", {}), dict):
        wrong.append(
            Fault(line("sections"), "sections: one line `id: hash` for each section", repr(values["sections"]))
        )
    return wrong


def write(text: str, values: dict[str, Any]) -> str:
    """The page with our entries replaced by these; all other lines of the front matter stay as somebody wrote them."""
    head, body = split(text)
    kept: list[str] = []
    ours = False
    for line in head.split("\n")[1:-2]:
        if re.match(r"\S", line):
            ours = line.partition(":")[0] in OURS
        if not ours:
            kept.append(line)
    added = {name: values[name] for name in OURS if name in values}
    lines = [*kept, yaml.safe_dump(added, sort_keys=False, allow_unicode=True).rstrip()] if added else kept
    return "---\n" + "\n".join(lines) + "\n---\n" + (body if head else "\n" + body)
