"""Quality of search in documents: the share of 300 questions whose answering passage is found.

    .venv/bin/python benchmarks/passage_search.py

60 documents in the public domain are written as files of every format, imported through the real pipeline into a
database of their own, and searched with the shipped model. The same questions are asked of chunks of 500 characters,
ranked by cosine with the same model and by BM25. `--misses` lists the questions of the development half whose passage
is not among the first five; the held-out half is only counted. If OWNSONA_DATA_DIR names a folder, the documents are
kept there, and a second run takes seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("passages")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up
from tqdm import tqdm  # noqa: E402

from benchmarks.passages.baselines import Cosine, Passage, Words, fixed_passages  # noqa: E402
from benchmarks.passages.corpus import DEVELOPMENT, HELD_OUT, Question, questions, sources  # noqa: E402
from benchmarks.passages.files import write_file  # noqa: E402
from benchmarks.passages.judging import place_of  # noqa: E402
from documents.corpus import CHUNKS  # noqa: E402
from documents.drafts import DocumentDraft  # noqa: E402
from documents.models import Chunk, Document  # noqa: E402
from documents.search import search_documents  # noqa: E402
from documents.writing.adding import add_document  # noqa: E402
from memories.access import Actor, View  # noqa: E402
from memories.recall.pipeline import Mode, Query  # noqa: E402
from memories.vectors.reembedding import fill  # noqa: E402
from memories.vectors.spaces import space_in_use  # noqa: E402
from oauthserver.models import User  # noqa: E402

FOUND = 10
CUTS = (1, 5, 10)
Way = Callable[[str], Sequence[Passage]]
Places = Mapping[Question, int | None]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="list what is not found of the development half")
    arguments = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        measure(list_misses=arguments.misses)
    finally:
        remove_temporary_data()


def measure(*, list_misses: bool) -> None:
    """Import the documents, ask the questions in each way, and print how many are answered."""
    owner, _ = User.objects.get_or_create(username="passages")
    view = View.whole(owner.pk)
    import_documents(view)
    texts = texts_of(view)
    fixed = fixed_passages(texts)
    chunks = Chunk.objects.filter(owner_id=owner.pk).count()
    ways: dict[str, Way] = {
        "500 characters, BM25": in_turn(Words(fixed)),
        "500 characters, cosine": in_turn(Cosine(fixed)),
        "OwnSona, keywords only": in_documents(view, Mode.KEYWORD),
        "OwnSona, meaning only": in_documents(view, Mode.SEMANTIC),
        "OwnSona": in_documents(view, Mode.HYBRID),
    }
    found = {name: {asked: way(asked.text) for asked in questions()} for name, way in ways.items()}
    places = {name: {asked: place_of(asked, of[asked], texts) for asked in of} for name, of in found.items()}
    print(f"{len(texts)} documents, {chunks} chunks, {len(fixed)} of 500 characters, {len(questions())} questions\n")
    print("\n".join(by_way(places)))
    print()
    print("\n".join(by_format(places["OwnSona"])))
    print("\n".join(by_miss(places["OwnSona"], found["OwnSona"], texts, list_them=list_misses)))


def import_documents(view: View) -> None:
    """Import the files, unless they are there, and embed their chunks."""
    actor = Actor(view, "benchmark", is_owner=True)
    with tempfile.TemporaryDirectory() as folder:
        for source in tqdm(sources(), desc="importing", file=sys.stderr):
            draft = DocumentDraft(source.file_name, source_key=source.name)
            if Document.objects.filter(owner_id=view.owner_id, source_key=source.name).exists():
                continue
            with write_file(source, Path(folder)).open("rb") as file:
                version = add_document(actor, draft, file, at_once=True).version
            assert version.state == version.State.READY, (source.name, version.problem)
    fill(space_in_use(), lambda count: None)
    assert not CHUNKS.all_items.filter(owner_id=view.owner_id, vectors=None).exists()


def texts_of(view: View) -> dict[str, str]:
    """Return the extracted text of each document."""
    documents = Document.objects.filter(owner_id=view.owner_id).select_related("current")
    return {document.source_key: document.current.text for document in documents if document.current}


def in_turn(ranking: Words | Cosine) -> Way:
    """Return the search in fixed passages."""
    return lambda question: ranking.best(question, FOUND)


def in_documents(view: View, mode: Mode) -> Way:
    """Return the search of the application."""

    def search(question: str) -> list[Passage]:
        outcome = search_documents(view, Query(question, FOUND, mode=mode))
        chunks = [passage.chunk for passage in outcome.passages]
        return [Passage(chunk.document.source_key, chunk.start_char, chunk.end_char, chunk.text) for chunk in chunks]

    return search


def by_way(places: Mapping[str, Places]) -> Iterator[str]:
    """Yield a table with rows for each way to search: on each half, and on both."""
    yield f"| way | half | {' | '.join(f'recall@{cut}' for cut in CUTS)} | MRR |"
    yield f"|---|---|{'---|' * (len(CUTS) + 1)}"
    for name, of_way in places.items():
        for half in (DEVELOPMENT, HELD_OUT, None):
            yield f"| {name} | {half or 'both'} | {figures([of_way[asked] for asked in asked_about(half=half)])} |"


def by_format(places: Places) -> Iterator[str]:
    """Yield a table with a row for each format."""
    yield f"| format | questions | {' | '.join(f'recall@{cut}' for cut in CUTS)} | MRR |"
    yield f"|---|---|{'---|' * (len(CUTS) + 1)}"
    for name in dict.fromkeys(source.format for source in sources()):
        asked = asked_about(format_name=name)
        yield f"| {name} | {len(asked)} | {figures([places[each] for each in asked])} |"


def by_miss(
    places: Places, found: Mapping[Question, Sequence[Passage]], texts: Mapping[str, str], *, list_them: bool
) -> Iterator[str]:
    """Yield how many questions have no right passage among the first five, and whether the right document is there."""
    for half in (DEVELOPMENT, HELD_OUT):
        missed = [asked for asked in asked_about(half=half) if (places[asked] or FOUND) > 5]
        other = [asked for asked in missed if any(item.document == asked.document for item in found[asked][:5])]
        yield f"\n{half}: {len(missed)} missed, {len(other)} of them with another passage of the right document"
        for asked in missed if list_them and half == DEVELOPMENT else ():
            shown = [item.text for item in found[asked] if item.document == asked.document]
            yield f"- {asked.document} ({places[asked]}): {asked.text}\n  wanted: {asked.snippet}"
            documents = ", ".join(item.document for item in found[asked][:5])
            yield f"  found: {' '.join(shown[0].split())[:200] if shown else documents}"


def asked_about(*, half: str | None = None, format_name: str | None = None) -> list[Question]:
    """Return the questions about the documents of a half or a format."""
    names = {
        source.name for source in sources() if half in (None, source.half) and format_name in (None, source.format)
    }
    return [asked for asked in questions() if asked.document in names]


def figures(places: Sequence[int | None]) -> str:
    """Format recall at each cut, and the mean of 1/place."""
    shares = [sum(place is not None and place <= cut for place in places) / len(places) for cut in CUTS]
    mean = sum(1 / place for place in places if place) / len(places)
    return " | ".join(f"{share:.3f}" for share in (*shares, mean))


if __name__ == "__main__":
    main()
