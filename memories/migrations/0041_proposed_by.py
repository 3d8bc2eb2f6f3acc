from django.db import migrations, models

# Undone lines name the change set that undid them.
FROM_PLANS = """
UPDATE memories_journalentry AS entry SET proposed_by = plan.client
FROM memories_cleanupline AS line JOIN memories_cleanupplan AS plan ON plan.id = line.plan_id
WHERE line.state = 'applied' AND entry.owner_id = plan.owner_id AND entry.change_set = line.change_set
  AND entry.client <> plan.client
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0040_name_of_owner")]

    operations = [
        migrations.AddField("journalentry", "proposed_by", models.TextField(default="", db_default="")),
        migrations.RunSQL(FROM_PLANS, migrations.RunSQL.noop, elidable=True),
    ]
