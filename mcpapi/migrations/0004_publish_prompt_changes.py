"""Whoever's list of prompts changes is named when it is committed: see mcpapi/prompts/changes.py."""

from django.db import migrations

CREATE_PUBLISH = """
CREATE FUNCTION mcpapi_publish_prompt_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('ownsona_prompts', coalesce(NEW.owner_id, OLD.owner_id)::text);
    RETURN NULL;
END
$$
"""
CREATE_TRIGGER = """
CREATE TRIGGER mcpapi_publish_prompt_change AFTER INSERT OR UPDATE OR DELETE ON mcpapi_ownprompt
    FOR EACH ROW EXECUTE FUNCTION mcpapi_publish_prompt_change()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('mcpapi', '0003_own_prompts'),
    ]

    operations = [
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION mcpapi_publish_prompt_change'),
        migrations.RunSQL(CREATE_TRIGGER, 'DROP TRIGGER mcpapi_publish_prompt_change ON mcpapi_ownprompt'),
    ]
