"""At most so many postings of one memory. Those that are there stay until their memory's text changes."""

from django.db import migrations

# A page of English has some hundreds of terms. Chinese has nearly two for each character.
MOST_TERMS = 2_000

CREATE_POSTINGS = r"""
CREATE OR REPLACE FUNCTION memories_postings(content text) RETURNS TABLE (term text, tf smallint, length smallint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH language AS MATERIALIZED (SELECT (memories_languages(content))[1:1] AS likeliest),
    counted AS (SELECT terms.* FROM language, memories_terms(content, likeliest) AS terms)
    (SELECT term, least(tf, 1000)::smallint, least(sum(tf) OVER (), 10000)::smallint FROM counted {most})
    UNION ALL
    SELECT '@' || terms.term, 1, 0
    FROM language, memories_terms(
        coalesce(
            substring(content from '^([^:\n]{{1,60}}): '),
            substring(left(content, 200) from '^[[:upper:]][^\s:,;.]*\.?(?:\s[[:upper:]][^\s:,;.]*)*')),
        likeliest) AS terms
$$
"""
# What a text says most often is what it is about; of the rest the single characters, by which every word is still found.
MOST = f'ORDER BY tf DESC, length(term), term COLLATE "C" LIMIT {MOST_TERMS}'


class Migration(migrations.Migration):

    dependencies = [('memories', '0008_unknown_source')]

    operations = [migrations.RunSQL(CREATE_POSTINGS.format(most=MOST), CREATE_POSTINGS.format(most=''))]
