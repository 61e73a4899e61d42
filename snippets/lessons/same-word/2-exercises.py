# %% check-cosine
def check_cosine(yours):
    a, b = np.array([3.0, 4.0]), np.array([4.0, 3.0])
    for p, q, right in (a, b, 0.96), (a, 10 * b, 0.96), (a, -a, -1):
        if abs(yours(p, q) - right) > 1e-9:
            raise ValueError(f"{p}, {q}: you {yours(p, q)}, right {right}")
    print("right")


# %% exercise-cosine
def my_cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    length_a = sum(x * x for x in a) ** 0.5
    length_b = sum(y * y for y in b) ** 0.5
    return dot / (length_a * length_b)


check_cosine(my_cosine)


# %% check-order
def check_order(guess):
    swapped = ["苹果", "今天", "一个", "了", "买", "我"]
    moved = after_attention(swapped, "苹果", near)
    truth = abs(moved - after_bought).max().round(12)
    verdict = "right" if abs(guess - truth) < 0.001 else "not quite"
    print(f"you {guess}, computed {truth}: {verdict}")


# %% exercise-order
check_order(0)


# %% check-fooled
def check_fooled(sentence):
    unknown = [word for word in sentence if word not in near]
    if unknown or not {"苹果", "发布"} <= set(sentence):
        raise ValueError(
            f"{sentence}: unknown {unknown}, or 苹果 or 发布 missing"
        )
    vector = after_attention(sentence, "苹果", near)
    a, b = cosine(vector, row["香蕉"]), cosine(vector, row["微软"])
    verdict = "fooled" if a > b else "not fooled"
    print(f"banana {a:.3f}, Microsoft {b:.3f}: {verdict}")


# %% exercise-fooled
check_fooled(["苹果", "发布", "了", "一个", "香蕉"])
