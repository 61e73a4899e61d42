"""Open a language: its entry in docs/languages.yml and its folder; pages fall back to the source until translated."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from .report import UsageError
from .site import Site, among

NEXT = """\
{code} is open. Every page shows the {source} text under a notice until docs/{code}/ has it. What is next:
1. docs/languages.yml: translate the entry {code}: (copied from {model}); `name` is the language's name for itself.
2. docs/glossary.yml: add `{code}: …` to each concept and to `means`; terms marked `keep: true` have it already.
3. docs/reference.yml: the words of the generated pages, under `{code}:`; until then they are those of {model}.
4. docs/labels/{code}/: the texts of tables and figures, a file for each lesson; until then they are English.
5. python -m sitekit.i18n new index.md --lang {code}
"""


def theme() -> Path:
    """The theme's templates: they know which languages it speaks and can search."""
    spec = find_spec("material")
    if spec is None or not spec.submodule_search_locations:
        raise UsageError("mkdocs-material is not installed: run `make setup`")
    return Path(next(iter(spec.submodule_search_locations))) / "templates"


def open_language(site: Site, code: str, name: str = "") -> str:
    """Add the language and say what to do next."""
    spoken = sorted(path.stem for path in (theme() / "partials" / "languages").glob("*.html"))
    if code in site.languages:
        raise UsageError(f"{code} is open already; languages are {', '.join(site.languages)}")
    if code not in spoken:
        raise UsageError(f"the theme speaks no {code!r}; it speaks {among(code, spoken)}")
    model = "en" if "en" in site.languages else site.source
    path = site.docs / "languages.yml"
    path.write_text(path.read_text("utf-8").rstrip() + "\n" + entry(path, code, name, model), "utf-8")
    keep_terms(site.docs / "glossary.yml", code, site.source)
    (site.docs / code).mkdir(exist_ok=True)
    return NEXT.format(code=code, source=site.languages[site.source].name, model=model)


def entry(path: Path, code: str, name: str, model: str) -> str:
    """The model language's entry under the new code, complete no longer."""
    values: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))[model]
    values = {**values, "name": name or code, "search": [code if searchable(code) else "en"]}
    values.pop("complete", None)
    return str(yaml.safe_dump({code: values}, sort_keys=False, allow_unicode=True, width=1000))


def searchable(code: str) -> bool:
    """Whether the theme's search has a stemmer for it."""
    return bool(list((theme() / "assets" / "javascripts" / "lunr" / "min").glob(f"lunr.{code}.min.js")))


def keep_terms(path: Path, code: str, source: str) -> None:
    """Give the new language the terms that stay as they are everywhere."""
    if path.exists():
        text = path.read_text("utf-8")
        path.write_text(
            re.sub(rf"(\{{{source}: (?P<term>[^,]+),)(?=.*\bkeep: true)", rf"\1 {code}: \g<term>,", text), "utf-8"
        )
