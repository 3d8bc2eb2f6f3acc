"""Which space is in use stands in the database: of those that exist, the one with most vectors."""

from django.db import migrations, models


PUT_IN_USE = """
UPDATE memories_embeddingspace SET in_use_since = now()
WHERE id = (SELECT space_id FROM memories_memoryvector GROUP BY space_id ORDER BY count(*) DESC, space_id LIMIT 1)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0005_postings'),
    ]

    operations = [
        migrations.AddField(
            model_name='embeddingspace',
            name='in_use_since',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='embeddingspace',
            name='source',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.RunSQL(PUT_IN_USE, migrations.RunSQL.noop, elidable=True),
        migrations.AddConstraint(
            model_name='embeddingspace',
            constraint=models.UniqueConstraint(models.ExpressionWrapper(models.Q(('in_use_since__isnull', False)), models.BooleanField()), condition=models.Q(('in_use_since__isnull', False)), name='embedding_space_one_in_use'),
        ),
    ]
