"""Results of comparing a memory with those nearest to it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memories.models.memory import Memory


class Comparison(models.Model):
    """The memories that the cross-encoder found to be related to a memory, whichever of them is newer.

    - `text_hash`: that of the text that was compared. Once the memory has another text, the row no longer counts.
    - `revision`: the `REVISION` of the cross-encoder. A row of another one counts until the memory is compared again.
    - `changes`: the ids of memories that cannot be current together with it: the later confirmed one is.
    - `repeats`: the ids of memories that say the same.

    Either memory of a pair may have the id of the other one, which may have been deleted since. A memory without a row
    is still to be compared.
    """

    memory = models.OneToOneField(Memory, on_delete=models.CASCADE, primary_key=True, related_name="+")
    text_hash = models.BinaryField(max_length=32)
    revision = models.IntegerField(default=0)
    changes = ArrayField(models.BigIntegerField(), default=list)
    repeats = ArrayField(models.BigIntegerField(), default=list)

    def __str__(self) -> str:
        return f"comparison of memory {self.memory_id}"
