"""Vectors of an owner in a space in the order of their memories: what came after an index is a range of them."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0003_quarantine'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memoryvector',
            name='vector_owner_space',
        ),
        migrations.AddIndex(
            model_name='memoryvector',
            index=models.Index(fields=['owner', 'space', 'memory', 'window'], name='vector_owner_space_memory'),
        ),
    ]
