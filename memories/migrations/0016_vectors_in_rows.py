"""Vectors of up to 4,000 dimensions are stored in their rows.

PostgreSQL moves values out of rows above 2 kB, so vectors of more than about 900 dimensions. A search that compares vectors
one by one then fetches each of them from another table, which takes almost twice as long. Existing vectors move when
they are computed again (`manage.py reembed`), or with VACUUM FULL memories_memoryvector.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memories", "0015_stated_times")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE memories_memoryvector ALTER COLUMN embedding SET STORAGE MAIN",
            "ALTER TABLE memories_memoryvector ALTER COLUMN embedding SET STORAGE EXTERNAL",
        )
    ]
