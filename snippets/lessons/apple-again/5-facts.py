# %% facts
declared = {
    "2019": "year of BERT, GPT-2 and Attention is not Explanation",
    "2020": "year of Attention is Not Only a Weight",
    "2023": "year of The Hydra Effect",
    "2024": "year of Multilingual E5",
}
facts = {
    "difference going in": np.abs(before).max(),
    "weights, bought": weights_bought[0][:, 5],
    "weights, launched": weights_launched[0][:, 0],
    "cosines": cosines,
    "reading, bought": a @ meaning,
    "reading, launched": b @ meaning,
    "gifts": given,
    "vector moved": moved,
    "reading without 了 in B": without_le[2, 0] @ meaning,
    "readings, words hidden": readings,
    "causal change": np.abs(unseen).max(),
    "carriers": lines,
    "no question": xs_flat[:, 0] @ meaning,
    "even weights": weights_flat[0, 0, 0],
    "layers, heads": [e5["n_layers"], e5["n_heads"]],
    "heads in all": e5["n_layers"] * e5["n_heads"],
    "id of 苹果": zh["id"],
    "same row": zh["same row"],
    "sentences": zh["rulers"]["sentences"],
    "sentences in all": sum(zh["rulers"]["sentences"]),
    "alike": alike,
    "looks": shares,
    "looks, mean": mean_shares,
    "names of heads": [f"L{one['layer']}·H{one['head']}" for one in best],
    "most on <s>": most_on_start,
    "right": right,
    "limit": limit,
    "readings": ends,
    "interval of bought": zh["shown"]["bought"]["interval"][-1],
    "hidden": {
        verb: {
            word: one["reading"][-1]
            for word, one in sentence["hidden"].items()
        }
        for verb, sentence in zh["shown"].items()
    },
    "shift of bought": zh["shown"]["bought"]["hidden"]["买了"][
        "shift interval"
    ][-1],
    "all hidden": alone,
    "without the link": link["reading without the link"][-1],
    "measured": measured,
    "English, bought": en["shown"]["bought"]["reading"][-1],
    "English, hidden": {
        word: one["reading"][-1]
        for word, one in en["shown"]["bought"]["hidden"].items()
    },
    "English, measured": [
        sentence["reading"][-1] for sentence in en["measured"].values()
    ],
    "by the other's ruler": lent,
    "cosine of the rulers": across["cosine of the rulers"],
    "pairs across": {
        pair: one["mean"][7] for pair, one in across["cosines"].items()
    },
    "share of the link": [
        (
            sentence["looks"][0]["reading without the link"][-1]
            - sentence["shown"]["ate"]["reading"][-1]
        )
        / (
            sentence["shown"]["ate"]["hidden"][word]["reading"][-1]
            - sentence["shown"]["ate"]["reading"][-1]
        )
        for sentence, word in ((zh, "吃"), (en, "ate"))
    ],
}
facts |= {  # the toy that was trained
    "toy: sentences, words, numbers": [
        *toy["sentences"].values(),
        *toy["words"].values(),
        *toy["numbers"].values(),
    ],
    "toy: width": toy["d_model"],
    "toy: cosines": toy_cosines,
    "toy: heads": [
        side["weights"] for side in toy["looks"]["masked, one word"]
    ],
    "toy: one word tells": toy_alone,
    "toy: several words tell": toy_many,
    "toy: much": toy["thank you very"][0]["p"],
}
