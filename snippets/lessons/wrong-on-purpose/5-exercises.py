# %% check-breaks
def check_breaks(*scores):
    row, mask = np.array(scores, float), np.array([1, 1, 0])
    with np.errstate(invalid="ignore"):
        found = renormalised(row, mask)
    expected = np.array([*softmax(row[:2]), 0])
    judged = "right" if np.allclose(found, expected) else "wrong"
    print(f"{scores}: {found.round(3)}, {judged}")


# %% exercise-breaks
check_breaks(0, 1, 2)
check_breaks(0, 1, 2000)


# %% check-blind
def check_blind(n_tokens):
    x = np.arange(n_tokens * 6.0).reshape(n_tokens, 6)
    same = (wrong_split(x, 3) == split(x, 3)).all()
    print(f"tokens: {n_tokens}, the fault shows: {not same}")


# %% exercise-blind
for n_tokens in (4, 3, 2, 1):
    check_blind(n_tokens)


# %% check-symmetric
def check_symmetric(q, k):
    q, k = np.array(q, float), np.array(k, float)
    off = np.abs(wrong_axis(q, k, k)[0] - attend(q, k, k)[0]).max()
    print(f"the two axes differ by up to {off:.1g}")


# %% exercise-symmetric
check_symmetric([[2, 0], [1, 3]], [[3, 1], [1, 3]])
check_symmetric([[3, 1], [1, 3]], [[3, 1], [1, 3]])
