from django.conf import settings
from django.db import migrations, models

# The changes of synonyms had a table of their own.
MOVE_SYNONYM_CHANGES = """
INSERT INTO memories_journalentry (owner_id, at, variant, operation, before, after, client, change_set, session_id)
SELECT owner_id, at, variant, 'update', jsonb_build_object('canonical', before), jsonb_build_object('canonical', after),
       client, change_set, session_id
FROM memories_synonymchange ORDER BY id
"""


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0024_agents"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField("journalentry", "memory_id", models.BigIntegerField(null=True)),
        migrations.AddField("journalentry", "document_id", models.UUIDField(null=True)),
        migrations.AddField("journalentry", "variant", models.TextField(null=True)),
        migrations.AddIndex(
            "journalentry",
            models.Index(
                fields=["owner", "document_id", "-id"],
                name="journal_document",
                condition=models.Q(("document_id__isnull", False)),
            ),
        ),
        migrations.AddIndex(
            "journalentry",
            models.Index(
                fields=["owner", "variant", "-id"],
                name="journal_variant",
                condition=models.Q(("variant__isnull", False)),
            ),
        ),
        migrations.AddConstraint(
            "journalentry",
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(("document_id__isnull", True), ("memory_id__isnull", False), ("variant__isnull", True)),
                    models.Q(("document_id__isnull", False), ("memory_id__isnull", True), ("variant__isnull", True)),
                    models.Q(("document_id__isnull", True), ("memory_id__isnull", True), ("variant__isnull", False)),
                    _connector="OR",
                ),
                name="journal_one_subject",
            ),
        ),
        migrations.RunSQL(MOVE_SYNONYM_CHANGES, migrations.RunSQL.noop, elidable=True),
        migrations.DeleteModel("SynonymChange"),
    ]
