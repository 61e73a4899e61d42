"""What `make serve` shows after an edit: every build reads anew, and nothing that a file said is remembered."""

import ast
from pathlib import Path

from tests.conftest import ROOT, environment
from tests.preloaded import run_apart

FENCE = "\n```cell\nattention.causal_mask\n```\n"


def _build_twice(root: Path) -> None:
    """Two builds in one process, as `make serve` does them, with edits between."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    build(load_config(str(root / "mkdocs.yml"), site_dir=str(root / "first")))
    for name, text, replacement in (
        ("docs/languages.yml", "output: 输出", "output: 结果标签"),
        ("docs/zh/index.md", "$a^2$", "$q^2$"),
        ("snippets/lessons/tiny.py", "[0.25, 0.75]", "[0.875, 0.125]"),
        ("snippets/attention/masks.py", "def causal_mask(", "def causal_mask(  # edited\n    "),
    ):
        content = (root / name).read_text("utf-8")
        assert text in content, name
        (root / name).write_text(content.replace(text, replacement), "utf-8")
    build(load_config(str(root / "mkdocs.yml"), site_dir=str(root / "second")))


def test_the_next_build_shows_what_has_been_edited(tiny: Path) -> None:
    page = tiny / "docs" / "zh" / "index.md"
    page.write_text(page.read_text("utf-8") + FENCE, "utf-8")
    done = run_apart(_build_twice, tiny, cwd=tiny, env=environment(tiny))
    assert done.returncode == 0, done.stdout
    first, second = ((tiny / name / "index.html").read_text("utf-8") for name in ("first", "second"))
    for fresh in ("结果标签", "<mi>q</mi>", "87.5", "# edited"):
        assert fresh not in first
        assert fresh in second
    assert "<mi>a</mi>" not in second


PROCESS_WIDE = {
    "renderer",
    "libraries",
    "autocorrect",
    "available",
}  # a process of Node, what is installed, a library, a font


def test_a_cache_is_keyed_by_all_that_its_function_reads() -> None:
    """A cached function without arguments answers for ever with what a file said at the first call."""
    names = set()
    for path in (ROOT / "sitekit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.args.args:
                names |= {node.name for decorator in node.decorator_list if "cache" in ast.unparse(decorator)}
    assert names == PROCESS_WIDE
