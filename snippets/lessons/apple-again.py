# %% setup
import numpy as np

from attention import linear, multi_head_attention, split_heads
from lessonkit import Figure, Line, Plot, Table, recording

bought = ["我", "今天", "买", "了", "一个", "苹果"]
launched = ["苹果", "发布", "了", "新款", "iPhone"]

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
names = [
    {"zh": "东西", "en": "thing"},
    {"zh": "公司", "en": "company"},
    {"zh": "线索：东西", "en": "cue: thing"},
    {"zh": "线索：公司", "en": "cue: company"},
    {"zh": "多义", "en": "two senses"},
    {"zh": "代词", "en": "pronoun"},
    {"zh": "完成", "en": "finished"},
]
caption = {
    "zh": "手工词向量：七个特征，一列一个词",
    "en": "Embeddings made by hand: seven features, a column for each word",
}
shown = ["苹果", "买", "一个", "发布", "新款", "iPhone", "了", "我"]
Table(vectors(shown).T, rows=names, cols=shown, caption=caption, digits=1)

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
names_a_b = [{"zh": "头 A", "en": "head A"}, {"zh": "头 B", "en": "head B"}]
Table(
    weights_bought[0][:, 5],
    "weights",
    rows=names_a_b,
    cols=bought,
    caption={
        "zh": "买苹果：第一层里“苹果”的权重",
        "en": "Bought: the weights of 苹果 in the first layer",
    },
    percent=True,
)

# %% first-weights-launched
Table(
    weights_launched[0][:, 0],
    "weights",
    rows=names_a_b,
    cols=launched,
    caption={
        "zh": "苹果发布：第一层里“苹果”的权重",
        "en": "Launched: the weights of 苹果 in the first layer",
    },
    percent=True,
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


given = gifts(launched, weights_launched[0], xs_launched[0], "苹果")

# %% show-gifts
rows = [
    {"zh": "头 A 的权重", "en": "weight in head A"},
    {"zh": "头 B 的权重", "en": "weight in head B"},
    {"zh": "A 带来的变化", "en": "change through A"},
    {"zh": "B 带来的变化", "en": "change through B"},
]
Table(
    np.vstack([weights_launched[0][:, 0], given]),
    rows=rows,
    cols=launched,
    caption={
        "zh": "苹果发布，第一层：每个词占的权重，和它真正改动的读数",
        "en": "Launched, layer 1: each word's weight, and what it changes",
    },
    digits=3,
)


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
nobody = {"zh": "不遮", "en": "nothing"}
Table(
    readings[:, 2:],
    rows=[" + ".join(hidden) or nobody for hidden in trials],
    cols=[{"zh": "两层之后", "en": "after two layers"}],
    corner={"zh": "遮住", "en": "hidden"},
    caption={
        "zh": "在头 A 里遮住这些词，“苹果”的读数",
        "en": "Reading of 苹果 with these words hidden in head A",
    },
    digits=2,
)

# %% causal
xs_causal, weights_causal = run(launched, causal=True)
unseen = xs_causal[2, 0] - xs_causal[0, 0]
print("weights of 苹果:", weights_causal[0, 0, 0])
print("change of its vector:", np.abs(unseen).max())

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
chinese = ["苹果，编码器", "它，编码器", "苹果，因果", "它，因果"]
ends = [f"{line[2]:.2f}" for line in lines.values()]
Plot(
    [
        Line({"zh": zh, "en": en}, [0, 1, 2], line, role)
        for zh, (en, line), role in zip(
            chinese, lines.items(), roles, strict=True
        )
    ],
    x={"zh": "层", "en": "layer"},
    y={"zh": "读数", "en": "reading"},
    caption={
        "zh": "谁带着“公司”这个意思（手工权重）",
        "en": "Who carries the sense “company” (hand-made weights)",
    },
    alt={
        "zh": "两层之后，东西减公司："
        f"编码器里苹果 {ends[0]}，它 {ends[1]}；"
        f"因果时苹果一直是 {ends[2]}，它 {ends[3]}。",
        "en": f"Thing minus company after two layers: {ends[0]} for 苹果 "
        f"and {ends[1]} for 它 in the encoder; causally 苹果 stays at "
        f"{ends[2]} and 它 reaches {ends[3]}.",
    },
)

# %% e5
e5 = recording("e5")
zh, en = e5["zh"], e5["en"]
for told in zh["shown"].values():
    print(*told["pieces"])
print("id of 苹果:", zh["id"], "the same row:", zh["same row"])

# %% plot-cosines
depth = range(e5["n_layers"] + 1)
alike = {
    kind: np.array(one["mean"] if isinstance(one, dict) else one)
    for kind, one in zh["cosines"].items()
}
kinds = {
    "fruit": ({"zh": "两句都是水果", "en": "fruit twice"}, "key"),
    "company": ({"zh": "两句都是公司", "en": "company twice"}, "query"),
    "across": ({"zh": "水果与公司", "en": "two senses"}, "output"),
    "any two words": ({"zh": "任意两个词", "en": "any two words"}, ""),
}
Plot(
    [
        Line(name, depth, alike[kind], role)
        for kind, (name, role) in kinds.items()
    ],
    x={"zh": "经过几层（0 是进入时）", "en": "layers passed (0: going in)"},
    y={"zh": "余弦（平均）", "en": "cosine (mean)"},
    caption={
        "zh": "88 句里的“苹果”，两两的余弦（multilingual-e5-small）",
        "en": "苹果 in 88 sentences: cosines (multilingual-e5-small)",
    },
    alt={
        "zh": "第七层之后："
        f"两句都是水果 {alike['fruit'][7]:.3f}，"
        f"两句都是公司 {alike['company'][7]:.3f}，"
        f"水果与公司 {alike['across'][7]:.3f}，"
        f"任意两个词 {alike['any two words'][7]:.3f}。",
        "en": f"After layer 7: fruit twice {alike['fruit'][7]:.3f}, "
        f"company twice {alike['company'][7]:.3f}, one of each "
        f"{alike['across'][7]:.3f}, any two words "
        f"{alike['any two words'][7]:.3f}.",
    },
)

# %% looks
gloss = {"我": "I", "今天": "today", "吃": "ate", "买了": "bought"}
gloss |= {"一个": "one", "了一个": "done, one", "发布了": "released"}
gloss |= {"新款": "new model"}


def label(word):
    """A Chinese word; for English readers with its meaning."""
    meant = f"{word} ({gloss[word]})" if word in gloss else word
    return {"zh": word, "en": meant}


looks = zh["looks"]
best = [look["heads"][0] for look in looks]
shares = np.array([one["share"] for one in best])
mean_shares = np.array([np.mean(look["mean by layer"]) for look in looks])
Table(
    np.column_stack([shares, mean_shares]),
    "weights",
    rows=[
        {
            lang: f"{text}{mark}{one['layer']}.{one['head']}"
            for lang, mark in (("zh", "，头 "), ("en", ", head "))
            for text in [label(look["target"])[lang]]
        }
        for look, one in zip(looks, best, strict=True)
    ],
    cols=[
        {"zh": "这个头", "en": "this head"},
        {"zh": "144 个头平均", "en": "mean of 144"},
    ],
    corner={"zh": "看谁，哪个头", "en": "whom, which head"},
    caption={
        "zh": "“苹果”把注意力给了谁（multilingual-e5-small）",
        "en": "Whom 苹果 looks at (multilingual-e5-small)",
    },
    percent=True,
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
        Line({"zh": "苹果", "en": "苹果"}, depth, right["zh"], "output"),
        Line({"zh": "apple", "en": "apple"}, depth, right["en"], "query"),
        Line(
            {"zh": "低于它就不读", "en": "below, do not read"},
            depth,
            [limit] * len(depth),
        ),
    ],
    x={"zh": "经过几层", "en": "layers passed"},
    y={"zh": "判对的比例", "en": "share judged right"},
    caption={
        "zh": "没参加造尺的句子，尺判对了多少",
        "en": "How often the ruler is right about sentences left out of it",
    },
    alt={
        "zh": f"最后一层：中文 {right['zh'][-1]:.1%}，"
        f"英文 {right['en'][-1]:.1%}。",
        "en": f"After the last layer: Chinese {right['zh'][-1]:.1%}, "
        f"English {right['en'][-1]:.1%}.",
    },
)

# %% readings
verbs = {
    "ate": ({"zh": "吃了", "en": "ate"}, "key"),
    "bought": ({"zh": "买了", "en": "bought"}, ""),
    "released": ({"zh": "发布了", "en": "released"}, "query"),
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
    x={"zh": "经过几层", "en": "layers passed"},
    y={"zh": "读数", "en": "reading"},
    caption={
        "zh": "三句话里“苹果”的读数：1 是水果，−1 是公司",
        "en": "Reading of 苹果 in three sentences: 1 fruit, −1 company",
    },
    alt={
        "zh": "最后一层：吃了 {:.2f}，买了 {:.2f}，发布了 {:.2f}。".format(
            *ends
        ),
        "en": "After the last layer: ate {:.2f}, bought {:.2f}, "
        "released {:.2f}.".format(*ends),
    },
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
        round(one["reading"][-1], 2)
        for one in e5[language]["shown"].values()
    ]
    for language in packed
}
Figure(
    "which-apple",
    needle,
    {language: {"readings": values} for language, values in last.items()},
    Table(
        np.array([last["zh"], last["en"]]).T,
        rows=[name for name, _ in verbs.values()],
        cols=["苹果", "apple"],
        caption={
            "zh": "读数：1 是水果，−1 是公司",
            "en": "Readings: 1 fruit, −1 company",
        },
    ),
)

# %% hidden
columns = [
    {"zh": "读数", "en": "reading"},
    {"zh": "改变", "en": "change"},
    {"zh": "改变，低", "en": "change, low"},
    {"zh": "改变，高", "en": "change, high"},
]


def hidden_table(told, caption):
    """The reading after the last layer, with each word hidden."""
    start = told["reading"][-1]
    words = told["hidden"]
    values = [[start, 0, 0, 0]]
    for one in words.values():
        change = one["reading"][-1] - start
        values.append(
            [one["reading"][-1], change, *one["shift interval"][-1]]
        )
    return Table(
        values,
        rows=[nobody, *(label(word) for word in words)],
        cols=columns,
        corner={"zh": "遮住", "en": "hidden"},
        caption=caption,
        digits=2,
    )


# %% hidden-bought
hidden_table(
    zh["shown"]["bought"],
    {
        "zh": "我今天买了一个苹果：遮住一个词，“苹果”的读数",
        "en": "我今天买了一个苹果: reading of 苹果 with one word hidden",
    },
)

# %% hidden-ate
hidden_table(
    zh["shown"]["ate"],
    {
        "zh": "我今天吃了一个苹果：遮住一个词，“苹果”的读数",
        "en": "我今天吃了一个苹果: reading of 苹果 with one word hidden",
    },
)

# %% hidden-released
hidden_table(
    zh["shown"]["released"],
    {
        "zh": "苹果发布了新款 iPhone：遮住一个词，“苹果”的读数",
        "en": "苹果发布了新款 iPhone: reading of 苹果 with one word hidden",
    },
)

# %% link
(link,) = [look for look in looks if look["target"] == "买了"]
alone = [told["all hidden"]["reading"][-1] for told in zh["shown"].values()]
print("nothing hidden:      ", zh["shown"]["bought"]["reading"][-1])
print("苹果 → 买了 cut:     ", link["reading without the link"][-1])

# %% measured
measures = {
    "一斤": ("pound", "a pound"),
    "一袋": ("bag", "a bag"),
    "一个": (None, "one"),
    "一台": ("machine", "a machine"),
}
told_of = [
    zh["measured"][key] if key else zh["shown"]["bought"]
    for key, _ in measures.values()
]
measured = [
    [told["reading"][-1], *told["interval"][-1]] for told in told_of
]
Table(
    measured,
    rows=[
        {"zh": word, "en": f"{word} ({meant})"}
        for word, (_, meant) in measures.items()
    ],
    cols=[
        {"zh": "读数", "en": "reading"},
        {"zh": "低", "en": "low"},
        {"zh": "高", "en": "high"},
    ],
    corner={"zh": "量词", "en": "measure word"},
    caption={
        "zh": "我今天买了……苹果：只换量词",
        "en": "我今天买了 … 苹果: only the measure word changes",
    },
    digits=2,
)

# %% an
hidden_table(
    en["shown"]["bought"],
    {
        "zh": "i bought an apple today.：遮住一个词，apple 的读数",
        "en": "i bought an apple today.: reading with one word hidden",
    },
)

# %% two-languages
across = e5["across languages"]
lent = {
    name: one["right"]
    for name, one in across["right by the other's ruler"].items()
}
Plot(
    [
        Line(
            {"zh": "中文句，英文尺", "en": "Chinese by the English ruler"},
            depth,
            lent["zh"],
            "output",
        ),
        Line(
            {"zh": "英文句，中文尺", "en": "English by the Chinese ruler"},
            depth,
            lent["en"],
            "query",
        ),
    ],
    x={"zh": "经过几层", "en": "layers passed"},
    y={"zh": "判对的比例", "en": "share judged right"},
    caption={
        "zh": "用另一种语言的尺判，判对了多少",
        "en": "Judged by the other language's ruler: how often right",
    },
    alt={
        "zh": f"进入时中文 {lent['zh'][0]:.1%}，英文 {lent['en'][0]:.1%}；"
        f"第七层之后 {lent['zh'][7]:.1%} 和 {lent['en'][7]:.1%}。",
        "en": f"Going in, Chinese {lent['zh'][0]:.1%} and English "
        f"{lent['en'][0]:.1%}; after layer 7 {lent['zh'][7]:.1%} and "
        f"{lent['en'][7]:.1%}.",
    },
)

# %% toy
toy = recording("toy")
masked = toy["pairs"]["masked"]

# %% toy-cosines
toy_kinds = {
    "masked": {"zh": "掩码版", "en": "masked"},
    "causal": {"zh": "因果版", "en": "causal"},
}
toy_pairs = {
    "one word": {"zh": "动词不同", "en": "other verb"},
    "two futures": {"zh": "后文不同", "en": "other ending"},
}
toy_stages = [
    {"zh": "进入时", "en": "going in"},
    {"zh": "一层后", "en": "after layer 1"},
    {"zh": "两层后", "en": "after layer 2"},
]
toy_lines = [
    (kind, pair, word)
    for kind, word in (
        ("masked", "苹果"),
        ("causal", "苹果"),
        ("causal", "它"),
    )
    for pair in toy_pairs
]
toy_cosines = [
    toy["pairs"][kind][pair]["cosines"][word]
    for kind, pair, word in toy_lines
]
Table(
    toy_cosines,
    cols=toy_stages,
    rows=[
        {
            lang: toy_kinds[kind][lang] + mark + word + colon + pair[lang]
            for lang, mark, colon in (
                ("zh", "，", "："),
                ("en", ", ", ": "),
            )
        }
        for kind, name, word in toy_lines
        for pair in [toy_pairs[name]]
    ],
    caption={
        "zh": f"玩具，用 {toy['sentences']['training']} 句模板句训练：余弦",
        "en": f"Toy, trained on {toy['sentences']['training']} template "
        "sentences: cosines",
    },
    digits=2,
)


# %% toy-heads
def toy_heads(side, cue):
    """What 苹果 gives to four words in each head of the masked toy."""
    looks = toy["looks"]["masked, one word"][side]
    tokens = masked["one word"]["tokens"][side].split()
    at = [tokens.index(word) for word in ("今天", cue, "了", "苹果")]
    n = len(tokens)
    return Table(
        np.reshape(looks["weights"], (8, n))[:, at],
        "weights",
        rows=[f"{layer}.{head}" for layer in (0, 1) for head in range(4)],
        cols=[tokens[i] for i in at],
        caption={
            "zh": f"玩具，掩码版，“{cue}”：“苹果”给 {n} 个词元中四个的权重",
            "en": f"Masked toy, {cue}: weights of 苹果 on 4 of {n} tokens",
        },
        corner={"zh": "头", "en": "head"},
        digits=0,
        percent=True,
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
Table(
    toy_alone,
    rows=[
        {
            "zh": f"{verb}，遮住" if hidden else verb,
            "en": f"{verb}, hidden" if hidden else verb,
        }
        for verb, hidden in toy_one
    ],
    cols=[
        {
            "zh": f"{toy_kinds[kind]['zh']}：{zh}",
            "en": f"{toy_kinds[kind]['en']}: {en}",
        }
        for kind in toy_kinds
        for zh, en in (("像水果", "fruit"), ("像公司", "firm"))
    ],
    caption={
        "zh": "玩具怎样说“它”：每栏是三个词的概率之和",
        "en": "What the toy says of 它: each column adds up three words",
    },
    percent=True,
)

# %% toy-many-cues
toy_trials = ["", "发布", "一款", "新", "手机", "发布 一款 新 手机"]
toy_many = [
    toy_said("苹果今天发布了一款新手机，它", hidden, "device")
    for hidden in toy_trials
]
Table(
    toy_many,
    rows=[" + ".join(words.split()) or nobody for words in toy_trials],
    cols=list(toy_kinds.values()),
    caption={
        "zh": "“发布”那一句，遮住这些词：说“它”快、薄或好用的概率",
        "en": "Launched, with these words hidden: P(快, 薄 or 好用) of 它",
    },
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
    print("reading of 苹果:", result.output[0] @ meaning)


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
    for told, word in (zh, "吃"), (en, "ate"):
        before = told["shown"]["ate"]["reading"][-1]
        hidden = told["shown"]["ate"]["hidden"][word]["reading"][-1]
        cut = told["looks"][0]["reading without the link"][-1]
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
    "names of heads": [
        float(f"{one['layer']}.{one['head']}") for one in best
    ],
    "most on <s>": most_on_start,
    "right": right,
    "limit": limit,
    "readings": ends,
    "interval of bought": zh["shown"]["bought"]["interval"][-1],
    "hidden": {
        verb: {
            word: one["reading"][-1] for word, one in told["hidden"].items()
        }
        for verb, told in zh["shown"].items()
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
        told["reading"][-1] for told in en["measured"].values()
    ],
    "by the other's ruler": lent,
    "cosine of the rulers": across["cosine of the rulers"],
    "pairs across": {
        pair: one["mean"][7] for pair, one in across["cosines"].items()
    },
    "share of the link": [
        (
            told["looks"][0]["reading without the link"][-1]
            - told["shown"]["ate"]["reading"][-1]
        )
        / (
            told["shown"]["ate"]["hidden"][word]["reading"][-1]
            - told["shown"]["ate"]["reading"][-1]
        )
        for told, word in ((zh, "吃"), (en, "ate"))
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
