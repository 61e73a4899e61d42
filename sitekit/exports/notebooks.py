"""Make one executed, self-contained notebook of each chapter in each language, from its page and its lesson."""

import ast
import re
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from ..languages import Language, chosen
from ..lessons import source
from ..lessons.cells import PACKAGE, Lessons
from ..lessons.execute import KERNEL
from ..live.figures import FIGURE
from ..markdown.fence import BY_LANGUAGE, SVG_BY_LANGUAGE, TEXT_BY_LANGUAGE
from ..markdown.han import join
from ..markdown.page import FENCE, GENERATED
from ..paths import CACHE
from ..store import write_whole
from .packed import from_package, package_imports, recordings_read, settle

TITLE = r'(?: "(?P<title>(?:\\.|[^"\\])*)")?'
ADMONITION = re.compile(
    rf"^(?:!!!|\?\?\?\+?) (?P<kind>\w+){TITLE}\n(?P<body>(?:(?: {{4}}.*)?(?:\n|\Z))+?)(?=^\S|\Z)", re.M
)
CONTINUATION = re.compile(r"\A(?:\n* {4}.+(?:\n|\Z))+")  # of an admonition that a cell has interrupted
ATTRIBUTES = re.compile(r"(?<=[\s)])\{:? *[#.][^}\n]*\}")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
LINK = re.compile(r"\]\((?P<page>[\w./-]+)\.md(?P<anchor>#[^)]*)?\)")


KINDS = {"text/html": BY_LANGUAGE, "image/svg+xml": SVG_BY_LANGUAGE, "text/plain": TEXT_BY_LANGUAGE}


def folder(language: Language) -> Path:
    """The folder in which the notebooks of a language are written, beside its pages in docs/<language>."""
    return CACHE / "notebook-pages" / language.code


def write_notebooks(lessons: Lessons, language: Language, site_url: str) -> list[str]:
    """Write the notebook of every page that runs something; return the pages' slugs."""
    target = folder(language) / "notebooks"
    target.mkdir(parents=True, exist_ok=True)
    texts = {}
    for slug in sorted(lessons.notebooks):
        page, its_language = language.find(f"{slug}.md")
        if page.exists():
            texts[slug] = nbformat.writes(notebook(lessons, page, its_language, site_url)) + "\n"
    for old in target.glob("*.ipynb"):
        if old.stem not in texts:
            old.unlink()
    for name, text in texts.items():
        path = target / f"{name}.ipynb"
        if not path.exists() or path.read_text("utf-8") != text:  # an untouched file does not wake the live reload
            write_whole(path, text.encode())
    return list(texts)


def notebook(lessons: Lessons, page: Path, language: Language, site_url: str) -> NotebookNode:
    """Prose and cells in the page's order; cells of the lesson that the page does not show come along where needed.

    A cell of another lesson is a link to its chapter.
    """
    text = FRONT_MATTER.sub("", page.read_text("utf-8"))
    url = f"{site_url}{page.stem}/"
    text = GENERATED.sub(lambda match: f"[{language.labels['on_page']}]({url}#{match['body'].strip()})", text)
    cells: list[NotebookNode] = []
    imports: dict[str, str] = {}
    recordings: set[str] = set()
    labels = {page.stem: lessons.labels(page.stem)} if page.stem in lessons.notebooks else {}
    names: set[str] = set()  # of the lesson's cells that are in the notebook
    position = 0

    def add_prose(chunk: str) -> None:
        if chunk := plain(chunk, url).strip():
            cells.append(new_markdown_cell(chunk))

    for match in FENCE.finditer(text):
        add_prose(text[position : match.start()])
        position = match.end()
        lesson = match["body"].strip().partition(".")[0]
        if lesson not in (page.stem, PACKAGE):  # whose names are not this lesson's
            cells.append(new_markdown_cell(f"[{language.labels['on_page']}]({site_url}{lesson}/)"))
            continue
        for cell in new_cells(lessons, match["body"].strip(), names):
            if cell.cell_type == "code":
                imports |= package_imports(ast.parse(cell.source).body)
                recordings |= recordings_read(cell.source)
                cell = take_home(cell, language)
            cells.append(cell)
    add_prose(text[position:])
    cells = [cell for cell in cells if cell.source]
    if imports:
        first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
        reader = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        reader += f"\n{labels!r}"  # whose keys may name entries of a recording, too
        cells.insert(first, setup_cell(lessons, imports, language, recordings, reader, labels))
    return number_cells(cells)


def new_cells(lessons: Lessons, reference: str, names: set[str]) -> list[NotebookNode]:
    """The cells of the lesson up to the one referred to that have not been taken yet; their names are added."""
    lesson, _, title = reference.partition(".")
    if lesson == PACKAGE:  # to be read; what runs is in the set-up
        return [new_markdown_cell(f"```python\n{lessons.find(reference).source}\n```")]
    result = []
    for cell in lessons.lesson(lesson).cells:
        if cell.metadata.name not in names:
            names.add(cell.metadata.name)
            result.append(cell)
        if cell.metadata.name == title:
            return result
    raise LookupError(f"no cell {reference!r}")


def take_home(cell: NotebookNode, language: Language) -> NotebookNode:
    """The cell without its imports from the package, and with tables in this language only."""
    tree = ast.parse(cell.source).body
    drop = {
        line for node in tree if from_package(node) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    kept = "\n".join(line for number, line in enumerate(cell.source.splitlines(), 1) if number not in drop)
    code = re.sub(r"\n{3,}", "\n\n", kept.strip()) if drop else kept
    outputs = [nbformat.from_dict(dict(out)) for out in cell.outputs]
    for out in outputs:
        out.get("data", {}).pop(FIGURE, None)
        if SVG_BY_LANGUAGE in out.get("data", {}):
            del out.data[BY_LANGUAGE]
        for kind, by_language in KINDS.items():
            if by_language in out.get("data", {}):
                texts = out.data.pop(by_language)
                out.data[kind] = chosen(texts, language.code)
    return new_code_cell(code, outputs=outputs)


def setup_cell(
    lessons: Lessons,
    imports: dict[str, str],
    language: Language,
    recordings: set[str],
    reader: str,
    labels: dict[str, Any],
) -> NotebookNode:
    """The package's functions, recordings and labels that the notebook uses, so that it runs with NumPy alone."""
    definitions = source.standalone(imports, lessons.modules)
    code = f"# {language.labels['setup']}\n" + settle(definitions, language, recordings, reader, labels)
    return new_code_cell(code.strip(), metadata={"tags": ["setup"], "jupyter": {"source_hidden": True}})


def number_cells(cells: list[NotebookNode]) -> NotebookNode:
    """Return a notebook whose ids and counts depend on nothing but the order of its cells."""
    count = 0
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            for out in cell.outputs:
                if out.output_type == "execute_result":
                    out.execution_count = count
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL, "language_info": {"name": "python"}})


def plain(text: str, page_url: str) -> str:
    """The site's Markdown as any notebook shows it: admonitions as quotes, no attributes, links to the site."""
    text = CONTINUATION.sub(lambda match: quoted(match[0]), "\n".join(join(text.splitlines())) + "\n\n")
    text = ATTRIBUTES.sub("", ADMONITION.sub(quote, text))
    text = text.replace("](#", f"]({page_url}#")
    return LINK.sub(lambda m: f"]({urljoin(page_url, '../' + m['page'] + '/')}{m['anchor'] or ''})", text)


def quote(match: re.Match[str]) -> str:
    """An admonition as a quotation under its title."""
    title = (match["title"] or match["kind"].title()).replace('\\"', '"')
    return quoted(f"**{title}**\n\n" + textwrap.dedent(match["body"]))


def quoted(text: str) -> str:
    """A quotation of the text, and of the admonitions inside it."""
    lines = ADMONITION.sub(quote, textwrap.dedent(text)).strip().splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n\n"
