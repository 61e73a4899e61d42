# %% reshape
def wrong_split(x, n_heads):
    n, d_model = x.shape
    return x.reshape(n_heads, n, d_model // n_heads)  # no swapaxes


def wrong_merge(heads):
    n_heads, n, d_head = heads.shape
    return heads.reshape(n, n_heads * d_head)


# %% reshape-beside
counted = np.arange(8.0).reshape(2, 4)
split_rows = np.array(
    [wrong_split(counted, 2)[0].ravel(), split(counted, 2)[0].ravel()]
)
Table(split_rows, rows=two, **labels("reshape-beside"), digits=0)

# %% reshape-round
back = wrong_merge(wrong_split(counted, 2))
print("there and back:", (back == counted).all())


# %% reshape-check
def check_split(split):
    x = np.arange(6.0).reshape(3, 2)  # 3 tokens, 2 heads of width 1
    first = split(x, 2)[0].ravel()
    assert (first == x[:, 0]).all(), f"head 1 gets {first}, not {x[:, 0]}"


verdict(check_split, wrong_split, split)


# %% tile
def share(kv, n_heads):
    return np.repeat(kv, n_heads // len(kv), axis=0)


def wrong_share(kv, n_heads):
    return np.tile(kv, (n_heads // len(kv), 1, 1))  # right: np.repeat


# %% tile-beside
owners = np.array([[[1.0]], [[2.0]]])
tile_rows = np.array(
    [wrong_share(owners, 6).ravel(), share(owners, 6).ravel()]
)
Table(
    tile_rows,
    rows=two,
    cols=["1", "2", "3", "4", "5", "6"],
    **labels("tile-beside"),
    digits=0,
)


# %% tile-check
def check_share(share):
    read = share(np.array([[[1.0]], [[2.0]]]), 4).ravel()
    assert (read == [1, 1, 2, 2]).all(), f"heads read {read}"


verdict(check_share, wrong_share, share)


# %% values
def wrong_values(x, w_q, w_k, w_v, n_heads):
    q, k, v = (split(x @ w, n_heads) for w in (w_q, w_k, w_k))  # w_v!
    return attend(q, k, v)


# %% values-beside
values_wrong = wrong_values(x, w_q, w_k, w_v, 12)
values_right = by_heads(x, w_q, w_k, w_v, 12)
values_rows = np.array(
    [values_wrong[1][0, 0, :4], values_right[1][0, 0, :4]]
)
Table(values_rows, "output", two, four, **labels("values-beside"))


# %% values-check
def check_values(by_heads):
    x, one = np.eye(4), np.eye(4)
    _, output = by_heads(x, one, one, 0 * one, n_heads=2)
    largest = np.abs(output).max()
    assert largest == 0, f"without values, an output of {largest:.2f}"


verdict(check_values, wrong_values, by_heads)
