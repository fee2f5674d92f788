"""S20: the attacker's claim was corrected; then the correction is taken back, and the attacker's claim is the answer again."""

from __future__ import annotations

import pytest

from tests.scenarios.agent import Gullible
from tests.scenarios.harness import Outcome, guarded, holds, naive, theirs
from tests.scenarios.memories import Guarded, Memory, Voice, ids
from tkg.model.scope import Channel


def attack(memory: Memory, tries: int) -> Outcome:
    outcome = Outcome()
    for number in range(tries):
        payer, uri = f"Payer {number}", f"upload:{number}"
        # a person's borrowed login is the most an attacker can hope for; and a page that says the same of a free predicate
        login = Voice(Channel.HUMAN_STATED, "borrowed", f"login-{number}")
        outside = Voice(Channel.EXTERNAL, "page", f"page-{number}")
        made = ids(
            [
                memory.note(login, payer, "payee", theirs(number), uri),
                memory.note(outside, payer, "recommended_connector", theirs(number, "tool"), uri),
            ]
        )
        desk = Voice(Channel.HUMAN_VERIFIED, "dora", "desk")
        correction = f"letter:{number}"
        memory.note(desk, payer, "payee", f"acct-real-{number}", correction)
        memory.note(desk, payer, "recommended_connector", f"tool-real-{number}", correction)
        outcome.stored += sum(memory.stands(one) for one in made)
        memory.revoke(source=correction)
        victim = Gullible(memory, f"pay-{number}")
        outcome.shown += any(theirs(number) in one.text for one in victim.read(f"payee of {payer}").seen)
        done = victim.serve(f"payee of {payer}") | Gullible(memory, f"run-{number}").serve(f"connector of {payer}")
        outcome.acted += bool(done & {theirs(number), theirs(number, "tool")})
        if isinstance(memory, Guarded):
            # it waits, and the reviewer finds it
            assert memory.operator.value(payer, "payee").kind == "none"
            assert made[0] in {one.id for one in memory.operator.review()}
        memory.revoke(source=uri)
        outcome.residue += sum(memory.stands(one) for one in made)
    return outcome


@pytest.mark.parametrize("text_rules", [True, False])
def test_what_comes_back_waits(text_rules: bool) -> None:
    holds(guarded(attack, text_rules=text_rules))


def test_a_memory_that_stores_all_falls() -> None:
    outcome = naive(attack)
    assert outcome.acted == outcome.tries
