"""Keys of memories with a number: times of day and dates that are spelled differently now have one key."""

from django.db import connections, migrations, transaction

from memories.relations.statements import READ_CHARS, statement_key

BATCH = 2_000


def compute_keys(apps, schema_editor):
    """Compute the keys of all memories with a digit: those of others are as before.

    Each batch is a transaction of its own. If the migration is interrupted, the next one writes only what is missing.
    """
    alias = schema_editor.connection.alias
    last = 0
    while True:
        with transaction.atomic(alias), connections[alias].cursor() as cursor:
            cursor.execute(
                r"SELECT id, left(text, %s), statement_key FROM memories_memory WHERE id > %s AND text ~ '\d' "
                'ORDER BY id LIMIT %s',
                [READ_CHARS, last, BATCH],
            )
            rows = cursor.fetchall()
            if not rows:
                return
            last = rows[-1][0]
            keys = [(pk, key) for pk, text, stored in rows if (key := statement_key(text)) != stored]
            if not keys:
                continue
            # The memories do not change: no client is notified.
            cursor.execute('ALTER TABLE memories_memory DISABLE TRIGGER USER')
            cursor.execute(
                'UPDATE memories_memory AS memory SET statement_key = given.key '
                'FROM unnest(%s::bigint[], %s::bigint[]) AS given(id, key) WHERE memory.id = given.id',
                [[pk for pk, _ in keys], [key for _, key in keys]],
            )
            cursor.execute('ALTER TABLE memories_memory ENABLE TRIGGER USER')


class Migration(migrations.Migration):

    atomic = False

    dependencies = [('memories', '0032_aspects')]

    operations = [migrations.RunPython(compute_keys, migrations.RunPython.noop, elidable=True)]
