"""Pinned and hidden memories, and the client that stored each memory, with the indexes of the briefing."""

from django.conf import settings
from django.db import migrations, models

# The triggers are off meanwhile: no text changes, and nothing that a client sees, so there is nothing to publish.
STORED_BY = """
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE memories_memory DISABLE TRIGGER USER;
UPDATE memories_memory AS memory
SET stored_by = entry.client
FROM (SELECT DISTINCT ON (memory_id) owner_id, memory_id, client
      FROM memories_journalentry WHERE operation = 'remember' ORDER BY memory_id, id) AS entry
WHERE entry.memory_id = memory.id AND entry.owner_id = memory.owner_id;
ALTER TABLE memories_memory ENABLE TRIGGER USER;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0013_briefing_indexes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_most_important',
        ),
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_last_confirmed',
        ),
        migrations.AddField(
            model_name='memory',
            name='briefing_place',
            field=models.TextField(blank=True, choices=[('pinned', 'Pinned'), ('hidden', 'Hidden')], editable=False, null=True),
        ),
        migrations.AddField(
            model_name='memory',
            name='stored_by',
            field=models.TextField(db_default='', default='', editable=False),
        ),
        migrations.RunSQL(STORED_BY, migrations.RunSQL.noop, elidable=True),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('deleted_at__isnull', True), ('quarantined_from__isnull', True)), fields=['owner', 'stored_by', '-importance', '-last_confirmed_at', '-id'], name='memory_important_of_app'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('deleted_at__isnull', True), ('quarantined_from__isnull', True)), fields=['owner', 'stored_by', '-last_confirmed_at', '-id'], name='memory_confirmed_of_app'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('deleted_at__isnull', True), ('expires_at__isnull', False), ('quarantined_from__isnull', True)), fields=['owner', 'stored_by', 'expires_at', 'id'], name='memory_upcoming_of_app'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('briefing_place__isnull', False)), fields=['owner', 'briefing_place'], name='memory_pinned_or_hidden'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.CheckConstraint(condition=models.Q(('briefing_place', None), ('briefing_place__in', ['pinned', 'hidden']), _connector='OR'), name='memory_briefing_place'),
        ),
    ]
