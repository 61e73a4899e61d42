# %% e5
e5 = recording("e5")
zh, en = e5["zh"], e5["en"]
for sentence in zh["shown"].values():
    print(*sentence["pieces"])
print("id of 苹果:", zh["id"], "the same row:", zh["same row"])

# %% plot-cosines
depth = range(e5["n_layers"] + 1)
alike = {
    kind: np.array(one["mean"] if isinstance(one, dict) else one)
    for kind, one in zh["cosines"].items()
}
kinds = {
    "fruit": (labels["fruit-twice"], "key"),
    "company": (labels["company-twice"], "query"),
    "across": (labels["two-senses"], "output"),
    "any two words": (labels["any-two-words"], ""),
}
Plot(
    [
        Line(name, depth, alike[kind], role)
        for kind, (name, role) in kinds.items()
    ],
    **labels("plot-cosines", alike=alike),
)

# %% looks
words = labels[
    "words"
]  # Chinese words; for English readers with their meaning
looks = zh["looks"]
best = [look["heads"][0] for look in looks]
shares = np.array([one["share"] for one in best])
mean_shares = np.array([np.mean(look["mean by layer"]) for look in looks])
rows = [
    labels("look", word=words.get(look["target"], look["target"]), **one)
    for look, one in zip(looks, best, strict=True)
]
both = np.column_stack([shares, mean_shares])
Table(both, "weights", rows, **labels("looks"))

# %% heads
by_head = recording("e5_heads")
meanings = labels["meanings"]
two = [
    one
    | {
        "means": [meanings.get(word, word) for word in one["words"]],
        "verb": one["words"].index(verb),
    }
    for one, verb in zip(
        by_head["sentences"], ("买了", "发布了"), strict=True
    )
]
chosen = best[1]
seen = [
    np.frombuffer(base64.b64decode(one["shares"]), "<i2").reshape(
        12, 12, -1
    )[chosen["layer"], chosen["head"]]
    / 1000
    for one in two
]
Figure(
    "pick-head",
    {
        "sentences": two,
        "start": [chosen["layer"], chosen["head"]],
        "n_layers": by_head["n_layers"],
        "n_heads": by_head["n_heads"],
    },
    {"shares": seen},
    Table([seen[0]], "weights", ["苹果"], two[0]["words"]),
)

# %% sink
most_on_start = [look["heads with most on <s>"] for look in looks]
print("of 144 heads, most on <s> in", most_on_start)


# %% ruler
def reading(x, fruit, company):
    """1 at the mean of fruit, -1 at that of the company."""
    middle, d = (fruit + company) / 2, fruit - company
    return 2 * (x - middle) @ d / (d @ d)


# %% right
right = {"zh": zh["rulers"]["right"], "en": en["rulers"]["right"]}
limit = e5["trusted from"]
Plot(
    [
        Line(labels["apple-in-chinese"], depth, right["zh"], "output"),
        Line(labels["apple-in-english"], depth, right["en"], "query"),
        Line(labels["below-do-not-read"], depth, [limit] * len(depth)),
    ],
    **labels(
        "right",
        right_zh__last=right["zh"][-1],
        right_en__last=right["en"][-1],
    ),
)

# %% readings
verbs = {
    "ate": (labels["ate"], "key"),
    "bought": (labels["bought"], ""),
    "released": (labels["released"], "query"),
}
trusted = [layer for layer in depth if zh["rulers"]["trusted"][layer]]
ends = [zh["shown"][verb]["reading"][-1] for verb in verbs]
Plot(
    [
        Line(
            name,
            trusted,
            [zh["shown"][verb]["reading"][layer] for layer in trusted],
            role,
        )
        for verb, (name, role) in verbs.items()
    ],
    **labels("readings", **dict(zip(verbs, ends, strict=True))),
)


# %% needle
packed = {"zh": recording("e5_zh"), "en": recording("e5_en")}
parts = ("model", "n_layers", "right", "trusted", "dots", "sentences")
needle = {
    language: {part: one[part] for part in parts}
    | {"each": e5[language]["rulers"]["sentences"][0], "start": 1}
    for language, one in packed.items()
}
last = {
    language: [
        round(sentence["reading"][-1], 2)
        for sentence in e5[language]["shown"].values()
    ]
    for language in ("zh", "en")
}
both = np.array([last["zh"], last["en"]]).T
rows = [name for name, _ in verbs.values()]
Figure(
    "which-apple",
    needle,
    {language: {"readings": values} for language, values in last.items()},
    Table(both, "", rows, ["苹果", "apple"], **labels("needle")),
)


# %% hidden
def hidden_table(sentence, caption):
    """The reading after the last layer, with each word hidden."""
    start = sentence["reading"][-1]
    values = [[start, 0, 0, 0]]
    for one in sentence["hidden"].values():
        end = one["reading"][-1]
        values.append([end, end - start, *one["shift interval"][-1]])
    rows = [nobody, *(words.get(word, word) for word in sentence["hidden"])]
    return Table(
        values, "", rows, caption=caption, **labels["hidden-columns"]
    )


# %% hidden-bought
hidden_table(zh["shown"]["bought"], labels["hidden-bought"])

# %% hidden-ate
hidden_table(zh["shown"]["ate"], labels["hidden-ate"])

# %% hidden-released
hidden_table(zh["shown"]["released"], labels["hidden-released"])

# %% link
(link,) = [look for look in looks if look["target"] == "买了"]
alone = [
    sentence["all hidden"]["reading"][-1]
    for sentence in zh["shown"].values()
]
print("nothing hidden:      ", zh["shown"]["bought"]["reading"][-1])
print("苹果 → 买了 cut:     ", link["reading without the link"][-1])

# %% measured
keys = ["pound", "bag", None, "machine"]
changed = [
    zh["measured"][key] if key else zh["shown"]["bought"] for key in keys
]
measured = [
    [sentence["reading"][-1], *sentence["interval"][-1]]
    for sentence in changed
]
layers = trusted[1:]
choices = [
    {
        "word": word,
        "means": means,
        "readings": [round(sentence["reading"][k], 2) for k in layers],
        "intervals": [sentence["interval"][k] for k in layers],
    }
    for sentence, (word, means) in zip(
        changed, labels["measure-words"].items(), strict=True
    )
]
Figure(
    "swap-word",
    {"choices": choices, "layers": layers, "start": 2},
    {"readings": [round(row[0], 2) for row in measured]},
    Table(measured, rows=[*labels["measure-words"]], **labels("measured")),
)

# %% an
hidden_table(en["shown"]["bought"], labels["hidden-apple"])

# %% two-languages
across = e5["across languages"]
lent = {
    name: one["right"]
    for name, one in across["right by the other's ruler"].items()
}
clouds = recording("e5_map")
start = 7
each = zh["rulers"]["sentences"][0]
Figure(
    "part-clouds",
    {
        "points": clouds["points"],
        "model": clouds["model"],
        "n_layers": clouds["n_layers"],
        "each": each,
        "right": lent,
        "start": start,
    },
    {"judged": [round(2 * each * one[start]) for one in lent.values()]},
    Plot(
        [
            Line(labels["chinese-lent"], depth, lent["zh"], "output"),
            Line(labels["english-lent"], depth, lent["en"], "query"),
        ],
        **labels("two-languages", lent=lent),
    ),
)
