"""Aspects of memories that say who the owner's family is and how the owner wants to be answered, for the briefing."""

from django.db import connections, migrations, transaction

from memories.aspects.reading import READ_CHARS, aspect_of

BATCH = 2_000


def fill(apps, schema_editor):
    """Read the aspects of all memories again: some have one now, and "Jonas is allergic" has that of Jonas.

    Each batch is a transaction of its own. If the migration is interrupted, the next one writes only what is missing.
    """
    alias = schema_editor.connection.alias
    last = 0
    while True:
        with transaction.atomic(alias), connections[alias].cursor() as cursor:
            cursor.execute(
                "SELECT id, aspect, left(text, %s) FROM memories_memory WHERE id > %s ORDER BY id LIMIT %s",
                [READ_CHARS, last, BATCH],
            )
            rows = cursor.fetchall()
            if not rows:
                return
            last = rows[-1][0]
            found = [(pk, aspect) for pk, before, start in rows if (aspect := aspect_of(start)) != before]
            if not found:
                continue
            # The memories do not change: no client is notified.
            cursor.execute("ALTER TABLE memories_memory DISABLE TRIGGER USER")
            cursor.execute(
                "UPDATE memories_memory AS memory SET aspect = given.aspect "
                "FROM unnest(%s::bigint[], %s::text[]) AS given(id, aspect) WHERE memory.id = given.id",
                [[pk for pk, _ in found], [None if aspect is None else str(aspect) for _, aspect in found]],
            )
            cursor.execute("ALTER TABLE memories_memory ENABLE TRIGGER USER")


class Migration(migrations.Migration):

    atomic = False

    dependencies = [("memories", "0043_keys_of_ranges")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
