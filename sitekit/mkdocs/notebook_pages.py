"""An executed notebook becomes Markdown in one step, and the site's own pipeline renders it like any other page.

mkdocs-jupyter makes pages of notebooks, and asks nbconvert for their HTML. nbconvert escapes Markdown that a template
writes, and adds Jupyter's style; so mkdocs-jupyter is made to ask this module instead.
"""

from html import escape
from pathlib import Path
from typing import Any

import nbformat
from mkdocs_jupyter import convert
from nbformat import NotebookNode

from ..markdown.fence import output_html
from ..markdown.page import current


def take_over() -> None:
    """Let mkdocs-jupyter ask here for what a notebook looks like on its page."""
    convert.nb2html = render_notebook


def render_notebook(path: str, **options: Any) -> str:
    """The notebook, which has been executed already, as Markdown with its outputs as HTML."""
    name = Path(path).name
    return "\n\n".join(render_cell(cell, name) for cell in nbformat.read(path, as_version=4).cells)


def render_cell(cell: NotebookNode, name: str) -> str:
    if cell.cell_type == "markdown":
        return str(cell.source)
    language = current.get().language.code
    outputs = (f'<div class="output" data-search-exclude>{output_html(out, language)}</div>' for out in cell.outputs)
    return "\n\n".join([render_code(cell, name), *outputs])


def render_code(cell: NotebookNode, name: str) -> str:
    """The code in a fence; of the set-up, which is the package's code once more, its first line and where it is."""
    if "setup" not in cell.metadata.get("tags", []):
        return f"```python\n{cell.source}\n```"
    title = cell.source.partition("\n")[0].removeprefix("# ")
    return f'<p class="setup">{escape(title)} → <a href="{name}" download>{name}</a></p>'
