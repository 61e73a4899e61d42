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
