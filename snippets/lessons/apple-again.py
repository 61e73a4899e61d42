# %% setup
import base64

import numpy as np

from attention import linear, multi_head_attention, split_heads
from lessonkit import Figure, Labels, Line, Plot, Table, recording

labels = Labels("apple-again")
bought = ["我", "今天", "买", "了", "一个", "苹果"]
launched = ["苹果", "发布", "了", "新款", "iPhone"]
bought_names = labels["bought-words"]
launched_names = labels["launched-words"]

# %% words
features = ["thing", "company", "cue thing", "cue company"]
features += ["two senses", "pronoun", "finished"]
lexicon = {
    "苹果": {"thing": 1, "company": 1, "two senses": 1},
    "买": {"cue thing": 1},
    "一个": {"cue thing": 0.5},
    "发布": {"cue company": 1},
    "新款": {"cue company": 0.5},
    "iPhone": {"cue company": 1},
    "了": {"finished": 1},
}


def vectors(words):
    """One row a word; 我 and 今天 have none of these features."""
    rows = [lexicon.get(word, {}) for word in words]
    return np.array([[r.get(f, 0.0) for f in features] for r in rows])


# %% show-words
shown = ["苹果", "买", "一个", "发布", "新款", "iPhone", "了", "我"]
Table(vectors(shown).T, **labels("show-words"), digits=1)

# %% same-row
before = vectors(bought)[5] - vectors(launched)[0]
print("difference:", np.abs(before).max())


# %% matrices
def matrix(*entries):
    """Zeros, but for the entries (feature, column, number)."""
    w = np.zeros((len(features), 4))
    for feature, column, number in entries:
        w[features.index(feature), column] = number
    return w


# columns 0 and 1 belong to head A, columns 2 and 3 to head B
w_q = matrix(
    ("two senses", 0, 4),  # A: what tells my sense?
    ("pronoun", 0, 4),  # A: the same
    ("pronoun", 1, 4),  # A: and whom do I stand for?
    ("two senses", 2, 6),  # B: is it finished?
)
w_k = matrix(
    ("cue thing", 0, 1),
    ("cue company", 0, 1),
    ("two senses", 1, 1),
    ("finished", 2, 1),
)
w_v = matrix(
    ("thing", 0, 0.5),
    ("cue thing", 0, 0.5),
    ("company", 0, -0.5),
    ("cue company", 0, -0.5),
    ("finished", 2, 1),
)
# A moves "thing" up and "company" down, or back; B writes "finished"
w_o = matrix(("thing", 0, 1), ("company", 0, -1), ("finished", 2, 1)).T


# %% layer
def layer(x, **options):
    """One layer: two heads, and a residual connection."""
    result = multi_head_attention(
        x, w_q, w_k, w_v, w_o, n_heads=2, **options
    )
    return x + result.output, result.weights


def run(words, n_layers=2, **options):
    """The vectors going in and after every layer; the weights."""
    xs, weights = [vectors(words)], []
    for _ in range(n_layers):
        x, w = layer(xs[-1], **options)
        xs.append(x)
        weights.append(w)
    return np.array(xs), np.array(weights)


# %% two-runs
xs_bought, weights_bought = run(bought)
xs_launched, weights_launched = run(launched)
a, b = xs_bought[:, 5], xs_launched[:, 0]  # 苹果 in each, by layer

# %% first-weights
names_a_b = labels["names_a_b"]
Table(
    weights_bought[0][:, 5],
    "weights",
    names_a_b,
    bought_names,
    **labels("first-weights"),
)

# %% first-weights-launched
Table(
    weights_launched[0][:, 0],
    "weights",
    names_a_b,
    launched_names,
    **labels("first-weights-launched"),
)


# %% cosine
def cosine(a, b):
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (a * b).sum(axis=-1) / lengths


cosines = cosine(a, b)
print("going in, after layer 1, after layer 2:", cosines.round(2))

# %% reading
meaning = np.array([1, -1, 0, 0, 0, 0, 0])  # thing minus company
print("bought:  ", (a @ meaning).round(2))
print("launched:", (b @ meaning).round(2))


# %% gifts
def gifts(words, weights, x, reader):
    """Weight × value, read along `meaning`: [2 heads, n words]."""
    v = split_heads(linear(x, w_v), 2)
    outs = w_o.reshape(2, 2, -1)  # each head's own slice of w_o
    read = (v @ outs) @ meaning
    return weights[:, words.index(reader)] * read


# %% given
given = gifts(launched, weights_launched[0], xs_launched[0], "苹果")

# %% show-gifts
both = np.vstack([weights_launched[0][:, 0], given])
Table(both, cols=launched_names, **labels("show-gifts"), digits=3)


# %% block
def block(words, *hidden, heads=(0, 1)):
    """A bias that hides words from everybody, in some heads."""
    bias = np.zeros((2, len(words), len(words)))
    for word in hidden:
        bias[list(heads), :, words.index(word)] = -np.inf
    return bias


# %% block-b
without_le, _ = run(launched, bias=block(launched, "了", heads=[1]))
moved = np.linalg.norm(without_le[2, 0] - b[2])
print("how far the vector moved:", moved.round(2))
print("reading before:", b[2] @ meaning)
print("reading after: ", without_le[2, 0] @ meaning)

# %% block-a
trials = [[], ["发布"], ["iPhone"], ["发布", "iPhone"]]
trials += [["发布", "iPhone", "新款"]]
readings = []
for hidden in trials:
    xs, _ = run(launched, bias=block(launched, *hidden, heads=[0]))
    readings.append(xs[:, 0] @ meaning)
readings = np.array(readings)

# %% show-block
nobody = labels["nobody"]
Table(
    readings[:, 2:],
    **labels("show-block"),
    digits=2,
)

# %% causal
xs_causal, weights_causal = run(launched, causal=True)
unseen = xs_causal[2, 0] - xs_causal[0, 0]
print("weights of the first word:", weights_causal[0, 0, 0])
print("change of its vector:     ", np.abs(unseen).max())

# %% it
lexicon["它"] = {"thing": 1, "company": 1, "pronoun": 1}
longer = [*launched, "它"]
xs_it, _ = run(longer, causal=True)
xs_both, _ = run(longer)

# %% carriers
lines = {
    "苹果, encoder": xs_both[:, 0] @ meaning,
    "它, encoder": xs_both[:, 5] @ meaning,
    "苹果, causal": xs_it[:, 0] @ meaning,
    "它, causal": xs_it[:, 5] @ meaning,
}
for name, line in lines.items():
    print(f"{name:12} {line.round(2)}")

# %% plot
roles = ["output", "", "output", ""]
ends = [f"{line[2]:.2f}" for line in lines.values()]
Plot(
    [
        Line(name, [0, 1, 2], line, role)
        for name, line, role in zip(
            labels["lines"], lines.values(), roles, strict=True
        )
    ],
    **labels("plot", ends=ends),
)

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


# %% check-zero
def check_zero(silence):
    """`silence` returns a w_v with which head A hands over nothing."""
    w = silence(w_v.copy())
    loud = split_heads(linear(vectors(launched), w), 2)
    if np.abs(loud[0]).max() > 0:
        raise ValueError(f"head A still hands over {loud[0].tolist()}")
    if np.abs(w - w_v)[:, 2:].max() > 0:
        raise ValueError("the columns of head B have changed too")
    result = multi_head_attention(
        vectors(launched), w_q, w_k, w, w_o, n_heads=2
    )
    same = np.array_equal(result.weights, weights_launched[0])
    print("weights as before:", same)
    print("reading:", result.output[0] @ meaning)


# %% exercise-zero
def silence(w):
    w[:, :2] = 0
    return w


check_zero(silence)


# %% check-share
def check_share(share):
    """`share` tells which part of one change another one makes."""
    for part, whole in ((1.0, 4.0), (-1.0, -2.0)):
        given = share(part, whole)
        if given != part / whole:
            raise ValueError(
                f"share({part}, {whole}) gave {given}, not {part / whole}"
            )
    ate = {"吃": zh["shown"]["ate"], "ate": en["shown"]["ate"]}
    looks = {"吃": zh["looks"][0], "ate": en["looks"][0]}
    for word, sentence in ate.items():
        before = sentence["reading"][-1]
        hidden = sentence["hidden"][word]["reading"][-1]
        cut = looks[word]["reading without the link"][-1]
        print(f"{word:3} {share(cut - before, hidden - before):.0%}")


# %% exercise-share
def share(part, whole):
    return part / whole


check_share(share)

# %% facts
declared = {
    "2019": "year of BERT, GPT-2 and Attention is not Explanation",
    "2020": "year of Attention is Not Only a Weight",
    "2023": "year of The Hydra Effect",
    "2024": "year of Multilingual E5",
}
facts = {
    "difference going in": np.abs(before).max(),
    "weights, bought": weights_bought[0][:, 5],
    "weights, launched": weights_launched[0][:, 0],
    "cosines": cosines,
    "reading, bought": a @ meaning,
    "reading, launched": b @ meaning,
    "gifts": given,
    "vector moved": moved,
    "reading without 了 in B": without_le[2, 0] @ meaning,
    "readings, words hidden": readings,
    "causal change": np.abs(unseen).max(),
    "carriers": lines,
    "no question": xs_flat[:, 0] @ meaning,
    "even weights": weights_flat[0, 0, 0],
    "layers, heads": [e5["n_layers"], e5["n_heads"]],
    "heads in all": e5["n_layers"] * e5["n_heads"],
    "id of 苹果": zh["id"],
    "same row": zh["same row"],
    "sentences": zh["rulers"]["sentences"],
    "sentences in all": sum(zh["rulers"]["sentences"]),
    "alike": alike,
    "looks": shares,
    "looks, mean": mean_shares,
    "names of heads": [f"L{one['layer']}·H{one['head']}" for one in best],
    "most on <s>": most_on_start,
    "right": right,
    "limit": limit,
    "readings": ends,
    "interval of bought": zh["shown"]["bought"]["interval"][-1],
    "hidden": {
        verb: {
            word: one["reading"][-1]
            for word, one in sentence["hidden"].items()
        }
        for verb, sentence in zh["shown"].items()
    },
    "shift of bought": zh["shown"]["bought"]["hidden"]["买了"][
        "shift interval"
    ][-1],
    "all hidden": alone,
    "without the link": link["reading without the link"][-1],
    "measured": measured,
    "English, bought": en["shown"]["bought"]["reading"][-1],
    "English, hidden": {
        word: one["reading"][-1]
        for word, one in en["shown"]["bought"]["hidden"].items()
    },
    "English, measured": [
        sentence["reading"][-1] for sentence in en["measured"].values()
    ],
    "by the other's ruler": lent,
    "cosine of the rulers": across["cosine of the rulers"],
    "pairs across": {
        pair: one["mean"][7] for pair, one in across["cosines"].items()
    },
    "share of the link": [
        (
            sentence["looks"][0]["reading without the link"][-1]
            - sentence["shown"]["ate"]["reading"][-1]
        )
        / (
            sentence["shown"]["ate"]["hidden"][word]["reading"][-1]
            - sentence["shown"]["ate"]["reading"][-1]
        )
        for sentence, word in ((zh, "吃"), (en, "ate"))
    ],
}
facts |= {  # the toy that was trained
    "toy: sentences, words, numbers": [
        *toy["sentences"].values(),
        *toy["words"].values(),
        *toy["numbers"].values(),
    ],
    "toy: width": toy["d_model"],
    "toy: cosines": toy_cosines,
    "toy: heads": [
        side["weights"] for side in toy["looks"]["masked, one word"]
    ],
    "toy: one word tells": toy_alone,
    "toy: several words tell": toy_many,
    "toy: much": toy["thank you very"][0]["p"],
}
