"""What no assistant may get wrong: who the family is, what they must not eat, how the owner wants to be answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils.formats import date_format

from memories.access import View
from memories.admin.briefing.page import reasons_in_words
from memories.briefing.composition import Briefing, compose_briefing, line_of
from memories.embeddings.tokens import count_tokens
from memories.models import Comparison, Memory
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.support.factories import actor_for, make_memory, make_user

pytestmark = pytest.mark.django_db
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
ESSENTIAL = (
    "Her husband is Dev Rao, a software tester in Leeds",
    "Daughter Maya is 9, born 14 March 2017",
    "Maya has coeliac disease, so strictly no gluten",
    "Son Theo is 6 (birthday 2 August)",
    "Dev is lactose intolerant and drinks oat milk",
    "User is vegetarian",
    "Please answer in British English and keep it short.",
)


@pytest.fixture
def owner() -> User:
    return make_user()


def brief(owner: User, max_tokens: int = 300) -> Briefing:
    return compose_briefing(View.whole(owner.pk), TODAY, max_tokens=max_tokens)


def told_to(app: str, owner: User, text: str, **details: object) -> None:
    memory = make_memory(owner, text, **details)
    Memory.objects.filter(pk=memory.pk).update(stored_by=app)


def words_of(briefing: Briefing) -> dict[str, list[str]]:
    return {each.memory.text: reasons_in_words(each) for each in briefing.memories}


def test_the_family_and_its_allergies_come_before_what_is_important_or_to_come(owner: User) -> None:
    for text in ESSENTIAL:
        told_to("claude", owner, text)
    Memory.objects.update(last_confirmed_at=TODAY - timedelta(days=300))
    for number in range(70):
        soon = TODAY + timedelta(days=3) if number % 2 else None
        text = f"{number} jars are on shelf {number * 7}"
        told_to(f"app-{number % 3}", owner, text, importance=0.9, expires_at=soon)
    for tokens in (200, 300, 800):
        assert set(ESSENTIAL) <= {each.memory.text for each in brief(owner, tokens).memories}
    assert len(brief(owner).memories) > len(ESSENTIAL)


def test_the_allergy_of_a_colleague_is_not_about_the_owner(owner: User) -> None:
    for text in (*ESSENTIAL, "I have asthma", "Mum takes donepezil 5 mg in the evening"):
        make_memory(owner, text)
    make_memory(owner, "Jonas is allergic to shellfish")
    found = words_of(brief(owner, 800))
    assert found["Maya has coeliac disease, so strictly no gluten"][0] == "about your family"
    assert found["Mum takes donepezil 5 mg in the evening"][0] == "about your family"
    assert found["Daughter Maya is 9, born 14 March 2017"][0] == "about your family"
    assert found["Please answer in British English and keep it short."][0] == "how to answer you"
    assert found["User is vegetarian"][0] == found["I have asthma"][0] == "about you"
    assert not any("about" in word for word in found["Jonas is allergic to shellfish"])
    assert list(found)[-1] == "Jonas is allergic to shellfish"


def test_who_is_a_relative_depends_on_what_the_app_sees_now(owner: User) -> None:
    daughter = make_memory(owner, "My daughter is called Maya", tags=["family"])
    make_memory(owner, "Maya has coeliac disease", tags=["health"])
    assert words_of(brief(owner))["Maya has coeliac disease"][0] == "about your family"
    limited = compose_briefing(View(owner.pk, ("health",)), TODAY, max_tokens=300)
    assert "about your family" not in words_of(limited)["Maya has coeliac disease"]
    forget_memory(actor_for(owner), daughter.pk)
    assert "about your family" not in words_of(brief(owner))["Maya has coeliac disease"]


def test_a_partner_and_children_come_before_other_relatives(owner: User) -> None:
    for text in ("My mother Herta is 79", "My brother Karl is a butcher", "My son Leo is 4"):
        make_memory(owner, text)
    assert brief(owner).memories[0].memory.text == "My son Leo is 4"


def test_one_app_may_tell_three_quarters_of_it_if_it_says_who_the_family_is(owner: User) -> None:
    for text in ESSENTIAL:
        told_to("family-app", owner, text)
    for number in range(40):
        told_to("other-app", owner, f"{number} jars are on shelf {number * 7}", importance=1.0)
    shown = brief(owner, 100)
    tokens = [count_tokens(line_of(each.memory.text)) for each in shown.memories if each.memory.text in ESSENTIAL]
    assert 45 < sum(tokens) <= 68, "half of the lines would be 45"
    assert len(tokens) < min(len(ESSENTIAL), len(shown.memories))


def test_a_change_that_the_cross_encoder_finds_marks_what_is_said_of_the_same_person(owner: User) -> None:
    make_memory(owner, "My kids are Theo and Maya")
    eggs = make_memory(owner, "Theo is allergic to eggs", created_at=TODAY - timedelta(days=9))
    maya = make_memory(owner, "Maya has coeliac disease", created_at=TODAY - timedelta(days=9))
    challenge = make_memory(owner, "Theo's hospital challenge went well: he has outgrown it")
    other = make_memory(owner, "Dev eats bread without wheat out of solidarity")
    for memory, changed in ((challenge, eggs), (other, maya)):
        Comparison.objects.update_or_create(
            memory=memory, defaults={"text_hash": memory.text_hash, "changes": [changed.pk]}
        )
    lines = brief(owner, 800).text.splitlines()
    place = lines.index(f"- {challenge.text}")
    assert lines[place + 1] == f"- (may be outdated) {eggs.text}"
    reasons = words_of(brief(owner, 800))
    assert reasons[challenge.text][0] == "corrects another memory"
    assert "corrects another memory" not in reasons[other.text]
    assert f"- {maya.text}" in lines, "Most such pairs about two people are wrong."


def test_what_a_longer_memory_says_is_not_repeated(owner: User) -> None:
    make_memory(owner, "The user's husband Dev works as a software tester")
    longer = make_memory(owner, "Her husband is Dev, a software tester who works at a health company in Leeds")
    assert brief(owner).memory_ids == [longer.pk]


def test_the_day_of_what_is_to_come_is_a_reason(owner: User) -> None:
    day = TODAY + timedelta(days=3)
    make_memory(owner, f"Dentist on {day.date()}")
    [reasons] = words_of(brief(owner)).values()
    assert reasons[0] == f"upcoming: {date_format(day)}"
