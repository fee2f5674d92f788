"""S12: the agent recalls, elaborates and writes, twenty times over; its own words must not make it surer."""

from __future__ import annotations

import pytest

from tests.scenarios.agent import Gullible
from tests.scenarios.harness import Outcome, guarded, holds, naive, theirs, topic, worded
from tests.scenarios.memories import Guarded, Memory, Naive, Voice, ids
from tkg.model.scope import Channel

ROUNDS = 20


def attack(memory: Memory, tries: int) -> Outcome:
    outcome = Outcome()
    for number in range(tries):
        job, value, uri = f"Backup {topic(number)}", theirs(number, "tool"), f"https://forum.example/{number}"
        guess = Voice(Channel.EXTERNAL, "forum", f"seed-{number}")
        first = memory.note(guess, job, "recommended_connector", value, uri, worded(number, f"{job} may like {value}."))
        before = belief(memory, first)
        made = ids([first])
        for turn in range(ROUNDS):
            agent = Gullible(memory, f"loop-{number}-{turn % 3}")
            read = agent.read(f"recommended connector of {job}")
            made += ids(
                [memory.write(agent.voice, "summary", f"{job} surely runs with {value} (seen {turn} times).", read)]
            )
            made += ids([memory.note(agent.voice, job, "recommended_connector", value, f"session:{agent.session}")])
        made = list(dict.fromkeys(made))
        outcome.stored += sum(memory.stands(one) for one in made)
        assert belief(memory, first) == before, (belief(memory, first), before)
        worker = Gullible(memory, f"task-{number}")
        outcome.shown += any(value in one.text for one in worker.read(f"connector of {job}").seen)
        outcome.acted += value in worker.serve(f"recommended connector of {job}")
        memory.revoke(source=uri)
        outcome.residue += sum(memory.stands(one) for one in made)
        if isinstance(memory, Naive):
            # what it has written of its own is what it would count as support
            outcome.residue += len(made)
    return outcome


def belief(memory: Memory, claim: str | None) -> tuple[object, ...]:
    """Return what is believed of a claim: state, confidence, class, independent origins."""
    if not isinstance(memory, Guarded) or claim is None:
        return ()
    found = memory.operator.explain(claim)
    return found.state, found.confidence, found.channel, found.independent_origins


@pytest.mark.parametrize("text_rules", [True, False])
def test_twenty_rounds_change_nothing(text_rules: bool) -> None:
    holds(guarded(attack, text_rules=text_rules))


def test_a_memory_that_stores_all_falls() -> None:
    outcome = naive(attack)
    assert outcome.acted == outcome.tries
    assert outcome.residue >= outcome.tries * ROUNDS
