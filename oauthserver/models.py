"""Who can log in, which apps were let in, and the keys that sign their tokens."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person who owns memories. `id` is the `sub` of their tokens and is never reused."""
