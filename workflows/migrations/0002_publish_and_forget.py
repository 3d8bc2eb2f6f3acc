"""Every change of a workflow is published (workflows/events.py), and no run keeps the text of a memory that was deleted
for good: what an unfinished run has stored is deleted with the first such memory that one of its steps has used.
"""

from django.db import migrations

CREATE_PUBLISH = """
CREATE FUNCTION workflows_publish_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed workflows_workflow := coalesce(NEW, OLD);
BEGIN
    PERFORM pg_notify('ownsona_workflows', changed.owner_id || ' ' || changed.name);
    RETURN NULL;
END
$$
"""
CREATE_PUBLISH_TRIGGER = """
CREATE TRIGGER workflows_publish_change AFTER INSERT OR UPDATE OR DELETE ON workflows_workflow
    FOR EACH ROW EXECUTE FUNCTION workflows_publish_change()
"""
CREATE_FORGET = """
CREATE FUNCTION workflows_forget_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH affected AS (
        SELECT DISTINCT step.run_id FROM workflows_runstep AS step
        WHERE step.memory_ids && (SELECT array_agg(id) FROM deleted)
    ), emptied AS (
        UPDATE workflows_run SET definitions = NULL, arguments = NULL
        WHERE id IN (SELECT run_id FROM affected) AND arguments IS NOT NULL
        RETURNING id
    )
    UPDATE workflows_runstep SET result = NULL WHERE run_id IN (SELECT id FROM emptied);
    RETURN NULL;
END
$$
"""
CREATE_FORGET_TRIGGER = """
CREATE TRIGGER workflows_forget_memories AFTER DELETE ON memories_memory
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION workflows_forget_memories()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0001_initial'),
        ('memories', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION workflows_publish_change'),
        migrations.RunSQL(
            CREATE_PUBLISH_TRIGGER, 'DROP TRIGGER workflows_publish_change ON workflows_workflow'
        ),
        migrations.RunSQL(CREATE_FORGET, 'DROP FUNCTION workflows_forget_memories'),
        migrations.RunSQL(CREATE_FORGET_TRIGGER, 'DROP TRIGGER workflows_forget_memories ON memories_memory'),
    ]
