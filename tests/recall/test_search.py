"""Recall on small histories: filters first, then the right few, with reasons for the rest."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recall.story import Story, ids
from tkg.model.policy import ReadPolicy
from tkg.model.scope import Channel
from tkg.recall.render import estimate_tokens, parse_block, render_json

ONE = {"cardinality": "one"}


def test_only_the_living_value_is_an_answer() -> None:
    story = Story({"holder": ONE})
    old = [story.at(f"2026-01-{day:02}").claim("Gate 2", "holder", name) for day, name in ((1, "Aldis"), (5, "Brona"))]
    new = story.at("2026-02-01").claim("Gate 2", "holder", "Cato")

    now = story.at("2026-02-10").ask("who is the holder of gate 2")
    then = story.ask("who is the holder of gate 2", valid_at="2026-01-07T00:00:00Z")

    assert ids(now) == [new]
    assert dict(now.left_out) == dict.fromkeys(old, "superseded")
    assert ids(then) == [old[1]]
    assert dict(then.left_out)[new] == "not_valid_then"


def test_many_dead_matches_do_not_hide_the_living_one() -> None:
    story = Story({"holder": ONE})
    for day in range(1, 29):
        last = story.at(f"2026-01-{day:02}").claim("Gate 2", "holder", f"holder gate two {day}")

    outcome = story.at("2026-02-10").ask("holder gate two", k=1)

    assert ids(outcome) == [last]
    assert story.index.asked == [8, 32]


def test_a_value_that_ended_or_has_not_begun_is_no_answer() -> None:
    story = Story().at("2026-04-01")
    ended = story.claim("Lane 2", "closed_for", "dredging", valid=("2026-04-01T00:00:00Z", "2026-04-11T00:00:00Z"))
    running = story.claim("Lane 4", "closed_for", "dredging", valid=("2026-04-01T00:00:00Z", None))
    coming = story.claim("Lane 6", "closed_for", "dredging", valid=("2026-06-01T00:00:00Z", None))

    before = story.at("2026-04-10T23:59:59").ask("which lane is closed for dredging")
    edge = story.at("2026-04-11T00:00:00").ask("which lane is closed for dredging")

    assert sorted(ids(before)) == sorted([ended, running])
    assert ids(edge) == [running]
    assert dict(edge.left_out) == {ended: "not_valid_then", coming: "not_valid_then"}


@pytest.mark.parametrize("status", ["quarantined", "held", "rejected", "revoked", "erased"])
def test_what_was_taken_out_is_never_shown_and_says_why(status: str) -> None:
    story = Story()
    gone = story.claim("Quay 7", "opens_at", "05:30")
    kept = story.claim("Quay 7", "opens_on", "Monday")
    before = story.ledger.head.seq
    story.change(gone, status)

    outcome = story.ask("when does quay 7 open", as_of=story.ledger.head.seq - 1)
    after = story.ask("quay 7 opens")

    assert sorted(ids(outcome)) == sorted([gone, kept])
    assert ids(after) == [kept]
    assert ids(story.ask("quay 7 opens", as_of=before)) == sorted([gone, kept])


def test_a_claim_whose_evidence_fell_is_gone_and_one_under_quarantine_is_not_quoted() -> None:
    story = Story()
    claim = story.claim("Quay 7", "opens_at", "05:30")
    story.change(story.evidence_of(claim), "quarantined")
    story.change(claim, "suspended", "support")

    outcome = story.ask("when does quay 7 open at")

    assert ids(outcome) == []
    assert dict(outcome.left_out) == {claim: "quarantined"}
    assert outcome.abstained is not None
    assert outcome.abstained.code == "not_supported"
    assert "05:30" not in outcome.text


def test_other_scopes_never_appear_in_any_part_of_the_answer() -> None:
    story = Story()
    private = story.claim("Badge", "kept_in", "drawer 14", scope="fen/mina")
    shared = story.claim("Badge", "issued_by", "front desk")
    longer = story.claim("Badge", "kept_in", "elsewhere", scope="fen-corp")

    assert sorted(ids(story.ask("badge", scope="fen/mina"))) == sorted([private, shared])
    for scope in ("fen", "fen/joan"):
        outcome = story.ask("badge kept issued", scope=scope)
        assert ids(outcome) == [shared]
        assert private not in repr(outcome)
        assert longer not in repr(outcome)


def test_a_narrower_scope_hides_the_wider_value() -> None:
    story = Story({"editor": ONE})
    team = story.claim("Ana", "editor", "vim")
    own = story.claim("Ana", "editor", "emacs", scope="fen/ana")

    outcome = story.ask("editor of Ana", scope="fen/ana")

    assert ids(outcome) == [own]
    assert team in dict(outcome.left_out)
    assert ids(story.ask("editor of Ana")) == [team]


def test_what_depends_on_something_in_doubt_is_named_and_not_served() -> None:
    story = Story({"hosted_on": ONE, "backup_window": ONE})
    host = story.claim("Tide board", "hosted_on", "rack K")
    window = story.claim("Tide board", "backup_window", "02:00", depends_on=(host,))
    colour = story.claim("Tide board", "colour", "blue")
    story.change(host, "quarantined")
    story.change(window, "suspended", "support")

    outcome = story.ask("tide board backup window")

    assert ids(outcome) == [colour]
    assert [(note.id, note.code, note.text) for note in outcome.notes] == [
        (window, "suspended", "suspended, previously 02:00")
    ]
    assert window in outcome.shown
    parsed = parse_block(outcome.text)
    assert [item.id for item in parsed.items] == [colour]
    assert parsed.notes[0]["about"] == window


def test_only_suspended_is_said_as_such() -> None:
    story = Story({"hosted_on": ONE, "backup_window": ONE})
    host = story.claim("Tide board", "hosted_on", "rack K")
    window = story.claim("Pump", "interval", "2 h", depends_on=(host,))
    story.change(host, "quarantined")
    story.change(window, "suspended", "support")

    outcome = story.ask("pump interval")

    assert outcome.abstained is not None
    assert outcome.abstained.code == "only_suspended"
    assert parse_block(outcome.text).no_answer == "only_suspended"


def test_both_sides_of_a_conflict_are_shown_and_marked() -> None:
    story = Story({"berth": ONE})
    left = story.claim("Tug Elna", "berth", "north quay", who="tova")
    right = story.claim("Tug Elna", "berth", "3", who="nils")

    outcome = story.ask("north quay")

    assert sorted(ids(outcome)) == sorted([left, right])
    assert {item.state for item in outcome.items} == {"conflict"}
    assert outcome.abstained is None


def test_an_unresolved_conflict_of_high_consequence_is_no_answer() -> None:
    story = Story({"dose": {"cardinality": "one", "consequence": "high"}})
    left = story.claim("Ward 3", "dose", "5 mg", who="tova")
    right = story.claim("Ward 3", "dose", "50 mg", who="nils")

    outcome = story.ask("dose on ward 3")

    assert ids(outcome) == []
    assert dict(outcome.left_out) == {left: "conflict", right: "conflict"}
    assert outcome.abstained is not None
    assert outcome.abstained.code == "conflict"
    assert [note.text for note in outcome.notes] == ["in conflict: 5 mg against 50 mg"]


def test_a_multi_hop_question_finds_a_claim_that_shares_no_word_with_it() -> None:
    story = Story()
    head = story.claim("Larch team", "head", "Marit Solheim")
    home = story.claim("Marit Solheim", "lives_in", "Bergen")
    story.claim("Odd Tveit", "lives_in", "Oslo")

    outcome = story.ask("which town is home for the head of the Larch team")

    assert ids(outcome) == [head, home]


def test_a_question_that_is_answered_brings_in_no_neighbours() -> None:
    story = Story()
    head = story.claim("Larch team", "head", "Marit Solheim")
    story.claim("Marit Solheim", "lives_in", "Bergen")
    other = story.claim("Larch team", "sits_in", "Hall 2")
    story.claim("Hall 2", "faces", "north")

    assert ids(story.ask("who is head of the Larch team")) == [head, other]


def test_neighbours_obey_scope_and_state() -> None:
    story = Story()
    head = story.claim("Larch team", "head", "Marit Solheim")
    story.claim("Marit Solheim", "lives_in", "Bergen", scope="fen/mina")
    gone = story.claim("Marit Solheim", "owns", "a boat")
    story.change(gone, "revoked")

    outcome = story.ask("which town is home for the head of the Larch team")

    assert ids(outcome) == [head]
    assert outcome.left_out == ((gone, "revoked"),)


def test_neighbours_written_later_were_not_known_then() -> None:
    story = Story()
    head = story.claim("Larch team", "head", "Marit Solheim")
    before = story.ledger.head.seq
    home = story.claim("Marit Solheim", "lives_in", "Bergen")

    outcome = story.ask("which town is home for the head of the Larch team", as_of=before)

    assert ids(outcome) == [head]
    assert outcome.left_out == ((home, "not_known_then"),)


def test_a_claim_that_shares_only_a_value_is_no_neighbour() -> None:
    story = Story()
    mast = story.claim("Mast 1", "painted", "blue")
    story.claim("Crane 9", "painted", "blue")

    assert ids(story.ask("colour and height of mast 1")) == [mast]


def test_nothing_that_fits_means_no_answer_and_says_so() -> None:
    story = Story()
    story.claim("Mast 1", "carries", "a wind vane")

    outcome = story.ask("trombone lessons", k=20)

    assert ids(outcome) == []
    assert outcome.abstained is not None
    assert outcome.abstained.code == "no_match"


def test_the_cap_bounds_everything_that_comes_back() -> None:
    story = Story()
    masts = [story.claim(f"Mast {n}", "carries", "a wind vane") for n in range(1, 6)]
    summary = story.summary("All masts carry a wind vane.", *masts)

    assert len(ids(story.ask("which mast carries a wind vane", k=2))) == 2
    assert sorted(ids(story.ask("which mast carries a wind vane", k=20))) == sorted([*masts, summary])
    assert set(dict(story.ask("mast carries wind vane", k=2).left_out).values()) == {"cap"}


def test_a_summary_of_something_replaced_is_shown_as_stale() -> None:
    story = Story({"colour": ONE})
    old = story.claim("Boiler", "colour", "green")
    summary = story.summary("The boiler is green.", old)
    assert [i.state for i in story.ask("boiler green").items if i.id == summary] == ["active"]
    story.at("2026-02-01").claim("Boiler", "colour", "red")

    assert [i.state for i in story.ask("boiler green").items if i.id == summary] == ["stale"]


def test_one_origin_takes_at_most_half_where_there_is_another() -> None:
    story = Story()
    loud = [story.claim(f"Pump {n}", "needs", "pump oil", who="loud") for n in range(1, 10)]
    quiet = story.claim("Pump 0", "rests", "winter", who="quiet")

    outcome = story.ask("what does pump oil need", k=4)

    assert quiet in ids(outcome)
    assert len(set(ids(outcome)) & set(loud)) == 2
    assert "quota" in dict(outcome.left_out).values()


def test_items_that_do_not_fit_the_budget_are_left_out_whole() -> None:
    story = Story()
    small = story.claim("Note", "says", "oil")
    large = story.episode("oil " * 300)

    outcome = story.ask("note says oil", budget=200)

    assert ids(outcome) == [small]
    assert dict(outcome.left_out) == {large: "budget"}
    assert estimate_tokens(outcome.text) <= outcome.tokens <= 200
    assert outcome.text.startswith(f"MEMORY (1 record, {outcome.tokens} of 200 tokens)\n")


@given(st.integers(0, 500), st.integers(1, 6))
def test_the_block_never_exceeds_its_budget_where_the_frame_fits(budget: int, k: int) -> None:
    story = Story()
    for n in range(6):
        story.episode(f"turn {n}: " + "oil " * n * 5)

    outcome = story.ask("oil turn", k=k, budget=budget)

    assert estimate_tokens(outcome.text) <= max(budget, 40)
    assert len(outcome.items) <= k


def test_a_text_that_says_no_more_than_its_claims_leaves_its_place_to_another() -> None:
    story = Story()
    said = story.episode("Pump 6 belongs to Halvard.")
    claim = story.claim("Pump 6", "belongs_to", "Halvard", quote="Pump 6 belongs to Halvard.")
    more = story.episode("Pump 6 belongs to Halvard. We changed its oil on Monday and it leaked again.")

    other = story.claim("Pump 6", "runs_on", "oil")

    outcome = story.ask("who does pump 6 belong to", k=3)

    assert sorted(ids(outcome)) == sorted([claim, more, other])
    assert dict(outcome.left_out) == {said: "duplicate"}


def test_a_reader_may_require_a_class() -> None:
    story = Story(read=ReadPolicy(least_channel=Channel.HUMAN_STATED))
    weak = story.claim("Kiln", "cools_for", "11 hours", channel="external")
    strong = story.claim("Kiln", "opens_with", "a key")

    outcome = story.ask("kiln cools opens")

    assert ids(outcome) == [strong]
    assert dict(outcome.left_out) == {weak: "label"}


def test_fresh_talk_goes_before_old_talk() -> None:
    story = Story().at("2026-01-01")
    old = story.episode("we talked about oil")
    new = story.at("2026-06-01").episode("we talked about oil")

    assert ids(story.ask("oil")) == [new, old]


def test_a_claim_of_an_inferring_agent_lapses_unless_verified() -> None:
    story = Story().at("2026-01-01")
    guess = story.claim("Larch", "uses", "Redis", channel="agent_inferred")
    assert ids(story.at("2026-01-30").ask("Larch uses")) == [guess]

    assert dict(story.at("2026-02-05").ask("Larch uses").left_out) == {guess: "unverified"}
    assert ids(story.ask("Larch uses", as_of=1)) == [guess]
    story.change(guess, "fresh", "verified")
    assert ids(story.ask("Larch uses")) == [guess]


def test_the_past_is_asked_for_in_words() -> None:
    story = Story({"home": ONE})
    old = story.at("2024-02-01").claim("Ada", "home", "Oslo")
    new = story.at("2026-02-01").claim("Ada", "home", "Bergen")
    story.at("2026-03-01")

    assert ids(story.ask("home of Ada")) == [new]
    assert ids(story.ask("home of Ada in 2024")) == [old]
    assert story.ask("home of Ada in 2024").items[0].state == "superseded"
    assert sorted(ids(story.ask("where did Ada use to have her home"))) == sorted([old, new])
    assert ids(story.ask("what did we believe about Ada's home on 2025-05-05?")) == [old]
    assert story.ask("home of Ada in 2024").intent.rule == "in_date"


def test_a_claim_that_names_the_year_in_its_words_answers_too() -> None:
    story = Story()
    built = story.claim("Boiler 4", "built_in", "1987")

    assert ids(story.ask("which boiler was built in 1987")) == [built]
    assert ids(story.ask("which boiler was built in 1988")) == []


def test_the_json_form_says_what_the_block_says() -> None:
    story = Story({"berth": ONE})
    story.claim("Tug Elna", "berth", "<3>", who="tova")
    story.claim("Tug Elna", "berth", "5", who="nils")
    for outcome in (story.ask("berth of Tug Elna"), story.ask("trombone")):
        told, block = render_json(outcome), parse_block(outcome.text)

        assert [{**item, "score": None} for item in told["items"]] == [
            {**item.fields, "score": None} for item in block.items
        ]
        assert (told["records"], told["tokens"], told.get("no_answer")) == (
            block.records,
            block.tokens,
            block.no_answer,
        )
        assert json.loads(json.dumps(told)) == told


def test_a_denial_is_shown_as_a_denial() -> None:
    story = Story()
    denied = story.claim("Office", "allows", "dogs", negative=True)

    outcome = story.ask("does the office allow dogs")

    assert [(item.id, item.negative) for item in outcome.items] == [(denied, True)]
    assert parse_block(outcome.text).items[0].text == "Office · allows: not dogs"


def test_the_source_and_the_time_are_shown() -> None:
    story = Story({"colour": ONE})
    old = story.at("2026-01-01").claim("Boiler", "colour", "green", uri="file:a.md")
    story.at("2026-02-01").claim("Boiler", "colour", "red")

    (item,) = story.at("2026-03-01").ask("boiler colour", valid_at="2026-01-15").items

    assert (item.id, item.uri, item.locator) == (old, "file:a.md", "p. 1")
    assert (
        '"valid":"2026-01-01T00:00:00Z/2026-02-01T00:00:00Z"' in story.ask("boiler colour", valid_at="2026-01-15").text
    )


def test_the_same_question_gives_the_same_bytes() -> None:
    story = Story({"berth": ONE})
    for n in range(20):
        story.claim(f"Tug {n}", "berth", f"quay {n % 3}", who=f"p{n % 4}")
        story.episode(f"the tug {n} left the quay", who=f"p{n % 2}")
    first = story.ask("tug berth quay", k=7)

    assert all(story.ask("tug berth quay", k=7) == first for _ in range(20))
    assert story.ask("tug berth quay", k=7, nonce="zzzzzzzz").text != first.text
    assert story.ask("tug berth quay", k=7, nonce="zzzzzzzz").items == first.items
