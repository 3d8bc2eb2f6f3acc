"""A generator of tiny sentence-transformer folders: the token vectors are rows of a table.

The network is one Gather node, written as protobuf by hand (onnx.proto3, IR version 8): the tests need no exporter.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors

VOCABULARY = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "cat": 4, "dog": 5, "query:": 6}
DIMENSIONS = len(VOCABULARY)
FLOAT, INT64 = 1, 7


def write_model(
    folder: Path, inputs: Sequence[str] = ("input_ids", "attention_mask"), ranked: int = 3, **config: object
) -> Path:
    """Write a model to `folder`. The vector of token n is the n-th unit vector; `config` adds to config.json."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(network(inputs, ranked))
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_truncation(3)
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "config.json", {"hidden_size": DIMENSIONS, "max_position_embeddings": 128, **config})
    return folder


def write_json(path: Path, document: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document))


def network(inputs: Sequence[str], ranked: int) -> bytes:
    table = np.eye(DIMENSIONS, dtype=np.float32)
    tensor = b"".join(number(1, size) for size in table.shape) + number(2, FLOAT) + text(8, "table")
    node = text(1, "table") + text(1, "input_ids") + text(2, "token_vectors") + text(4, "Gather")
    graph = (
        block(1, node)
        + text(2, "tiny")
        + block(5, tensor + block(9, table.tobytes()))
        + b"".join(block(11, value(name, INT64, ["batch", "tokens"])) for name in inputs)
        + block(12, value("token_vectors", FLOAT, ["batch", "tokens", "dimensions"][:ranked]))
    )
    return number(1, 8) + block(7, graph) + block(8, number(2, 13))


def value(name: str, kind: int, axes: Sequence[str]) -> bytes:
    shape = b"".join(block(1, text(2, axis)) for axis in axes)
    return text(1, name) + block(2, block(1, number(1, kind) + block(2, shape)))


def number(tag: int, content: int) -> bytes:
    return varint(tag << 3) + varint(content)


def block(tag: int, content: bytes) -> bytes:
    return varint(tag << 3 | 2) + varint(len(content)) + content


def text(tag: int, content: str) -> bytes:
    return block(tag, content.encode())


def varint(content: int) -> bytes:
    encoded = bytearray()
    while content > 127:
        encoded.append(content & 127 | 128)
        content >>= 7
    return bytes([*encoded, content])
