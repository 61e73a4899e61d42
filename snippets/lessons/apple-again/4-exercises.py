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
