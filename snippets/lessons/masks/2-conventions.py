# %% bottom-right
newest = words[-2:]
Table(causal_mask(2, 5), "mask", newest, words)

# %% cache
full = attention(q, k, v, causal=True).output[-2:]
right = attention(q[-2:], k, v, causal=True).output
top_left = np.tri(2, 5, dtype=bool)
left = attention(q[-2:], k, v, mask=top_left).output
print("bottom-right, off by", f"{np.abs(right - full).max():.2f}")
print("top-left, off by    ", f"{np.abs(left - full).max():.2f}")

# %% empty
nobody = np.full((1, 4), -np.inf)
e = np.exp(nobody)
with np.errstate(invalid="ignore"):
    print("by the formula:", (e / e.sum())[0])
print("softmax here:  ", softmax(nobody)[0])

# %% left-padding
at_left = np.array([False, False, True, True, True])
mask = causal_mask(5) & at_left
out = attention(x, x, x, mask=mask)
names = [*padded[3:], *padded[:3]]
Table(out.weights, "weights", names, names, of=out.scores)

# %% large-negative
s = np.array([[1.0, 2.0, 0.5, 3.0]], dtype=np.float32)
same = softmax(s + np.float32(-1e9))
print("four hidden keys:", same[0])

# %% garbage
spoiled = v.copy()
spoiled[4] = np.nan
before = attention(q, k, v, causal=True).output
after_nan = attention(q, k, spoiled, causal=True).output
print("first four rows alike:", np.array_equal(before[:4], after_nan[:4]))
print("0 times NaN:", 0 * np.nan)

# %% wrong-bias
ones = causal_mask(5).astype(float)
nothing_hidden = attention(q, k, v, bias=ones)
print("first row:", nothing_hidden.weights[0].round(3))


# %% predict
def shifted(x):
    """Let every word look at what came before it, but not at itself."""
    return read(x, mask=np.tri(len(x), k=-1, dtype=bool))


shifted_knows = influence(shifted, x)
Table(shifted_knows, "mask", words, words, caption=reaches)
