"""Keys of memories with ranges of dates ("24.12.-6.1.") and with "Feber", which are read now."""

from django.db import connections, migrations, transaction

from memories.relations.statements import READ_CHARS, statement_key

CHANGED = r"\mfeber\M|\d\. ?(-|–|bis) ?\d"
"""Matches texts whose keys may have changed."""


def compute_keys(apps, schema_editor):
    """Compute their keys. There are few: they are written in one transaction."""
    alias = schema_editor.connection.alias
    with transaction.atomic(alias), connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT id, left(text, %s), statement_key FROM memories_memory WHERE left(text, %s) ~* %s",
            [READ_CHARS, READ_CHARS, CHANGED],
        )
        keys = [(pk, key) for pk, text, stored in cursor.fetchall() if (key := statement_key(text)) != stored]
        if not keys:
            return
        # The memories do not change: no client is notified.
        cursor.execute("ALTER TABLE memories_memory DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE memories_memory AS memory SET statement_key = given.key "
            "FROM unnest(%s::bigint[], %s::bigint[]) AS given(id, key) WHERE memory.id = given.id",
            [[pk for pk, _ in keys], [key for _, key in keys]],
        )
        cursor.execute("ALTER TABLE memories_memory ENABLE TRIGGER USER")


class Migration(migrations.Migration):

    atomic = False

    dependencies = [("memories", "0042_introductions")]

    operations = [migrations.RunPython(compute_keys, migrations.RunPython.noop, elidable=True)]
