"""From token ids to vectors: look rows up in tables."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import Array, as_array, as_floats, as_integers
from .shapes import check_broadcasts


def embed(
    ids: ArrayLike, token_table: ArrayLike, position_table: ArrayLike | None = None, positions: ArrayLike | None = None
) -> Array:
    """Look up one row for every token, and add the row of its position where there is a table of positions.

    [..., n], [n_vocab, d_model], [n_positions, d_model], [..., n] -> [..., n, d_model]

    Parameters
    ----------
    positions
        0, 1, 2 … where left out. After a cache of `past` tokens they go on: `range(past, past + n)`.

    Raises
    ------
    ValueError
        If an id or position lies outside its table; negative ones do not count from the end.

    References
    ----------
    Radford et al., "Language Models are Unsupervised Multitask Learners", 2019 (GPT-2: tables `wte` and `wpe`).

    Examples
    --------
    >>> embed([1, 0], [[1, 0], [0, 1]], [[10, 0], [20, 0], [30, 0], [40, 0]], positions=[2, 3])
    array([[30.,  1.],
           [41.,  0.]])
    """
    tables, dtype = as_floats({"token_table": token_table}, position_table=position_table)
    x = _rows("ids", ids, "token_table", tables["token_table"])
    if position_table is not None:
        positions = np.arange(x.shape[-2]) if positions is None else positions
        check_broadcasts("positions", as_array("positions", positions).shape, x.shape[:-1])
        at = _rows("positions", positions, "position_table", tables["position_table"])
        if at.shape[-1] != x.shape[-1]:
            raise ValueError(
                f"token_table is {x.shape[-1]} wide and position_table {at.shape[-1]}: d_model must be one"
            )
        x = x + at
    elif positions is not None:
        raise ValueError("positions are given, but no position_table to look them up in")
    return x.astype(dtype)


def _rows(name: str, ids: ArrayLike, table_name: str, table: Array) -> Array:
    """Look `ids` up, or say which of them lies outside the table."""
    index = as_integers(name, ids)
    if index.ndim < 1:
        raise ValueError(f"{name} has shape {index.shape}; it must be (..., n)")
    if table.ndim != 2:
        raise ValueError(f"{table_name} has shape {table.shape}; it must be (rows, d_model)")
    if index.size and index.min() < 0:
        raise ValueError(f"{name} go down to {index.min()}; {table_name} has rows from 0 on")
    if index.size and index.max() >= len(table):
        raise ValueError(
            f"{name} go up to {index.max()}: {table_name} needs {index.max() + 1} rows, it has {len(table)}"
        )
    rows: Array = table[index]
    return rows
