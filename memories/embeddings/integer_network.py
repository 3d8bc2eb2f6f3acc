"""Rewriter of networks with 8-bit integer weights, so that they calculate with integers, too.

It is a program of its own, since the library that it needs takes more memory than the network:

    python -P integer_network.py SOURCE TARGET

When TARGET cannot be written, it exits with EX_IOERR of sysexits.h and prints the reason as its last line.

Before each product with a matrix of weights, the other factor is rounded to 8 bits, with a scale for each text (ONNX
operators DynamicQuantizeLinear and MatMulInteger). The weights lose their last bit: with 7 bits no sum overflows the 16
bits in which processors without VNNI add two products, so every processor computes the same integers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper, numpy_helper


@dataclass(frozen=True, slots=True)
class _Stored:
    """A matrix of quantized weights: the names of its integers and of their scale."""

    integers: str
    scale: str


@dataclass(slots=True)
class _Rewriting:
    """A rewrite in progress: the graph, and the tensors that have been quantized so far."""

    graph: GraphProto
    tensors: dict[str, TensorProto] = field(init=False)
    makers: dict[str, NodeProto] = field(init=False)
    rounded: set[str] = field(default_factory=set)
    shortened: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tensors = {tensor.name: tensor for tensor in self.graph.initializer}
        self.makers = {output: node for node in self.graph.node for output in node.output}

    def nodes(self) -> Iterator[NodeProto]:
        """Yield the nodes of the graph, with those that use weights replaced."""
        for node in self.graph.node:
            if node.op_type == "MatMul" and (weights := self._stored(node.input[1])):
                yield from self._product(node, weights)
            elif node.op_type == "Gather" and (weights := self._stored(node.input[0])):
                yield from self._rows(node, weights)
            else:
                yield node

    def _stored(self, name: str) -> _Stored | None:
        """Return the quantized weights that `name` is computed from: integers, cast to floats, times their scale."""
        product = self.makers.get(name)
        if product is None or product.op_type != "Mul":
            return None
        cast = self.makers.get(product.input[0])
        if cast is None or cast.op_type != "Cast" or cast.input[0] not in self.tensors:
            return None
        return _Stored(cast.input[0], product.input[1])

    def _product(self, node: NodeProto, weights: _Stored) -> Iterator[NodeProto]:
        self._shorten(weights)
        factor, product = node.input[0], node.output[0]
        integers, scale, zero = (f"{factor}_{part}" for part in ("integers", "scale", "zero"))
        if factor not in self.rounded:
            self.rounded.add(factor)
            yield helper.make_node("DynamicQuantizeLinear", [factor], [integers, scale, zero])
        sums, floats, scales = (f"{product}_{part}" for part in ("sums", "floats", "scales"))
        yield helper.make_node("MatMulInteger", [integers, weights.integers, zero], [sums])
        yield helper.make_node("Cast", [sums], [floats], to=TensorProto.FLOAT)
        yield helper.make_node("Mul", [scale, weights.scale], [scales])
        yield helper.make_node("Mul", [floats, scales], [product])

    def _rows(self, node: NodeProto, weights: _Stored) -> Iterator[NodeProto]:
        """Yield a lookup that converts to floats only the rows that a text needs, not the whole vocabulary."""
        rows = node.output[0]
        integers, floats, scale = (f"{rows}_{part}" for part in ("integers", "floats", "scale"))
        yield helper.make_node("Gather", [weights.integers, node.input[1]], [integers], axis=0)
        yield helper.make_node("Cast", [integers], [floats], to=TensorProto.FLOAT)
        yield helper.make_node("Gather", [weights.scale, node.input[1]], [scale], axis=0)
        yield helper.make_node("Mul", [floats, scale], [rows])

    def _shorten(self, weights: _Stored) -> None:
        """Round the weights to 7 bits, once."""
        if weights.integers in self.shortened:
            return
        self.shortened.add(weights.integers)
        integers = numpy_helper.to_array(self.tensors[weights.integers]).astype(np.float32)
        self._put(weights.integers, np.clip(np.rint(integers / 2), -63, 63).astype(np.int8))
        self._put(weights.scale, numpy_helper.to_array(self.tensors[weights.scale]) * np.float32(2))

    def _put(self, name: str, values: np.ndarray) -> None:
        self.tensors[name].CopyFrom(numpy_helper.from_array(values, name))


def rewritten(source: str) -> ModelProto:
    """Return the network of the file `source`, rewritten."""
    model = onnx.load(source)
    graph = model.graph
    nodes = _needed(list(_Rewriting(graph).nodes()), {output.name for output in graph.output})
    used = {name for node in nodes for name in node.input}
    tensors = [tensor for tensor in graph.initializer if tensor.name in used]
    for old, new in ((graph.node, nodes), (graph.initializer, tensors), (graph.value_info, [])):
        del old[:]
        old.extend(new)
    onnx.checker.check_model(model)
    return model


def write(model: ModelProto, target: str) -> None:
    """Write `model` to the file `target`, or end the program with the reason."""
    try:
        onnx.save(model, target)
    except OSError as error:
        print(error.strerror or error, file=sys.stderr)
        sys.exit(os.EX_IOERR)


def _needed(nodes: list[NodeProto], outputs: set[str]) -> list[NodeProto]:
    """Return the nodes that `outputs` are computed from."""
    wanted = set(outputs)
    needed = []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.output):
            wanted.update(node.input)
            needed.append(node)
    return needed[::-1]


if __name__ == "__main__":
    write(rewritten(sys.argv[1]), sys.argv[2])
