"""Begin the translation of a page: headings, ids, cells and links are ready, the source text is in comments."""

import re
from collections.abc import Iterator

from . import front_matter, structure
from .front_matter import ORIGINS, OURS
from .report import UsageError
from .repository import TO_DO
from .sections import FENCED, HEADING
from .site import Site, save

KEPT = (HEADING, structure.BLOCK, re.compile(r"^ *\$\$"), re.compile(r"^ *\|"))


def begin(site: Site, page: str, language: str, origin: str = ORIGINS[0]) -> str:
    """Write the skeleton of a page and return its name."""
    source, target = site.path(page, site.source), site.path(page, language)
    if not source.exists():
        raise UsageError(f"there is no source page docs/{site.source}/{page}")
    if target.exists():
        look = f"python -m sitekit.i18n diff {page} --lang {language}"
        raise UsageError(f"docs/{language}/{page} exists already; what is behind: {look}")
    head, body = front_matter.split(site.text(source))
    lines = [line for line in head.split("\n")[1:-2] if line.partition(":")[0] not in (*OURS, "translate")]
    start = "---\n" + "".join(f"{line}\n" for line in lines) + "---\n"
    save(
        target, front_matter.write(start + "\n" + "\n\n".join(blocks(body)) + "\n", {"origin": origin, "sections": {}})
    )
    return site.name(target)


def blocks(body: str) -> Iterator[str]:
    """Block by block: what stays is kept, what is to be translated becomes a comment and its links."""
    position = 0
    for fence in FENCED.finditer(body):
        yield from paragraphs(body[position : fence.start()])
        yield fence[0]
        position = fence.end()
    yield from paragraphs(body[position:])


def paragraphs(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text):
        if block.strip("\n"):
            first, _, rest = block.strip("\n").partition("\n")
            if structure.BLOCK.match(first) and rest:
                yield first + "\n" + to_do(rest)
            else:
                yield block.strip("\n") if any(kept.match(first) for kept in KEPT) else to_do(block.strip("\n"))


def to_do(block: str) -> str:
    """The source in a comment, and under it the links that its translation needs."""
    indent = re.match(r" *", block)[0]  # type: ignore[index]
    targets = " ".join(f"[]({target})" for target, _ in structure.links(block))
    comment = f"{indent}{TO_DO}\n{block}\n{indent}-->"
    return f"{comment}\n{indent}{targets}" if targets else comment
