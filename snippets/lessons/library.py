# %% setup
import math

import numpy as np

from attention import attention, attention_scores, softmax
from lessonkit import Figure, Labels, Line, Plot, Table

labels = Labels("library")
books = labels["books"]
topics = labels["topics"]
pages = labels["pages"]
search = labels["search"]

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
Table(query, "query", search, topics, **labels("show-query"), digits=0)

# %% show-keys
Table(keys, "key", books, topics, **labels("show-keys"), digits=0)

# %% show-values
Table(values, "value", books, pages, **labels("show-values"), digits=0)

# %% scores
scores = keys @ query
Table(scores, "scores", search, books, digits=0, of=(query, keys))

# %% raw
raw = softmax(scores)
Table(raw, "weights", search, books, digits=3, of=scores)

# %% gap
print(f"e^(95-88) = {math.exp(95 - 88):.2f}")
print(f"the other two: {raw[1]:.0e} and {raw[2]:.0e}")

# %% temperatures
temperatures = [1, 10, 50]
shares = np.array([softmax(scores, temperature=t) for t in temperatures])
names = [f"T = {t}" for t in temperatures]
softer = [scores / t for t in temperatures]
Table(shares, "weights", names, books, of=softer)

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
    Table(warm, "weights", search, books),
)

# %% plot
ts = np.geomspace(1, 10_000, 21)
curves = 100 * np.array([softmax(scores, temperature=t) for t in ts])
peak = curves[:, 3].argmax()
roles = ["weights", "", "", "weights"]
Plot(
    [
        Line(book, ts, curve, role)
        for book, curve, role in zip(books, curves.T, roles, strict=True)
    ],
    **labels(
        "plot",
        ts=ts,
        curves=curves,
        curves_peak_3=curves[peak, 3],
        ts_last=ts[-1],
        curves_last_min=curves[-1].min(),
        curves_last_max=curves[-1].max(),
    ),
    log_x=True,
)

# %% blend
soft = attention([query], keys, values, scale=1 / 10)

# %% show-blend
Table(
    soft.output,
    "output",
    cols=pages,
    **labels("show-blend"),
    digits=1,
    of=(soft.weights, values),
)

# %% carried
rows = [labels["the-top-score-only"], *names]
rows += [labels["mean-of-all-four"]]
carried = np.vstack(
    [values[scores.argmax()], shares @ values, values.mean(axis=0)]
)
Table(carried, "output", rows, pages, **labels("carried"), digits=1)


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


marks = [7.0, 7.1, 7.4, 7.7, 7.8, 8.1]
code_pages = []
for label in marks:
    relabelled = keys.copy()
    relabelled[3, 1] = label
    answers = [one_book(relabelled), blend(relabelled)]
    code_pages.append([answer[3] for answer in answers])

# %% show-nudge
cols = [f"{label:.1f}" for label in marks]
over = np.transpose(code_pages)
Table(over, "output", cols=cols, **labels("show-nudge"), digits=1)

# %% root-d
scaled = attention([query], keys, values).weights
Table(scaled, "weights", search, books)

# %% swapped
swapped = attention([query], keys, values[[2, 1, 0, 3]], scale=1 / 10)
Table(swapped.output, "output", cols=pages, digits=1)

# %% copies
twice = [0, 0, 1, 2, 3]
copies = softmax(scores[twice], temperature=10)
names_twice = [books[i] for i in twice]
Table(copies, "weights", search, names_twice)


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
    "labels": marks,
    "scores of the labels": [5 * 5 + 9 * label for label in marks],
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
