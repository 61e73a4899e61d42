# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of the GPT-2 report",
    "2022": "year of Dao et al. and of Hoffmann et al.",
    "1024": "GPT-2's longest text: openai/gpt-2, hparams.json, n_ctx",
}
facts = {
    "squares": squares,
    "seen": seen,
    "one head, MB": one_head / 1e6,
    "one head, MiB": one_head / 2**20,
    "one layer, GB": one_layer / 1e9,
    "all layers, GB": all_layers / 1e9,
    "scores in MB": megabytes,
    "scores in GB": megabytes / 1e3,
    "skipping the hidden half": [share(window, d), 12 * d],
    "counted": [counted, matmul_flops(2, 3, 4)],
    "steps": step_table,
    "coefficients": [8 + 16, 2 + 2, 16],
    "sizes": [d, gpt2.d_head, heads, heads - 1, 6 * d],
    "share at": {
        n: quadratic_share(gpt2, n) for n in (128, 1024, 4608, 10_000)
    },
    "rest at": {n: 1 - quadratic_share(gpt2, n) for n in (1024, 10_000)},
    "lengths": [128, 1024, 4608],
    "slopes of counts": rises,
    "slopes of the total": ends,
    "slopes of memory": memory_rises,
    "slopes of times": time_rises,
    "times": [pairs_ms, rest_ms],
    "crossing of times": crossing,
    "one wide head": [
        attention_flops(one_wide, window) / attention_flops(gpt2, window),
        score_bytes(one_wide, window) / 1e6,
    ],
    "crossings": meets,
    "root of two": longer,
    "room, GB": 16,
    "longest": longest,
    "half way": half_way,
    "memory over input": times,
}
