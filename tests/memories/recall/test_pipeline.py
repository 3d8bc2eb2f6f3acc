"""Tests of the whole retrieval pipeline."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries, Settings

from memories.access import View
from memories.embeddings.fake import FakeEmbedder
from memories.errors import EmbeddingError, InvalidInput, LimitExceeded
from memories.models import MemoryVector
from memories.recall import keywords, pipeline
from memories.recall.pipeline import Mode, Query, gather_candidates, recall
from memories.recall.signals import HYBRID
from memories.times.periods import Period
from memories.times.time_questions import asked_periods
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.support.embeddings.embedders import use_windows
from tests.support.factories import actor_for, make_memory, make_user


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def texts(user: User, question: str, **options: object) -> list[str]:
    query = Query(question, **options)  # type: ignore[arg-type]  # any of its fields
    return [match.memory.text for match in recall(View.whole(user.pk), query).matches]


# --- Finding a memory


def test_a_rare_word_outweighs_many_common_ones(owner: User) -> None:
    for number in range(20):
        make_memory(owner, f"the garden of house {number} has a gate")
    make_memory(owner, "the wisteria has to be cut in July, before the second growth begins")
    assert "wisteria" in texts(owner, "has the garden of the house a wisteria?", mode=Mode.KEYWORD)[0]


def test_words_too_common_to_be_read_still_count_in_what_meaning_finds(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keywords, "MAX_POSTINGS", 3)
    for number in range(6):
        make_memory(owner, f"lamp {number} of the hall")
        make_memory(owner, f"lamp {number} of the porch")
    matches = recall(View.whole(owner.pk), Query("the lamp of the porch", limit=12)).matches
    assert {match.memory.text.split()[-1] for match in matches[:6]} == {"porch"}
    assert matches[0].parts["words"] > matches[-1].parts["words"]


def test_what_meaning_finds_keeps_its_words_when_others_have_more_of_them(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "POOL_MINIMUM", 1)
    for number in range(6):
        make_memory(owner, f"lamp, kitchen: {number}")
    nearest = make_memory(owner, "what is it that you have had there, in the kitchen?")
    query = Query("what is it that you have had there, in the kitchen with the lamp?", limit=1)
    candidates = {item.item_id: item for item in gather_candidates(View.whole(owner.pk), query).candidates}
    assert 0 < candidates[nearest.pk].words < max(item.words for item in candidates.values())


def test_memories_about_whom_the_question_names_come_before_those_that_mention_them(owner: User) -> None:
    make_memory(owner, "Bruno: I went with Ada to the lake on Sunday, and we swam")
    make_memory(owner, "Ada: we swam a long way, it was cold")
    make_memory(owner, "Chiara: we swam in the sea")
    best, second, last = texts(owner, "Where did Ada swim?")
    assert (best.split(":")[0], second.split(":")[0], last.split(":")[0]) == ("Ada", "Bruno", "Chiara")


def test_a_name_is_left_in_the_score(owner: User) -> None:
    memory = make_memory(owner, "Ada swims in the lake")
    (match,) = recall(View.whole(owner.pk), Query(memory.text)).matches
    assert match.score == pytest.approx(1, abs=0.01)


def test_the_answer_beside_a_matching_memory_of_the_same_session_is_found(owner: User) -> None:
    for number in range(150):
        make_memory(owner, f"zebra crossing number {number} is painted white", session_id="streets")
    make_memory(owner, "Which dessert shall we order for the party?", session_id="party")
    make_memory(owner, "Tiramisu!", session_id="party")
    make_memory(owner, "Tiramisu?", session_id="another day")
    found = texts(owner, "which dessert to order for the party", limit=3)
    assert found[:2] == ["Which dessert shall we order for the party?", "Tiramisu!"]


def test_a_neighbour_that_was_forgotten_is_skipped(owner: User) -> None:
    make_memory(owner, "Which dessert shall we order for the party?", session_id="party")
    gone = make_memory(owner, "Ice cream!", session_id="party")
    make_memory(owner, "Tiramisu!", session_id="party")
    gone.deleted_at = gone.created_at
    gone.save(update_fields=["deleted_at"])
    assert texts(owner, "which dessert to order for the party") == [
        "Which dessert shall we order for the party?",
        "Tiramisu!",
    ]


def test_what_states_something_comes_before_what_only_asks_about_it(owner: User) -> None:
    make_memory(owner, "Ada plays the violin.")
    make_memory(owner, "Ada plays the violin?")
    assert texts(owner, "what does Ada play")[0].endswith(".")


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("What do you play?", 0),
        ("I play. And you?", 7 / 16),
        ("See https://example.com/?page=2 for more", 1),
        ("Is it in /notes?page=2, too?", 0),
        ("你好吗？我很好。", 4 / 8),
        ("أين أنت؟", 0),
        ("Really?!", 1 / 8),
        ("a\nb?", 2 / 4),
        ("?" * 16_000, 0),
        ("no mark " * 2_000, 1),
    ],
)
def test_the_share_of_a_text_that_is_no_question_is_known(owner: User, text: str, share: float) -> None:
    memory = make_memory(owner, text)
    (item,) = gather_candidates(View.whole(owner.pk), Query("anything")).candidates
    assert item.item_id == memory.pk
    assert item.stated == pytest.approx(share, abs=0.001)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 99_990 + "?b c?",
        "word " * 20_000 + "end?b c?",
        "?b" * 50_000,
        "a?b. " * 20_000,
        "?" * 100_000 + "b",
        "a" * 100_000,
    ],
)
def test_a_long_text_is_read_for_questions_in_time_that_grows_with_its_length(
    owner: User, settings: Settings, text: str
) -> None:
    settings.MAX_TEXT_CHARS = 200_000
    with connection.cursor() as cursor:
        # With a cost for each pair of characters, one of these texts would take more than three times as long.
        cursor.execute("SET LOCAL statement_timeout = '5s'")
    assert 0 <= make_memory(owner, text).stated <= 1


def test_a_new_text_is_read_for_questions_anew(owner: User) -> None:
    memory = make_memory(owner, "Where is the key?")
    update_memory(actor_for(owner), memory.pk, MemoryUpdate(text="The key is in the drawer."))
    (item,) = gather_candidates(View.whole(owner.pk), Query("key")).candidates
    assert item.stated == 1


def test_a_memory_without_a_session_is_at_no_disadvantage(owner: User) -> None:
    make_memory(owner, "green tea is in the upper drawer", session_id="kitchen")
    make_memory(owner, "the black tea is in the lower drawer")
    assert texts(owner, "where is the black tea, in which drawer")[0].startswith("the black tea")


def test_of_two_that_say_the_same_the_more_important_comes_first(owner: User) -> None:
    make_memory(owner, "tea is in the drawer.", importance=1.0)
    make_memory(owner, "tea is in the drawer!", importance=0.0)
    assert texts(owner, "tea is in the drawer")[0].endswith(".")


@pytest.mark.parametrize("mode", Mode)
def test_each_mode_explains_its_order_by_parts_that_add_up(owner: User, mode: Mode) -> None:
    for number in range(5):
        make_memory(owner, f"Ada has tea{'.' * number}", session_id="tea")
    matches = recall(View.whole(owner.pk), Query("How much tea has Ada?", mode=mode)).matches
    sums = [sum(match.parts.values()) for match in matches]
    assert len(sums) == 5
    assert sums == sorted(sums, reverse=True)


@pytest.mark.parametrize(("mode", "reads"), [(Mode.HYBRID, 1), (Mode.SEMANTIC, 0), (Mode.KEYWORD, 0)])
def test_a_question_is_read_for_times_where_they_count(
    owner: User, monkeypatch: pytest.MonkeyPatch, mode: Mode, reads: int
) -> None:
    read: list[str] = []

    def noted(text: str, now: datetime) -> tuple[Period | None, list[Period]]:
        read.append(text)
        return asked_periods(text, now)

    monkeypatch.setattr(pipeline, "asked_periods", noted)
    texts(owner, "tea last week", mode=mode)
    assert len(read) == reads


# --- Cost


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("mode", "queries"), [(Mode.HYBRID, 4), (Mode.KEYWORD, 3), (Mode.SEMANTIC, 1)])
def test_recall_takes_few_queries(mode: Mode, queries: int, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    owner = make_user()
    for number in range(3):
        make_memory(owner, f"Ada has {number} cups of tea", session_id="tea")
    recall(View.whole(owner.pk), Query("tea", mode=mode))
    with django_assert_num_queries(queries):
        assert len(texts(owner, "How much tea has Ada?", mode=mode)) == 3


@pytest.mark.django_db(transaction=True)
def test_passages_take_no_further_queries(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    use_windows(monkeypatch, 60)
    owner = make_user()
    fence = "Nobody has painted the garden fence since autumn."
    for number in range(3):
        make_memory(owner, f"Ada has {number} cups. The tea is in the upper drawer. {fence}")
    query = Query("Where is the tea, in which drawer?")
    recall(View.whole(owner.pk), query)
    with django_assert_num_queries(4):
        found = recall(View.whole(owner.pk), query).matches
    passages = [match.passage.text for match in found if match.passage]
    assert len(passages) == 3
    assert all("drawer" in passage and "fence" not in passage for passage in passages)


@pytest.mark.parametrize("mode", Mode)
def test_a_question_is_read_up_to_its_first_2000_characters(owner: User, mode: Mode) -> None:
    make_memory(owner, "Ada: the lamp of the hall")
    make_memory(owner, "Bruno: the wisteria was cut", created_at=datetime(2023, 5, 7, tzinfo=UTC))
    beginning = "Where is the lamp? " * 110
    beginning = beginning[: pipeline.READ_CHARS]
    whole = f"\n {beginning} What did Bruno do with the wisteria in May 2023? {'wisteria ' * 500}"
    assert ranked(owner, whole, mode) == ranked(owner, beginning, mode) != ranked(owner, whole[-4000:], mode)


def ranked(user: User, question: str, mode: Mode) -> list[tuple[str, dict[str, float]]]:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    found = recall(View.whole(user.pk), Query(question, mode=mode, asked_at=now)).matches
    return [(match.memory.text, dict(match.parts)) for match in found]


# --- Odd questions


ODD = {
    "one letter": "x",
    "small words only": "the of and",
    "emoji only": "😀🎬",
    "mixed scripts": "tea чай お茶 茶 شاي चाय ✈",
    "operators": "tea & (milk | !sugar) <-> 'honey':*A \\ \" -- ; %s {x}",
    "quotes": '"it\'s" “tea” ’s',
    "a name only": "Ada?",
    "only capitals": "WHERE IS THE TEA",
    "at the limit": ("tea and milk " * 1300)[:16_000],
    "one endless word": "x" * 16_000,
    "many different words": " ".join(f"w{number}" for number in range(2600)),
    "many names": " ".join(f"Name{chr(97 + number % 26) * 3}" for number in range(500)),
    "endless CJK": "狗" * 16_000,
}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("question", ODD.values(), ids=ODD)
def test_no_question_is_too_odd(owner: User, question: str, mode: Mode) -> None:
    make_memory(owner, "Ada: tea 茶 is in the drawer 😀")
    found = texts(owner, question, mode=mode)
    assert len(found) <= 1
    assert found or mode is Mode.KEYWORD


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("", InvalidInput),
        (" \n ", InvalidInput),
        ("tea\x00", InvalidInput),
        ("tea \ud800", InvalidInput),
        ("x" * 16_001, LimitExceeded),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(owner: User, question: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^query: "):
        recall(View.whole(owner.pk), Query(question))


def test_a_broken_embedder_leaves_the_words(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    make_memory(owner, "Ada: tea is in the drawer", session_id="kitchen")
    make_memory(owner, "Bruno: no, I drank it", session_id="kitchen")

    def fail(*_: object) -> None:
        raise EmbeddingError("no answer")

    monkeypatch.setattr(FakeEmbedder, "embed", fail)
    recalled = recall(View.whole(owner.pk), Query("Where is Ada's tea?"))
    assert recalled.only_keywords
    assert recalled.matches[0].memory.text.startswith("Ada")
    assert recalled.matches[0].score == 0
    with pytest.raises(EmbeddingError):
        recall(View.whole(owner.pk), Query("tea", mode=Mode.SEMANTIC))


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.KEYWORD])
def test_without_the_embedder_a_least_score_leaves_the_memories_with_the_words(
    owner: User, monkeypatch: pytest.MonkeyPatch, mode: Mode
) -> None:
    make_memory(owner, "Which tea shall we order?", session_id="party")
    make_memory(owner, "Earl Grey!", session_id="party")

    def fail(*_: object) -> None:
        raise EmbeddingError("no answer")

    monkeypatch.setattr(FakeEmbedder, "embed", fail)
    recalled = recall(View.whole(owner.pk), Query("which tea to order", mode=mode, min_score=0.9))
    assert [match.memory.text for match in recalled.matches] == ["Which tea shall we order?"]
    assert recalled.only_keywords


def test_a_least_score_leaves_out_what_is_known_to_be_lower_but_no_match_whose_vector_is_pending(owner: User) -> None:
    pending = make_memory(owner, "the samovar of tea in the hall")
    make_memory(owner, "the samovar has a crack, which was mended by a smith in Tula")
    MemoryVector.objects.filter(memory=pending).delete()
    assert texts(owner, "samovar", min_score=0.99) == [pending.text]


def test_a_session_named_as_a_memory_is_counted_shares_nothing_with_it(owner: User) -> None:
    alone = make_memory(owner, "a note about the garden")
    make_memory(owner, "which wisteria shall we plant by the gate", session_id=f"memory {alone.pk}")
    matches = recall(View.whole(owner.pk), Query("which wisteria shall we plant by the gate")).matches
    parts = {match.memory.pk: match.parts for match in matches}[alone.pk]
    assert parts["session"] == pytest.approx(HYBRID["session"] * parts["similarity"])


def test_a_memory_of_the_time_that_the_question_names_comes_first(owner: User) -> None:
    for year, mark in ((2021, "."), (2022, "!"), (2023, "?")):
        make_memory(owner, f"we had tea in the garden{mark}", created_at=datetime(year, 5, 9, tzinfo=UTC))
    found = recall(View.whole(owner.pk), Query("who had tea in the garden in May 2022?")).matches
    assert found[0].memory.created_at.year == 2022
    assert found[0].parts["time"] > found[1].parts["time"] == 0


def test_a_rare_word_counts_in_a_long_memory_nearly_as_in_a_short_one(owner: User) -> None:
    make_memory(owner, "Only the daughter of the baker knows where the Tamsin key is")
    long = make_memory(owner, f"{'The harbour was cold, and nobody went out. ' * 150}Only Tamsin knew the way back.")
    matches = recall(View.whole(owner.pk), Query("Tamsin")).matches
    words = {match.memory.pk: match.parts["words"] for match in matches}
    assert words[long.pk] > 0.6 * max(words.values()) > 0


@pytest.mark.parametrize("question", ["?", "...", "\u200b", "((", "?!… — ,"])
def test_a_question_without_words_finds_nothing(owner: User, question: str) -> None:
    make_memory(owner, "Ada swims in the lake?")
    outcome = recall(View.whole(owner.pk), Query(question))
    assert (outcome.matches, outcome.confidence) == ([], 0.0)
    assert texts(owner, f"Ada {question}")
