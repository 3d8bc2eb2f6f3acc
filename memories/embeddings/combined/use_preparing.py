"""Preparation of the sentence encoder from the package that contains its weights.

It is a program of its own, since the library that it needs takes more memory than the network:

    python -P use_preparing.py PART SOURCE TARGET

PART is `network` or `table`, and SOURCE the archive of weights.

The encoder averages over the tokens of a text: over their vectors, and over those of windows of two, three and five
tokens, which two convolutions each compute (Yang et al. 2020, "Multilingual Universal Sentence Encoder for Semantic
Retrieval"). Products are calculated with integers, as those of `integer_network.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from onnx import ModelProto, TensorProto, helper

from memories.embeddings.combined.building import Network, run

WINDOWS = ((2, 0), (3, 1), (5, 2))
"""The number of tokens in each kind of window, and of those before the token that it belongs to."""

BEFORE, WIDEST = 2, 5
"""The number of tokens before the middle of the widest window, and in it."""

TABLES = 17
"""The vocabulary is stored in tables: the token `id` is a row of the table `id % TABLES`."""

WIDTH, CHANNELS = 512, 256
"""The numbers of values of a token's vector, and of that of a window."""


class Encoder:
    """The network in construction, from its weights. Methods return the names of results."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self._weights = weights
        self._made = Network()

    def model(self) -> ModelProto:
        """Return the whole network, from the rows of the table to the vector of the text."""
        words = self._words()
        tokens = self._normalized(self._product(words, "proj"), "proj")
        features = [words]
        for number, (size, before) in enumerate(WINDOWS):
            window = self._made.slice(tokens, number * CHANNELS, (number + 1) * CHANNELS, axis=1)
            for convolution in (1, 2):
                window = self._convolved(window, size, before, f"w{convolution}_{size}", f"b{convolution}_{size}")
            features.append(window)
        every = self._normalized(self._made.add("Concat", *features, axis=1), "ln")
        self._made.add("Identity", self._layers(self._mean(every)), output="sentence_embedding")
        return self._finished()

    def _words(self) -> str:
        """Return the vectors of the tokens, from the integers of their rows."""
        table = self._made.add("Mod", "ids", self._made.constant("tables", np.array([TABLES])))
        scale = self._made.add("Gather", self._made.constant("scale", self._weights["scale"][:, None]), table)
        least = self._made.add("Gather", self._made.constant("lo", self._weights["lo"][:, None]), table)
        floats = self._made.add("Cast", "rows", to=TensorProto.FLOAT)
        return self._made.add("Add", self._made.add("Mul", floats, scale), least)

    def _convolved(self, tokens: str, size: int, before: int, weights: str, bias: str) -> str:
        """Return each token plus what its window says about it."""
        nothing = self._made.constant("nothing", np.zeros((1, CHANNELS), np.float32))
        places = self._made.slice("windows", BEFORE - before, BEFORE - before + size, axis=1)
        windows = self._made.add("Gather", self._made.add("Concat", tokens, nothing, axis=0), places)
        row = self._made.add("Reshape", windows, self._made.constant(f"row_{size}", np.array([-1, size * CHANNELS])))
        sums = self._made.add("Add", self._product(row, weights), self._made.constant(bias, self._weights[bias]))
        return self._made.add("Add", self._made.add("Relu", sums), tokens)

    def _mean(self, features: str) -> str:
        """Return the sum of the tokens' features, projected, and divided by the square root of their number."""
        total = self._made.add("ReduceSum", features, self._made.constant("first_axis", np.array([0])), keepdims=1)
        first = self._made.constant("first", np.array([0]))
        count = self._made.add(
            "Cast", self._made.add("Gather", self._made.add("Shape", features), first), to=TensorProto.FLOAT
        )
        biases = self._made.add("Mul", count, self._made.constant("cnn_b", self._weights["cnn_b"]))
        return self._made.add(
            "Div", self._made.add("Add", self._product(total, "cnn_W"), biases), self._made.add("Sqrt", count)
        )

    def _layers(self, mean: str) -> str:
        """Return the vector of the text: four layers, two of which have a short cut."""
        first = self._made.add("Relu", self._product(mean, "d0"))
        second = self._made.add("Relu", self._made.add("Add", self._product(mean, "p1"), self._product(first, "d1")))
        third = self._made.add("Relu", self._product(second, "d2"))
        return self._made.add("Tanh", self._made.add("Add", self._product(second, "p3"), self._product(third, "d3")))

    def _normalized(self, values: str, name: str) -> str:
        """Return `values` with a mean of 0 and a variance of 1 for each token, scaled and shifted."""
        if name == "proj":
            values = self._made.shifted(values, "proj_b", self._weights["proj_b"])
        scale, shift = self._weights[f"{name}_g"], self._weights[f"{name}_bias"]
        return self._made.normalized(values, name, scale, shift, float(self._weights["eps"]))

    def _product(self, factor: str, name: str) -> str:
        return self._made.product(factor, name, self._weights[name])

    def _finished(self) -> ModelProto:
        inputs = [
            helper.make_tensor_value_info("rows", TensorProto.UINT8, ["tokens", WIDTH]),
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"]),
            helper.make_tensor_value_info("windows", TensorProto.INT64, ["tokens", WIDEST]),
        ]
        output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, WIDTH])
        return self._made.model(inputs, output)


def network(source: Path) -> bytes:
    """Return the network in the ONNX format."""
    with np.load(source, allow_pickle=False) as archive:
        weights = {name: archive[name] for name in archive.files if not name.startswith("q")}
    sizes = [size for size, _ in WINDOWS]
    joined = {"proj": "proj", "proj_b": "proj_b", "proj_g": "ln_g", "proj_bias": "ln_b"}
    for name, part in joined.items():
        weights[name] = np.concatenate([weights[f"{part}{size}"] for size in sizes], axis=-1)
    weights["ln_bias"] = weights["ln_b"]
    content: bytes = Encoder(weights).model().SerializeToString(deterministic=True)
    return content


def table(source: Path) -> bytes:
    """Return the vocabulary as one table: for each token, in order, `WIDTH` integers of 8 bits."""
    with np.load(source, allow_pickle=False) as archive:
        parts = [archive[f"q{number}"] for number in range(1, TABLES + 1)]
    return np.stack(parts, axis=1).reshape(-1, WIDTH).tobytes()


if __name__ == "__main__":
    run({"network": network, "table": table})
