"""Tests of the list of memories: its content, filters, search and cost."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.access import Actor, View
from memories.admin import search
from memories.admin.memory import MemoryAdmin
from memories.drafts import Draft
from memories.errors import EmbeddingError
from memories.models import Memory, MemoryVector
from memories.recall.pipeline import Query, RecallOutcome
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import forget_memory
from memories.writing.remembering import RememberRequest, remember
from oauthserver.models import User
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import actor_for, make_app, make_expired, make_memory, make_user

LIST = "/admin/memories/memory/"


def listed(pages: Client, query: str = "") -> list[str]:
    """Return the texts in the list, in its order."""
    response = pages.get(LIST + query)
    assert response.status_code == 200
    return [memory.text for memory in response.context["cl"].result_list]


@pytest.fixture
def one_of_each(owner: User) -> None:
    """One memory in each state."""
    make_memory(owner, "In force.")
    make_expired(make_memory(owner, "Expired."))
    forget_memory(actor_for(owner), make_memory(owner, "Forgotten.").pk)
    waiting = make_memory(owner, "Waiting.")
    MemoryVector.objects.filter(memory=waiting).delete()


@pytest.mark.usefixtures("one_of_each")
@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", {"In force.", "Waiting."}),
        ("?state=waiting", {"Waiting."}),
        ("?state=expired", {"Expired."}),
        ("?state=forgotten", {"Forgotten."}),
        ("?state=all", {"In force.", "Expired.", "Forgotten.", "Waiting."}),
    ],
)
def test_the_list_shows_those_in_force_unless_another_state_is_chosen(
    pages: Client, query: str, texts: set[str]
) -> None:
    assert set(listed(pages, query)) == texts


@pytest.mark.usefixtures("one_of_each")
def test_each_row_says_its_state(pages: Client) -> None:
    page = pages.get(f"{LIST}?state=all").content.decode()
    for state in ("active", "expired", "forgotten", "vector pending"):
        assert state in page.lower()


def test_each_row_says_where_it_comes_from(owner: User, pages: Client) -> None:
    view = View.whole(owner.pk)
    make_memory(owner, "By an assistant that says which.", source_provider="claude")
    for text, client in [
        ("By the owner.", "admin"),
        ("By an app.", make_app("Desktop Helper").client_id),
        ("From a file.", "import"),
        ("By an app that is gone.", "gone"),
    ]:
        remember(Actor(view, client), RememberRequest(Draft(text), DedupPolicy.INSERT))
    rows = re.findall(r"field-source[^>]*>\s*([^<]*?)\s*<", pages.get(LIST).content.decode())
    assert rows == ["—", "an import", "Desktop Helper", "you", "claude"]


@pytest.mark.parametrize(
    ("page", "links"), [("", {"Next"}), ("?p=2", {"Previous", "Next"}), ("?p=3", {"Previous"}), ("?q=0", set[str]())]
)
def test_a_list_leads_to_the_pages_that_there_are(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch, page: str, links: set[str]
) -> None:
    monkeypatch.setattr(MemoryAdmin, "list_per_page", 2)
    for number in range(5):
        make_memory(owner, f"Fact {number}.")
    shown = pages.get(LIST + page).content.decode()
    assert {name for name in ("Previous", "Next") if f">{name}</a>" in shown} == links
    assert ("1 in total" in shown) is (not links)


def test_the_source_filter_offers_what_the_list_shows_whatever_the_case(owner: User, pages: Client) -> None:
    app, other = make_app("Claude"), make_app("Notebook")
    make_memory(owner, "Said.", source_provider="claude")
    make_memory(owner, "Said, too.", source_provider="claude")
    make_memory(owner, "Named.", source_provider="CLAUDE")
    for client, text in (
        (app.client_id, "Brought."),
        (other.client_id, "Noted."),
        ("admin", "Typed."),
        ("gone", "Old."),
    ):
        remember(Actor(View.whole(owner.pk), client), RememberRequest(Draft(text), DedupPolicy.INSERT))
    remember(Actor(View.whole(make_user().pk), other.client_id), RememberRequest(Draft("Foreign."), DedupPolicy.INSERT))

    page = pages.get(LIST)
    offered = next(spec for spec in page.context["cl"].filter_specs if spec.parameter_name == "source").lookup_choices
    assert offered == [("claude", "claude (4)"), ("Notebook", "Notebook (1)"), ("you", "you (1)")]

    assert set(listed(pages, "?source=claude")) == {"Said.", "Said, too.", "Named.", "Brought."}
    assert (
        set(listed(pages, "?source=CLAUDE"))
        == set(listed(pages, "?source=Claude"))
        == set(listed(pages, "?source=claude"))
    )
    assert listed(pages, "?source=Notebook") == ["Noted."]
    assert listed(pages, "?source=you") == ["Typed."]
    chosen = pages.get(LIST + "?source=Claude").context["cl"].filter_specs
    spec = next(spec for spec in chosen if spec.parameter_name == "source")
    assert (spec.value(), len(spec.lookup_choices)) == ("claude", 3)
    assert Memory.objects.get(text="Named.").source_provider == "CLAUDE"


def test_filters_narrow_by_tag_source_and_way_of_capture(owner: User, pages: Client) -> None:
    make_memory(owner, "One.", tags=("home",), source_provider="claude")
    make_memory(owner, "Two.", tags=("home", "garden"), source_provider="cursor", capture_mode="inferred")

    assert listed(pages, "?tag=garden") == ["Two."]
    assert listed(pages, "?source=claude") == ["One."]
    assert listed(pages, "?capture_mode__exact=inferred") == ["Two."]
    assert listed(pages, "?tag=home&source=cursor") == ["Two."]
    assert listed(pages, "?tag=nobody-has-it") == []


def test_the_tag_filter_says_how_many_memories_have_each_tag(owner: User, pages: Client) -> None:
    make_memory(owner, "One.", tags=("home",))
    make_memory(owner, "Two.", tags=("home", "garden"))
    page = pages.get(LIST).content.decode()
    assert "home (2)" in page
    assert "garden (1)" in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "No active memories. Forgotten memories are under Filters → State."),
        ("?q=dragon", "No active memory matches. Forgotten memories are under Filters → State."),
        ("?tag=dragon", "No active memory matches. Forgotten memories are under Filters → State."),
        ("?state=expired", "Nothing matches."),
    ],
)
def test_an_empty_list_says_where_the_rest_is(owner: User, pages: Client, query: str, said: str) -> None:
    forget_memory(actor_for(owner), make_memory(owner, "Forgotten.").pk)
    page = pages.get(LIST + query).content.decode()
    assert f"<p>{said}</p>" in page
    assert ("Show all" in page) is bool(query)


def test_the_newest_come_first(owner: User, pages: Client) -> None:
    now = timezone.now()
    for days in (2, 1, 3):
        make_memory(owner, f"{days} days ago.", created_at=now - timedelta(days=days))
    assert listed(pages) == ["1 days ago.", "2 days ago.", "3 days ago."]


def test_searching_by_words_finds_a_part_of_the_text_in_any_case(owner: User, pages: Client) -> None:
    make_memory(owner, "The cat is called Mimi.")
    make_memory(owner, "100% wool only.")
    assert listed(pages, "?q=CALLED+mi") == ["The cat is called Mimi."]
    assert listed(pages, "?q=%25") == ["100% wool only."]


def test_searching_by_meaning_puts_the_nearest_first_and_says_how_near(owner: User, pages: Client) -> None:
    far = make_memory(owner, "The tram runs every ten minutes.")
    near = make_memory(owner, "The cat is called Mimi and sleeps on the sofa.")
    response = pages.get(f"{LIST}?q=the+cat+sleeps+on+the+sofa&by=meaning")

    found = list(response.context["cl"].result_list)
    assert [memory.pk for memory in found] == [near.pk, far.pk]
    assert found[0].score > found[1].score
    assert f"{found[0].score:.2f}" in response.content.decode()


def test_searching_by_meaning_shows_the_part_of_a_long_text_that_is_nearest(
    owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_windows(monkeypatch, 60)
    make_memory(owner, "The boat was sold in spring. Mimi the cat sleeps on the sofa. The fence needs new paint.")
    make_memory(owner, "The tram runs every ten minutes.")
    page = pages.get(f"{LIST}?q=the+cat+sleeps+on+the+sofa&by=meaning").content.decode()
    assert "…Mimi the cat sleeps on the sofa." in page
    assert "The boat was sold" not in page
    assert "The tram runs every ten minutes." in page
    assert "…The boat was sold" not in pages.get(f"{LIST}?q=the+boat+sold+in+spring&by=meaning").content.decode()


def test_searching_by_meaning_keeps_to_the_chosen_tag(owner: User, pages: Client) -> None:
    make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    make_memory(owner, "The cat next door is called Tom.", tags=("neighbours",))
    assert listed(pages, "?q=what+is+the+cat+called&by=meaning&tag=pets") == ["The cat is called Mimi."]


def test_a_search_by_meaning_that_fails_says_why(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(view: View, query: Query) -> RecallOutcome:
        raise EmbeddingError("The embedding endpoint does not answer.")

    monkeypatch.setattr(search, "recall", broken)
    response = pages.get(f"{LIST}?q=cats&by=meaning")
    assert response.status_code == 200
    assert "The embedding endpoint does not answer." in response.content.decode()


def test_nobody_sees_the_memories_of_another_not_even_a_superuser(owner: User, pages: Client) -> None:
    make_memory(make_user(), "Somebody else's cat.", tags=("xylophone",), source_provider="elsewhere")
    owner.is_superuser = True
    owner.save()
    page = pages.get(LIST).content.decode()
    for query in ("", "?state=all", "?q=cat", "?q=cat&by=meaning", "?tag=xylophone"):
        assert listed(pages, query) == []
    assert "xylophone" not in page
    assert "elsewhere" not in page


def test_the_list_costs_as_many_queries_for_thirty_memories_as_for_three(owner: User, pages: Client) -> None:
    def queries_for(count: int) -> list[str]:
        while Memory.objects.visible_to(View.whole(owner.pk)).count() < count:
            make_memory(owner, f"Fact {Memory.objects.count()}.", tags=("numbered",))
        with CaptureQueriesContext(connection) as queries:
            assert len(listed(pages)) == count
        return [query["sql"] for query in queries]

    few, many = queries_for(3), queries_for(30)
    assert len(many) == len(few)
    counts = [sql for sql in many if "COUNT(*)" in sql and "GROUP BY" not in sql]
    of_menu = ('"quarantined_from" IS NOT NULL', '"mcpapi_approval"')
    assert all(any(part in sql for part in of_menu) for sql in counts)


@pytest.mark.parametrize(
    "query",
    [
        "?q=%00",
        "?q=%00&by=meaning",
        "?by=nonsense&q=cat",
        "?state=nonsense",
        "?tag=%00",
        "?source=%00",
        "?created_at__gte=the+day+before+yesterday",
        "?created_at__gte=300000-01-01",
        "?capture_mode__exact=%00",
        "?owner__id=1",
        "?owner__password__startswith=a",
        "?p=x",
        "?p=99999999999",
        "?o=99.-x",
        "?q=" + "x" * 20_000,
        "?by=meaning&q=" + "x" * 20_000,
    ],
)
def test_no_query_breaks_the_list(owner: User, pages: Client, query: str) -> None:
    make_memory(owner, "The cat is called Mimi.")
    response = pages.get(LIST + query, follow=True)
    assert response.status_code in {200, 400}
