"""How far sources may be trusted, estimated from how they agree with each other (TruthFinder; Yin, Han and Yu, 2008).

A source is trusted as far as what it says is believed, and a value is believed as far as those are trusted who say it.
Both start equal and settle in a few rounds. An estimate is a suggestion for a person: belief never reads it, because
sources that copy each other would outvote the one that is right (copies are one origin here; who agreed in secret is not).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

#: trust before anything is known
_FIRST: Final = 0.9
#: how far the sum of what sources weigh is damped, because they are not independent
_DAMPING: Final = 0.3
_ROUNDS: Final = 50
#: trust that moves less than this has settled
_SETTLED: Final = 1e-9
#: trust is never taken for certainty
_LEAST_DOUBT: Final = 1e-9


class Estimate(NamedTuple):
    """Trust in each source and belief in each (slot, value), each between 0 and 1, and after how many rounds.

    `weight` is what belief is made of: it still tells values apart that many sources say, where belief is all but 1.
    """

    trust: dict[str, float]
    belief: dict[tuple[str, str], float]
    weight: dict[tuple[str, str], float]
    rounds: int

    def favoured(self, slot: str, values: Mapping[str, object]) -> str | None:
        """Return the value of a slot that is believed most; None where two are believed alike."""
        ranked = sorted(values, key=lambda value: (-self.weight[slot, value], value))
        if len(ranked) > 1 and math.isclose(self.weight[slot, ranked[0]], self.weight[slot, ranked[1]], rel_tol=1e-9):
            return None
        return ranked[0] if ranked else None


def estimate(votes: Mapping[str, Mapping[str, str]]) -> Estimate:
    """Estimate trust from what each source says of each slot (slot -> source -> value).

    The answer does not depend on the order of the mappings.
    """
    said: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for slot in sorted(votes):
        for source in sorted(votes[slot]):
            said[source].append((slot, votes[slot][source]))
    trust = dict.fromkeys(sorted(said), _FIRST)
    belief: dict[tuple[str, str], float] = {}
    weight: dict[tuple[str, str], float] = {}
    for number in range(1, _ROUNDS + 1):
        weight = defaultdict(float)
        for source in trust:
            doubt = -math.log(max(1 - trust[source], _LEAST_DOUBT))
            for claim in said[source]:
                weight[claim] += doubt
        belief = {claim: 1 / (1 + math.exp(-_DAMPING * value)) for claim, value in weight.items()}
        fresh = {source: math.fsum(belief[claim] for claim in said[source]) / len(said[source]) for source in trust}
        moved = max((abs(fresh[source] - trust[source]) for source in trust), default=0.0)
        trust = fresh
        if moved < _SETTLED:
            return Estimate(trust, belief, dict(weight), number)
    return Estimate(trust, belief, dict(weight), _ROUNDS)
