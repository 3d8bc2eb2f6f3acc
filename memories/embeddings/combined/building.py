"""Construction of networks in the ONNX format whose products are calculated with integers, as in `integer_network.py`.

Used by the programs that prepare models, since `onnx` takes more memory than the networks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, numpy_helper

MAX_INTEGER = 63
"""Largest weight: with 7 bits, no sum of two products overflows 16 bits."""

OPSET, IR_VERSION = 17, 8


class Network:
    """A network in construction. Methods add operators, and return the names of their results."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._tensors: dict[str, TensorProto] = {}
        self._rounded: set[str] = set()

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add an operator with one result."""
        result = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [result], **attributes))
        return result

    def constant(self, name: str, values: np.ndarray) -> str:
        """Store an array, whose name is its result."""
        self._tensors[name] = numpy_helper.from_array(np.asarray(values, order="C"), name)
        return name

    def product(self, factor: str, name: str, weights: np.ndarray) -> str:
        """Add the product of `factor` with the matrix `weights`, shape (inputs, outputs), calculated with integers."""
        scale = np.abs(weights).max(axis=0) / np.float32(MAX_INTEGER)
        integers = self.constant(name, np.rint(weights / scale).astype(np.int8))
        rounded, factor_scale, zero = (f"{factor}_{part}" for part in ("integers", "scale", "zero"))
        if factor not in self._rounded:
            self._rounded.add(factor)
            self._nodes.append(helper.make_node("DynamicQuantizeLinear", [factor], [rounded, factor_scale, zero]))
        sums = self.add("Cast", self.add("MatMulInteger", rounded, integers, zero), to=TensorProto.FLOAT)
        return self.add("Mul", sums, self.add("Mul", factor_scale, self.constant(f"{name}_scale", scale)))

    def shifted(self, values: str, name: str, bias: np.ndarray) -> str:
        """Add `bias` to each row."""
        return self.add("Add", values, self.constant(name, bias))

    def normalized(self, values: str, name: str, scale: np.ndarray, shift: np.ndarray, epsilon: float) -> str:
        """Add what gives each row a mean of 0 and a variance of 1, and then scales and shifts it."""
        given = self.constant(f"{name}_g", scale), self.constant(f"{name}_bias", shift)
        return self.add("LayerNormalization", values, *given, axis=-1, epsilon=epsilon)

    def slice(self, values: str, start: int, end: int, axis: int) -> str:
        """Add the part of `values` from `start` to before `end` along `axis`."""
        bounds = (self.constant(f"number_{number}", np.array([number])) for number in (start, end, axis))
        return self.add("Slice", values, *bounds)

    def model(self, inputs: Sequence[ValueInfoProto], output: ValueInfoProto) -> ModelProto:
        """Return the finished network."""
        graph = helper.make_graph(self._nodes, "sentence_encoder", inputs, [output], list(self._tensors.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        return model


def run(parts: Mapping[str, Callable[[Path], bytes]]) -> None:
    """Be the program `PART SOURCE TARGET`: write the part that is made of the file SOURCE.

    When TARGET cannot be written, the program exits with EX_IOERR of sysexits.h and prints the reason as its last line.
    """
    part, source, target = sys.argv[1:]
    content = parts[part](Path(source))
    try:
        Path(target).write_bytes(content)
    except OSError as error:
        print(error.strerror or error, file=sys.stderr)
        sys.exit(os.EX_IOERR)
