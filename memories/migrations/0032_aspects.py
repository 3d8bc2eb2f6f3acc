"""Aspects of memories that say who the owner is, for the briefing."""

from django.conf import settings
from django.db import migrations, models

from memories.aspects.reading import aspect_of

BATCH = 2_000


def fill(apps, schema_editor):
    """Find the aspects of all memories with the rules of this version. Few memories have one."""
    with schema_editor.connection.cursor() as cursor:
        # The memories do not change: no client is notified.
        cursor.execute('ALTER TABLE memories_memory DISABLE TRIGGER USER')
        last = 0
        while True:
            cursor.execute(
                'SELECT id, left(text, 400) FROM memories_memory WHERE id > %s ORDER BY id LIMIT %s', [last, BATCH]
            )
            rows = cursor.fetchall()
            if not rows:
                break
            last = rows[-1][0]
            found = [(pk, aspect) for pk, start in rows if (aspect := aspect_of(start))]
            cursor.execute(
                'UPDATE memories_memory AS memory SET aspect = given.aspect '
                'FROM unnest(%s::bigint[], %s::text[]) AS given(id, aspect) WHERE memory.id = given.id',
                [[pk for pk, _ in found], [str(aspect) for _, aspect in found]],
            )
        cursor.execute('ALTER TABLE memories_memory ENABLE TRIGGER USER')


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0031_hidden_values'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='aspect',
            field=models.TextField(editable=False, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('aspect__isnull', False), ('deleted_at__isnull', True), ('quarantined_from__isnull', True)), fields=['owner', 'stored_by', 'aspect', '-importance', '-last_confirmed_at', '-id'], name='memory_aspect_of_app'),
        ),
    ]
