"""Files have a format: TOML or Lua. Until now, all were TOML."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0002_publish_changes'),
    ]

    operations = [
        migrations.RemoveConstraint(model_name='agent', name='agent_source'),
        migrations.RunSQL(
            "UPDATE agents_agent SET source = 'toml' WHERE source = 'file'",
            # Files in Lua are read again when they can be.
            [
                "DELETE FROM agents_agent WHERE source = 'lua'",
                "UPDATE agents_agent SET source = 'file' WHERE source = 'toml'",
            ],
            elidable=True,
        ),
        migrations.AlterField(
            model_name='agent',
            name='source',
            field=models.TextField(
                choices=[('page', 'Page'), ('toml', 'Toml'), ('lua', 'Lua'), ('shipped', 'Shipped')]
            ),
        ),
        migrations.AddConstraint(
            model_name='agent',
            constraint=models.CheckConstraint(
                condition=models.Q(('source__in', ['page', 'toml', 'lua', 'shipped'])), name='agent_source'
            ),
        ),
    ]
