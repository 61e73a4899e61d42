# %% recorded-head
q, k, v = (np.array(smollm2["head 0.0"][name]) for name in ("q", "k", "v"))

# %% one-head
scores, weights, output = attention(q, k, v, causal=True)
print(q.shape, k.shape, v.shape, "->", output.shape)

# %% head-scores
Table(scores, "scores", cols, cols, **labels("head-scores"))

# %% head-weights
Table(weights, "weights", cols, cols, **labels("head-weights"), of=scores)

# %% same
sample = smollm2["samples"]["by step"]
head_error = np.abs(weights[2, :3] - sample["weights"]).max()
print(f"off by {head_error:.0e}")

# %% trace
shapes_of, last_layer = smollm2["shapes"], smollm2["n_layers"] - 1
steps = labels("steps", last_layer=last_layer)

# %% trace-table
rows = []
for number, (name, says) in enumerate(steps.items(), 1):
    shape = "×".join(map(str, shapes_of[name.removeprefix("last ")]))
    rows.append(labels("step", number=number, says=says, shape=shape))
samples = np.array([sample[name] for name in steps])
Table(samples, rows=rows, **labels("trace-table"))

# %% through
words_on_the_way = [" very", ",", " well", " much"]
after = [
    {
        "shares": [one["each"][name] for name in words_on_the_way],
        "top": one["top"],
    }
    for one in smollm2["stopped"]["by layer"]
]
prompt = smollm2["prompts"]["Thank you very"]["tokens"]
row = len(prompt) - 1
Figure(
    "step-through",
    {
        "tokens": [token.replace(" ", "␣") for token in prompt],
        "scores": scores[row, : row + 1],
        "samples": sample,
        "shapes": {
            name: " × ".join(map(str, shape))
            for name, shape in shapes_of.items()
        },
        "candidates": [name.replace(" ", "␣") for name in words_on_the_way],
        "after": after,
        "start": 5,
    },
    {
        "weights": weights[row, : row + 1],
        "shares": after[0]["shares"],
    },
    Table(samples, rows=rows, **labels("trace-table")),
)

# %% stopped
stopped = smollm2["stopped"]["by layer"]
p_much = [row["p"] for row in stopped]
p_top = [row["top"]["p"] for row in stopped]
top = [row["top"]["token"].replace(" ", "␣") for row in stopped]
places = [row["place"] for row in stopped]

# %% stopped-plot
by_token = {
    token: [row["each"][token] for row in stopped]
    for token in (" very", ",", " well", " much")
}
most = {token: max(p) for token, p in by_token.items()}
p_well = by_token[" well"]
comma = labels["comma"]
drawn = [("␣very", "value"), (comma, "scores"), ("␣well", "weights")]
drawn += [("␣much", "output")]
Plot(
    [
        Line(name, range(len(stopped)), p, role)
        for (name, role), p in zip(drawn, by_token.values(), strict=True)
    ],
    **labels(
        "stopped-plot",
        p_top=p_top,
        most=most[","],
        p_well=p_well,
        p_much=p_much,
    ),
)

# %% stopped-table
chosen = [0, 1, 10, 15, 22, 25, 27, 28, 29, 30]
rows = [labels("stopped-row", n=n, top_n=top[n]) for n in chosen]
values = [[100 * p_top[n], 100 * p_much[n], places[n]] for n in chosen]
Table(values, rows=rows, **labels("stopped-table"), digits=0)

# %% next
for token in smollm2["prompts"]["Thank you very"]["next"][:5]:
    print(f"{token['p']:6.1%}  {token['token']!r}")

# %% toy
toy = recording("toy")
toy_much = toy["thank you very"][0]
