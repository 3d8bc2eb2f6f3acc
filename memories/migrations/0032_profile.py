"""Topics of memories that say who the owner is, for the briefing."""

from django.conf import settings
from django.db import migrations, models

from memories.profile.topics import profile_topic

BATCH = 2_000


def fill(apps, schema_editor):
    """Find the topics of all memories with the rules of this version. Few memories have one."""
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
            found = [(pk, topic) for pk, start in rows if (topic := profile_topic(start))]
            cursor.execute(
                'UPDATE memories_memory AS memory SET profile = given.topic '
                'FROM unnest(%s::bigint[], %s::text[]) AS given(id, topic) WHERE memory.id = given.id',
                [[pk for pk, _ in found], [str(topic) for _, topic in found]],
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
            name='profile',
            field=models.TextField(editable=False, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('deleted_at__isnull', True), ('profile__isnull', False), ('quarantined_from__isnull', True)), fields=['owner', 'stored_by', 'profile', '-importance', '-last_confirmed_at', '-id'], name='memory_profile_of_app'),
        ),
    ]
