"""The house itself: the rooms of sitekit and who imports whom, read from the imports whenever a page shows them."""

import ast
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from ..languages import Language
from ..paths import ROOT, SNIPPETS

SITEKIT = ROOT / "sitekit"
NEIGHBOURS = ("attention", "lessonkit")  # packages beside sitekit that its rooms import
BOX_WIDTH, BOX_HEIGHT, STEP, REACH = 130, 32, 52, 34  # of the picture, in pixels
Graph = dict[str, set[str]]


def render(language: Language, words: Mapping[str, str]) -> str:
    """The picture of the rooms, then what each is for, from the top floor down."""
    graph = room_imports()
    if missing := sorted(graph.keys() - words.keys()):
        raise LookupError(f"docs/reference.yml has no words in {language.code} for {', '.join(missing)} of sitekit")
    lines = [f"| {words['room']} | {words['purpose']} | {words['imports']} |", "|---|---|---|"]
    for room in bottom_last(graph):
        imports = ", ".join(f"`{other}`" for other in sorted(graph[room])) or "—"
        lines.append(f"| **{room}** | {words[room]} | {imports} |")
    return (
        picture({room: imports for room, imports in graph.items() if is_room(room)}, words) + "\n\n" + "\n".join(lines)
    )


def room_imports() -> Graph:
    """Each room of sitekit, and each module beside the rooms, with those that it imports."""
    graph: Graph = {}
    for path in sorted(SITEKIT.rglob("*.py")):
        if here := room_of(module_name(path)):
            graph.setdefault(here, set()).update(filter(None, map(room_of, imported_modules(path))))
    for name in NEIGHBOURS:
        paths = sorted((SNIPPETS / name).rglob("*.py"))
        graph[name] = {room_of(module) for path in paths for module in imported_modules(path)} & {*NEIGHBOURS}
    return {room: imports - {room} for room, imports in graph.items()}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SNIPPETS if path.is_relative_to(SNIPPETS) else ROOT).with_suffix("").parts)


def imported_modules(path: Path) -> Iterator[str]:
    """The dotted names that a module imports; `from package import name` may name a module or what is in it."""
    package = module_name(path).split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str:
    """The room of a module: a folder of sitekit, a module beside the folders, or a package beside sitekit."""
    first, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    if first in NEIGHBOURS:
        return first
    known = (SITEKIT / name).is_dir() or ((SITEKIT / f"{name}.py").exists() and name != "__init__")
    return name if first == "sitekit" and name and known else ""


def is_room(name: str) -> bool:
    """Whether the picture shows it: every folder, the packages beside them, and the build that is handed on."""
    return (SITEKIT / name).is_dir() or name in (*NEIGHBOURS, "build")


def bottom_last(graph: Graph) -> list[str]:
    """The rooms from the top down: each stands above all that it imports. A circle is an error."""
    height: dict[str, int] = {}

    def measure(room: str, above: tuple[str, ...]) -> int:
        if room in above:
            raise LookupError(f"{' → '.join([*above[above.index(room) :], room])}: rooms import each other in a circle")
        if room not in height:
            others = sorted(graph[room] & graph.keys())
            height[room] = 1 + max((measure(other, (*above, room)) for other in others), default=-1)
        return height[room]

    return sorted(graph, key=lambda room: (-measure(room, ()), room))


def picture(graph: Graph, words: Mapping[str, str]) -> str:
    """The rooms one below the other, and an arc for each that imports another."""
    rooms = bottom_last(graph)
    arrows = [(a, b) for a, room in enumerate(rooms) for b, other in enumerate(rooms) if other in graph[room]]
    width, height = BOX_WIDTH + 2 + REACH * (len(rooms) - 1), STEP * len(rooms)
    shapes = "".join(box(row, name) for row, name in enumerate(rooms)) + "".join(arc(*pair) for pair in arrows)
    alt = escape("; ".join(f"{rooms[a]} → {rooms[b]}" for a, b in arrows))
    svg = (
        f'<svg class="flow" role="img" aria-label="{alt}" viewBox="0 0 {width} {height}" width="{width}">{shapes}</svg>'
    )
    caption = escape(words["caption"])
    scroll = f'<div class="scroll" role="group" tabindex="0" aria-label="{caption}">{svg}</div>'
    return f'<figure class="picture" data-search-exclude>{scroll}<figcaption>{caption}</figcaption></figure>'


def box(row: int, name: str) -> str:
    y = STEP * row + 1
    frame = f'<rect x="1" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="5" fill="currentColor"'
    text = f'<text x="{1 + BOX_WIDTH / 2:g}" y="{y + 21}" text-anchor="middle">{escape(name)}</text>'
    return f'{frame} fill-opacity=".05" stroke="currentColor"/>{text}'


def arc(start: int, end: int) -> str:
    """An arrow from one box's right side to the side of another below it; the further, the wider."""
    x, y1, y2 = BOX_WIDTH + 3, STEP * start + BOX_HEIGHT / 2 + 4, STEP * end + BOX_HEIGHT / 2 - 4
    reach = x + REACH * (end - start)
    head = f"M{x + 7:g} {y2 - 4:g}L{x:g} {y2:g}L{x + 7:g} {y2 + 4:g}"
    curve = f"M{x:g} {y1:g}C{reach:g} {y1:g} {reach:g} {y2:g} {x:g} {y2:g}{head}"
    return f'<path d="{curve}" fill="none" stroke="currentColor" stroke-opacity=".55"/>'
