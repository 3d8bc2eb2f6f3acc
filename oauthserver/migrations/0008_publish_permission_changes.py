"""What a permission allows is published when it has changed: see PERMISSION_CHANNEL in oauthserver/bearer.py."""

from django.db import migrations

CREATE_PUBLISH = """
CREATE FUNCTION oauthserver_publish_permission_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('ownsona_permissions', TG_ARGV[0] || ':' || OLD.id);
    RETURN NULL;
END
$$
"""
# How much it was used is written every second, and means nothing to whoever listens.
CREATE_TRIGGERS = """
CREATE TRIGGER oauthserver_publish_change AFTER UPDATE ON oauthserver_{name} FOR EACH ROW
    WHEN (to_jsonb(OLD) - ARRAY['last_used_at', 'reads', 'writes']
        IS DISTINCT FROM to_jsonb(NEW) - ARRAY['last_used_at', 'reads', 'writes'])
    EXECUTE FUNCTION oauthserver_publish_permission_change('{name}');
CREATE TRIGGER oauthserver_publish_end AFTER DELETE ON oauthserver_{name} FOR EACH ROW
    EXECUTE FUNCTION oauthserver_publish_permission_change('{name}');
"""
DROP_TRIGGERS = """
DROP TRIGGER oauthserver_publish_change ON oauthserver_{name};
DROP TRIGGER oauthserver_publish_end ON oauthserver_{name};
"""
PERMISSIONS = ('connection', 'personaltoken', 'externalidentity')


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0007_registration_count'),
    ]

    operations = [
        migrations.RunSQL(CREATE_PUBLISH, 'DROP FUNCTION oauthserver_publish_permission_change'),
        *(
            migrations.RunSQL(CREATE_TRIGGERS.format(name=name), DROP_TRIGGERS.format(name=name))
            for name in PERMISSIONS
        ),
    ]
