"""Claims that look like an agent's memory: words and names as unevenly used as in real text; the same for the same seed.

Words follow Zipf's law with exponent 1; subjects are met with exponent ½, so that the best known one has a few hundred
claims among 10⁵. Half of the predicates hold one value at a time: a later claim there takes the place of an earlier one.
Four claims come from one passage. They were written over forty days, so that some said by tools and agents have lapsed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.scope import Channel

_ONSETS: Final = "b br c cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t tr v w".split()
_VOWELS: Final = "a e i o u ai ea oo ou".split()
_CODAS: Final = "l m n r s t x ck nd rt st".split()
_VOCABULARY: Final = 12_000
#: claims read from one passage, and days over which all were
PASSAGE: Final = 4
DAYS: Final = 40
_KINDS: Final = ("service", "team", "account", "project", "vendor", "host", "report", "customer", "office", "contract")
#: predicates that hold one value at a time, and others
_SINGLE: Final = (
    "owner status plan region deadline port version manager budget address review_date default_branch timezone "
    "contact primary_email billing_cycle release_channel storage_class"
).split()
_MANY: Final = (
    "depends_on uses member tag located_in mentioned_in prefers has_skill supplies speaks known_issue attended "
    "subscribes_to related_to works_with monitors stores requires"
).split()
_CHANNELS: Final = (Channel.HUMAN_STATED, Channel.TRUSTED_TOOL, Channel.AGENT_INFERRED, Channel.SYSTEM_OF_RECORD)


class Fact(NamedTuple):
    """What one claim says, where it was read, and who says it; `day` counts from the corpus' first day."""

    subject: str
    predicate: str
    object: str
    channel: Channel
    principal: str
    uri: str
    day: int

    @property
    def text(self) -> str:
        """The words by which it can be found."""
        return f"{self.subject} {self.predicate.replace('_', ' ')} {self.object}"


def policies() -> Policies:
    """Return the default policies with the single-valued predicates declared."""
    return Policies(write=WritePolicy(registry=Registry.of({name: {"cardinality": "one"} for name in _SINGLE})))


@cache
def _words() -> tuple[str, ...]:
    chance = random.Random("words")
    found: dict[str, None] = {}
    while len(found) < _VOCABULARY:
        parts = [chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(chance.choice((1, 2, 2, 3)))]
        found["".join(parts) + chance.choice(_CODAS)] = None
    return tuple(found)


def _zipf(size: int, exponent: float) -> list[float]:
    return list(accumulate((place + 1) ** -exponent for place in range(size)))


def facts(count: int, *, seed: int = 7) -> list[Fact]:
    """Return `count` claims; those of a smaller count are not a beginning of these."""
    chance = random.Random(f"{seed} {count}")
    words = _words()
    usage = _zipf(len(words), 1.0)

    def some(least: int, most: int) -> str:
        return " ".join(chance.choices(words, cum_weights=usage, k=chance.randint(least, most)))

    names = [f"{some(1, 2).title()} {chance.choice(_KINDS)} {place}" for place in range(max(count // 5, 4))]
    renown = _zipf(len(names), 0.5)
    predicates = [name for pair in zip(_SINGLE, _MANY, strict=True) for name in pair]
    custom = _zipf(len(predicates), 0.7)
    found: list[Fact] = []
    for place in range(count):
        (subject,) = chance.choices(names, cum_weights=renown)
        (predicate,) = chance.choices(predicates, cum_weights=custom)
        value = chance.choices(names, cum_weights=renown)[0] if chance.random() < 0.25 else some(1, 5)
        if place % PASSAGE == 0:
            (channel,) = chance.choices(_CHANNELS, weights=(5, 3, 2, 1))
            principal, uri = f"{channel.value}-{chance.randrange(6)}", f"doc://{chance.randrange(max(count // 8, 4))}"
        found.append(Fact(subject, predicate, value, channel, principal, uri, day=place * DAYS // count))
    return found


def questions(known: Sequence[Fact], count: int, *, seed: int = 11) -> list[str]:
    """Return questions about these claims as people ask them: by name, by value, by a few words."""
    chance = random.Random(f"{seed} {len(known)}")
    asked = []
    for place in range(count):
        fact = chance.choice(known)
        said = fact.predicate.replace("_", " ")
        first, *_, last = fact.object.split()[:3] * 2
        asked.append(
            (
                f"What is the {said} of {fact.subject}?",
                f"{fact.subject} {said}",
                f"which of them has {fact.object} as {said}",
                f"{first} {last} {said}",
                f"tell me about {fact.subject}",
            )[place % 5]
        )
    return asked


def proposals(known: Sequence[Fact], count: int, *, seed: int = 13) -> list[Fact]:
    """Return what a day's work proposes: new claims, what is known said by another source, and changed values."""
    chance = random.Random(f"{seed} {len(known)}")
    words = _words()
    found = []
    for place in range(count):
        fact = chance.choice(known)
        fact = fact._replace(uri=f"doc://day-{place % 20}", day=DAYS, principal=f"{fact.channel.value}-day")
        kind = chance.random()
        if kind < 0.6:
            fact = fact._replace(subject=f"{chance.choice(words).title()} {chance.choice(_KINDS)} {place}")
        elif kind >= 0.8:
            fact = fact._replace(object=" ".join(chance.sample(words, 2)))
        found.append(fact)
    return found
