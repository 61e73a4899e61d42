"""The `cell` fence of a page: shows a cell's code, what it put out, or both."""

from functools import cache, partial
from html import escape
from typing import Any

from markdown import Markdown
from nbformat import NotebookNode
from pymdownx.highlight import Highlight
from pymdownx.superfences import SuperFencesException

from ..languages import chosen
from ..lessons.cells import Lessons
from ..live import figures
from ..live.lessons import runnable
from .page import FENCE, Page, current

SHOW = ("both", "code", "output")
BY_LANGUAGE = "application/vnd.attention.html+json"
ON_A_PHONE = 36  # letters of a line
SVG_BY_LANGUAGE = "application/vnd.attention.svg+json"
TEXT_BY_LANGUAGE = "application/vnd.attention.text+json"


class FenceError(SuperFencesException):
    """A `cell` fence cannot be shown; superfences swallows every exception of another class."""


def cell_fence(lessons: Lessons) -> dict[str, Any]:
    """What pymdownx.superfences must know of the fence."""
    return {"name": "cell", "class": "cell", "validator": validator, "format": partial(formatter, lessons)}


def validator(
    language: str, inputs: dict[str, str], options: dict[str, Any], attrs: dict[str, str], md: Markdown
) -> bool:
    """Take any option; the formatter judges them, since it knows which fence of the page it has."""
    options["options"] = dict(inputs)
    inputs.clear()
    return True


def formatter(
    lessons: Lessons,
    source: str,
    language: str,
    class_name: str,
    options: dict[str, Any],
    md: Markdown,
    **kwargs: Any,
) -> str:
    page, reference = current.get(), source.strip()
    try:
        return render_fence(reference, options["options"], page, lessons)
    except Exception as error:
        where = page.where(fence_text(page.path.read_text("utf-8"), source))
        raise FenceError(f"{where}: cell {reference!r}: {error}") from error


def render_fence(reference: str, options: dict[str, str], page: Page, lessons: Lessons) -> str:
    """What the page shows for one fence."""
    language = page.language
    show = check_options(options)
    cell = lessons.find(reference)
    if show == "output" and not cell.outputs:
        raise ValueError("it puts nothing out")
    code = "" if show == "output" else highlighted(cell.source) + tools(reference, page)
    drawn = any(figures.FIGURE in out.get("data", {}) for out in cell.outputs)  # no run may put a table in its place
    runs = " data-run" if runnable(*reference.split(".", 1)) and not drawn else ""
    outputs = "" if show == "code" else "".join(output_html(out, language.code) for out in cell.outputs)
    label = f'role="group" aria-label="{language.labels["output"]}"'
    group = f'<div class="output" {label}>{outputs}</div>' if outputs else ""
    # a section, because none is inside: Material's index takes up again after the first end tag of the same name
    return f'<section class="cell" data-cell="{escape(reference)}"{runs} data-search-exclude>{code}{group}</section>'


def check_options(options: dict[str, str]) -> str:
    """What of the cell is to be shown; a `ValueError` names any other option or value."""
    if others := options.keys() - {"show"}:
        raise ValueError(f"unknown option {', '.join(sorted(others))}; the only option is show")
    show = options.get("show", "both")
    if show not in SHOW:
        raise ValueError(f"show is {show!r}; it must be one of {', '.join(SHOW)}")
    return show


def tools(reference: str, page: Page) -> str:
    """What can be done with the code; without JavaScript the script is there to download."""
    labels, up = page.language.labels, "" if page.path.stem == "index" else "../"
    link = f'<a class="take" href="{up}{script_path(reference)}" download>{labels["script_copy"]}</a>'
    messages = f'data-done="{labels["script_copied"]}" data-own="{labels["script_own"]}"'
    return f'<div class="tools">{link}<span role="status" {messages}></span></div>'


def script_path(reference: str) -> str:
    """Where a language's part of the site keeps the script of `lesson.cell`."""
    return f"scripts/{reference.replace('.', '/')}.py"


@cache
def highlighted(code: str) -> str:
    """The code in colours; every language shows the same."""
    return str(Highlight(Markdown()).highlight(code, "python", "highlight"))


def fence_text(text: str, body: str) -> str:
    """The fence as it stands in the page, to find its line."""
    return next((match[0] for match in FENCE.finditer(text) if match["body"].strip() == body.strip()), body)


def output_html(out: NotebookNode, language: str) -> str:
    """One output in the page's language: a table or a picture, else text."""
    if out.output_type == "stream":
        return printed(out.text.rstrip())
    if figures.FIGURE in out.data:
        return figures.render(out.data[figures.FIGURE], language)
    if BY_LANGUAGE in out.data:
        return str(chosen(out.data[BY_LANGUAGE], language))
    if "text/html" in out.data:
        return str(out.data["text/html"])
    if "image/svg+xml" in out.data:  # of a notebook
        label = escape(out.data["text/plain"].partition(":")[0])
        box = f'<div class="scroll" role="group" tabindex="0" aria-label="{label}">{out.data["image/svg+xml"]}</div>'
        return f'<figure class="picture">{box}</figure>'
    return printed(out.data["text/plain"])


def printed(text: str) -> str:
    """Text that a cell puts out; what is too wide for a phone can be scrolled from the keyboard, too."""
    reach = ' tabindex="0"' if max(map(len, text.split("\n"))) > ON_A_PHONE else ""
    return f"<pre{reach}><samp>{escape(text)}</samp></pre>"
