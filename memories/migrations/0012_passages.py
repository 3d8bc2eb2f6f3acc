"""Where the window of a vector stands in its memory's text. That of the windows there are stays unknown."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [('memories', '0011_stated')]

    operations = [
        migrations.AddField('memoryvector', 'start_char', models.IntegerField(null=True)),
        migrations.AddField('memoryvector', 'end_char', models.IntegerField(null=True)),
    ]
