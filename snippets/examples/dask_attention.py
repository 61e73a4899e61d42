"""Attention over keys that live on different machines: each worker attends to its own, then the results merge.

    pip install "attention-executed[dask]"
    python snippets/examples/dask_attention.py

Keys and values never move. Queries travel to every worker, and one `Block` per worker travels back, up a tree. In ring
attention (Liu, Zaharia and Abbeel, "Ring Attention with Blockwise Transformers for Near-Infinite Context", 2023) it is
the other way round: queries stay, and every host passes keys and values on to the next one, (hosts - 1) times. Which
of the two moves less depends on how many queries there are: `traffic` counts both.
"""

from typing import Any, NamedTuple

import numpy as np
from distributed import Client, Future, LocalCluster

from attention import Block, attend_block, attention, causal_mask, merge_blocks

Array = np.ndarray[Any, np.dtype[Any]]


class Part(NamedTuple):
    """Something that a worker holds."""

    worker: str
    future: Future[Any]


class Traffic(NamedTuple):
    """Bytes that one worker receives and sends, and what it would send on a ring."""

    worker: str
    queries_received: int
    block_sent: int
    ring_sent: int


def spread_keys(client: Client, k: Array, v: Array) -> list[Part]:
    """Give every worker an equal run of keys and their values, with the position of the first."""
    workers = sorted(client.scheduler_info(n_workers=-1)["workers"])[: k.shape[-2]]
    runs = np.array_split(np.arange(k.shape[-2]), len(workers))
    parts = []
    for worker, run in zip(workers, runs, strict=True):
        held = (int(run[0]), k[..., run, :], v[..., run, :])
        (future,) = client.scatter([held], workers=[worker], hash=False)
        parts.append(Part(worker, future))
    return parts


def attend(client: Client, q: Array, keys: list[Part], *, causal_over: int | None = None) -> list[Part]:
    """Let every worker attend to the keys it holds; causally, if told how many keys there are in all."""
    queries = client.scatter(q, broadcast=True, hash=False)
    return [
        Part(worker, client.submit(attend_here, queries, held, causal_over, workers=[worker], pure=False))
        for worker, held in keys
    ]


def attend_here(q: Array, held: tuple[int, Array, Array], causal_over: int | None) -> Block:
    """Run `attend_block` on a worker, with the part of the causal mask that lies over its keys."""
    first, k, v = held
    mask = None if causal_over is None else causal_mask(q.shape[-2], causal_over)[:, first : first + k.shape[-2]]
    return attend_block(q, k, v, mask=mask)


def merge(client: Client, blocks: list[Part]) -> Part:
    """Merge neighbours, then neighbours of those, and so on: each worker but the first sends its block once."""
    while len(blocks) > 1:
        pairs = zip(blocks[::2], blocks[1::2], strict=False)
        merged = [
            Part(here, client.submit(merge_blocks, a, b, workers=[here], pure=False)) for (here, a), (_, b) in pairs
        ]
        blocks = merged + blocks[2 * len(merged) :]
    return blocks[0]


def traffic(client: Client, q: Array, keys: list[Part], blocks: list[Part]) -> list[Traffic]:
    """Count the bytes of what each worker holds and must send."""
    held = [client.submit(array_bytes, future, workers=[worker], pure=False) for worker, future in keys]
    made = [client.submit(array_bytes, future, workers=[worker], pure=False) for worker, future in blocks]
    sizes = zip(keys, client.gather(held), client.gather(made), strict=True)
    return [
        Traffic(part.worker, q.nbytes, block if i else 0, (len(keys) - 1) * keys_and_values)
        for i, (part, keys_and_values, block) in enumerate(sizes)
    ]


def array_bytes(items: tuple[Any, ...]) -> int:
    """Bytes of the arrays among some things."""
    return sum(item.nbytes for item in items if isinstance(item, np.ndarray))


def main(*, processes: bool = True) -> None:
    """Compare both with attention in one place: for a whole sequence at once, and for one new token."""
    rng = np.random.default_rng(0)
    k, v = (rng.standard_normal((4, 2048, 64), dtype=np.float32) for _ in "kv")
    places = LocalCluster(n_workers=4, threads_per_worker=1, processes=processes, dashboard_address=":0")
    with places as cluster, Client(cluster) as client:
        keys = spread_keys(client, k, v)
        for n_q in (2048, 1):
            q = rng.standard_normal((4, n_q, 64), dtype=np.float32)
            blocks = attend(client, q, keys, causal_over=2048)
            output = merge(client, blocks).future.result().output
            difference = np.abs(output - attention(q, k, v, causal=True).output).max()
            print(f"2048 keys on 4 workers, queries: {n_q}; differs from attention in one place by {difference:.0e}")
            for row in traffic(client, q, keys, blocks):
                received, sent = f"receives {row.queries_received:>8} bytes", f"sends {row.block_sent:>8}"
                print(f"  {received} of queries, {sent} of results; on a ring: {row.ring_sent:>8} of keys and values")


if __name__ == "__main__":
    main()
