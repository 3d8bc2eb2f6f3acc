
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0019_cleanup_plans'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ImportJob',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('client', models.TextField()),
                ('permission', models.TextField(blank=True)),
                ('only_tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('is_quarantined', models.BooleanField(default=False)),
                ('is_owner', models.BooleanField(default=False)),
                ('session_id', models.TextField(blank=True)),
                ('change_set', models.UUIDField(default=uuid.uuid4)),
                ('name', models.TextField()),
                ('size_bytes', models.BigIntegerField()),
                ('options', models.JSONField(default=dict)),
                ('state', models.TextField(choices=[('checking', 'Checking'), ('ready', 'Ready'), ('running', 'Running'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='checking')),
                ('position', models.BigIntegerField(default=0)),
                ('total', models.BigIntegerField(null=True)),
                ('preview', models.JSONField(null=True)),
                ('counts', models.JSONField(default=dict)),
                ('problem', models.TextField(blank=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('version', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('started_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ImportReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('first', models.BigIntegerField()),
                ('lines', models.TextField()),
                ('job', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='memories.importjob')),
            ],
        ),
        migrations.AddIndex(
            model_name='importjob',
            index=models.Index(fields=['owner', '-created_at'], name='import_newest'),
        ),
        migrations.AddIndex(
            model_name='importjob',
            index=models.Index(condition=models.Q(('state__in', ['checking', 'ready', 'running'])), fields=['created_at'], name='import_open'),
        ),
        migrations.AddConstraint(
            model_name='importreport',
            constraint=models.UniqueConstraint(fields=('job', 'first'), name='import_report_first'),
        ),
    ]
