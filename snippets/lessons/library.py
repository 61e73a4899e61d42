# %% setup
import math

import numpy as np

from attention import attention, attention_scores, softmax
from lessonkit import Figure, Line, Plot, Table

books = [
    {"zh": "量子物理", "en": "Quantum physics"},
    {"zh": "经典力学", "en": "Mechanics"},
    {"zh": "家常菜谱", "en": "Cooking"},
    {"zh": "量子计算", "en": "Quantum computing"},
]
topics = [
    {"zh": "物理", "en": "physics"},
    {"zh": "量子", "en": "quantum"},
    {"zh": "做菜", "en": "cooking"},
]
pages = [
    {"zh": "公式", "en": "formulas"},
    {"zh": "实验", "en": "experiments"},
    {"zh": "菜谱", "en": "recipes"},
    {"zh": "程序", "en": "code"},
]
search = [{"zh": "我要找的", "en": "my search"}]

# %% dict
shelf = {
    "quantum physics": [60, 40, 0, 0],
    "mechanics": [50, 50, 0, 0],
    "cooking": [0, 0, 100, 0],
    "quantum computing": [30, 0, 0, 70],
}
print(shelf.get("quantum physics"))
print(shelf.get("quantum"))

# %% inputs
query = np.array([5.0, 9.0, 0.0])
keys = np.array([[10.0, 5, 0], [8, 0, 0], [0, 0, 10], [5, 7, 0]])
values = np.array(list(shelf.values()), dtype=float)

# %% show-query
caption = {"zh": "查询：我要找什么", "en": "Query: what I look for"}
Table(query, "query", rows=search, cols=topics, caption=caption, digits=0)

# %% show-keys
caption = {"zh": "键：书脊上的标签", "en": "Keys: the labels on the spines"}
Table(keys, "key", rows=books, cols=topics, caption=caption, digits=0)

# %% show-values
caption = {
    "zh": "值：书里的内容（每一百页）",
    "en": "Values: what is in the books (pages in a hundred)",
}
Table(values, "value", rows=books, cols=pages, caption=caption, digits=0)

# %% scores
scores = keys @ query
Table(scores, "scores", rows=search, cols=books, digits=0, of=(query, keys))

# %% raw
raw = softmax(scores)
Table(
    raw,
    "weights",
    rows=search,
    cols=books,
    percent=True,
    digits=3,
    of=scores,
)

# %% gap
print(f"e^(95-88) = {math.exp(95 - 88):.2f}")
print(f"the other two: {raw[1]:.0e} and {raw[2]:.0e}")

# %% temperatures
temperatures = [1, 10, 50]
shares = np.array([softmax(scores, temperature=t) for t in temperatures])
names = [f"T = {t}" for t in temperatures]
softer = [scores / t for t in temperatures]
Table(shares, "weights", rows=names, cols=books, percent=True, of=softer)

# %% factors
for t in temperatures:
    print(f"temperature {t:2}: e^(7/{t}) = {math.exp(7 / t):.2f}")

# %% warm
scale = {"low": 0, "high": 100, "step": 1, "digits": 0}
warm = softmax(scores, temperature=10)
Figure(
    "pull-bars",
    {
        "scores": scores,
        "names": books,
        "pull": 2,
        "temperature": 10,
        **scale,
    },
    {"weights": warm},
    Table(warm, "weights", rows=search, cols=books, percent=True),
)

# %% plot
ts = np.geomspace(1, 10_000, 21)
curves = 100 * np.array([softmax(scores, temperature=t) for t in ts])
peak = curves[:, 3].argmax()
alt = {
    "zh": f"温度 {ts[0]:.0f} 时，“量子物理”独占 {curves[0, 0]:.1f} %。"
    f"温度升高，“量子计算”先涨到 {curves[peak, 3]:.1f} %；"
    f"到温度 {ts[-1]:.0f}，四本书都在 "
    f"{curves[-1].min():.1f} % 到 {curves[-1].max():.1f} % 之间。",
    "en": f"At temperature {ts[0]:.0f}, Quantum physics has "
    f"{curves[0, 0]:.1f} %. As it rises, Quantum computing first climbs to "
    f"{curves[peak, 3]:.1f} %; at {ts[-1]:.0f} all four books lie between "
    f"{curves[-1].min():.1f} % and {curves[-1].max():.1f} %.",
}
roles = ["weights", "", "", "weights"]
Plot(
    [
        Line(book, ts, curve, role)
        for book, curve, role in zip(books, curves.T, roles, strict=True)
    ],
    x={"zh": "温度（对数刻度）", "en": "temperature (logarithmic)"},
    y={"zh": "权重（%）", "en": "weight (%)"},
    log_x=True,
    caption={
        "zh": "从左到右：一本独占，两本共享，人人平分",
        "en": "From left to right: one takes all, two share, all alike",
    },
    alt=alt,
)

# %% blend
soft = attention([query], keys, values, scale=1 / 10)

# %% show-blend
caption = {
    "zh": "温度 10 时的输出（每一百页）",
    "en": "The output at temperature 10 (pages in a hundred)",
}
Table(
    soft.output,
    "output",
    cols=pages,
    caption=caption,
    digits=1,
    of=(soft.weights, values),
)

# %% carried
rows = [{"zh": "只取最高分", "en": "the top score only"}, *names]
rows += [{"zh": "四本的平均", "en": "mean of all four"}]
carried = np.vstack(
    [values[scores.argmax()], shares @ values, values.mean(axis=0)]
)
caption = {
    "zh": "带回家的内容（每一百页）",
    "en": "What you carry home (pages in a hundred)",
}
Table(carried, "output", rows=rows, cols=pages, caption=caption, digits=1)


# %% limits
def off(weights, wanted):
    return np.abs(weights @ values - wanted).max()


cold = softmax(scores, temperature=0.1)
hot = softmax(scores, temperature=1_000_000)
best, mean = values[scores.argmax()], values.mean(axis=0)
print(f"temperature 0.1, off the best book: {off(cold, best):.0e}")
print(f"temperature 1000000, off the mean:  {off(hot, mean):.0e}")


# %% nudge
def one_book(keys):
    return values[(keys @ query).argmax()]


def blend(keys):
    return attention([query], keys, values, scale=1 / 10).output[0]


labels = [7.0, 7.1, 7.4, 7.7, 7.8, 8.1]
code_pages = []
for label in labels:
    relabelled = keys.copy()
    relabelled[3, 1] = label
    answers = [one_book(relabelled), blend(relabelled)]
    code_pages.append([answer[3] for answer in answers])

# %% show-nudge
rows = [
    {"zh": "只取一本", "en": "one book"},
    {"zh": "调出来的", "en": "the blend"},
]
caption = {
    "zh": "带回家的程序页数；列是“量子计算”标签上的“量子”分",
    "en": "Pages of code you carry home, by the quantum entry of the label",
}
cols = [f"{label:.1f}" for label in labels]
over = np.transpose(code_pages)
Table(over, "output", rows=rows, cols=cols, caption=caption, digits=1)

# %% root-d
scaled = attention([query], keys, values).weights
Table(scaled, "weights", rows=search, cols=books, percent=True)

# %% swapped
swapped = attention([query], keys, values[[2, 1, 0, 3]], scale=1 / 10)
Table(swapped.output, "output", cols=pages, digits=1)

# %% copies
twice = [0, 0, 1, 2, 3]
copies = softmax(scores[twice], temperature=10)
names_twice = [books[i] for i in twice]
Table(copies, "weights", rows=search, cols=names_twice, percent=True)


# %% check-ratio
def check_ratio(temperature):
    weights = softmax(scores, temperature=temperature)
    ratio = weights[0] / weights[3]
    if abs(ratio - 2) > 0.005:
        raise ValueError(f"temperature {temperature} gives {ratio:.3f} : 1")
    print(f"temperature {temperature:.3f} gives {ratio:.3f} : 1")


# %% exercise-ratio
check_ratio(7 / math.log(2))


# %% check-hard
def check_hard(lookup):
    for scores in ([95, 40, 0, 88], [95, 40, 0, 95], [-3, -1, -2, -1]):
        given = np.asarray(lookup(scores), dtype=float)
        wanted = softmax(scores, temperature=1e-6)
        if not np.allclose(given, wanted):
            raise ValueError(f"{scores}: given {given}, wanted {wanted}")
        print(f"{scores}: {given}")


# %% exercise-hard
def hard(scores):
    top = np.asarray(scores) == max(scores)
    return top / top.sum()


check_hard(hard)


# %% check-label
def check_label(label):
    new_keys = keys.copy()
    new_keys[2] = label
    new_scores = attention_scores([query], new_keys, scale=1)[0]
    share = softmax(new_scores, temperature=50)[2]
    if share >= 0.001:
        raise ValueError(f"label {label} still gets {share:.2%}")
    print(f"label {label}: score {new_scores[2]:.0f}, {share:.5%}")


# %% exercise-label
check_label([-100, 0, 10])

# %% facts
declared = {
    "2014": "year of Bahdanau et al. and of Graves et al.",
    "2016": "year of Miller et al.",
    "2017": "year of Attention Is All You Need",
    "3.2": "section of Attention Is All You Need",
}
facts = {
    "query": query,
    "keys": keys,
    "values": values,
    "scores": scores,
    "raw": raw,
    "e^7": math.exp(7),
    "shares": shares,
    "shares in per cent": 100 * shares,
    "temperatures": temperatures,
    "shares at 50, rounded, added": (100 * shares[2]).round(1).sum(),
    "ratios": [math.exp(7 / t) for t in temperatures],
    "curves": curves,
    "peak": [ts[peak], curves[peak, 3]],
    "soft": soft.output,
    "carried": carried,
    "cold error": off(cold, best),
    "hot error": off(hot, mean),
    "labels": labels,
    "scores of the labels": [5 * 5 + 9 * label for label in labels],
    "code pages": over,
    "scaled": scaled,
    "scaled ratio": scaled[0, 0] / scaled[0, 3],
    "swapped": swapped.output,
    "swapped weights": swapped.weights,
    "copies": copies,
    "two copies together": copies[:2].sum(),
    "two to one": 7 / math.log(2),
    "hard": [hard([95, 40, 0, 88]), hard([95, 40, 0, 95])],
}
