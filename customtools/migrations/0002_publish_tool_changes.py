"""Publish each committed change of an owner's custom tools: see customtools/events.py."""

from django.db import migrations

CREATE_PUBLISH = """
CREATE FUNCTION customtools_publish_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('ownsona_custom_tools', coalesce(NEW.owner_id, OLD.owner_id)::text);
    RETURN NULL;
END
$$
"""
CREATE_TRIGGER = """
CREATE TRIGGER customtools_publish_change AFTER INSERT OR UPDATE OR DELETE ON customtools_customtool
    FOR EACH ROW EXECUTE FUNCTION customtools_publish_change()
"""


class Migration(migrations.Migration):

    dependencies = [
        ('customtools', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION customtools_publish_change'),
        migrations.RunSQL(CREATE_TRIGGER, 'DROP TRIGGER customtools_publish_change ON customtools_customtool'),
    ]
