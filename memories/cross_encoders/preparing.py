"""Preparation of the cross-encoder from all-MiniLM-L6-v2 and the corrections of its weights.

    python -P preparing.py NETWORK CORRECTIONS TARGET

NETWORK is the installed network with 8-bit integer weights, and CORRECTIONS a file of arrays: for each matrix of
weights two thin factors (LoRA: Hu et al. 2021), and a correction of the vector that marks the second text. The factors
are integers with one scale: their product is exact, so every processor writes the same file.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import GraphProto, TensorProto, numpy_helper

from memories.embeddings.integer_network import rewritten, write

MARKS = "inner.embeddings.token_type_embeddings.weight"
MAX_INTEGER = 127

Corrections = Mapping[str, npt.NDArray[Any]]


def corrected(source: Path, corrections: Corrections) -> onnx.ModelProto:
    """Return the network of the file `source` with corrected weights, stored as 8-bit integers again."""
    model = onnx.load(str(source))
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for number, name in enumerate(weight_names(model.graph)):
        integers, scale = (numpy_helper.to_array(tensors[f"{name}_{part}"]) for part in ("q", "scale"))
        weights = integers.astype(np.float32) * scale + _correction(corrections, number)
        new_scale = np.abs(weights).max(axis=0, keepdims=True) / np.float32(MAX_INTEGER)
        _put(tensors[f"{name}_q"], np.rint(weights / new_scale).astype(np.int8))
        _put(tensors[f"{name}_scale"], new_scale)
    types = numpy_helper.to_array(tensors[MARKS]).copy()
    types[1] += corrections["token_type"]
    _put(tensors[MARKS], types)
    return model


def weight_names(graph: GraphProto) -> Iterator[str]:
    """Yield the names of the matrices in the order of their use: six in each layer, from the query to the output."""
    stored = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "MatMul" and f"{node.input[1]}_q" in stored:
            yield node.input[1]


def _correction(corrections: Corrections, number: int) -> npt.NDArray[np.float32]:
    down, up = (corrections[f"{part}_{number}"].astype(np.int64) for part in ("down", "up"))
    product: npt.NDArray[np.float32] = (down @ up).astype(np.float32) * corrections[f"scale_{number}"]
    return product


def _put(tensor: TensorProto, values: npt.NDArray[Any]) -> None:
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(values), tensor.name))


def main(source: str, corrections: str, target: str) -> None:
    """Write the network whose products are calculated with integers."""
    with np.load(corrections) as arrays, tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        onnx.save(corrected(Path(source), arrays), file.name)
        write(rewritten(file.name), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
