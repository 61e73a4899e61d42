# %% facts
declared = {
    "2017": "year of Attention Is All You Need",
    "2019": "year of BERT at NAACL",
    "2023": "year of GQA",
}
facts = {
    "off": np.abs(ours[1] - theirs.output).max(),
    "heads off": heads_off,
    "axis": axis_rows,
    "axis sums": axis_sums,
    "no scale": scale_rows,
    "d_head": wide[0].shape[1],
    "dot product of ones": np.ones(16) @ np.ones(16),
    "its score": attention(
        np.ones((1, 16)), np.ones((1, 16)), [[1]]
    ).scores,
    "by-hand scores": [10, 6],
    "d_model": x.shape[1],
    "n_heads": 12,
    "too flat": math.sqrt(x.shape[1] / wide[0].shape[1]),
    "√d_model": model_rows,
    "after": after_rows,
    "after sums": after_sums,
    "polarity": polarity_rows,
    "finite": finite_rows,
    "hidden score": hidden_score,
    "empty": empty_rows,
    "corner": corner_rows,
    "split": split_rows,
    "read": tile_rows,
    "values": values_rows,
    "noticed": noticed,
    "caught": caught,
    "exhibits": len(exhibits),
}
