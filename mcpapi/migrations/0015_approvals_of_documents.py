import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mcpapi', '0014_documents_in_activity'),
    ]

    operations = [
        migrations.AddField(
            model_name='approval',
            name='document_ids',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
        ),
        migrations.AlterField(
            model_name='approval',
            name='risk',
            field=models.TextField(choices=[('hard_delete', 'Deletes a memory or a document for good'), ('bulk_forget', 'Forgets many memories or documents in one call'), ('export', 'Exports memories')]),
        ),
    ]
