"""What search engines and previews of links are told of a page."""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page as MkDocsPage

from ..chapters import number_of
from ..markdown.katex import spell_formulas

PARAGRAPH = re.compile(r"<p>(?P<text>.*?)</p>", re.S)
ASIDE = re.compile(r"<(aside|blockquote)\b.*?</\1>", re.S)
TAG = re.compile(r"<[^>]+>")
LONGEST = 160  # what a page of results has room for
LICENCE = "https://creativecommons.org/licenses/by/4.0/"


def describe(content: str) -> str:
    """The first paragraph of a rendered page as plain text, cut after its last sentence that fits."""
    match = PARAGRAPH.search(spell_formulas(ASIDE.sub("", content)))
    text = " ".join(unescape(TAG.sub("", match["text"])).split()) if match else ""
    if len(text) <= LONGEST:
        return text
    sentences = [end.end() for end in re.finditer(r"[。！？]|[.!?](?= )", text[:LONGEST])]
    return text[: sentences[-1]] if sentences else text[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def fill(content: str, page: MkDocsPage, config: MkDocsConfig) -> None:
    """Give the page its description, a notebook the address of its chapter, and a chapter its structured data."""
    uri = page.file.src_uri
    if uri.endswith(".ipynb"):
        page.canonical_url = f"{config.site_url}{Path(uri).stem}/"
        return
    description = page.meta.setdefault("description", describe(content) or config.site_description or "")
    if number_of(uri) is not None:
        page.meta["structured_data"] = learning_resource(page, config, description)
    page.meta["description"] = escape(description)  # the theme prints it as it is


def learning_resource(page: MkDocsPage, config: MkDocsConfig, description: str) -> dict[str, Any]:
    """A chapter in the words of schema.org."""
    return {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "name": page.title,
        "description": description,
        "url": page.canonical_url,
        "inLanguage": config.extra["language"].code,
        "learningResourceType": "chapter",
        "isAccessibleForFree": True,
        "license": LICENCE,
        "isPartOf": {"@type": "WebSite", "name": config.site_name, "url": config.site_url},
    }
