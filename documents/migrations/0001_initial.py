"""The tables of documents, and triggers that keep the words of chunks as those of memories do."""

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import pgvector.django.halfvec
import uuid
from django.conf import settings
from django.db import migrations, models

# The primary key includes what a search reads, so that it need not visit the table.
CREATE_POSTINGS = """
CREATE TABLE documents_chunkposting (
    owner_id bigint NOT NULL, term text COLLATE "C" NOT NULL, chunk_id bigint NOT NULL,
    tf smallint NOT NULL, length smallint NOT NULL,
    PRIMARY KEY (owner_id, term, chunk_id) INCLUDE (tf, length));
CREATE INDEX chunk_posting_chunk ON documents_chunkposting (chunk_id)
"""
# Chunks are only inserted and deleted: their text never changes.
CREATE_TRIGGERS = """
CREATE FUNCTION documents_post_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO documents_chunkposting (owner_id, term, chunk_id, tf, length)
    SELECT made.owner_id, posting.term, made.id, posting.tf, posting.length
    FROM made CROSS JOIN LATERAL memories_postings(made.context || E'\\n' || made.text) AS posting
    ORDER BY 1, 2, 3;
    RETURN NULL;
END
$$;
CREATE FUNCTION documents_unpost_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM documents_chunkposting WHERE chunk_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;
CREATE TRIGGER documents_post_all AFTER INSERT ON documents_chunk
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION documents_post_all();
CREATE TRIGGER documents_unpost_all AFTER DELETE ON documents_chunk
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION documents_unpost_all()
"""
DROP_TRIGGERS = """
DROP TRIGGER documents_post_all ON documents_chunk;
DROP TRIGGER documents_unpost_all ON documents_chunk;
DROP FUNCTION documents_post_all();
DROP FUNCTION documents_unpost_all()
"""
VECTORS_IN_ROWS = "ALTER TABLE documents_chunkvector ALTER COLUMN embedding SET STORAGE MAIN"
# Compressed files do not get any smaller.
PARTS_AS_THEY_ARE = "ALTER TABLE documents_originalpart ALTER COLUMN content SET STORAGE EXTERNAL"


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memories', '0016_vectors_in_rows'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('source', models.TextField()),
                ('source_key', models.TextField()),
                ('source_url', models.TextField(null=True)),
                ('title', models.TextField()),
                ('is_title_given', models.BooleanField(default=False)),
                ('author', models.TextField(null=True)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ('metadata', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('updated_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('deleted_at', models.DateTimeField(editable=False, null=True)),
                ('forget_reason', models.TextField(null=True)),
                ('quarantined_from', models.TextField(editable=False, null=True)),
                ('stored_by', models.TextField(editable=False)),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='Original',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_hash', models.BinaryField(max_length=32)),
                ('size_bytes', models.BigIntegerField()),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='OriginalPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('original', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='documents.original')),
            ],
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('file_name', models.TextField()),
                ('media_type', models.TextField(default='')),
                ('state', models.TextField(choices=[('queued', 'Queued'), ('ready', 'Ready'), ('failed', 'Failed')])),
                ('problem', models.TextField(default='')),
                ('notes', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('secrets', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('pages', models.PositiveIntegerField(null=True)),
                ('text', models.TextField(default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('document', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='documents.document')),
                ('original', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='documents.original')),
            ],
        ),
        migrations.AddField(
            model_name='document',
            name='current',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='documents.version'),
        ),
        migrations.CreateModel(
            name='Chunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('context', models.TextField()),
                ('heading', models.TextField()),
                ('page', models.PositiveIntegerField(null=True)),
                ('start_char', models.PositiveIntegerField()),
                ('end_char', models.PositiveIntegerField()),
                ('source', models.TextField()),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('created_at', models.DateTimeField()),
                ('deleted_at', models.DateTimeField(null=True)),
                ('quarantined_from', models.TextField(null=True)),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='documents.document')),
                ('version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='documents.version')),
            ],
        ),
        migrations.RunSQL(CREATE_POSTINGS, 'DROP TABLE documents_chunkposting', state_operations=[
            migrations.CreateModel(
                name='ChunkPosting',
                fields=[
                    ('pk', models.CompositePrimaryKey('owner_id', 'term', 'chunk_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('term', models.TextField(db_collation='C')),
                    ('tf', models.SmallIntegerField()),
                    ('length', models.SmallIntegerField()),
                    ('chunk', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='documents.chunk')),
                    ('owner', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'indexes': [models.Index(fields=['chunk'], name='chunk_posting_chunk')],
                },
            ),
        ]),
        migrations.RunSQL(CREATE_TRIGGERS, DROP_TRIGGERS),
        migrations.CreateModel(
            name='ChunkVector',
            fields=[
                ('pk', models.CompositePrimaryKey('space_id', 'chunk_id', 'window', blank=True, editable=False, primary_key=True, serialize=False)),
                ('window', models.SmallIntegerField()),
                ('embedding', pgvector.django.halfvec.HalfVectorField()),
                ('start_char', models.IntegerField(null=True)),
                ('end_char', models.IntegerField(null=True)),
                ('chunk', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='vectors', to='documents.chunk')),
                ('owner', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('space', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='memories.embeddingspace')),
            ],
            options={
                'indexes': [models.Index(fields=['owner', 'space', 'chunk', 'window'], name='chunk_vector_owner_space')],
            },
        ),
        migrations.AddConstraint(
            model_name='original',
            constraint=models.UniqueConstraint(fields=('owner', 'content_hash'), name='original_unique_content'),
        ),
        migrations.AddConstraint(
            model_name='originalpart',
            constraint=models.UniqueConstraint(fields=('original', 'number'), name='original_part_unique'),
        ),
        migrations.AddIndex(
            model_name='version',
            index=models.Index(condition=models.Q(('state', 'queued')), fields=['id'], name='version_queued'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('document', 'number'), name='version_number_unique'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=models.Index(fields=['owner', '-updated_at', '-id'], name='document_newest'),
        ),
        migrations.AddIndex(
            model_name='document',
            index=django.contrib.postgres.indexes.GinIndex(fields=['tags'], name='document_tags'),
        ),
        migrations.AddConstraint(
            model_name='document',
            constraint=models.UniqueConstraint(condition=models.Q(('deleted_at__isnull', True), ('quarantined_from__isnull', True)), fields=('owner', 'source', 'source_key'), name='document_unique_in_source'),
        ),
        migrations.AddIndex(
            model_name='chunk',
            index=models.Index(fields=['owner', 'version', 'id'], name='chunk_version'),
        ),
        migrations.AddIndex(
            model_name='chunk',
            index=models.Index(fields=['owner', 'source'], name='chunk_source'),
        ),
        migrations.AddIndex(
            model_name='chunk',
            index=models.Index(condition=models.Q(('deleted_at__isnull', False), ('quarantined_from__isnull', False), _connector='OR'), fields=['owner'], name='chunk_inactive'),
        ),
        migrations.AddIndex(
            model_name='chunk',
            index=django.contrib.postgres.indexes.GinIndex(fields=['tags'], name='chunk_tags'),
        ),
        migrations.RunSQL([VECTORS_IN_ROWS, PARTS_AS_THEY_ARE], migrations.RunSQL.noop),
    ]
