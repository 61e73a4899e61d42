"""Where things are in the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LABELS = DOCS / "labels"
SNIPPETS = ROOT / "snippets"
PACKAGE = SNIPPETS / "attention"
KIT = SNIPPETS / "lessonkit"
LESSONS = SNIPPETS / "lessons"
CACHE = ROOT / ".cache"
NODE_MODULES = ROOT / "node_modules"
