"""Q4_0: weights in half a byte each, with one scale for every 32 of them."""

import numpy as np

from ..checks import Array

BLOCK = 32  # weights that share a scale
BLOCK_BYTES = 18  # the scale as float16, then 16 bytes of two weights each


def q4_blocks(data: Array, rows: int, d_in: int) -> Array:
    """Return packed bytes as blocks.

    [bytes] -> [rows, d_in / 32, 18]

    >>> q4_blocks(np.zeros(17, np.uint8), rows=1, d_in=32)
    Traceback (most recent call last):
        ...
    ValueError: 17 bytes; 1 rows of 32 weights in Q4_0 take 18
    >>> q4_blocks(np.zeros(18, np.uint8), rows=1, d_in=48)
    Traceback (most recent call last):
        ...
    ValueError: a row has 48 weights; Q4_0 packs 32 at a time
    """
    if d_in % BLOCK:
        raise ValueError(f"a row has {d_in} weights; Q4_0 packs {BLOCK} at a time")
    needed = rows * d_in // BLOCK * BLOCK_BYTES
    if data.size != needed:
        raise ValueError(f"{data.size} bytes; {rows} rows of {d_in} weights in Q4_0 take {needed}")
    return data.reshape(rows, d_in // BLOCK, BLOCK_BYTES)


def dequantise(blocks: Array) -> Array:
    """Return the weights of packed rows as float32.

    [..., d_in / 32, 18] -> [..., d_in]

    A block is a float16 scale and 16 bytes. The low half of byte i is weight i, the high half is weight 16 + i. A half
    byte holds 0 to 15; less 8, times the scale, it is the weight.

    References
    ----------
    ggml's `block_q4_0`.

    Examples
    --------
    >>> block = np.frombuffer(np.float16(0.5).tobytes() + bytes([0x9A, *15 * [0x88]]), np.uint8)
    >>> weights = dequantise(block.reshape(1, 1, 18))
    >>> weights.shape, weights[0, 0], weights[0, 16]
    ((1, 32), np.float32(1.0), np.float32(0.5))
    """
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)  # [..., d_in / 32, 1]
    halves = blocks[..., 2:]
    levels = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32)
    weights: Array = (levels - 8) * scales
    return weights.reshape(*blocks.shape[:-2], -1)
