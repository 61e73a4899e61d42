# %% toy
toy = recording("toy")
masked = toy["pairs"]["masked"]

# %% toy-cosines
toy_kinds = {"masked": labels["masked"], "causal": labels["causal-reader"]}
toy_pairs = {
    "one word": labels["other-verb"],
    "two futures": labels["other-ending"],
}
toy_words = labels["toy-words"]
readers = [("masked", "苹果"), ("causal", "苹果"), ("causal", "它")]
toy_lines = [(*one, pair) for one in readers for pair in toy_pairs]
toy_cosines = [
    toy["pairs"][kind][pair]["cosines"][word]
    for kind, word, pair in toy_lines
]
rows = [
    labels(
        "toy-line", kind=toy_kinds[kind], word=word, pair=toy_pairs[pair]
    )
    for kind, word, pair in toy_lines
]
trained_on = toy["sentences"]["training"]
Table(toy_cosines, "", rows, **labels("toy-cosines", n=trained_on))


# %% toy-heads
def toy_heads(side, cue):
    """What 苹果 gives to four words in each head of the masked toy."""
    looks = toy["looks"]["masked, one word"][side]
    tokens = masked["one word"]["tokens"][side].split()
    at = [tokens.index(word) for word in ("今天", cue, "了", "苹果")]
    n = len(tokens)
    heads = [f"L{layer}·H{head}" for layer in (0, 1) for head in range(4)]
    words = [toy_words.get(tokens[i], tokens[i]) for i in at]
    shares = np.reshape(looks["weights"], (8, n))[:, at]
    return Table(
        shares,
        "weights",
        heads,
        words,
        **labels("toy-heads", cue=toy_words[cue], n=n),
        digits=0,
    )


# %% toy-bought
toy_heads(0, "买")

# %% toy-visited
toy_heads(1, "参观")


# %% toy-said
def toy_said(text, hidden, *kinds):
    """Shares of what is said of 它, masked and causal, word hidden."""
    return [
        row[kind]
        for rows in (toy["hidden"]["masked"], toy["hidden"]["causal"])
        for row in rows
        if (row["text"], row["hidden"]) == (text, hidden)
        for kind in kinds
    ]


# %% toy-one-cue
toy_one = [("买", ""), ("买", "买"), ("参观", ""), ("参观", "参观")]
toy_alone = [
    toy_said(f"我今天{verb}了苹果，它", hidden, "fruit", "firm")
    for verb, hidden in toy_one
]
rows = [
    labels("cue-hidden", verb=toy_words[verb])
    if hidden
    else toy_words[verb]
    for verb, hidden in toy_one
]
cols = [
    labels("kind-and-sense", kind=kind, sense=sense)
    for kind in toy_kinds.values()
    for sense in labels["senses"]
]
Table(toy_alone, "", rows, cols, **labels("toy-one-cue"), percent=True)

# %% toy-many-cues
toy_trials = ["", "发布", "一款", "新", "手机", "发布 一款 新 手机"]
toy_many = [
    toy_said("苹果今天发布了一款新手机，它", hidden, "device")
    for hidden in toy_trials
]
Table(
    toy_many,
    cols=list(toy_kinds.values()),
    **labels("toy-many-cues"),
    percent=True,
)

# %% no-question
asking, w_q = w_q, w_q.copy()
w_q[features.index("two senses"), 0] = 0
xs_flat, weights_flat = run(launched)
w_q = asking
print("weights:", weights_flat[0, 0, 0])
print("reading:", (xs_flat[:, 0] @ meaning).round(2))
