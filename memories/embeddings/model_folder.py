"""Reader of the folder of an ONNX sentence-transformer, in the layout of the sentence-transformers library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field, RootModel, ValidationError

from memories.embeddings.base import Pooling, Space
from memories.embeddings.manifest import MANIFEST, Manifest
from memories.embeddings.onnx import MIN_WINDOW_TOKENS, ModelCard
from memories.embeddings.prefixes import Prefixes, chosen_prefixes, known_prefixes, name_with_prefix
from memories.errors import EmbeddingError

# Time and memory of a window grow with the square of its length.
MAX_WINDOW_TOKENS = 512
USABLE_MODULES = {"Transformer", "Pooling", "Normalize"}


class _Network(BaseModel):
    """The used part of config.json: the dimensions of the vectors, and the number of positions for tokens."""

    hidden_size: int = Field(ge=1, le=16_000)
    max_position_embeddings: int = Field(MAX_WINDOW_TOKENS, gt=2 * MIN_WINDOW_TOKENS)


class _Sentences(BaseModel):
    """The used part of sentence_bert_config.json: the limit on tokens."""

    max_seq_length: int = Field(MAX_WINDOW_TOKENS, gt=2 * MIN_WINDOW_TOKENS)


class _Pooling(BaseModel):
    """The used part of 1_Pooling/config.json; the library's own default is the mean."""

    pooling_mode_mean_tokens: bool = True
    pooling_mode_cls_token: bool = False
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False


class _Module(BaseModel):
    type: str


class _Modules(RootModel[list[_Module]]):
    """The content of modules.json: the layers of the model."""

    root: list[_Module] = []


class _Prompts(BaseModel):
    """The used part of config_sentence_transformers.json: the prompts."""

    prompts: dict[str, str] = {}


Document = TypeVar("Document", bound=BaseModel)


def read_model_folder(folder: Path, query_prefix: str | None = None, passage_prefix: str | None = None) -> ModelCard:
    """Return the model in `folder`, with these prefixes in place of its own if they are not None.

    Its space is named after the folder, the content of the files that determine its vectors, and the prefix of
    passages. Raises EmbeddingError that names the file which is missing, damaged or not supported.
    """
    if not folder.is_dir():
        raise EmbeddingError(f"EMBEDDING_MODEL: {folder} is not a folder with an ONNX sentence-transformer.")
    network = _network_file(folder)
    tokenizer = _required(folder / "tokenizer.json")
    shape = _read(_required(folder / "config.json"), _Network)
    sentences = _read(folder / "sentence_bert_config.json", _Sentences)
    manifest = _read(folder / MANIFEST, Manifest)
    if manifest.pooling != "network":
        _require_usable_modules(folder / "modules.json")
    # Large networks keep their weights in adjacent files, such as model.onnx_data.
    content = _short_hash(folder, [tokenizer, *sorted(network.parent.glob(f"{network.name}*"))], manifest)
    prefixes = chosen_prefixes(_own_prefixes(folder, manifest), query_prefix, passage_prefix)
    name = name_with_prefix(f"{folder.resolve().name}-{content}", prefixes.passage)
    return ModelCard(
        space=Space("local", name, shape.hidden_size),
        network=network,
        tokenizer=tokenizer,
        max_tokens=min(MAX_WINDOW_TOKENS, sentences.max_seq_length, shape.max_position_embeddings),
        pooling=manifest.pooling or _pooling(folder / "1_Pooling" / "config.json"),
        query_prompt=prefixes.query,
        passage_prompt=prefixes.passage,
    )


def _own_prefixes(folder: Path, manifest: Manifest) -> Prefixes:
    """Return the prefixes that the folder states, else those known for a model of its name."""
    prompts = _read(folder / "config_sentence_transformers.json", _Prompts).prompts
    known = known_prefixes(folder.resolve().name)
    stated = (prompts.get(name) for name in ("query", "document", "passage"))
    query, *passages = stated
    passage = next((prompt for prompt in passages if prompt is not None), None)
    if query is not None or passage is not None:
        known = Prefixes(query or "", passage or "")
    return chosen_prefixes(known, manifest.query_prefix, manifest.passage_prefix)


def _network_file(folder: Path) -> Path:
    """Return `onnx/model.onnx` or `model.onnx`; a file of another name only if it is the sole candidate."""
    for usual in (folder / "onnx" / "model.onnx", folder / "model.onnx"):
        if usual.is_file():
            return usual
    candidates = [*folder.glob("onnx/*.onnx"), *folder.glob("*.onnx")]
    if len(candidates) != 1:
        found = ", but " + ", ".join(sorted(path.name for path in candidates)) if candidates else ""
        raise EmbeddingError(f"EMBEDDING_MODEL: {folder} has neither onnx/model.onnx nor model.onnx{found}.")
    return candidates[0]


def _required(path: Path) -> Path:
    if not path.is_file():
        raise EmbeddingError(f"EMBEDDING_MODEL: {path} is missing.")
    return path


def _read(path: Path, document: type[Document]) -> Document:
    """Read a JSON file as a `document`; return its defaults if there is no such file. Raises EmbeddingError."""
    try:
        return document.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return document()
    except OSError as error:
        raise EmbeddingError(f"EMBEDDING_MODEL: {path} cannot be read: {error.strerror}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise EmbeddingError(f"EMBEDDING_MODEL: {path} is not valid: {where}: {first['msg']}.") from error


def _require_usable_modules(path: Path) -> None:
    """Raise EmbeddingError for a model with further layers: its vectors would be wrong without them."""
    kinds = [module.type.rpartition(".")[2] for module in _read(path, _Modules).root]
    if unusable := sorted(set(kinds) - USABLE_MODULES):
        raise EmbeddingError(
            f"EMBEDDING_MODEL: {path} uses {', '.join(unusable)}; "
            f"only {', '.join(sorted(USABLE_MODULES))} are supported."
        )


def _pooling(path: Path) -> Pooling:
    modes = {name for name, wanted in _read(path, _Pooling).model_dump().items() if wanted}
    if modes == {"pooling_mode_mean_tokens"}:
        return "mean"
    if modes == {"pooling_mode_cls_token"}:
        return "cls"
    raise EmbeddingError(
        f"EMBEDDING_MODEL: {path} uses {', '.join(sorted(modes)) or 'no pooling'}; "
        "only pooling_mode_mean_tokens alone or pooling_mode_cls_token alone is supported."
    )


def _short_hash(folder: Path, paths: Iterable[Path], manifest: Manifest) -> str:
    """Return a hash of the files. Raises EmbeddingError if one has another hash than in the manifest."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256")
        except OSError as error:
            raise EmbeddingError(f"EMBEDDING_MODEL: {path} cannot be read: {error.strerror}.") from error
        recorded = manifest.files.get(path.relative_to(folder).as_posix())
        if recorded not in {None, found.hexdigest()}:
            raise EmbeddingError(f"EMBEDDING_MODEL: {path} is damaged: it has changed since it was stored.")
        digest.update(found.digest())
    return digest.hexdigest()[:12]
