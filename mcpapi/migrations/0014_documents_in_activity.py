import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mcpapi', '0013_server_requests'),
    ]

    operations = [
        migrations.AddField(
            model_name='auditline',
            name='document_ids',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
        ),
        migrations.AddField(
            model_name='auditline',
            name='document_count',
            field=models.IntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name='auditline',
            index=django.contrib.postgres.indexes.GinIndex(condition=models.Q(('document_count__gt', 0)), fields=['document_ids'], name='audit_documents'),
        ),
    ]
