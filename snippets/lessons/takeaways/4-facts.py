# %% facts
declared = {
    "3.3": "section of Attention Is All You Need",
    "1994": "year of Bengio, Simard and Frasconi's paper",
    "1997": "year of the LSTM",
    "2013": "year of Pascanu, Mikolov and Bengio's paper",
    "2014": "year of Bahdanau, Cho and Bengio's paper",
    "2016": "year of layer normalisation and residual networks",
    "2017": "year of Attention Is All You Need",
    "2019": "year of GPT-2",
    "2020": "year of On Layer Normalization",
    "2021": "year of Attention is not all you need",
}
facts = {
    "distances": distances,
    "curves": curves,
    "draws": draws,
    "number of draws": len(draws),
    "least and most of the draws": [draws.min(axis=0), draws.max(axis=0)],
    "0.9 to the 64th": 0.9**64,
    "0.9, without tanh": np.linalg.norm(
        w_x @ np.linalg.matrix_power(0.9 * w_h, 64)
    ),
    "first weights": [
        [first_weight(n, m) for n in distances] for m in (None, 2.0)
    ],
    "path": path,
    "kept": kept,
    "n": n,
    "counts": {
        start: count(shapes, start) for start in ("attn", "mlp", "ln")
    },
    "layer": count(shapes, ""),
    "d, 3d, 4d": [768, 3 * 768, 4 * 768],
    "attention's share of a layer": count(shapes, "attn")
    / count(shapes, ""),
    "feed-forward's share of a layer": count(shapes, "mlp")
    / count(shapes, ""),
    "parts": parts,
    "total": total,
    "shares": shares,
    "model shares": model_shares,
    "heads": MODELS["gpt2"].n_heads,
    "moves": moves,
    "block keeps the shape": block(tokens, w).shape,
    "numbers in the layer": sum(a.size for a in w.values()),
    "trials": {
        str(part): [reach, spreads[-1], size]
        for part, (reach, spreads, size) in trials.items()
    },
    "spreads": {str(part): trial[1] for part, trial in trials.items()},
    "bend of attention": np.abs(attend(one, w) + attend(-one, w)).max(),
    "bend of feed-forward": np.abs(digest(one, w) + digest(-one, w)).max(),
    "layers, tokens, width": [len(layers), *text.shape],
    "n_vocab, n_positions": [n_vocab, n_positions],
    "one key-value head": one_kv_head,
    "shear": np.linalg.norm(hundred, 2),
    "shear radius": radius,
}
