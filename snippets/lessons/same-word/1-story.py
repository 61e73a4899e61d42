# %% setup
import numpy as np

from attention import MODELS, attention, embed
from lessonkit import Figure, Labels, Line, Plot, Table, recording

labels = Labels("same-word")
# %% near
# in how many of ten places the word stands beside ... (invented)
# columns: 吃 eat, 甜 sweet, 手机 phone, 公司 firm, 家 home, 首都 capital
near = {
    "猫": [3, 0, 0, 0, 8, 0],  # cat
    "狗": [4, 0, 0, 1, 7, 0],  # dog
    "法国": [1, 0, 0, 2, 0, 8],  # France
    "巴黎": [1, 1, 0, 1, 1, 9],  # Paris
    "香蕉": [8, 7, 0, 0, 1, 0],  # banana
    "微软": [0, 0, 5, 8, 0, 1],  # Microsoft
    "苹果": [6, 5, 5, 6, 1, 0],  # apple, Apple
    "我": [2, 1, 2, 2, 3, 1],  # I
    "今天": [2, 1, 2, 1, 2, 2],  # today
    "买": [5, 3, 3, 1, 1, 0],  # buy
    "了": [2, 2, 2, 2, 1, 1],  # marks what is done
    "一个": [4, 3, 1, 1, 2, 1],  # a, one
    "发布": [0, 0, 7, 6, 0, 1],  # release
    "新款": [0, 0, 8, 3, 0, 0],  # new model
    "iPhone": [1, 0, 9, 6, 1, 0],
}

# %% show-near
first = labels["first"]
top = np.array(list(near.values()))[: len(first)]
Table(top, rows=first, **labels("show-near"), digits=0)

# %% ids
vocabulary = list(near)
table = np.array(list(near.values()), dtype=float)

bought = ["我", "今天", "买", "了", "一个", "苹果"]
released = ["苹果", "发布", "了", "新款", "iPhone"]
ids_bought = [vocabulary.index(word) for word in bought]
ids_released = [vocabulary.index(word) for word in released]
print(ids_bought)
print(ids_released)

# %% twice
in_bought = embed(ids_bought, table)[5]  # 苹果 stands last
in_released = embed(ids_released, table)[0]  # 苹果 stands first
print(in_bought)
print(in_released)
print(in_bought - in_released)


# %% cosine
def cosine(a, b):
    """1: same direction; 0: nothing in common."""
    return a @ b / np.sqrt((a @ a) * (b @ b))


# %% closeness
row = dict(zip(vocabulary, table, strict=True))
pairs = [
    ("猫", "狗"),
    ("法国", "巴黎"),
    ("猫", "巴黎"),
    ("苹果", "香蕉"),
    ("苹果", "微软"),
    ("香蕉", "微软"),
]
close = {pair: cosine(row[pair[0]], row[pair[1]]) for pair in pairs}

# %% show-closeness
values = np.array(list(close.values()))[:, None]
Table(values, **labels("show-closeness"))

# %% blend
as_fruit = np.array([6, 5, 0, 0, 1, 0])  # beside what, when eaten
as_company = np.array([0, 0, 5, 6, 0, 0])  # beside what, when it sells
print(as_fruit + as_company)
print(row["苹果"])

# %% positions
rng = np.random.default_rng(0)
position_table = rng.normal(size=(8, 6))  # 8 places; random numbers

x_bought = embed(ids_bought, table, position_table)[5]
x_released = embed(ids_released, table, position_table)[0]
print("inputs, subtracted:   ", (x_bought - x_released).round(3))
print(
    "positions, subtracted:",
    (position_table[5] - position_table[0]).round(3),
)

# %% strangers
strangers = ["发布", "了", "新款", "iPhone", "微软", "苹果"]
ids_strangers = [vocabulary.index(word) for word in strangers]
x_strangers = embed(ids_strangers, table, position_table)[5]
print(x_strangers - x_bought)


# %% after
def after_attention(sentence, word, near):
    """Return the word's vector once it has looked at its sentence."""
    x = np.array([near[w] for w in sentence]) / 5
    output = attention(x, x, x).output  # toy: query = key = value = x
    return output[sentence.index(word)]


# %% apart
after_bought = after_attention(bought, "苹果", near)
after_released = after_attention(released, "苹果", near)
print((after_bought - after_released).round(3))

# %% pull
vectors = [in_bought, in_released, after_bought, after_released]
pull = np.array(
    [[cosine(v, row["香蕉"]), cosine(v, row["微软"])] for v in vectors]
)

# %% pulled
# words that can be added; 香蕉 and 微软 are the ends of the map, too
addable = [*bought[:-1], "发布", "新款", "iPhone", "香蕉", "微软"]
spot = vocabulary.index
fruit, firm = pull[2], pull[3]
Figure(
    "add-words",
    {
        "rows": table,
        "names": labels["names"],
        "divisor": 5,
        "word": spot("苹果"),
        "poles": [spot("香蕉"), spot("微软")],
        "context": [spot(word) for word in addable],
        "sentences": {
            "bought": [spot(word) for word in bought[:-1]],
            "released": [spot(word) for word in released[1:]],
        },
    },
    {"now": pull[0], "bought": fruit, "released": firm},
    Table(pull[1:], "output", **labels("pulled")),
)

# %% real
e5 = recording("e5")
zh = e5["zh"]
for name in "bought", "released":
    print(*zh["shown"][name]["pieces"])
print("id of 苹果:", zh["id"], "the same row:", zh["same row"])

# %% cosines
cosines = zh["cosine of bought and released"]  # going in, then by layer
any_two = zh["cosines"]["any two words"]
start, *after_layers = cosines
pair = labels["pair"]
others = labels["others"]
Plot(
    [
        Line(pair, range(len(cosines)), cosines, "output"),
        Line(others, range(len(cosines)), any_two),
    ],
    **labels(
        "cosines",
        start=start,
        after=after_layers,
        any_two=any_two,
        any_two_at_last=any_two[-1],
    ),
)

# %% bank
near_bank = {  # beside water, boat, money, contract; invented
    "bank": [5, 4, 6, 4],
    "river": [9, 6, 0, 0],
    "loan": [0, 0, 8, 7],
    "the": [2, 2, 2, 2],
    "boat": [8, 3, 1, 0],
    "reached": [4, 4, 2, 1],
    "approved": [0, 0, 4, 7],
}
shore = ["the", "boat", "reached", "the", "river", "bank"]
office = ["the", "bank", "approved", "the", "loan"]
bank_shore = after_attention(shore, "bank", near_bank)
bank_office = after_attention(office, "bank", near_bank)

# %% show-bank
bank_row = {word: np.array(counts) for word, counts in near_bank.items()}
bank_pull = np.array(
    [
        [cosine(v, bank_row["river"]), cosine(v, bank_row["loan"])]
        for v in (bank_row["bank"], bank_shore, bank_office)
    ]
)
Table(bank_pull, "output", **labels("show-bank"))

# %% causal
x = np.array([near[word] for word in released]) / 5
first_token = attention(x, x, x, causal=True).output[0]
print(first_token - x[0])

# %% average
for sentence, vector in (bought, after_bought), (released, after_released):
    plain = np.mean([row[word] for word in sentence], axis=0)
    print(
        f"banana {cosine(vector, row['香蕉']):.3f} by attention, "
        f"{cosine(plain, row['香蕉']):.3f} by plain average"
    )

# %% bytes
gpt2_tokens = recording("gpt2_tokens")
print(list("苹果".encode()), "bytes")
print(gpt2_tokens["texts"]["苹果"]["ids"], "ids of GPT-2")

# %% size
size = gpt2_tokens["n_vocab"] * MODELS["gpt2"].d_model
print(f"{size:,}")
