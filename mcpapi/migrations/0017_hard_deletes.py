from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("mcpapi", "0016_risk_of_custom_tools")]

    operations = [
        migrations.AddField("auditline", "hard_delete", models.BooleanField(default=False, db_default=False)),
    ]
