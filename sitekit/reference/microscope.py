"""The microscope's place on its page; its scripts fill it, and without them it names where to read on."""

from collections.abc import Mapping

TABS = {"micro-scope": "without_scripts", "next-word": "next_without_scripts"}
CHAPTERS = {"heads": "multi-head", "apple": "apple-again", "pipeline": "pipeline"}


def render(words: Mapping[str, str]) -> str:
    """Both tabs as HTML in one line; the words name the chapters as links."""
    links = {name: f'<a href="../{slug}/">{words["link_" + name]}</a>' for name, slug in CHAPTERS.items()}
    tabs = "".join(
        f'<{tag} class="scope hand"><p>{words[text].format(**links)}</p></{tag}>' for tag, text in TABS.items()
    )
    return f"<div><scope-tabs>{tabs}</scope-tabs></div>"
