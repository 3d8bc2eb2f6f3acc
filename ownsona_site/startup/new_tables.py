"""The tables of a new database: those of all migrations, in half the time.

An operation of a migration builds all models that are related to the one it changes. In a new database, the many
operations on one model are therefore folded into the one that creates it. A test compares the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.contrib.postgres.operations import CreateExtension
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.operations import (
    AddConstraint,
    AddIndex,
    CreateModel,
    RemoveConstraint,
    RemoveIndex,
    RunPython,
    RunSQL,
)
from django.db.migrations.operations.base import Operation
from django.db.migrations.optimizer import MigrationOptimizer
from django.db.migrations.state import ProjectState


def create_tables() -> None:
    """Create the tables of all apps in a database without tables, and record their migrations as applied.

    Each app is created in one or a few transactions. If this is interrupted, the migrations that are missing are run as
    in any other database.
    """
    executor = MigrationExecutor(connection)
    executor.recorder.ensure_schema()
    graph = executor.loader.graph
    plan = [migration for migration, _ in executor.migration_plan(graph.leaf_nodes())]
    state = ProjectState(real_apps=executor.loader.unmigrated_apps)
    # Built once: later states are derived from it.
    _ = state.apps
    for group in _groups(plan, graph):
        if _is_own(group[0].app_label):
            state = _apply_folded(group, state, executor)
        else:
            for migration in group:
                state = executor.apply_migration(state, migration)


def _is_own(app_label: str) -> bool:
    """Return whether the app is part of this project, whose migrations may be folded."""
    return Path(apps.get_app_config(app_label).path).parent == Path(settings.BASE_DIR)


def _groups(plan: Sequence[Migration], graph: MigrationGraph) -> Iterator[list[Migration]]:
    """Yield the migrations in groups of one app, in an order that meets their dependencies."""
    left = list(plan)
    done = set[tuple[str, str]]()
    while left:
        labels = dict.fromkeys(migration.app_label for migration in left)
        choices = [group for label in labels if (group := _possible(label, left, done, graph))]
        group = min(choices, key=lambda group: _rank(group, left))
        left = [migration for migration in left if migration not in group]
        done.update((migration.app_label, migration.name) for migration in group)
        yield group


def _possible(
    label: str, left: Sequence[Migration], done: set[tuple[str, str]], graph: MigrationGraph
) -> list[Migration]:
    """Return the migrations of an app that can be applied after those that are `done`, without any of another app."""
    group: list[Migration] = []
    before = set(done)
    for migration in left:
        key = (label, migration.name)
        if migration.app_label == label and all(parent.key in before for parent in graph.node_map[key].parents):
            group.append(migration)
            before.add(key)
    return group


def _rank(group: Sequence[Migration], left: Sequence[Migration]) -> tuple[bool, bool]:
    """Return the sort key of a group: first those that complete their app, of them first those that are not folded.

    The models of other apps are not built again by migrations that run before them.
    """
    label = group[0].app_label
    return len(group) < sum(migration.app_label == label for migration in left), _is_own(label)


def _apply_folded(group: Sequence[Migration], state: ProjectState, executor: MigrationExecutor) -> ProjectState:
    folded = Migration("folded", group[0].app_label)
    operations = [operation for migration in group for operation in migration.operations]
    folded.operations = fold(operations, folded.app_label)  # type: ignore[misc] # as the autodetector of Django does
    with connection.schema_editor(atomic=True) as editor:
        state = folded.apply(state, editor)
        for migration in group:
            executor.recorder.record_applied(migration.app_label, migration.name)
    return state


def fold(operations: Sequence[Operation], app_label: str) -> list[Operation]:
    """Return fewer operations that have the same result if there are no rows.

    Extensions come first, then models with their final fields, indexes and constraints, then SQL and functions, in
    their order. Those that are elidable only change rows, and are left out.
    """
    extensions: list[Operation] = []
    statements: list[Operation] = []
    fields: list[Operation] = []
    parts: dict[tuple[str, str], AddIndex | AddConstraint] = {}
    for operation in operations:
        match operation:
            case CreateExtension():
                extensions.append(operation)
            case RunSQL() | RunPython():
                statements.append(operation)
            case AddIndex():
                parts[operation.model_name_lower, str(operation.index.name)] = operation
            case AddConstraint():
                parts[operation.model_name_lower, operation.constraint.name] = operation
            case RemoveIndex() | RemoveConstraint() if (operation.model_name_lower, operation.name) in parts:
                del parts[operation.model_name_lower, operation.name]
            case _:
                fields.append(operation)
    optimized = MigrationOptimizer().optimize(fields, app_label)
    models = [_with_parts(each, parts) if isinstance(each, CreateModel) else each for each in optimized]
    return [*extensions, *models, *parts.values(), *(each for each in statements if not each.elidable)]


def _with_parts(model: CreateModel, parts: dict[tuple[str, str], AddIndex | AddConstraint]) -> CreateModel:
    """Return the operation with the indexes and constraints of its model, which are removed from `parts`."""
    indexes = list(model.options.get("indexes", []))
    constraints = list(model.options.get("constraints", []))
    for key in [key for key in parts if key[0] == model.name_lower]:
        part = parts.pop(key)
        if isinstance(part, AddIndex):
            indexes.append(part.index)
        else:
            constraints.append(part.constraint)
    options = {**model.options, "indexes": indexes, "constraints": constraints}
    return CreateModel(model.name, model.fields, options, model.bases, model.managers)
