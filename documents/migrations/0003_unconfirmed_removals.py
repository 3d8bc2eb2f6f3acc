from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('documents', '0002_sources'),
    ]

    operations = [
        migrations.AddField(
            model_name='source',
            name='unconfirmed_removals',
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
    ]
