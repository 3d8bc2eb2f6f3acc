"""Keys of memories that may say the same: see docs/decisions/near-duplicates.md."""

from django.db import migrations, models

from memories.relations.statements import statement_key

BATCH = 2_000


def fill(apps, schema_editor):
    """Compute the keys of all memories with the rules of this version: stored keys must match those of new texts."""
    with schema_editor.connection.cursor() as cursor:
        # The memories do not change: no client is notified.
        cursor.execute('ALTER TABLE memories_memory DISABLE TRIGGER USER')
        last = 0
        while True:
            cursor.execute('SELECT id, text FROM memories_memory WHERE id > %s ORDER BY id LIMIT %s', [last, BATCH])
            rows = cursor.fetchall()
            if not rows:
                break
            last = rows[-1][0]
            cursor.execute(
                'UPDATE memories_memory AS memory SET statement_key = given.key '
                'FROM unnest(%s::bigint[], %s::bigint[]) AS given(id, key) WHERE memory.id = given.id',
                [[pk for pk, _ in rows], [statement_key(text) for _, text in rows]],
            )
        cursor.execute('ALTER TABLE memories_memory ENABLE TRIGGER USER')


class Migration(migrations.Migration):

    dependencies = [('memories', '0028_refused_inferences')]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='statement_key',
            field=models.BigIntegerField(editable=False, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(fields=['owner', 'statement_key'], name='memory_statement_key'),
        ),
    ]
