"""What recall finds besides shared words: named slots, the turns beside a turn, and claims some steps away."""

from __future__ import annotations

from tests.recall.story import Story, ids


def test_a_slot_that_the_question_names_comes_first() -> None:
    story = Story()
    for number in range(30):
        story.claim(f"Larch depot {number}", "opening hours", f"{number} hours after the opening of the hours")
    named = story.claim("Larch depot", "opening hours", "from 8")

    outcome = story.ask("what are the opening hours of the Larch depot?", k=3)

    assert ids(outcome)[0] == named


def test_a_question_of_three_steps_finds_a_claim_that_shares_no_word_with_it() -> None:
    story = Story()
    chain = [
        story.claim("Larch service", "owner", "Nils Aker"),
        story.claim("Nils Aker", "manager", "Ada Voss"),
        story.claim("Ada Voss", "assistant", "Bo Lind"),
        story.claim("Bo Lind", "sits_in", "Hall 2"),
    ]
    story.claim("Odd Tveit", "sits_in", "Hall 9")

    outcome = story.ask("which room has the assistant of the manager of the owner of the Larch service")

    assert set(ids(outcome)) == set(chain)


def test_steps_stop_where_a_claim_answers_nothing_more() -> None:
    story = Story()
    head = story.claim("Larch team", "head", "Marit Solheim")
    home = story.claim("Marit Solheim", "lives_in", "Bergen")
    story.claim("Bergen", "twinned_with", "Seattle")

    assert ids(story.ask("which town is home for the head of the Larch team")) == [head, home]


def test_steps_lead_only_through_what_may_be_seen() -> None:
    story = Story()
    owner = story.claim("Larch service", "owner", "Nils Aker")
    story.claim("Nils Aker", "manager", "Ada Voss", scope="fen/ben")
    story.claim("Ada Voss", "sits_in", "Hall 2")

    outcome = story.ask("which room has the manager of the owner of the Larch service")

    assert ids(outcome) == [owner]
    assert ids(story.ask("which room has the manager of the owner of the Larch service", scope="fen/ben"))[1:] != []


def test_an_answer_that_repeats_no_word_is_found_beside_its_question() -> None:
    story = Story()
    question = story.turn("Which colour did you paint the boat shed?", "D1:1", session="ses_a", speaker="ben")
    answer = story.turn("Green, like last year.", "D1:2", session="ses_a", speaker="ana")
    story.turn("Nice weather today.", "D1:3", session="ses_b", speaker="ana")

    outcome = story.ask("which colour was the boat shed painted")

    assert ids(outcome) == [question, answer]


def test_who_goes_on_talking_lends_no_words_to_the_turn_before() -> None:
    """Two statements of one person, the second a correction: sharing would bring what stands beside them before them."""
    for other, first in (("cleo", True), ("ana", False)):
        story = Story()
        story.turn("Which boats go to the regatta?", "D1:1", session="ses_a", speaker="ana")
        answer = story.turn("Only two with new sails", "D1:2", session="ses_a", speaker=other)
        alone = story.turn("A regatta is a race", "D2:1", session="ses_b", speaker="dan")
        found = ids(story.ask("which boats go to the regatta", k=3))

        assert (answer in found and found.index(answer) < found.index(alone)) is first


def test_a_turn_by_the_person_asked_about_goes_first() -> None:
    story = Story()
    ben = story.turn("I paint boats on Sunday", "D1:1", session="ses_a", speaker="ben")
    ana = story.turn("I paint boats on Sunday too, and often", "D2:1", session="ses_b", speaker="ana")

    assert ids(story.ask("when does Ana paint boats"))[0] == ana
    assert ids(story.ask("when does Ben paint boats"))[0] == ben


def test_a_claim_and_its_turn_do_not_take_two_places_from_another_turn() -> None:
    story = Story()
    turn = story.turn("The depot gate is green, and by the way we had soup and bread.", "D1:1", session="ses_a")
    claim = story.claim("depot gate", "colour", "green", uri="chat:1", locator="D1:1", quote="The depot gate is green")
    other = story.turn("Somebody asked about the depot gate colour once.", "D4:1", session="ses_b")

    found = ids(story.ask("which colour has the depot gate", k=2))

    assert other in found and len(set(found) & {turn, claim}) == 1


def test_a_question_about_what_happened_finds_old_turns() -> None:
    story = Story()
    old = story.at("2025-01-01").turn("We paint the boats green", "D1:1", session="ses_a")
    story.at("2026-01-30").turn("Boats, boats, and many more boats of other people in the harbour", "D2:1")

    assert ids(story.at("2026-02-01").ask("what colour did we paint the boats"))[0] == old


def test_a_summary_brings_the_claims_it_rests_on() -> None:
    story = Story()
    claim = story.claim("Hall 2", "faces", "north")
    summary = story.summary("The yard was surveyed in spring.", claim)

    assert ids(story.ask("when was the yard surveyed")) == [summary, claim]
