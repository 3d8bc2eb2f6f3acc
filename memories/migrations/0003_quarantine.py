"""Memories that wait for the owner's decision: out of the uniqueness of texts, and nothing of them is published."""

from django.core.management import CommandError
from django.db import migrations, models

# As in 0002, with one more condition for a row to be in force.
PUBLISH = """
CREATE OR REPLACE FUNCTION memories_publish_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was_in_force boolean := OLD.id IS NOT NULL AND OLD.deleted_at IS NULL{not_waiting_before}
        AND (OLD.expires_at IS NULL OR OLD.expires_at > now());
    is_in_force boolean := NEW.id IS NOT NULL AND NEW.deleted_at IS NULL{not_waiting_after}
        AND (NEW.expires_at IS NULL OR NEW.expires_at > now());
BEGIN
    IF was_in_force OR is_in_force THEN
        PERFORM pg_notify('ownsona_memories', jsonb_build_object(
            'user', coalesce(NEW.owner_id, OLD.owner_id),
            'memory', coalesce(NEW.id, OLD.id),
            'before', CASE WHEN was_in_force THEN memories_tag_digests(OLD.tags) END,
            'after', CASE WHEN is_in_force THEN memories_tag_digests(NEW.tags) END)::text);
    END IF;
    RETURN NULL;
END
$$
"""
PUBLISH_OUT_OF_QUARANTINE = PUBLISH.format(
    not_waiting_before=' AND OLD.quarantined_from IS NULL', not_waiting_after=' AND NEW.quarantined_from IS NULL'
)
PUBLISH_ALL = PUBLISH.format(not_waiting_before='', not_waiting_after='')


def refuse_while_in_quarantine(apps, schema_editor):
    """Without the column, what nobody has accepted would be in force, and what was taken back would be shown to apps."""
    count = apps.get_model('memories', 'Memory').objects.filter(quarantined_from__isnull=False).count()
    if count:
        raise CommandError(
            f'In quarantine: {count}, which would be shown to every app. Accept or reject what waits in the '
            'inbox of each user, and delete for good what was taken back or replaced, then go back.'
        )


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0002_publish_changes'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='memory',
            name='memory_unique_active_text',
        ),
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_may_be_out_of_force',
        ),
        migrations.AddField(
            model_name='memory',
            name='quarantined_from',
            field=models.TextField(blank=True, editable=False, null=True),
        ),
        migrations.AlterField(
            model_name='journalentry',
            name='operation',
            field=models.TextField(choices=[('remember', 'Remember'), ('revive', 'Revive'), ('update', 'Update'), ('confirm', 'Confirm'), ('forget', 'Forget'), ('restore', 'Restore'), ('accept', 'Accept'), ('reject', 'Reject'), ('hard_delete', 'Hard Delete')]),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('deleted_at__isnull', False), ('expires_at__isnull', False), ('quarantined_from__isnull', False), _connector='OR'), fields=['owner'], name='memory_may_be_out_of_force'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('deleted_at__isnull', True), ('quarantined_from__isnull', True)), fields=('owner', 'text_hash'), name='memory_unique_active_text'),
        ),
        migrations.AddConstraint(
            model_name='memory',
            constraint=models.UniqueConstraint(condition=models.Q(('deleted_at__isnull', True), ('quarantined_from__isnull', False)), fields=('owner', 'text_hash', 'quarantined_from'), name='memory_unique_waiting_text'),
        ),
        migrations.RunSQL(PUBLISH_OUT_OF_QUARANTINE, PUBLISH_ALL),
        # The last one, for it is the first to be undone.
        migrations.RunPython(migrations.RunPython.noop, refuse_while_in_quarantine, elidable=True),
    ]
