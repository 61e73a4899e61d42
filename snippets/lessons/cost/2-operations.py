# %% count-one
def multiply(a, b):
    """Multiply two matrices in loops, counting."""
    product, multiplied, added = np.zeros((len(a), len(b[0]))), 0, 0
    for i in range(len(a)):
        for j in range(len(b[0])):
            for step in range(len(b)):
                product[i, j] += a[i][step] * b[step][j]
                multiplied, added = multiplied + 1, added + 1
    return product, multiplied + added


# %% count-two
a, b = np.ones((2, 3)), np.ones((3, 4))
product, counted = multiply(a, b)
print("counted:", counted, "  2 m k n:", matmul_flops(2, 3, 4))

# %% layer-steps
n = window
projections = 4 * matmul_flops(n, d, d)  # q, k, v and W_o
feed_forward = matmul_flops(n, d, 4 * d) + matmul_flops(n, 4 * d, d)
scores = gpt2.n_heads * matmul_flops(n, gpt2.d_head, n)
blend = gpt2.n_heads * matmul_flops(n, n, gpt2.d_head)
steps = [projections, feed_forward, scores, blend]
total = layer_flops(gpt2, n)
print(sum(steps) == total == 24 * n * d**2 + 4 * n**2 * d)

# %% layer-table
step_counts = np.array([*steps, total])
step_table = np.column_stack([step_counts / 1e9, 100 * step_counts / total])
Table(step_table, **labels("layer-table", window=window), digits=1)


# %% share
def quadratic_share(config, n):
    return attention_flops(config, n) / layer_flops(config, n)


for n in (128, 1024, 4608, 10_000):
    print(f"{n:6} tokens: {quadratic_share(gpt2, n):6.1%}")


# %% slope
def slope(n, cost):
    """How many decades up for one decade to the right."""
    return np.polyfit(np.log10(n), np.log10(cost), 1)[0]


# %% count-lines
tokens = np.array([100, 300, 1000, 3000, 10_000, 30_000, 100_000])
whole = np.array([layer_flops(gpt2, int(n)) for n in tokens])
square = np.array([attention_flops(gpt2, int(n)) for n in tokens])
line = whole - square
rises = [slope(tokens, line), slope(tokens, square)]
ends = [slope(tokens[:3], whole[:3]), slope(tokens[-3:], whole[-3:])]

# %% count-plot
line_name = labels["line_name"]
square_name = labels["square_name"]
whole_name = labels["whole_name"]
Plot(
    [
        Line(line_name, tokens, line / 1000000000.0),
        Line(square_name, tokens, square / 1000000000.0, "scores"),
        Line(whole_name, tokens, whole / 1000000000.0),
    ],
    **labels("count-plot", rises=rises, n_6_d=6 * d, ends=ends),
    log_x=True,
    log_y=True,
)

# %% heads
one_wide = Config(12, d, n_heads=1, n_kv_heads=1, d_head=d, d_ff=4 * d)
kinds = {"12 heads of 64": gpt2, "1 head of 768": one_wide}
for name, config in kinds.items():
    flops = attention_flops(config, window)
    size = score_bytes(config, window)
    print(f"{name:14}: {flops:,} FLOPs, {size / 1e6:.1f} MB of scores")

# %% memory-plot
memory = np.array([score_bytes(gpt2, int(n)) for n in tokens[2:]]) / 1e9
vectors = tokens[2:] * d * 2 / 1e9
memory_rises = [slope(tokens[2:], memory), slope(tokens[2:], vectors)]
all_name = labels("all_name", gpt2_n_layers=gpt2.n_layers)
layer_name = labels["layer_name"]
head_name = labels["head_name"]
x_name = labels["x_name"]
heads = gpt2.n_heads
at_10k = int(np.flatnonzero(tokens[2:] == 10_000)[0])
times = round(memory[at_10k] / vectors[at_10k])
Plot(
    [
        Line(all_name, tokens[2:], memory * gpt2.n_layers, "scores"),
        Line(layer_name, tokens[2:], memory, "scores"),
        Line(head_name, tokens[2:], memory / heads, "scores"),
        Line(x_name, tokens[2:], vectors),
    ],
    y="GB",
    **labels("memory-plot", memory_rises=memory_rises, times=times),
    log_x=True,
    log_y=True,
)

# %% times
# Milliseconds, recorded once by data/record_cost_times.py (its record is
# data/cost-times.json): float32, NumPy 2.5.5, one thread of an AMD EPYC.
timed = np.array([128, 256, 512, 1024, 2048, 4096])
pairs_ms = np.array([1.73, 4.67, 17.4, 97.49, 517.76, 2501.48])
rest_ms = np.array([19.44, 36.6, 70.98, 141.76, 290.1, 1013.63])

# %% times-plot
time_rises = [slope(timed, rest_ms), slope(timed, pairs_ms)]
ratio = np.log(pairs_ms / rest_ms)
crossing = math.exp(np.interp(0, ratio, np.log(timed)))
crossing = round(crossing, -2)
Plot(
    [
        Line(line_name, timed, rest_ms),
        Line(labels["scores-softmax-sum"], timed, pairs_ms, "scores"),
    ],
    **labels("times-plot", time_rises=time_rises, crossing=crossing),
    log_x=True,
    log_y=True,
)

# %% crossings
names = ["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"]
meets = np.array([6 * MODELS[name].d_model for name in names])
widths = np.array([MODELS[name].d_model for name in names])
Table(
    np.column_stack([widths, meets]),
    rows=names,
    **labels("crossings"),
    digits=0,
)

# %% one-more
for n in (1_000, 10_000):
    print(f"{n:6} before it: {attention_flops(gpt2, 1, n):12,} FLOPs")

# %% twice
longer = math.sqrt(2)
print(f"twice the memory: {longer:.2f} times the tokens")
