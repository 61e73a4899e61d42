"""LICENSES.txt: whose each file of the site is, on what terms, and the notices that those terms ask for.

Every file of a built site belongs to a part that is listed here; a test finds files that belong to none.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from ..paths import NODE_MODULES, ROOT

NAME = "LICENSES.txt"
APACHE = "apache-2.0.txt"
TEXTS = ROOT / "vendor" / "notices"


class NoticeError(Exception):
    """A notice is missing where a part of the site asks for it."""


@dataclass(frozen=True)
class Part:
    """Something the site serves: the files it is in, its terms in short, and where their texts are."""

    name: str
    terms: str
    files: tuple[str, ...]  # patterns of paths below the site's root; `*` crosses folders
    texts: tuple[str | Path, ...] = ()  # a name in TEXTS, or a path


def material(name: str) -> Path:
    """A file of the installed theme."""
    theme = find_spec("material")
    folder = Path(str(theme and theme.origin)).parent
    if name == "LICENSE":
        return folder.with_name(f"mkdocs_material-{version('mkdocs-material')}.dist-info") / "licenses" / name
    return folder / "templates" / name


SEARCH = ("*assets/javascripts/workers/search.*.js",)
BUNDLE = ("*assets/javascripts/bundle.*.js",)
SHEET = ("*assets/stylesheets/theme.*.css",)
THEME = ("*.html", *BUNDLE, *SEARCH, *SHEET, "*assets/images/favicon.png")
PYODIDE = ("assets/run/pyodide-*/pyodide*",)
PYTHON = ("assets/run/pyodide-*/pyodide.asm.wasm", "assets/run/pyodide-*/python_stdlib.zip")
WASM = ("assets/run/pyodide-*/pyodide.asm.*",)
ERRORS = ("assets/run/pyodide-*/pyodide.js",)


def all_parts() -> list[Part]:
    katex, purify = NODE_MODULES / "katex" / "LICENSE", NODE_MODULES / "dompurify"
    mpl = purify / "LICENSE-MPL"
    return [
        Part("This site: code", "MIT", OURS, (ROOT / "LICENSE",)),
        Part("This site: text", "CC BY 4.0", ("*.html", "*.ipynb", "*search_index.*"), (ROOT / "LICENSE-CC-BY",)),
        Part("KaTeX: formulas", "MIT", ("*.html",), (katex,)),
        Part(
            "Latin Modern Math, cut down to the signs in use", "GUST Font License", FORMULAS, ("latinmodern-math.txt",)
        ),
        Part("Material for MkDocs", "MIT", THEME, (material("LICENSE"),)),
        Part(
            "Material Design Icons, on pages", "Apache 2.0", ("*.html",), (material(".icons/material/LICENSE"), APACHE)
        ),
        Part("Material's palette", "MIT", SHEET, ("material-design-color.txt",)),
        Part("RxJS, in Material's scripts", "Apache 2.0", (*BUNDLE, *SEARCH), ("rxjs.txt",)),
        Part("clipboard.js, in Material's script", "MIT", BUNDLE, ("clipboard.txt",)),
        Part("escape-html, in Material's script", "MIT", BUNDLE, ("escape-html.txt",)),
        Part("focus-visible, in Material's script", "W3C", BUNDLE, ("focus-visible.txt",)),
        Part("tslib, in Material's script", "0BSD", BUNDLE, ("tslib.txt",)),
        Part("Lunr, in the search", "MIT", SEARCH, ("lunr.txt",)),
        Part("Lunr Languages, in the search", "MPL 1.1", ("*javascripts/lunr/min/lunr.*.js",), ("lunr-languages.txt",)),
        Part("iframe-worker, in the zip of the site", "MIT", ZIPPED, (NODE_MODULES / "iframe-worker" / "LICENSE",)),
        Part("DOMPurify, source: https://github.com/cure53/DOMPurify", "MPL 2.0", PURIFY, (mpl,)),
        Part("Babel's helpers, in DOMPurify", "MIT", PURIFY, ("babel.txt",)),
        Part("Pyodide, source: https://github.com/pyodide/pyodide", "MPL 2.0", PYODIDE, (mpl,)),
        Part("stackframe, in Pyodide", "MIT", ERRORS, ("stackframe.txt",)),
        Part("error-stack-parser, in Pyodide", "MIT", ERRORS, ("error-stack-parser.txt",)),
        Part("Emscripten, in Pyodide", "MIT", WASM, ("emscripten.txt",)),
        Part("musl, in Pyodide", "MIT", WASM, ("musl.txt",)),
        Part("zlib, in Pyodide", "zlib", WASM, ("zlib.txt",)),
        Part("bzip2, in Pyodide", "bzip2", WASM, ("bzip2.txt",)),
        Part("libffi, in Pyodide", "MIT", WASM, ("libffi.txt",)),
        Part("CPython and its standard library, in Pyodide", "PSF 2 and others", PYTHON, ("cpython.txt",)),
        Part(
            "NumPy and what is in it",
            "BSD 3-Clause and others",
            ("*/numpy-*.whl",),
            ("numpy-2.0.2.txt", "numpy-parts.txt"),
        ),
        Part("multilingual-e5-small and its word pieces", "MIT", ("assets/models/e5/*",), ("e5.txt",)),
        Part("SmolLM2 and its word pieces", "Apache 2.0", ("assets/models/smollm2/*",), ("smollm2.txt", APACHE)),
        Part("Recorded answers of MiniLM, e5, SmolLM2, GPT-2", "Apache 2.0, MIT", RECORDED, ("recordings.txt", APACHE)),
    ]


OURS = (
    "*.html",
    "*assets/favicon.svg",
    "*assets/heads/*.f16",
    "*assets/offline/offline.js",
    "*assets/run/attention_executed-*.whl",
    "*assets/run/figures/*",
    "*assets/run/*.css",
    "*assets/run/grids.js",
    "*assets/run/lab.js",
    "*assets/run/lessons/*.json",
    "*assets/run/microscope*",
    "*assets/run/run.js",
    "*assets/run/cells.js",
    "*assets/run/sitekit/*.py",
    "*assets/run/worker.js",
    "*assets/stylesheets/theme.*.css",
    "*assets/site.js",
    "*notebooks/*.ipynb",
    "*scripts/*.py",
    "*search/search_index.js*",
    "assets/models/toy/*",
    "service-worker.js",
)
FORMULAS = ("*assets/fonts/formula.*.woff2",)
PURIFY = ("assets/run/purify.js",)
ZIPPED = ("*attention-site.zip", "assets/offline/iframe-worker.js")
RECORDED = ("assets/heads/*", "assets/run/attention_executed-*.whl")
LISTS = (NAME, "_headers", "robots.txt", "*sitemap.xml", "*sitemap.xml.gz")  # say what else is there


def unowned(paths: Iterable[str]) -> list[str]:
    """The files that no part here is in."""
    patterns = [pattern for part in all_parts() for pattern in part.files] + list(LISTS)
    return sorted(path for path in paths if not any(fnmatchcase(path, pattern) for pattern in patterns))


def served(paths: Iterable[str]) -> list[Part]:
    """The parts that at least one of these files holds."""
    known = list(paths)
    return [part for part in all_parts() if any(fnmatchcase(path, pattern) for pattern in part.files for path in known)]


def write(site: Path) -> None:
    """Write the notices of everything that the site, or its zip, holds."""
    paths = [path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()]
    (site / NAME).write_text("\n".join(lines([*paths, *ZIPPED])), "utf-8")


def lines(paths: Iterable[str]) -> Iterator[str]:
    """A list of the parts, then each text once, under the names of the parts that it is the notice of."""
    parts = served(paths)
    yield "What this site and its zip hold, on what terms, and the notices that belong to it\n"
    yield from (f"{part.name}: {part.terms}\n    {', '.join(part.files)}" for part in parts)
    names: dict[Path, list[str]] = {}
    for part in parts:
        for text in part.texts:
            names.setdefault(TEXTS / text, []).append(part.name)
    for path, of in names.items():
        yield f"\n{'=' * 100}\n{'; '.join(of)}\n{'=' * 100}\n\n{read(path)}"


def read(path: Path) -> str:
    if not path.is_file():
        raise NoticeError(f"{NAME}: {path.name} is missing; the set-up fetches what belongs to packages: make setup")
    return path.read_text("utf-8").strip("\n") + "\n"
