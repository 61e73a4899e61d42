"""What a page may hold in any language: text, as the Markdown of our pages makes it, and nothing that acts.

nh3, a sanitizer, is the judge: it is given the page as it is rendered, and what it would remove is refused. It never
mends anything. What our own code makes (cells, figures, formulas) comes after the judgement.
"""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser

import nh3


def named(text: str) -> frozenset[str]:
    return frozenset(text.split())


TAGS = named("""
    a abbr blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr kbd li ol p pre s samp section small span
    strong sub summary sup table tbody td tfoot th thead tr ul var
""")
ATTRIBUTES = {
    "*": {"id", "class", "title", "lang", "dir"},
    "a": {"href"},
    "details": {"open"},
    "ol": {"start"},
    "td": {"style"},
    "th": {"style"},
}
CLASSES = named("""
    abstract admonition admonition-title arithmatex bug danger deeper example failure footnote footnote-backref
    footnote-ref guess headerlink highlight info md-button md-button--primary note question quote success tip warning
    role query key value scores weights output take-along
""")
MAY_STAND_OPEN = {"br", "dd", "dt", "hr", "li", "p", "tbody", "td", "tfoot", "th", "thead", "tr"}
SCHEMES = {"https", "mailto"}
TOKEN = re.compile(r"[a-z][a-z0-9]{0,2}")  # how Pygments names the colours of code
ID = re.compile(r"[a-z0-9][\w.:-]*", re.A)  # nothing that the theme or a script of ours looks for
ALIGNED = re.compile(r"text-align: (?:left|center|right);")
RULE = (
    "text: the Markdown of our pages, id, class (ours), title, lang, and links to https:, mailto: or a page of the site"
)


def permitted(tag: str, name: str, value: str) -> str | None:
    """The attribute's value, or None where it may not stand."""
    if name == "class":
        colours = tag == "span"
        fine = all(word in CLASSES or (colours and TOKEN.fullmatch(word)) for word in value.split())
    elif name == "id":
        fine = bool(ID.fullmatch(value))
    elif name == "href":
        fine = not re.match(r"\s*[/\\]{2}", value) and not re.search(r"[\x00-\x20\\]", value)
    elif name == "style":
        fine = bool(ALIGNED.fullmatch(value))
    else:
        fine = True
    return value if fine else None


CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    attributes=ATTRIBUTES,
    attribute_filter=permitted,
    url_schemes=SCHEMES,
    strip_comments=False,
    link_rel=None,
)


class Parts(HTMLParser):
    """The start tags of a page with their attributes, its comments, and its text without white space."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, list[tuple[str, str]]]] = []
        self.ends: list[str] = []
        self.comments: list[str] = []
        self.others: list[str] = []  # declarations and instructions to a processor
        self.pieces: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, sorted((name, value or "") for name, value in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.ends.append(tag)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        self.others.append(f"<![{data}]>")

    def handle_pi(self, data: str) -> None:
        self.others.append(f"<?{data}>")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", "", "".join(self.pieces))


def removed(html: str) -> list[str]:
    """What nh3 takes out of the HTML, in order.

    Python's parser reads the HTML before and after. Whatever one of the two parsers sees and the other does not is
    a difference as well: of tags, of comments or of text.
    """
    before, after = Parts(html), Parts(CLEANER.clean(html))
    losses = [*removed_tags(before, after), *before.others, *unbalanced(before)]
    if not losses and (before.comments, before.text) != (after.comments, after.text):
        losses = [f"HTML that two parsers read differently, near {difference(before.text, after.text)!r}"]
    return losses


def removed_tags(before: Parts, after: Parts) -> Iterator[str]:
    """What the start tags have lost. Browsers may add some of their own, say a <tbody>."""
    kept = Counter((tag, tuple(attributes)) for tag, attributes in after.tags)
    for tag, attributes in before.tags:
        if kept[tag, tuple(attributes)]:
            kept[tag, tuple(attributes)] -= 1
        elif tag not in TAGS:
            yield f"<{tag}>"
        else:
            yield from lost_attributes(tag, attributes)


def unbalanced(parts: Parts) -> Iterator[str]:
    """Tags that end what the page has not begun, or go on behind its end."""
    begun, ended = Counter(tag for tag, _ in parts.tags), Counter(parts.ends)
    for tag in sorted((begun.keys() | ended.keys()) - MAY_STAND_OPEN):
        if begun[tag] != ended[tag] and (tag in TAGS or not begun[tag]):
            yield f"{begun[tag]} <{tag}> and {ended[tag]} </{tag}>"


def lost_attributes(tag: str, attributes: list[tuple[str, str]]) -> list[str]:
    """Which attributes the judge takes from this tag; where it takes none, the tag is in a wrong place."""
    alone = Parts(CLEANER.clean(f"<{tag} {' '.join(f'{name}="{escape(value)}"' for name, value in attributes)}>"))
    kept = alone.tags[-1][1] if alone.tags else []
    lost = [shown(tag, name, value) for n, (name, value) in enumerate(attributes) if attributes[n] not in kept]
    twice = [shown(tag, *pair) for n, pair in enumerate(attributes) if pair[0] in dict(attributes[:n])]
    return list(dict.fromkeys([*lost, *twice])) or [f"<{tag}> in a place where browsers do not keep it"]


def shown(tag: str, name: str, value: str) -> str:
    return f'{name}="{value if len(value) < 80 else value[:79] + "…"}" of <{tag}>'


def difference(before: str, after: str) -> str:
    """The text around the first place where the two are not the same."""
    place = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    return before[max(0, place - 10) : place + 30]
