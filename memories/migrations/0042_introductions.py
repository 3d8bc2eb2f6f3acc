"""Aspects of memories that begin with their owner's name ("I'm Elin Berg, a nurse"), for the briefing."""

from django.db import connections, migrations, transaction

from memories.aspects.reading import READ_CHARS, Aspect, aspect_of

BEGINNING = "(i am|i['’]m|user is|ich bin|nutzer|nutzerin|je suis|soy|sono) "
"""Words of which one is before the name, so that few texts are read."""


def fill(apps, schema_editor):
    """Find those that had no aspect or another one. There are few: they are written in one transaction."""
    alias = schema_editor.connection.alias
    with transaction.atomic(alias), connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT id, left(text, %s) FROM memories_memory "
            "WHERE aspect IS DISTINCT FROM 'name' AND left(text, %s) ~* %s",
            [READ_CHARS, READ_CHARS, BEGINNING],
        )
        found = [pk for pk, start in cursor.fetchall() if aspect_of(start) == Aspect.NAME]
        if found:
            # The memories do not change: no client is notified.
            cursor.execute("ALTER TABLE memories_memory DISABLE TRIGGER USER")
            cursor.execute("UPDATE memories_memory SET aspect = 'name' WHERE id = ANY(%s)", [found])
            cursor.execute("ALTER TABLE memories_memory ENABLE TRIGGER USER")


class Migration(migrations.Migration):

    atomic = False

    dependencies = [("memories", "0041_proposed_by")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop, elidable=True)]
