# %% facts
declared = {
    "1930": "in the title of Firth's paper",
    "1955": "in the title of Firth's paper",
    "1957": "year of Firth's paper",
    "2013": "year of Mikolov's paper",
    "2018": "year of Arora's paper",
    "2019": "year of the GPT-2 report",
}
fooled = ["苹果", "发布", "了", "一个", "香蕉"]
fooled_by = after_attention(fooled, "苹果", near)
reordered = after_attention(bought[::-1], "苹果", near)
averages = [
    np.mean([row[word] for word in sentence], axis=0)
    for sentence in (bought, released)
]
facts = {
    "ids": [ids_bought, ids_released],
    "rows of the table": len(table),
    "row of 苹果": row["苹果"],
    "uses": [as_fruit, as_company],
    "token rows, subtracted": in_bought - in_released,
    "closeness": list(close.values()),
    "inputs, subtracted": x_bought - x_released,
    "positions, subtracted": position_table[5] - position_table[0],
    "among strangers": x_strangers - x_bought,
    "after attention": [after_bought, after_released],
    "after attention, subtracted": after_bought - after_released,
    "pull": pull,
    "bank": bank_pull,
    "first token, causal": first_token - x[0],
    "plain average": [cosine(v, row["香蕉"]) for v in averages],
    "numbers in GPT-2's table": size,
    "GPT-2's vocabulary": gpt2_tokens["n_vocab"],
    "GPT-2's ids": {
        word: gpt2_tokens["texts"][word]["ids"]
        for word in (" apple", " Apple", "苹果")
    },
    "id of 苹果": zh["id"],
    "e5": [e5["n_layers"], e5["n_heads"]],
    "same row": zh["same row"],
    "cosines": cosines,
    "any two words": any_two,
    "width of GPT-2": MODELS["gpt2"].d_model,
    "bytes of 苹果": len("苹果".encode()),
    "another order": np.abs(reordered - after_bought).max(),
    "fooled": [cosine(fooled_by, row[word]) for word in ("香蕉", "微软")],
    "check of the cosine": 0.96,
}
