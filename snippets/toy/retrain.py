"""Train both variants of the toy again and compare: `make toy-model`, or `python -m toy` with snippets on the path."""

import argparse
import multiprocessing
import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from attention.models.toy import Toy

from . import release
from .corpus import build
from .train import STEPS, train


def one(variant: str, folder: Path, steps: int) -> dict[str, Any]:
    """Train one variant, write its weights into a folder, and return its log."""
    corpus = build()
    trained = train(corpus, causal=release.VARIANTS[variant], steps=steps, report=partial(told, variant))
    file = release.weight_file(variant, folder)
    release.save(trained.model, file)
    return release.log_of(corpus, trained, file)


def told(variant: str, step: int, loss: float, held_out: float) -> None:
    """Say how far a training is."""
    print(f"{variant}  step {step:5}   training loss {loss:.3f}   validation loss {held_out:.3f}", flush=True)


def both(folder: Path, steps: int) -> dict[str, Any]:
    """Train both variants side by side, each on one core; numbers do not depend on how many cores there are."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by the two processes that are started anew
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        logs = pool.map(partial(one, folder=folder, steps=steps), release.VARIANTS)
        return dict(zip(release.VARIANTS, logs, strict=True))


def main(arguments: list[str] | None = None) -> int:
    """Train, compare, and return 0 where the result is as good as the committed one; with --write, replace that."""
    reads = argparse.ArgumentParser(prog="python -m toy", description=__doc__)
    reads.add_argument(
        "--write", action="store_true", help="put the new weights and log in place of the committed ones"
    )
    reads.add_argument("--steps", type=int, default=STEPS, help=f"{STEPS} where left out")
    asked = reads.parse_args(arguments)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = release.WEIGHTS if asked.write else Path(temporary)
        log = both(folder, asked.steps)
        held = release.claims(*(Toy.load(release.weight_file(variant, folder)) for variant in release.VARIANTS))
    if asked.write:
        release.write_log(log)
    against = release.verdict(log, release.read_log(), held)
    print(*(f"{'holds' if holds else 'FAILS'}: {claim}" for claim, holds in held.items()), sep="\n")
    as_good = f"as good as the committed one: claims hold, validation losses within {release.CLOSE}"
    if all(log[variant]["sha256"] == release.read_log()[variant]["sha256"] for variant in log):
        as_good = "the committed weights to the last bit, and all claims hold"
    print(f"{time.monotonic() - start:.0f} s;", "; ".join(against) or as_good)
    return 1 if against else 0
