"""Every change of a document that apps can see is published when it is committed: see documents/events.py."""

from django.db import migrations

# As for memories: see memories/migrations/0002_publish_changes.py. Syncs save documents again without a change.
CREATE_PUBLISH = """
CREATE FUNCTION documents_publish_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was_shown boolean := OLD.id IS NOT NULL AND OLD.deleted_at IS NULL AND OLD.quarantined_from IS NULL;
    is_shown boolean := NEW.id IS NOT NULL AND NEW.deleted_at IS NULL AND NEW.quarantined_from IS NULL;
BEGIN
    IF (was_shown OR is_shown) AND OLD IS DISTINCT FROM NEW THEN
        PERFORM pg_notify('ownsona_documents', jsonb_build_object(
            'user', coalesce(NEW.owner_id, OLD.owner_id),
            'document', coalesce(NEW.id, OLD.id),
            'before', CASE WHEN was_shown THEN memories_tag_digests(OLD.tags) END,
            'after', CASE WHEN is_shown THEN memories_tag_digests(NEW.tags) END)::text);
    END IF;
    RETURN NULL;
END
$$
"""
CREATE_TRIGGER = """
CREATE TRIGGER documents_publish_change AFTER INSERT OR UPDATE OR DELETE ON documents_document
    FOR EACH ROW EXECUTE FUNCTION documents_publish_change()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('documents', '0003_unconfirmed_removals'),
        ('memories', '0002_publish_changes'),
    ]

    operations = [
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION documents_publish_change'),
        migrations.RunSQL(CREATE_TRIGGER, 'DROP TRIGGER documents_publish_change ON documents_document'),
    ]
