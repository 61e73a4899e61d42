# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of the BERT paper and of GPT-2",
    "2020": "year of Longformer",
}
facts = {
    "causal": causal_mask(5),
    "hidden": softmax(hidden),
    "weights": step.weights,
    "measured": measured,
    "deep": deep,
    "layers": 12,
    "two endings": pair,
    "padding": batch,
    "causal and padding": both,
    "window": window,
    "one windowed layer": influence(
        lambda x: read(x, causal=True, window=3), x6
    ),
    "two windowed layers": two,
    "n": n,
    "all, causal, window": [n * n, causal_pairs, window_pairs],
    "real": real,
    "kept": padding.sum(),
    "bottom-right": causal_mask(2, 5),
    "off by": [np.abs(right - full).max(), np.abs(left - full).max()],
    "empty": softmax(nobody),
    "left padding": out.weights,
    "large negative": same,
    "one minus own weight with a bias of 0 and 1": (
        1 - nothing_hidden.weights[0, 0]
    ),
    "leaks of centred": leaks,
    "wrong bias": nothing_hidden.weights,
    "shifted": shifted_knows,
    "pairs": pairs,
    "missing at the start": [99, 98, 100 * 99 // 2],
    "float32 steps near a billion": np.spacing(np.float32(1e9)),
}
