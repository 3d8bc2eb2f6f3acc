"""The postings of the keyword side: which words stand in which memory, kept by triggers. See memories/words.py."""

import json

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# The most telling small words of each language; a text is in the language with the most of them. First ones win ties.
SMALL_WORDS = {
    'english': 'the and of to is in a that it for on with as was are be this have from or had by not but what they you '
               'his her at my which will would there their she he we who when where how did does do has i me your',
    'german': 'der die das und ist nicht ein eine ich zu mit sich auf für von dem den im auch es als wie bei aus nach '
              'wird wir sie mein meine hat haben war wo wann mag',
    'french': 'le la les et est un une de des du je ne pas que qui dans pour sur avec ce il elle nous vous mon ma mes '
              'son sa au aux en où quand comment',
    'spanish': 'el la los las y es un una de del que en por para con no se su mi lo al como más fue dónde cuándo donde '
               'cuando yo le',
    'italian': 'il lo la gli e è un una di del della che in per con non si mi suo mia sono come dove quando ha le dei',
    'portuguese': 'o a os as e é um uma de do da dos das que em por para com não se meu minha no na foi onde quando eu',
    'dutch': 'de het een en is niet ik van in op te dat met voor zijn er aan ook mijn heeft waar wanneer',
    'swedish': 'och att det som en är jag på av för med inte den till har var mitt min när',
    'danish': 'og at det som en er jeg på af for med ikke den til har hvor min hvornår',
    'norwegian': 'og å det som en er jeg på av for med ikke den til har hvor min når',
    'finnish': 'ja on ei se että hän mutta oli minä minun missä milloin ovat',
    'hungarian': 'a az és hogy nem van egy is ez volt hol mikor',
    'turkish': 've bir bu da de için ile ne çok ben benim nerede',
    'russian': 'и в не на я что он с как это но к у мой моя где когда она мы',
}
NOT_ASCII = {'russian'}
LANGUAGES_OF = {
    word: [language for language, words in SMALL_WORDS.items() if word in words.split()]
    for words in SMALL_WORDS.values() for word in words.split()
}


def configurations():
    """As PostgreSQL's own, but small words first, then accents off, then the stem."""
    for language in SMALL_WORDS:
        words = 'hword, hword_part, word' + ('' if language in NOT_ASCII else ', asciiword, asciihword, hword_asciipart')
        yield migrations.RunSQL(
            f'''
            CREATE TEXT SEARCH DICTIONARY memories_{language}_small (
                TEMPLATE = pg_catalog.simple, STOPWORDS = {language}, ACCEPT = false);
            CREATE TEXT SEARCH CONFIGURATION memories_{language} (COPY = pg_catalog.{language});
            ALTER TEXT SEARCH CONFIGURATION memories_{language}
                ALTER MAPPING FOR {words} WITH memories_{language}_small, unaccent, {language}_stem;
            ''',
            f'''
            DROP TEXT SEARCH CONFIGURATION memories_{language};
            DROP TEXT SEARCH DICTIONARY memories_{language}_small;
            ''',
        )


# All languages where nothing tells: a question may be a single word.
CREATE_LANGUAGES = f"""
CREATE FUNCTION memories_languages(content text) RETURNS regconfig[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (SELECT ARRAY[('memories_' || language)::regconfig]
         FROM regexp_split_to_table(lower(left(content, 500)), '[^[:alpha:]]+') AS word,
              jsonb_array_elements_text('{json.dumps(LANGUAGES_OF, ensure_ascii=False)}'::jsonb -> word) AS language
         GROUP BY language
         ORDER BY count(*) DESC, array_position('{{{",".join(SMALL_WORDS)}}}'::text[], language) LIMIT 1),
        '{{{",".join(f"memories_{language}" for language in SMALL_WORDS)}}}'::regconfig[])
$$
"""
# Chinese, Japanese and Korean: every character, and every two that stand side by side.
CJK = r'\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff'
# The parser takes "and/or" for a file, "covid-19" for a word and a negative number, and knows the typewriter's apostrophe.
CREATE_TERMS = f"""
CREATE FUNCTION memories_terms(content text, languages regconfig[]) RETURNS TABLE (term text, tf bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT term, sum(occurrences)
    FROM (
        SELECT ltrim(lexeme, '+-') AS term, cardinality(positions) AS occurrences
        FROM unnest(languages) AS language,
             unnest(to_tsvector(
                 language, translate(regexp_replace(content, '[{CJK}]+', ' ', 'g'), '/’', ' ''')))
        UNION ALL
        SELECT unnest(ARRAY[letter, letter || lead(letter) OVER (PARTITION BY number ORDER BY place)]), 1
        FROM regexp_matches(content, '[{CJK}]+', 'g') WITH ORDINALITY AS run(letters, number),
             unnest(string_to_array(letters[1], NULL)) WITH ORDINALITY AS given(letter, place)
    ) AS found
    WHERE length(term) BETWEEN 1 AND 100
    GROUP BY term
$$
"""
# A text is about the name that it begins with: whoever speaks ("Ada: …"), or words with a capital ("Ada Lovelace …").
CREATE_POSTINGS = r"""
CREATE FUNCTION memories_postings(content text) RETURNS TABLE (term text, tf smallint, length smallint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH language AS MATERIALIZED (SELECT (memories_languages(content))[1:1] AS likeliest),
    counted AS (SELECT terms.* FROM language, memories_terms(content, likeliest) AS terms)
    SELECT term, least(tf, 1000)::smallint, least(sum(tf) OVER (), 10000)::smallint FROM counted
    UNION ALL
    SELECT '@' || terms.term, 1, 0
    FROM language, memories_terms(
        coalesce(
            substring(content from '^([^:\n]{1,60}): '),
            substring(left(content, 200) from '^[[:upper:]][^\s:,;.]*\.?(?:\s[[:upper:]][^\s:,;.]*)*')),
        likeliest) AS terms
$$
"""
CREATE_TABLE = """
CREATE TABLE memories_posting (
    owner_id bigint NOT NULL, term text COLLATE "C" NOT NULL, memory_id bigint NOT NULL,
    tf smallint NOT NULL, length smallint NOT NULL,
    PRIMARY KEY (owner_id, term, memory_id) INCLUDE (tf, length));
CREATE INDEX posting_memory ON memories_posting (memory_id)
"""
CREATE_TRIGGERS = """
CREATE FUNCTION memories_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM memories_posting WHERE memory_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO memories_posting (owner_id, term, memory_id, tf, length)
        SELECT NEW.owner_id, term, NEW.id, tf, length FROM memories_postings(NEW.text);
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION memories_post_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memories_posting (owner_id, term, memory_id, tf, length)
    SELECT made.owner_id, posting.term, made.id, posting.tf, posting.length
    FROM made CROSS JOIN LATERAL memories_postings(made.text) AS posting
    ORDER BY 1, 2, 3;
    RETURN NULL;
END
$$;
CREATE TRIGGER memories_post_all AFTER INSERT ON memories_memory
    REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION memories_post_all();
CREATE TRIGGER memories_post_text AFTER UPDATE OF text, owner_id ON memories_memory
    FOR EACH ROW WHEN (OLD.text IS DISTINCT FROM NEW.text OR OLD.owner_id <> NEW.owner_id)
    EXECUTE FUNCTION memories_post();
CREATE TRIGGER memories_unpost AFTER DELETE ON memories_memory FOR EACH ROW EXECUTE FUNCTION memories_post()
"""
DROP_TRIGGERS = """
DROP TRIGGER memories_post_all ON memories_memory;
DROP TRIGGER memories_post_text ON memories_memory;
DROP TRIGGER memories_unpost ON memories_memory;
DROP FUNCTION memories_post_all();
DROP FUNCTION memories_post()
"""
FILL = """
INSERT INTO memories_posting (owner_id, term, memory_id, tf, length)
SELECT memory.owner_id, posting.term, memory.id, posting.tf, posting.length
FROM memories_memory AS memory CROSS JOIN LATERAL memories_postings(memory.text) AS posting
WHERE memory.id > %s AND memory.id <= %s
ORDER BY 1, 2, 3
"""
BATCH = 5_000


def fill(apps, schema_editor):
    """The postings of the memories that are there already."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute('SELECT min(id), max(id) FROM memories_memory')
        first, last = cursor.fetchone()
        for start in range((first or 1) - 1, last or 0, BATCH):
            cursor.execute(FILL, [start, start + BATCH])
        # Until the planner knows the table, a look-up takes as long as reading it.
        cursor.execute('ANALYZE memories_posting')


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0004_find_vectors_by_memory'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        *configurations(),
        migrations.RunSQL(CREATE_LANGUAGES, 'DROP FUNCTION memories_languages'),
        migrations.RunSQL(CREATE_TERMS, 'DROP FUNCTION memories_terms'),
        migrations.RunSQL(CREATE_POSTINGS, 'DROP FUNCTION memories_postings'),
        migrations.RunSQL(CREATE_TABLE, 'DROP TABLE memories_posting', state_operations=[
            migrations.CreateModel(
                name='Posting',
                fields=[
                    ('pk', models.CompositePrimaryKey('owner_id', 'term', 'memory_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('term', models.TextField(db_collation='C')),
                    ('tf', models.SmallIntegerField()),
                    ('length', models.SmallIntegerField()),
                    ('memory', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memories.memory')),
                    ('owner', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                ],
                options={'indexes': [models.Index(fields=['memory'], name='posting_memory')]},
            ),
        ]),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
        migrations.RunSQL(CREATE_TRIGGERS, DROP_TRIGGERS),
        migrations.RemoveIndex(model_name='memory', name='memory_lexemes'),
        migrations.RemoveField(model_name='memory', name='lexemes'),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(condition=models.Q(('session_id__isnull', False)), fields=['owner', 'session_id', 'id'], name='memory_session'),
        ),
    ]
