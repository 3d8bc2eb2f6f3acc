"""Tests of the page with the map, and of the data that its script draws."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import unescape

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from documents.corpus import CHUNKS
from memories.models import Memory, MemoryMap
from memories.vectors.indexing import index_pending_batch
from memories.writing.lifecycle import forget_memory, hard_delete_memory
from oauthserver.models import User
from ownsona_site.pages.memory_map.computing import compute
from tests.documents.support import make_document
from tests.support.factories import HOST, make_memory, make_user, owner_actor

PAGE, POINTS, PROGRESS = "/admin/map/", "/admin/map/points/", "/admin/map/progress/"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def memories(owner: User) -> list[Memory]:
    """Memories of the owner, which are on the map."""
    texts = ["Rides a bike", "Repairs the bike", "Drinks tea", "Drinks green tea", "Cooks soup", "Cooks with garlic"]
    made = [make_memory(owner, text, tags=("cycling" if "bike" in text else "food",)) for text in texts]
    compute(owner.pk)
    return made


def points(client: Client) -> dict[str, list[object]]:
    found: dict[str, list[object]] = json.loads(client.get(POINTS).content)
    return found


@pytest.mark.parametrize("path", [PAGE, POINTS, PROGRESS])
def test_without_login_there_is_no_map(path: str, db: None) -> None:
    response = Client(headers={"host": HOST}).get(path)
    assert response.status_code == 302
    assert "/login/" in response.headers["Location"]


def test_another_user_sees_nothing_of_it(memories: list[Memory]) -> None:
    other = Client(headers={"host": HOST})
    other.force_login(make_user())
    assert points(other)["ids"] == []
    assert other.get(PROGRESS).status_code == 404
    assert "bike" not in other.get(PAGE).content.decode()
    assert other.get(f"{PAGE}?group=0").status_code == 404


def test_the_owner_sees_the_points_and_the_same_as_a_table(pages: Client, memories: list[Memory]) -> None:
    data = points(pages)
    assert data["ids"] == [memory.pk for memory in memories]
    assert data["texts"] == [memory.text for memory in memories]
    assert len(data["xs"]) == len(data["ys"]) == len(data["ids"])
    assert "Computed just now, 6 points." in text_of(pages)
    assert "food, cycling" in text_of(pages)
    group = pages.get(f"{PAGE}?group=0").content.decode()
    assert all(memory.text in group for memory in memories)
    assert pages.get(f"{PAGE}?group=1").status_code == pages.get(f"{PAGE}?group=x").status_code == 404


def test_documents_are_shown_among_the_memories(owner: User, pages: Client, memories: list[Memory]) -> None:
    document = make_document(owner, title="Repairing bikes")
    index_pending_batch(corpus=CHUNKS)
    compute(owner.pk)

    data = points(pages)
    assert data["ids"] == [*(memory.pk for memory in memories), str(document.pk)]
    assert data["texts"][-1] == "Repairing bikes"
    assert "Computed just now, 7 points." in text_of(pages)
    assert "Repairing bikes" in pages.get(f"{PAGE}?group=0").content.decode()


def test_the_table_names_tags_that_have_no_colour_of_their_own(owner: User, pages: Client) -> None:
    for tag in ("art", "bees", "cars", "dogs", "eggs"):
        for number in range(4):
            make_memory(owner, f"{tag} {number}", tags=(tag,))
    for number in range(3):
        make_memory(owner, f"Sails number {number}", tags=("zeppelins",))
    compute(owner.pk)
    MemoryMap.objects.update(groups=[0] * 20 + [1] * 3)
    page = pages.get(PAGE).content.decode()
    table = page.partition('id="map-table-rows"')[2].partition("</table>")[0]
    assert '<td class="desk">zeppelins</td>' in table
    assert "Everything else" not in table
    # The colour of a group is that of the tag that is named beside it; the sixth is grey.
    first, second = table.partition("<tbody")[2].split("</tr>")[:2]
    tag = re.findall(r'<td class="desk">(art|bees|cars|dogs|eggs)</td>', first)[0]
    number = {scheme.key: scheme for scheme in pages.get(PAGE).context["schemes"]}["tag"].names.index(tag) + 1
    assert f"dot c{number}" in first
    assert "dot c6" in second


def test_what_is_gone_or_changed_since_is_shown_as_it_is_now(
    owner: User, pages: Client, memories: list[Memory]
) -> None:
    forget_memory(owner_actor(owner), memories[0].pk)
    hard_delete_memory(owner_actor(owner), memories[1].pk)
    Memory.objects.filter(pk=memories[2].pk).update(text="Drinks coffee")
    data = points(pages)
    assert data["ids"] == [memory.pk for memory in memories[2:]]
    assert data["texts"][0] == "Drinks coffee"


def test_html_is_text(owner: User, pages: Client) -> None:
    for number in range(6):
        make_memory(owner, f"{SCRIPT} {number}", source_provider="<i>app</i>")
    Memory.objects.update(tags=["<b>tag</b>"])
    compute(owner.pk)
    for path in (PAGE, f"{PAGE}?group=0"):
        page = pages.get(path).content.decode()
        assert not any(html in page for html in (SCRIPT, "<b>tag", "<i>app"))
        assert ("<b>tag</b>" if path == PAGE else SCRIPT) in unescape(page)
    assert pages.get(POINTS).headers["Content-Type"] == "application/json"


def test_a_missing_map_is_computed_and_said(owner: User, pages: Client) -> None:
    for number in range(6):
        make_memory(owner, f"tea number {number}")
    assert "The map is being computed." in pages.get(PAGE).content.decode()
    assert json.loads(pages.get(PROGRESS).content)["state"] == "running"
    compute(owner.pk)
    assert json.loads(pages.get(PROGRESS).content)["state"] == "done"
    assert "Computed " in pages.get(PAGE).content.decode()


def test_memories_since_are_counted_and_the_owner_updates_the_map(
    owner: User, pages: Client, memories: list[Memory]
) -> None:
    MemoryMap.objects.update(computed_at=timezone.now() - timedelta(hours=3))
    assert "Computed 3 hours ago, 6 points. Not on it yet: 6 memories." in " ".join(unescape(text_of(pages)).split())
    assert pages.post(PAGE).status_code == 302
    assert MemoryMap.objects.get().finished_at is None
    page = pages.get(PAGE).content.decode()
    assert "The map is being computed." in page
    assert 'id="plane"' in page


def text_of(pages: Client) -> str:
    """Return the page without its markup of times."""
    page = pages.get(PAGE).content.decode()
    return "".join(part.partition(">")[2] for part in page.split("<"))


def test_with_few_memories_the_page_says_what_is_missing(owner: User, pages: Client) -> None:
    for number in range(4):
        make_memory(owner, f"tea number {number}")
    compute(owner.pk)
    page = pages.get(PAGE).content.decode()
    assert "Not enough for a map" in page
    assert "Compute the map again" not in page


def test_a_problem_is_said(owner: User, pages: Client) -> None:
    now = timezone.now()
    MemoryMap.objects.create(owner=owner, started_at=now, finished_at=now, problem="There is no <model>.")
    assert "There is no <model>." in unescape(pages.get(PAGE).content.decode())


def test_the_number_of_queries_does_not_grow(
    pages: Client, memories: list[Memory], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for path in (PAGE, POINTS, f"{PAGE}?group=0"):
        with django_assert_max_num_queries(15):
            assert pages.get(path).status_code == 200


def test_the_data_of_3000_points_is_small(owner: User, pages: Client) -> None:
    generator = np.random.default_rng(1)
    syllables = [f"{first}{vowel}{last}" for first in "bdfgklmnprst" for vowel in "aeiou" for last in "lmnrst"]
    make_memory(owner, "tea")
    rows = [
        Memory(
            owner=owner, text=" ".join("".join(generator.choice(syllables, 2)) for _ in range(12)), stored_by="tests",
            text_hash=generator.bytes(32), tags=[f"tag {number % 40}"],
        )
        for number in range(3_000)
    ]  # fmt: skip
    ids = [memory.pk for memory in Memory.objects.bulk_create(rows, batch_size=1_000)]
    places = generator.integers(1_000, size=(2, len(ids))).tolist()
    now = timezone.now()
    MemoryMap.objects.create(
        owner=owner, finished_at=now, computed_at=now, memory_ids=ids, xs=places[0], ys=places[1],
        groups=[number % 12 for number in range(len(ids))],
    )  # fmt: skip
    response = pages.get(POINTS, headers={"accept-encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert len(response.content) < 150_000
    assert len(pages.get(PAGE).content) < 150_000
