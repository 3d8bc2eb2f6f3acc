"""Where the model of a space is, is unknown until the settings have named it: empty means the provider's own."""

from django.db import migrations, models

FORGET_WHAT_WAS_NEVER_TOLD = "UPDATE memories_embeddingspace SET source = NULL WHERE source = ''"


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0007_memory_expiring'),
    ]

    operations = [
        migrations.AlterField(
            model_name='embeddingspace',
            name='source',
            field=models.TextField(blank=True, null=True),
        ),
        migrations.RunSQL(FORGET_WHAT_WAS_NEVER_TOLD, migrations.RunSQL.noop, elidable=True),
    ]
