"""Postings of new memories in a simpler statement, for texts that need no more."""

from django.db import migrations

# Those of 0005_postings.
CJK = r'\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff'

# A text of so many characters has fewer terms than the most that are kept (0009_most_postings).
MOST_CHARS = 500

# What memories_postings returns for a text without these characters. A text begins with a speaker if its first colon is
# among the first 61 characters, and a blank follows it.
POST_ALL = rf"""
CREATE OR REPLACE FUNCTION memories_post_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memories_posting (owner_id, term, memory_id, tf, length)
    WITH simple AS MATERIALIZED (
        SELECT owner_id, id, to_tsvector(language, translate(text, '/’', ' ''')) AS words,
               to_tsvector(language, translate(
                   CASE WHEN colon BETWEEN 2 AND 61 AND substr(text, colon + 1, 1) = ' '
                             AND strpos(left(text, colon), E'\n') = 0
                        THEN left(text, colon - 1)
                        ELSE substring(
                            left(text, 200) from '^[[:upper:]][^\s:,;.]*\.?(?:\s[[:upper:]][^\s:,;.]*)*')
                   END, '/’', ' ''')) AS name
        FROM (
            SELECT owner_id, id, text, (memories_languages(text))[1] AS language, strpos(text, ':') AS colon
            FROM made WHERE length(text) <= {MOST_CHARS} AND text !~ '[{CJK}]' OFFSET 0
        ) AS likeliest
    ), counted AS (
        SELECT owner_id, id, ltrim(lexeme, '+-') AS term, sum(cardinality(positions)) AS tf
        FROM simple, unnest(words) WHERE length(ltrim(lexeme, '+-')) BETWEEN 1 AND 100 GROUP BY 1, 2, 3
    )
    SELECT owner_id, term, id, least(tf, 1000)::smallint, least(sum(tf) OVER (PARTITION BY id), 10000)::smallint
    FROM counted
    UNION ALL
    SELECT DISTINCT owner_id, '@' || ltrim(lexeme, '+-'), id, 1::smallint, 0::smallint
    FROM simple, unnest(name) WHERE length(ltrim(lexeme, '+-')) BETWEEN 1 AND 100
    ORDER BY 1, 2, 3;
    IF EXISTS (SELECT FROM made WHERE length(text) > {MOST_CHARS} OR text ~ '[{CJK}]') THEN
        INSERT INTO memories_posting (owner_id, term, memory_id, tf, length)
        SELECT made.owner_id, posting.term, made.id, posting.tf, posting.length
        FROM made CROSS JOIN LATERAL memories_postings(made.text) AS posting
        WHERE length(made.text) > {MOST_CHARS} OR made.text ~ '[{CJK}]'
        ORDER BY 1, 2, 3;
    END IF;
    RETURN NULL;
END
$$
"""
POST_ALL_ALIKE = """
CREATE OR REPLACE FUNCTION memories_post_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memories_posting (owner_id, term, memory_id, tf, length)
    SELECT made.owner_id, posting.term, made.id, posting.tf, posting.length
    FROM made CROSS JOIN LATERAL memories_postings(made.text) AS posting
    ORDER BY 1, 2, 3;
    RETURN NULL;
END
$$
"""


class Migration(migrations.Migration):

    dependencies = [('memories', '0029_statement_keys')]

    operations = [migrations.RunSQL(POST_ALL, POST_ALL_ALIKE)]
