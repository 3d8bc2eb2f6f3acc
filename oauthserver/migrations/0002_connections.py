import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


# Apps that hold tokens were let in before permissions were kept: their tokens say what they may do.
KEEP_EARLIER_PERMISSIONS = """
    INSERT INTO oauthserver_connection
           (user_id, application_id, scopes, tags, declined, created_at, paused_at, last_used_at, reads, writes)
    SELECT token.user_id, app.id, array_agg(DISTINCT scope.name), '{}', '{}', min(token.created), app.paused_at,
           app.last_used_at, 0, 0
      FROM oauth2_provider_accesstoken AS token
      JOIN oauthserver_application AS app ON app.id = token.application_id
      CROSS JOIN LATERAL unnest(string_to_array(token.scope, ' ')) AS scope(name)
     WHERE token.user_id IS NOT NULL AND scope.name LIKE 'memory:%'
     GROUP BY token.user_id, app.id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('oauthserver', '0001_initial'),
        ('oauth2_provider', '0022_refreshtoken_token_family_index'),
    ]

    operations = [
        migrations.CreateModel(
            name='PersonalToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('paused_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('reads', models.BigIntegerField(default=0, editable=False)),
                ('writes', models.BigIntegerField(default=0, editable=False)),
                ('name', models.CharField(max_length=100)),
                ('token_sha256', models.CharField(editable=False, max_length=64, unique=True)),
                ('expires_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('user', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Connection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('paused_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('reads', models.BigIntegerField(default=0, editable=False)),
                ('writes', models.BigIntegerField(default=0, editable=False)),
                ('declined', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, editable=False, size=None)),
                ('application', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='connections', to=settings.OAUTH2_PROVIDER_APPLICATION_MODEL)),
                ('user', models.ForeignKey(editable=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'connected app',
                'constraints': [models.UniqueConstraint(fields=('user', 'application'), name='connection_unique')],
            },
        ),
        migrations.RunSQL(KEEP_EARLIER_PERMISSIONS, migrations.RunSQL.noop, elidable=True),
        migrations.RemoveField(
            model_name='application',
            name='last_used_at',
        ),
        migrations.RemoveField(
            model_name='application',
            name='paused_at',
        ),
        migrations.AlterModelOptions(
            name='application',
            options={'verbose_name': 'registered app'},
        ),
    ]
