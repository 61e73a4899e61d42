"""Where lessons are: a script each, or a folder of numbered parts, and the labels of each language."""

from pathlib import Path

from ..paths import LABELS, LESSONS


def lesson_scripts(folder: Path | None = None) -> list[Path]:
    """Every lesson: a script, or a folder of numbered parts that follow one another in one kernel."""
    folder = folder or LESSONS
    return sorted([*folder.glob("*.py"), *{part.parent for part in folder.glob("*/[0-9]-*.py")}])


def lesson_script(name: str) -> Path:
    """The lesson of this name."""
    return LESSONS / name if (LESSONS / name).is_dir() else LESSONS / f"{name}.py"


def parts(script: Path) -> list[Path]:
    """The files of a lesson, in the order in which they run."""
    return sorted(script.glob("[0-9]-*.py")) if script.is_dir() else [script]


def slug(script: Path) -> str:
    """The lesson's name: snippets/lessons/by-hand.py teaches `by-hand`, and so does a folder of this name."""
    return script.stem


def label_files(script: Path) -> list[Path]:
    """The labels of a lesson, a file for each language."""
    return sorted(LABELS.glob(f"*/{slug(script)}.yml"))


def lesson_of(path: Path) -> str | None:
    """The name of the lesson that a file is, is a part of, or has the labels of."""
    if path.parent.parent == LABELS and path.suffix == ".yml":
        return path.stem
    return next((slug(script) for script in lesson_scripts() if path in parts(script)), None)
