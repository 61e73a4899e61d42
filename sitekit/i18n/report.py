"""What a check has found, in words for people and as JSON for machines."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

ERROR, NOTE = "error", "note"


class UsageError(Exception):
    """The command line asks for something that cannot be done; the message says what and why."""


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it should be: where, which rule, what was expected and what was found.

    An error fails the check; a note does not: a section that fell behind must never block a change to the source.
    """

    file: str
    line: int
    section: str
    rule: str
    expected: str
    found: str
    weight: str = ERROR

    def __str__(self) -> str:
        section = f" section #{self.section}:" if self.section else ""
        note = " (note)" if self.weight == NOTE else ""
        return (
            f"{self.file}:{self.line}:{section} [{self.rule}]{note}\n"
            f"    expected: {self.expected}\n    found:    {self.found}"
        )


def describe_findings(findings: Iterable[Finding], *, notes: bool = True) -> str:
    """The findings, with or without notes, and a last line that counts them, for people."""
    listed = list(findings)
    errors = sum(finding.weight == ERROR for finding in listed)
    lines = [str(finding) for finding in listed if notes or finding.weight == ERROR]
    others = len(listed) - errors
    hint = " (see them: --notes)" if others and not notes else ""
    return "\n".join([*lines, f"errors: {errors}, notes: {others}{hint}"])


def as_json(findings: Iterable[Finding]) -> str:
    return json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=1)


def join_items(items: Iterable[object], nothing: str = "nothing") -> str:
    """A list for a message."""
    return ", ".join(str(item) for item in items) or nothing
