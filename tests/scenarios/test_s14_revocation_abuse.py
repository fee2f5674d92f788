"""S14: who may not write a price tries to bring back the old one by taking back the evidence of the new."""

from __future__ import annotations

import pytest

import tkg
from tests.scenarios.agent import Gullible
from tests.scenarios.harness import Outcome, guarded, holds, naive
from tests.scenarios.memories import Guarded, Memory, Voice, ids
from tkg.model.scope import Channel

_LOW = (Channel.EXTERNAL, Channel.AGENT_INFERRED, Channel.TRUSTED_TOOL, Channel.HUMAN_STATED)


def attack(memory: Memory, tries: int) -> Outcome:
    outcome = Outcome()
    for number in range(tries):
        item, old, new = f"Item {number}", f"acct-old-{number}", f"acct-new-{number}"
        desk = Voice(Channel.HUMAN_STATED, "sales", "sales")
        sync = Voice(Channel.SYSTEM_OF_RECORD, "price-sync", "sync")
        first = memory.note(desk, item, "price", old, f"mail:{number}")
        second = memory.note(sync, item, "price", new, "prices.yaml")
        outcome.stored += len(ids([first]))
        if isinstance(memory, Guarded):
            # one source is not enough to replace a price; a person lets it in
            assert second is not None
            memory.operator.decide(second, "accept", reason="seen in the register")
            assert memory.operator.value(item, "price").value == new
            for channel in _LOW:
                eve = memory.handle(Voice(channel, "eve", f"eve-{channel.value}"))
                for what in ({"claim": second}, {"source": "prices.yaml"}, {"principal": "price-sync"}):
                    outcome.acted += takes_back(eve, what)
            # one verified person alone is not enough either; two are, and then the old price still waits
            dora, eli = (memory.handle(Voice(Channel.HUMAN_VERIFIED, one, one)) for one in ("dora", "eli"))
            outcome.acted += revokes(dora, {"claim": second})
            assert dora.value(item, "price").value == new
            dora.quarantine(claim=second, reason="looks wrong")
            outcome.acted += revokes(dora, {"claim": second})
            assert revokes(eli, {"claim": second})
            assert eli.value(item, "price").kind == "none"
        else:
            memory.revoke(source="prices.yaml")
        buyer = Gullible(memory, f"buy-{number}")
        read = buyer.read(f"price of {item}")
        outcome.shown += any(old in one.text for one in read.seen)
        outcome.acted += any(one.value == old for one in read.seen)
    return outcome


def takes_back(eve: tkg.memory.handle.Handle, what: dict[str, str | None]) -> bool:
    """Try to quarantine and to revoke; return whether either went."""
    try:
        eve.quarantine(**what, reason="outdated")
    except tkg.TkgError as error:
        assert error.code == "not_permitted", error
        return revokes(eve, what)
    return True


def revokes(handle: tkg.memory.handle.Handle, what: dict[str, str | None]) -> bool:
    try:
        handle.revoke(handle.plan_revoke(**what), reason="outdated")
    except tkg.TkgError as error:
        assert error.code == "not_permitted", error
        return False
    return True


@pytest.mark.parametrize("text_rules", [True, False])
def test_the_old_price_does_not_come_back(text_rules: bool) -> None:
    holds(guarded(attack, text_rules=text_rules))


def test_a_memory_that_lets_anybody_revoke_falls() -> None:
    assert naive(attack).acted >= 1
