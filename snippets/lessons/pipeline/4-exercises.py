# %% check-next
def check_next(guess):
    """Look a guess up among the ten likeliest after the whole text."""
    likely = smollm2["prompts"][text]["next"]
    tokens = [token["token"] for token in likely]
    if guess not in tokens:
        raise ValueError(f"{guess!r} given: not among the ten likeliest")
    place = tokens.index(guess)
    print(f"{guess!r}: number {place + 1}, {likely[place]['p']:.1%}")


# %% exercise-next
for guess in (".", ","):
    check_next(guess)


# %% check-id
def check_id(answer):
    """Test the id of "you" without its space."""
    if answer != id_of[b"you"]:
        raise ValueError(f"{answer} given: that is not the id of 'you'")
    print("right:", answer)


# %% exercise-id
check_id(n_bytes + 5576)


# %% check-rows
def check_rows(rows):
    """Test which rows move when the last token changes, unmasked."""
    one, other = gpt(endings, causal=False, layers=1)
    moved = np.nonzero(np.abs(one - other).max(axis=-1))[0].tolist()
    if sorted(rows) != moved:
        raise ValueError(f"{rows} given, but other rows move")
    print("right:", moved)


# %% exercise-rows
check_rows([0, 1, 2, 3])
