"""The meaning of belief as short stories."""

from __future__ import annotations

from dataclasses import replace

from tests.belief.build import MANY, ONE, backer, book, change, claim, evidence_of, span, when
from tkg.belief import cascade
from tkg.belief.book import Book
from tkg.belief.contradiction import assess
from tkg.belief.state import state_of
from tkg.belief.sweep import contradictions
from tkg.belief.validity import Slot, effective, timeline, value
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel
from tkg.model.time import FOREVER, Interval
from tkg.model.view import SlotClaim

HUMAN, TOOL, AGENT, RECORD = (
    Channel.HUMAN_STATED,
    Channel.TRUSTED_TOOL,
    Channel.AGENT_INFERRED,
    Channel.SYSTEM_OF_RECORD,
)


def test_what_was_true_and_what_was_known_are_two_questions() -> None:
    home = [
        claim("berlin", "Berlin", span(when("2026-01-01")), seq=1),
        claim("lisbon", "Lisbon", span(when("2026-04-11")), seq=2),
    ]
    april, february = when("2026-04-21"), when("2026-02-20")

    assert value([home], ONE, Book(), april, as_of=1).value == "Berlin", "what they thought in April"
    assert value([home], ONE, Book(), april, as_of=2).value == "Lisbon", "what is known since"
    assert value([home], ONE, Book(), february, as_of=1).value == "Berlin"
    assert value([home], ONE, Book(), february, as_of=2).value == "Berlin", "the correction leaves February alone"


def test_taking_the_poison_back_brings_the_good_value_back_and_the_replay_still_shows_the_poison() -> None:
    good = claim("good", "Mill Lane", span(1), seq=1, origin="import", channel=TOOL)
    poison = claim("poison", "Gull Wharf", span(1), seq=11, origin="stolen-login")
    slot = [good, poison]
    after = book(change(evidence_of(poison), "revoked", 14))

    assert value([slot], ONE, after, 20, as_of=11).value == "Gull Wharf", "the belief of day 11"
    assert value([slot], ONE, after, 20).value == "Mill Lane"
    assert state_of(good, slot, ONE, after, 20, as_of=11).name == "superseded"
    assert state_of(good, slot, ONE, after, 20).name == "active"
    assert state_of(poison, slot, ONE, after, 20).name == "revoked"


def test_a_newer_inference_does_not_beat_a_statement() -> None:
    said = claim("said", "Friday", span(1), seq=1)
    guessed = claim("guessed", "Monday", span(1), seq=2, origin="agent", channel=AGENT)
    found = assess(guessed, [said], ONE, Book())

    assert found.outcome == "quarantine" and found.row == "row-10"
    assert value([[said, guessed]], ONE, Book(), 5).value == "Friday"


def test_an_inference_from_a_statement_never_displaces_it_although_the_origin_is_the_same() -> None:
    said = claim("said", "Friday", span(1), seq=1)
    derived = backer("derived", 2, origin="ana", kind="derivation", requires=("e1-said",))
    inferred = claim("derived", "Monday", span(1), seq=2, backers=[derived])

    assert value([[said, inferred]], ONE, Book(), 5).value == "Friday"


def test_the_system_of_record_beats_a_newer_statement_and_only_its_own_next_version_moves_it() -> None:
    billed = claim("billed", "standard", span(5), seq=1, origin="billing", channel=RECORD, record=True)
    stated = claim("stated", "premium", span(20), seq=2, origin="hilde")
    again = claim("again", "basic", span(30), seq=3, origin="billing", channel=RECORD, record=True)
    slot = [billed, stated, again]

    assert value([slot], ONE, Book(), 25).value == "standard"
    assert value([slot], ONE, Book(), 35).value == "basic"
    assert state_of(stated, slot, ONE, Book(), 35).by == ("billed", "again")
    assert state_of(billed, slot, ONE, Book(), 35) == ("superseded", ("again",), "")


def test_two_people_of_one_class_conflict_until_one_of_them_agrees_with_the_other() -> None:
    ada = claim("ada", "Quarry Road", span(1), seq=1, origin="ada")
    bertil = claim("bertil", "Tannery Lane", span(5), seq=2, origin="bertil")
    answer = value([[ada, bertil]], ONE, Book(), 7)
    assert (answer.kind, answer.values) == ("conflict", ("Quarry Road", "Tannery Lane"))
    assert value([[ada, bertil]], ONE, Book(), 3).value == "Quarry Road"

    agrees = claim("agrees", "tannery  lane", span(5), seq=3, origin="ada")
    found = assess(agrees, [ada, bertil], ONE, Book())
    assert (found.outcome, found.target) == ("reinforce", "bertil")
    merged = replace(bertil, backers=(*bertil.backers, *agrees.backers))
    assert value([[ada, merged]], ONE, Book(), 7).value == "Tannery Lane"
    assert contradictions([ada, merged], ONE, Book()) == []
    assert len(contradictions([ada, bertil], ONE, Book())) == 1


def test_an_end_that_meets_a_start_is_succession_and_one_shared_instant_is_not() -> None:
    until, after = claim("until", "Brix", span(1, 10), 1, origin="a"), claim("after", "Pint", span(10), 2, origin="b")
    late = claim("late", "Brix", span(1, 11), 1, origin="a")

    assert contradictions([until, after], ONE, Book()) == []
    assert value([[until, after]], ONE, Book(), 9).value == "Brix"
    assert value([[until, after]], ONE, Book(), 10).value == "Pint"
    assert value([[late, after]], ONE, Book(), 10).kind == "conflict"
    assert value([[late, after]], ONE, Book(), 11).value == "Pint"


def test_an_older_note_that_arrives_late_loses_from_where_the_newer_begins() -> None:
    newer = claim("newer", "Roos", span(60), seq=1, observed=60)
    older = claim("older", "Strand", span(10), seq=2, observed=10)
    slot = [newer, older]

    assert value([slot], ONE, Book(), 70).value == "Roos"
    assert value([slot], ONE, Book(), 20).value == "Strand"
    assert state_of(older, slot, ONE, Book(), 70) == ("superseded", ("newer",), "")
    assert effective(older, slot, ONE, Book()) == ((10, 60),)
    assert assess(older, [newer], ONE, Book()).cuts[0][:4] == ("newer", "older", 60, FOREVER)


def test_a_month_as_an_end_includes_the_month() -> None:
    maps = claim("maps", "tidal maps", Interval.make("2026-02", "2026-04", default_from=0), seq=1)
    assert value([[maps]], ONE, Book(), when("2026-05-01") - 1).value == "tidal maps"
    assert value([[maps]], ONE, Book(), when("2026-05-01")).kind == "none"


def test_the_same_sentence_about_a_new_period_is_a_second_interval() -> None:
    first = claim("first", "ledger squad", span(1, 6), seq=1)
    second = claim("second", "ledger squad", span(50), seq=2)
    assert assess(second, [first], ONE, Book()).outcome == "accept"
    line = timeline([[first, second]], ONE, Book())
    assert [(s.valid_from, s.valid_to, s.answer.claims) for s in line] == [
        (1, 6, ("first",)),
        (50, FOREVER, ("second",)),
    ]


def test_an_undated_repetition_reinforces_what_is_believed_then_and_not_what_was_left_behind() -> None:
    def undated(name: str, text: str, at: int, origin: str = "ana") -> SlotClaim:
        return claim(name, text, Interval.make(None, None, default_from=at), seq=at, origin=origin)

    home, moved = undated("home", "Oslo", 1), undated("moved", "Bergen", 5)
    assert assess(undated("again", "oslo", 3), [home], ONE, Book()).target == "home"
    back = assess(undated("back", "Oslo", 9), [home, moved], ONE, Book())
    assert (back.outcome, back.target) == ("accept", None), "she moved back: a new period"
    other = assess(undated("other", "Bergen", 9, "bo"), [home, moved], ONE, Book())
    assert other.target == "moved"


def test_a_blocked_claim_is_never_reinforced() -> None:
    held = claim("held", "Oslo", span(1), seq=1)
    for status in ("held", "rejected", "quarantined", "revoked", "erased"):
        found = assess(claim("new", "Oslo", span(1), seq=3), [held], ONE, book(change("held", status, 2)))
        assert found.outcome == "accept", status


def test_a_dated_denial_ends_a_claim_and_is_never_a_value() -> None:
    tea = claim("tea", "tea", span(10), seq=1, predicate=MANY)
    no_tea = claim("no-tea", "tea", span(20), seq=2, predicate=MANY, negative=True)
    coffee = claim("coffee", "coffee", span(30), seq=3, predicate=MANY)
    assert assess(no_tea, [tea], MANY, Book()).outcome == "close"
    slot = [tea, no_tea, coffee]

    assert value([slot], MANY, Book(), 15).value == "tea"
    assert value([slot], MANY, Book(), 25).kind == "none"
    assert value([slot], MANY, Book(), 35).value == "coffee"
    assert state_of(tea, slot, MANY, Book(), 35) == ("superseded", ("no-tea",), "")


def test_a_denial_of_the_whole_time_by_its_own_origin_withdraws_the_claim() -> None:
    nuts = claim("nuts", "hazelnut", span(10), seq=1, predicate=MANY)
    never = claim("never", "hazelnut", span(10), seq=2, predicate=MANY, negative=True)
    found = assess(never, [nuts], MANY, Book())
    assert found.outcome == "withdraw" and found.row == "row-11"
    assert found.withdraws[0][:3] == ("nuts", ("j1-nuts",), ("e1-nuts",)) and found.withdraws[0].whole
    gone = book(change("nuts", "revoked", 2))
    assert state_of(nuts, [nuts, never], MANY, gone, 15) == ("revoked", ("never",), "")
    assert value([[nuts, never]], MANY, gone, 15, as_of=1).value == "hazelnut"


def test_a_stranger_can_deny_and_that_is_a_conflict() -> None:
    tea = claim("tea", "tea", span(10), seq=1, predicate=MANY)
    denied = claim("denied", "tea", span(10), seq=2, predicate=MANY, negative=True, origin="bo")
    found = assess(denied, [tea], MANY, Book())
    assert (found.outcome, found.row, found.clashes[0].pattern) == ("accept", "row-9", "C2")
    assert value([[tea, denied]], MANY, Book(), 15).kind == "conflict"


def test_a_town_refines_its_country_and_another_town_clashes_with_it() -> None:
    places = Predicate.build(name="based_in", cardinality="one", refines={"Aarhus": "Denmark", "Odense": "Denmark"})
    country = claim("country", "Denmark", span(1), 1, predicate=places, origin="karl")
    town = claim("town", "Aarhus", span(1), 2, predicate=places, origin="maja")
    other = claim("other", "Odense", span(1), 3, predicate=places, origin="viggo")

    assert assess(town, [country], places, Book()).row == "row-2"
    assert value([[country, town]], places, Book(), 5).value == "Aarhus"
    assert value([[country, town, other]], places, Book(), 5).values == ("Aarhus", "Odense")
    assert [c[:2] for c in contradictions([country, town, other], places, Book())] == [("other", "town")]
    assert state_of(country, [country, town, other], places, Book(), 5).name == "active"


def test_what_rests_on_a_claim_waits_when_that_one_is_superseded() -> None:
    lead = Predicate(name="team_lead", cardinality="one")
    ines = claim("ines", "Ines Varga", span(1), 1, predicate=lead)
    odd = claim("odd", "Odd Lindahl", span(20), 3, predicate=lead)
    reviewer = claim("reviewer", "Pavel Orr", span(1), 2, depends_on=["ines"])

    def lookup(_: str) -> Slot:
        return Slot([ines, odd], lead)

    before = value([[reviewer]], ONE, Book(), 10, lookup=lookup)
    after = value([[reviewer]], ONE, Book(), 25, lookup=lookup)
    replay = value([[reviewer]], ONE, Book(), 25, as_of=2, lookup=lookup)
    assert (before.value, replay.value) == ("Pavel Orr", "Pavel Orr")
    assert (after.kind, after.previously, after.suspended) == ("suspended", ("Pavel Orr",), ("reviewer",))
    assert state_of(reviewer, [reviewer], ONE, Book(), 25, lookup=lookup) == ("suspended", ("ines",), "")


def test_a_suspended_claim_still_cuts_what_it_had_superseded() -> None:
    basis = claim("basis", "x", span(1), 1)
    old = claim("old", "Oslo", span(1), 2)
    new = claim("new", "Bergen", span(5), 3, depends_on=["basis"])
    waiting = book(change("basis", "quarantined", 4), change("new", "suspended", 4, "support"))

    answer = value([[old, new]], ONE, waiting, 7, lookup=lambda _: Slot([basis], ONE))
    assert (answer.kind, answer.previously) == ("suspended", ("Bergen",))


def test_dependencies_in_a_ring_end() -> None:
    one = claim("one", "a", span(1), 1, depends_on=["two"])
    two = claim("two", "b", span(1), 2, depends_on=["one"])
    other = Predicate(name="other", cardinality="one")
    slots = {"one": Slot([one], ONE), "two": Slot([two], other)}
    assert value([[one]], ONE, Book(), 5, lookup=slots.get).value == "a"
    held = book(change("two", "quarantined", 3))
    assert value([[one]], ONE, held, 5, lookup=slots.get).kind == "suspended"


def test_quarantine_suspends_what_rests_on_it_and_release_gives_back_what_was_there() -> None:
    room = claim("room", "Winter Garden", span(1), 2, origin="ludvig")
    catering = claim("catering", "garden door", span(1), 3, origin="asta", depends_on=["room"])
    plan_text = backer("plan", 4, kind="derivation", requires=("room", "catering"))
    backers = [*room.backers, *catering.backers, plan_text]
    depends = {"catering": ("room",)}
    held = cascade.plan(backers, Book(), {evidence_of(room): "quarantined"}, depends=depends)

    assert held.suspended == ("plan", "catering", "room") and held.fallen == ()
    written = book(
        change(evidence_of(room), "quarantined", 5), *(change(n, s.value, 5, "support") for n, s in held.marks)
    )
    assert state_of(room, [room], ONE, written, 9).name == "quarantined"
    assert state_of(catering, [catering], ONE, written, 9, lookup=lambda _: Slot([room], ONE)).name == "suspended"
    back = cascade.plan(backers, written, {evidence_of(room): "active"}, depends=depends)
    assert set(back.returned) == {"plan", "catering", "room"}


def test_an_erased_claim_keeps_its_cut_and_a_revoked_one_does_not() -> None:
    ystad = claim("ystad", "Ystad", span(1), 1)
    kvarnby = claim("kvarnby", "Kvarnby", span(10), 2, erased=True)
    erased, revoked = book(change("kvarnby", "erased", 3)), book(change("kvarnby", "revoked", 3))
    slot = [ystad, kvarnby]

    assert value([slot], ONE, erased, 15).kind == "none"
    assert value([slot], ONE, erased, 5).value == "Ystad"
    assert state_of(ystad, slot, ONE, erased, 15).name == "superseded"
    assert value([slot], ONE, revoked, 15).value == "Ystad"
    first_revoked = book(change("kvarnby", "revoked", 3), change("kvarnby", "erased", 4))
    assert value([slot], ONE, first_revoked, 15).value == "Ystad", "what had been revoked had no cut left to keep"


def test_erasing_the_evidence_keeps_the_cut_too() -> None:
    old, new = claim("old", "Ystad", span(1), 1), claim("new", "Lund", span(10), 2)
    gone = book(change(evidence_of(new), "erased", 3), change("new", "unsupported", 3, "support"))
    assert value([[old, new]], ONE, gone, 15).kind == "none"


def test_a_narrower_scope_shadows_a_wider_one_of_no_higher_authority() -> None:
    mine = claim("mine", "dark", span(1), 1, scope="acme/ana")
    ours = claim("ours", "light", span(1), 2, origin="bo")
    record = claim("record", "blue", span(1), 3, origin="billing", channel=RECORD, record=True)
    assert value([[mine], [ours]], ONE, Book(), 5).value == "dark"
    assert value([[mine], [record]], ONE, Book(), 5).value == "blue"
    assert value([[], [ours]], ONE, Book(), 5).value == "light"
    not_light = claim("not-light", "light", span(1), 4, scope="acme/ana", negative=True)
    assert value([[not_light], [ours]], ONE, Book(), 5).kind == "none"


def test_uncertain_dates_only_make_possible_conflicts() -> None:
    rome = claim("rome", "Rome", span(1, 30, end_lo=20), 1, origin="a")
    milan = claim("milan", "Milan", span(22, 90, start_hi=40), 2, origin="b")
    found = assess(milan, [rome], ONE, Book())
    assert (found.outcome, found.row, found.cuts, found.clashes[0].certainty) == ("accept", "row-12", (), "possible")
    assert value([[rome, milan]], ONE, Book(), 10).value == "Rome"
    answer = value([[rome, milan]], ONE, Book(), 25)
    assert (answer.certainty, answer.possible) == ("possible", ("milan", "rome"))


def test_twelve_and_twelve_point_four_agree_and_the_finer_is_the_value() -> None:
    coarse, fine = claim("coarse", "12", span(1), 1, origin="a"), claim("fine", "12.4", span(1), 2, origin="b")
    assert value([[coarse, fine]], ONE, Book(), 5).value == "12.4"
    other = claim("other", "12.3", span(1), 3, origin="c")
    assert value([[coarse, fine, other]], ONE, Book(), 5).values == ("12.4", "12.3")


def test_a_high_consequence_value_waits_for_a_second_factor() -> None:
    rule = Predicate(name="payee", cardinality="one", consequence="high")
    old = claim("old", "Mill", span(1), 1, predicate=rule)
    new = claim("new", "Gull", span(1), 2, predicate=rule)
    checked = claim("checked", "Gull", span(1), 3, predicate=rule, channel=Channel.HUMAN_VERIFIED)
    assert assess(new, [old], rule, Book()).row == "row-13"
    assert assess(new, [old], rule, Book()).outcome == "hold"
    assert assess(checked, [old], rule, Book()).outcome == "accept"
    assert assess(checked, [old], rule, Book(), label=AGENT).outcome == "hold"
    assert assess(new, [], rule, Book()).outcome == "accept", "nothing is replaced"


def test_every_pair_has_its_edge_before_the_one_between_is_taken_back() -> None:
    a = claim("a", "x", span(1), 1, observed=1)
    b = claim("b", "y", span(1), 2, observed=2)
    c = claim("c", "z", span(1), 3, observed=3)
    cuts = assess(c, [a, b], ONE, book(change(evidence_of(b), "revoked", 3))).cuts
    assert {(cut.winner, cut.loser) for cut in cuts} == {("c", "a"), ("c", "b")}
