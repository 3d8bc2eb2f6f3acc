"""Every change of an agent is published when it is committed: see agents/events.py."""

from django.db import migrations

CREATE_PUBLISH = """
CREATE FUNCTION agents_publish_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed agents_agent := coalesce(NEW, OLD);
BEGIN
    -- A row that only says why a file is not valid changes no list.
    IF TG_OP <> 'UPDATE' OR (NEW.definition, NEW.is_enabled) IS DISTINCT FROM (OLD.definition, OLD.is_enabled) THEN
        PERFORM pg_notify('ownsona_agents', changed.owner_id || ' ' || changed.name);
    END IF;
    RETURN NULL;
END
$$
"""
CREATE_TRIGGER = """
CREATE TRIGGER agents_publish_change AFTER INSERT OR UPDATE OR DELETE ON agents_agent
    FOR EACH ROW EXECUTE FUNCTION agents_publish_change()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION agents_publish_change'),
        migrations.RunSQL(CREATE_TRIGGER, 'DROP TRIGGER agents_publish_change ON agents_agent'),
    ]
