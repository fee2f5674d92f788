"""A stated change takes the older text's place; a later date, another origin or another value does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.recall.story import Story, ids
from tkg.recall.rank import Ranked, put_before
from tkg.recall.revision import changes, statements
from tkg.recall.words import content_words

OLD = "My monthly snack budget is $50 and I keep to the monthly snack budget."
NEW = "We have increased the snack budget to $65, can you suggest drinks?"
ASKED = "what is my monthly snack budget"


def _asked(story: Story, *, k: int = 5) -> list[str]:
    return ids(story.at("2026-02-03").ask(ASKED, k=k))


def test_a_stated_change_goes_before_what_it_changes() -> None:
    story = Story()
    old = story.at("2026-02-01").episode(OLD)
    new = story.at("2026-02-02").episode(NEW)

    assert _asked(story) == [new, old]


def test_a_later_date_alone_changes_nothing() -> None:
    story = Story()
    old = story.at("2026-02-01").episode(OLD)
    later = story.at("2026-02-02").episode("The snack budget of the office is $65.")

    assert _asked(story) == [old, later]


def test_another_person_changes_nothing() -> None:
    story = Story()
    old = story.at("2026-02-01").episode(OLD)
    other = story.at("2026-02-02").episode(NEW, who="ben")

    assert _asked(story) == [old, other]


def test_a_lower_class_changes_nothing() -> None:
    story = Story()
    old = story.at("2026-02-01").episode(OLD)
    inferred = story.at("2026-02-02").episode(NEW, channel="agent_inferred")

    assert _asked(story) == [old, inferred]


def test_the_turn_of_a_superseded_claim_goes_after_that_of_the_claim_in_its_place() -> None:
    story = Story({"snack_budget": {"cardinality": "one"}})
    old = story.at("2026-02-01").turn(OLD, "D1:1")
    story.claim("ana", "snack_budget", "small", uri="chat:1", locator="D1:1", quote="x")
    new = story.at("2026-02-02").turn("The snack budget grows.", "D1:9")
    winner = story.claim("ana", "snack_budget", "large", uri="chat:1", locator="D1:9", quote="y")

    found = _asked(story)

    assert {old, new, winner} == set(found)
    assert found.index(new) < found.index(old)


def test_values_are_compared_by_kind_in_sentences_about_what_is_asked() -> None:
    asked = content_words("when is the kiln inspection")
    old = statements("The kiln inspection is on May 3. The oven costs $40.")

    assert changes(statements("The kiln inspection was rescheduled to May 9."), old, asked)
    assert not changes(statements("The kiln inspection was rescheduled to May 3."), old, asked)
    assert not changes(statements("The kiln inspection was cut to 20 minutes."), old, asked)
    assert not changes(statements("Now the oven is moved to May 9."), old, asked)
    assert not changes(statements("```\nThe kiln inspection now May 9\n```"), old, asked)
    assert not changes(statements("The kiln inspection was rescheduled to May 9."), old, frozenset())


@given(st.text(max_size=300))
def test_every_text_can_be_read(text: str) -> None:
    for one in statements(text):
        assert one.values and all(one.values.values())


ordered = st.lists(st.sampled_from("abcdef"), unique=True).map(
    lambda names: [(Ranked(name, (1,), 1.0, 1.0, frozenset()), 1.0 / (at + 1)) for at, name in enumerate(names)]
)


@given(found=ordered, pairs=st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), max_size=1))
def test_the_later_comes_first_and_nothing_else_moves(
    found: list[tuple[Ranked, float]], pairs: list[tuple[str, str]]
) -> None:
    before, after = [one.id for one, _ in found], put_before(found, pairs)
    names = [one.id for one, _ in after]
    assert sorted(names) == sorted(before)
    assert [value for _, value in after] == sorted((value for _, value in after), reverse=True)
    for earlier, later in pairs:
        if earlier in names and later in names and earlier != later:
            assert names.index(later) < names.index(earlier)
            assert [one for one in names if one != later] == [one for one in before if one != later]
