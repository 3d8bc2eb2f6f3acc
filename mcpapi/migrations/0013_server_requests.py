"""The model of requests to clients is named like the protocol's term. Its table keeps its name."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("mcpapi", "0012_dry_runs"),
    ]

    operations = [
        migrations.AlterModelTable(name="question", table="mcpapi_question"),
        migrations.RenameModel(old_name="Question", new_name="ServerRequest"),
    ]
