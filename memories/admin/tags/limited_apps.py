"""The apps to which a change of tags shows other memories and documents."""

from __future__ import annotations

from collections.abc import Sequence

from memories.admin.briefing.previewed_apps import apps_of


def warnings_about(owner_id: int, tags: Sequence[str], target: str | None) -> list[str]:
    """Say which apps would see something else if `tags` were replaced by `target`; None means that they are deleted."""
    sentences = []
    for app in apps_of(owner_id):
        allowed = ", ".join(app.tags)
        if lost := sorted(set(tags) & set(app.tags)):
            said = ", ".join(lost)
            sentences.append(
                f"{app.name} is limited to {allowed}, and would no longer see the memories and documents tagged {said}."
            )
        if target in app.tags:
            sentences.append(
                f"{app.name} is limited to {allowed}, and would see all memories and documents tagged {target}."
            )
    return sentences
