"""The cross-encoder in PyTorch: all-MiniLM-L6-v2 as it is installed, with corrections of its weights to be learned."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional

from memories.cross_encoders.preparing import MARKS, weight_names

WIDTH, HEADS, LAYERS, PER_LAYER = 384, 12, 6, 6
RANK = 16
"""Rank of each correction (LoRA: Hu et al. 2021)."""

EPSILON = 1e-12
DROPOUT = 0.1
MAX_FACTOR = 32_000
"""Largest integer of a stored factor."""

Tokens = Sequence[int]


class CrossNetwork:
    """The network. `parameters` are what is learned. `classes` is the number of scores of a pair."""

    def __init__(self, source: Path, classes: int) -> None:
        stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(str(source)).graph.initializer}
        self._fixed = {name.removeprefix("inner."): torch.tensor(values) for name, values in stored.items()}
        names = list(weight_names(onnx.load(str(source)).graph))
        self._weights = [torch.tensor(stored[f"{n}_q"].astype(np.float32) * stored[f"{n}_scale"]) for n in names]
        self._words, self._places = (
            torch.tensor(stored[f"inner.embeddings.{part}_embeddings.weight_q"].astype(np.float32))
            * torch.tensor(stored[f"inner.embeddings.{part}_embeddings.weight_scale"])
            for part in ("word", "position")
        )
        self._types = torch.tensor(stored[MARKS])
        self._down = [_learned(torch.randn(len(w), RANK) / len(w) ** 0.5) for w in self._weights]
        self._up = [_learned(torch.zeros(RANK, w.shape[1])) for w in self._weights]
        self._type = _learned(torch.zeros(WIDTH))
        head = nn.Linear(2 * WIDTH, classes)
        self._head, self._bias = _learned(head.weight.T), _learned(head.bias)

    @property
    def parameters(self) -> list[Any]:
        """The tensors that are learned."""
        return [*self._down, *self._up, self._type, self._head, self._bias]

    def scores(self, pairs: Sequence[tuple[Tokens, Tokens]], *, training: bool = False) -> Any:
        """Return the scores of the classes of each pair of token ids, shape (pairs, classes)."""
        rows = [(*first, *second[1:]) for first, second in pairs]
        longest = max(map(len, rows))
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        mask, types = torch.zeros(len(rows), longest), torch.zeros(len(rows), longest, 1)
        for place, (row, (first, _)) in enumerate(zip(rows, pairs, strict=True)):
            ids[place, : len(row)] = torch.tensor(row)
            mask[place, : len(row)] = 1
            types[place, len(first) : len(row)] = 1
        values = self._words[ids] + self._places[:longest]
        values = values + self._types[0] + types * (self._types[1] - self._types[0] + self._type)
        values = self._normalized("embeddings.LayerNorm", values)
        for layer in range(LAYERS):
            values = self._layer(layer, values, (1 - mask)[:, None, None] * -1e9)
        mean = (values * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        both = functional.dropout(torch.cat([mean, values[:, 0]], 1), DROPOUT, training)
        return both @ self._head + self._bias

    def _layer(self, layer: int, values: Any, hidden: Any) -> Any:
        texts, longest, _ = values.shape
        query, key, value = (
            self._linear(layer, number, f"attention.self.{part}", values)
            .view(texts, longest, HEADS, -1)
            .transpose(1, 2)
            for number, part in enumerate(("query", "key", "value"))
        )
        mask = hidden.expand(texts, HEADS, longest, longest)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        seen = seen.transpose(1, 2).reshape(texts, longest, WIDTH)
        name = f"encoder.layer.{layer}"
        seen = self._linear(layer, 3, "attention.output.dense", seen)
        values = self._normalized(f"{name}.attention.output.LayerNorm", values + seen)
        wide = functional.gelu(self._linear(layer, 4, "intermediate.dense", values))
        return self._normalized(f"{name}.output.LayerNorm", values + self._linear(layer, 5, "output.dense", wide))

    def _linear(self, layer: int, number: int, name: str, values: Any) -> Any:
        at = PER_LAYER * layer + number
        bias = self._fixed[f"encoder.layer.{layer}.{name}.bias"]
        return values @ self._weights[at] + bias + (values @ self._down[at]) @ self._up[at]

    def _normalized(self, name: str, values: Any) -> Any:
        scale, shift = self._fixed[f"{name}.weight"], self._fixed[f"{name}.bias"]
        return functional.layer_norm(values, (WIDTH,), scale, shift, EPSILON)

    def corrections(self) -> dict[str, npt.NDArray[Any]]:
        """Return what was learned, as `preparing.py` and `cross_encoder.py` read it."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "token_type": self._type.detach().numpy(),
            "head": self._head.detach().numpy(),
            "head_bias": self._bias.detach().numpy(),
        }
        for number, (down, up) in enumerate(zip(self._down, self._up, strict=True)):
            factors = [each.detach().numpy() for each in (down, up)]
            scales = [np.abs(factor).max() / MAX_FACTOR for factor in factors]
            for name, factor, scale in zip(("down", "up"), factors, scales, strict=True):
                arrays[f"{name}_{number}"] = np.rint(factor / scale).astype(np.int16)
            arrays[f"scale_{number}"] = np.array(scales[0] * scales[1], np.float32)
        return arrays


def _learned(values: Any) -> Any:
    return values.detach().clone().requires_grad_()
