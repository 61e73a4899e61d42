# %% cache
cache = KVCache()
rows = []
for t in range(n):
    cache.append(k[t : t + 1], v[t : t + 1])
    rows.append(cache.attend(q[t : t + 1]).output)
one_by_one = np.vstack(rows)
print(f"{len(cache)} tokens cached, off by {off(one_by_one, causal):.0e}")

# %% cache-counts
steps = np.arange(1, n + 1)
again = [steps.sum(), (steps**2).sum()]
with_cache = [n, steps.sum()]
fewer = again[1] / with_cache[1]

# %% cache-table
counts = np.array([again, with_cache]).T
Table(counts, **labels("cache-table", n=n), digits=0)

# %% groups
n_heads, n_kv_heads = 12, 4
q_heads = rng.standard_normal((n_heads, 100, 64))
k_heads, v_heads = rng.standard_normal((2, n_kv_heads, 100, 64))
grouped = attention(q_heads, k_heads, v_heads).output
k_copies, v_copies = (repeat_heads(x, 12) for x in (k_heads, v_heads))
group_error = off(grouped, attention(q_heads, k_copies, v_copies).output)
print("off by", group_error)

# %% rank
thin_q = rng.standard_normal((12, 64, 4))
ranks = []
for heads in (12, 4, 1):
    thin_k = rng.standard_normal((heads, 64, 4))
    all_rows = attention_scores(thin_q, thin_k).reshape(-1, 64)
    ranks.append(int(np.linalg.matrix_rank(all_rows)))
    print(f"{heads:2} key-value heads: rank {ranks[-1]}")

# %% shared
shared = [[heads, 2 * heads * 64, 4 * heads * 64] for heads in (12, 4, 1)]

# %% groups-table
Table(shared, **labels("groups-table"), digits=0)


# %% layers
def through_layers(x, n_layers, window):
    """Stack windowed attention; no weights, every key scores alike."""
    states = [x]
    for _ in range(n_layers):
        step = attention(x, x, x, causal=True, window=window, scale=0)
        x = step.output
        states.append(x)
    return np.array(states)


# %% reach
window, n_layers = 4, 4
before = rng.standard_normal((16, 8))
after = before.copy()
after[0] += 1  # another first token
difference = through_layers(after, n_layers, window)
difference -= through_layers(before, n_layers, window)
touched = np.abs(difference).max(axis=-1) > 0
farthest = [int(np.nonzero(row)[0].max()) for row in touched[1:]]
print("last token that notices, layer by layer:", farthest)

# %% reach-picture
Heat(
    touched[1:],
    "output",
    **labels(
        "reach-picture",
        window=window,
        n_layers=n_layers,
        last=len(before) - 1,
        farthest=farthest,
        more=window - 1,
    ),
    side=28,
)

# %% models
per_token = {name: cache_bytes(MODELS[name], 1) for name in MODELS}
print("gpt2:      ", per_token["gpt2"])
print("llama-2-7b:", per_token["llama-2-7b"])

# %% models-table
sizes_of = [
    [c.n_layers, c.n_heads, c.n_kv_heads, c.d_head, per_token[name]]
    for name, c in MODELS.items()
]
Table(sizes_of, rows=list(MODELS), **labels("models-table"), digits=0)
