"""Every change of a memory in force is published when it is committed, whoever makes it: see memories/changes.py."""

from django.db import migrations

# Digests of tags: a notification holds 8,000 bytes, and the words of a memory are nobody's business on this channel.
CREATE_DIGESTS = """
CREATE FUNCTION memories_tag_digests(tags text[]) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(jsonb_agg(left(encode(sha256(convert_to(tag, 'UTF8')), 'hex'), 8)), '[]') FROM unnest(tags) AS tag
$$
"""
# In a trigger for INSERT the fields of OLD are null, in one for DELETE those of NEW.
CREATE_PUBLISH = """
CREATE FUNCTION memories_publish_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was_in_force boolean := OLD.id IS NOT NULL AND OLD.deleted_at IS NULL
        AND (OLD.expires_at IS NULL OR OLD.expires_at > now());
    is_in_force boolean := NEW.id IS NOT NULL AND NEW.deleted_at IS NULL
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
CREATE_TRIGGER = """
CREATE TRIGGER memories_publish_change AFTER INSERT OR UPDATE OR DELETE ON memories_memory
    FOR EACH ROW EXECUTE FUNCTION memories_publish_change()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(CREATE_DIGESTS, 'DROP FUNCTION memories_tag_digests'),
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION memories_publish_change'),
        migrations.RunSQL(CREATE_TRIGGER, 'DROP TRIGGER memories_publish_change ON memories_memory'),
    ]
