# %% windowed
long = 32_768
gigabytes = {
    name: [cache_bytes(MODELS[name], m) / 1e9 for m in (4096, long)]
    for name in ("llama-2-7b", "llama-3-8b", "mistral-7b", "gemma-2-9b")
}
cols = [labels("tokens", m=m) for m in (4096, long)]
Table(
    list(gigabytes.values()),
    rows=list(gigabytes),
    cols=cols,
    **labels("windowed"),
)


# %% fold
def fold(blocks):
    """Merge one block after the other."""
    total = EMPTY_BLOCK
    for block in blocks:
        total = merge_blocks(total, block)
    return total


# %% spread
n_workers = 4
runs = np.split(np.arange(n), n_workers)
blocks = [attend_block(q, k[run], v[run]) for run in runs]
pairs = [fold(blocks[:2]), fold(blocks[2:])]
orders = {
    "1, 2, 3, 4": fold(blocks),
    "4, 3, 2, 1": fold(blocks[::-1]),
    "3, 1, 4, 2": fold([blocks[i] for i in (2, 0, 3, 1)]),
    "(1, 2), (3, 4)": fold(pairs),
}
for order, total in orders.items():
    print(f"{order:15} off by {off(total.output, plain):.0e}")

# %% sent
n_keys, machines = 131_072, 8
held = n_keys // machines
one_q = rng.standard_normal((1, 64)).astype(np.float16)
own_k, own_v = rng.standard_normal((2, held, 64)).astype(np.float16)
block = attend_block(one_q, own_k, own_v)  # computed in float32
received, sent = one_q.nbytes, sum(part.nbytes for part in block)
ring = (machines - 1) * (own_k.nbytes + own_v.nbytes)
print(received, sent, ring)

# %% sent-table
others = n_keys - held  # the queries that stand on other machines
moved = np.array([[received, sent], [received * others, sent * others]])
moved = np.hstack([moved, [[ring], [ring]]])
Table(
    moved,
    **labels("sent-table", n_keys=n_keys, machines=machines),
    digits=0,
)

# %% spread-flow
own = f"{len(runs[0])}×{d}"
Flow(
    [
        [Box(labels["query"], f"1×{d}", "query")],
        [Box("K, V", own, "key") for _ in runs],
        [Box(labels["block"], f"1×({d}+2)", "output") for _ in runs],
        [Box(labels["merge"], f"1×({d}+2)", "output") for _ in range(2)],
        [Box(labels["output"], f"1×{d}", "output")],
    ],
    [
        *((0, i) for i in range(1, 5)),
        *((i, i + 4) for i in range(1, 5)),
        (5, 9),
        (6, 9),
        (7, 10),
        (8, 10),
        (9, 11),
        (10, 11),
    ],
    **labels("spread-flow", n_workers=n_workers, len_runs_0=len(runs[0])),
)


# %% try-bytes
in_one_byte = cache_bytes(MODELS["llama-2-7b"], 1, bytes_per_number=1)
print(in_one_byte)
