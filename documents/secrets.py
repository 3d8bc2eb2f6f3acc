"""Secrets in documents: apps see what kind of secret a document contains, and never the secret."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from documents.extraction.extracted import Block, Extracted
from memories.embeddings.sentences import sentence_starts
from memories.validation.secrets.detection import kind_of_secret

PRIVATE_KEY = "a private key"

_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")


def clear_of_secrets(extracted: Extracted) -> tuple[Extracted, list[str]]:
    """Return what was read from a file without secrets, and the kinds that were found, sorted.

    In texts a placeholder takes the place of a sentence; a title, author, tag or property with a secret is left out.
    """
    blocks, kinds = without_secrets(extracted.blocks)
    found = set(kinds)

    def is_clear(value: str) -> bool:
        kind = kind_of_secret(value)
        found.update([str(kind)] if kind else [])
        return kind is None

    clear = replace(
        extracted,
        blocks=tuple(blocks),
        title=extracted.title if is_clear(extracted.title or "") else None,
        author=extracted.author if is_clear(extracted.author or "") else None,
        tags=tuple(filter(is_clear, extracted.tags)),
        metadata={name: value for name, value in extracted.metadata.items() if is_clear(value)},
    )
    return clear, sorted(found)


def without_secrets(blocks: Iterable[Block]) -> tuple[list[Block], list[str]]:
    """Return the blocks with each sentence that contains a secret replaced, and the kinds that were found, sorted.

    A private key ends where its last line says so, in the same block or a later one; blocks within it are left out.
    """
    cleaner = _Cleaner()
    clean = [replace(block, text=text) for block in blocks if (text := cleaner.clean(block.text)).strip()]
    return clean, sorted(cleaner.found)


@dataclass(slots=True)
class _Cleaner:
    """Replaces secrets in the blocks of one document, in order."""

    found: set[str] = field(default_factory=set)
    is_in_key: bool = False

    def clean(self, text: str) -> str:
        text = self._without_keys(text)
        if kind_of_secret(text):
            text = "".join(map(self._clean_sentence, _sentences(text)))
        return text

    def _without_keys(self, text: str) -> str:
        kept = []
        while text:
            border = (_KEY_END if self.is_in_key else _KEY_BEGIN).search(text)
            if border is None:
                kept += [] if self.is_in_key else [text]
                break
            if not self.is_in_key:
                kept += [text[: border.start()], f"[removed: {PRIVATE_KEY}]"]
                self.found.add(PRIVATE_KEY)
            self.is_in_key = not self.is_in_key
            text = text[border.end() :]
        return "".join(kept)

    def _clean_sentence(self, sentence: str) -> str:
        kind = kind_of_secret(sentence)
        if kind is None:
            return sentence
        self.found.add(str(kind))
        blank = sentence[len(sentence.rstrip()) :]
        return f"[removed: {kind}]{blank}"


def _sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, which add up to it."""
    return [text[start:end] for start, end in itertools.pairwise([0, *sentence_starts(text), len(text)])]
