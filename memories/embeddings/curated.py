"""The models that `manage.py get_model` offers, multilingual ones first.

Sizes of vectors, languages and licences are from the model cards. No hash and no exact size is stated here: they are
read from the hub at the time of the download.
"""

from __future__ import annotations

from dataclasses import dataclass

from common.texts import gettext_noop
from memories.embeddings.base import Pooling
from memories.embeddings.prefixes import Prefixes, known_prefixes

SHIPPED_WORK = 6 * 384**2
"""Layers times the square of the width of the shipped model: the work per token is proportional to it."""

BYTES_PER_PARAMETER = 4


@dataclass(frozen=True, slots=True)
class CuratedModel:
    """A model on a hub. `parameters_millions`, `layers` and `width` are of the network; `dimensions` of its vectors.

    `files` are required, with the network first; `optional_files` are taken if the repository has them.
    """

    name: str
    repository: str
    languages: str
    licence: str
    dimensions: int
    parameters_millions: int
    layers: int
    width: int
    pooling: Pooling = "mean"
    files: tuple[str, ...] = ("onnx/model.onnx", "config.json", "tokenizer.json")
    optional_files: tuple[str, ...] = ("onnx/model.onnx_data", "sentence_bert_config.json")
    is_multilingual: bool = False

    @property
    def prefixes(self) -> Prefixes:
        """The prefixes that its model card asks for."""
        return known_prefixes(self.name)

    @property
    def size_mb(self) -> int:
        """The approximate size of its network in MB, in tens: four bytes for each parameter."""
        return round(self.parameters_millions * BYTES_PER_PARAMETER, -1)

    @property
    def relative_work(self) -> float:
        """Its multiplications per token, as a multiple of those of the shipped model. Calculated, not measured."""
        return self.layers * self.width**2 / SHIPPED_WORK


_MODELS = (
    CuratedModel(
        name="multilingual-e5-small",
        repository="intfloat/multilingual-e5-small",
        languages=gettext_noop("about 100 languages"),
        licence="MIT",
        dimensions=384,
        parameters_millions=118,
        layers=12,
        width=384,
        is_multilingual=True,
    ),
    CuratedModel(
        name="paraphrase-multilingual-MiniLM-L12-v2",
        repository="sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        languages=gettext_noop("about 50 languages"),
        licence="Apache-2.0",
        dimensions=384,
        parameters_millions=118,
        layers=12,
        width=384,
        is_multilingual=True,
    ),
    CuratedModel(
        name="embeddinggemma-300m",
        # The original repository has no ONNX network and requires a login.
        repository="onnx-community/embeddinggemma-300m-ONNX",
        languages=gettext_noop("more than 100 languages"),
        licence=gettext_noop("Gemma Terms of Use (not an open-source licence)"),
        dimensions=768,
        parameters_millions=308,
        layers=24,
        width=768,
        pooling="network",
        is_multilingual=True,
    ),
    CuratedModel(
        name="bge-small-en-v1.5",
        repository="BAAI/bge-small-en-v1.5",
        languages=gettext_noop("English"),
        licence="MIT",
        dimensions=384,
        parameters_millions=33,
        layers=12,
        width=384,
        pooling="cls",
    ),
    CuratedModel(
        name="gte-base",
        repository="thenlper/gte-base",
        languages=gettext_noop("English"),
        licence="MIT",
        dimensions=768,
        parameters_millions=109,
        layers=12,
        width=768,
    ),
)

CURATED = {model.name: model for model in _MODELS}
"""The models by name."""
