from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mcpapi', '0011_sse'),
    ]

    operations = [
        migrations.AddField(
            model_name='auditline',
            name='dry_run',
            field=models.BooleanField(default=False),
        ),
    ]
