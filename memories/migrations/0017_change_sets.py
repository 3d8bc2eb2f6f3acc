from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0016_vectors_in_rows")]

    operations = [
        migrations.RenameField("journalentry", "call_id", "change_set"),
        migrations.AddField("journalentry", "session_id", models.TextField(default="", db_default="")),
        migrations.AlterField(
            "journalentry",
            "operation",
            models.TextField(
                choices=[
                    ("remember", "Remember"),
                    ("revive", "Revive"),
                    ("update", "Update"),
                    ("confirm", "Confirm"),
                    ("forget", "Forget"),
                    ("restore", "Restore"),
                    ("accept", "Accept"),
                    ("reject", "Reject"),
                    ("undo", "Undo"),
                    ("hard_delete", "Hard Delete"),
                ]
            ),
        ),
        migrations.AddIndex(
            "journalentry", models.Index(fields=["owner", "change_set", "id"], name="journal_change_set")
        ),
        migrations.AddIndex("journalentry", models.Index(fields=["owner", "client", "-id"], name="journal_client")),
        migrations.AddIndex(
            "journalentry",
            models.Index(
                condition=models.Q(("session_id", ""), _negated=True),
                fields=["owner", "session_id", "-id"],
                name="journal_session",
            ),
        ),
        migrations.AddIndex("journalentry", BrinIndex(fields=["at"], name="journal_at", pages_per_range=32)),
    ]
