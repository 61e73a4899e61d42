"""Programs in fences: the same in every language, but for their comments."""

import re
from collections.abc import Iterator

from .sections import COMMENT, FENCED, line_of

# A string may hold what begins a comment elsewhere.
STRING = r"(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
HASH = re.compile(rf"{STRING}|(?<!\S)#[^\n]*")
SLASHES = re.compile(rf"{STRING}|//[^\n]*|/\*.*?\*/", re.S)
COMMENTS = {
    **dict.fromkeys(("python", "py", "pycon", "sh", "bash", "shell", "console", "yaml", "yml", "toml", "ini"), HASH),
    **dict.fromkeys(("js", "javascript", "ts", "typescript", "json", "c", "cpp", "css"), SLASHES),
    **dict.fromkeys(("html", "xml"), COMMENT),
}


def programs(text: str) -> Iterator[tuple[str, int]]:
    """The lines of fences in a known language, without comments and the fence's indentation, and where they stand."""
    for match in FENCED.finditer(text):
        first, *body = match[0].split("\n")[:-1]
        language = re.match(r"[\s`~{.]*([\w-]*)", first)[1]  # type: ignore[index]
        if language in COMMENTS and "generated" not in first:
            code = without_comments("\n".join(body), COMMENTS[language])
            for number, line in enumerate(code.split("\n"), line_of(text, match.start()) + 1):
                if line.strip():
                    yield line.removeprefix(match["indent"]).rstrip(), number


def without_comments(code: str, comment: re.Pattern[str]) -> str:
    """The code with its comments blanked; strings are kept."""
    return comment.sub(
        lambda match: match[0] if match.groupdict().get("string") else re.sub(r"[^\n]", " ", match[0]), code
    )
