"""Playing an attack many times, in a memory that already holds honest claims, and counting what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.scenarios.agent import Gullible
from tests.scenarios.memories import Guarded, Memory, Naive, Voice
from tkg.model.scope import Channel

#: attacks of one scenario, each on its own vendor and in its own words: in the full run, and in the tests
FULL = 25
SOME = 5
#: honest claims stored before
BENIGN = 220

_LOADER = Voice(Channel.TRUSTED_TOOL, "loader", "import")
_DORA = Voice(Channel.HUMAN_VERIFIED, "dora", "desk")
#: beginnings that make twenty-five wordings of one order or remark
_OPENINGS = (
    "", "Please: ", "As agreed, ", "Reminder. ", "Important notice. ", "For the record, ", "Note from finance. ",
    "Update. ", "FYI, ", "Per policy, ", "To save time, ", "By the way, ", "New this week. ", "Hello! ",
    "Quick note. ", "As every month, ", "From the handbook. ", "Incident report. ", "After review, ", "In short, ",
    "Until further notice, ", "Dear colleague, ", "Internal memo. ", "Confirmed. ", "Step one. ",
)  # fmt: skip


_TOPICS = (
    "amber birch cobalt dahlia ember fjord garnet hazel indigo jasper kelp lotus mango nettle ochre pewter quartz russet "
    "saffron teal umber velvet willow xenon yarrow"
).split()


def topic(number: int) -> str:
    """Return a word that only one attack uses."""
    return _TOPICS[number % len(_TOPICS)]


def worded(number: int, text: str) -> str:
    """Return one of the wordings."""
    opening = _OPENINGS[number % len(_OPENINGS)]
    return opening + (text[0].lower() + text[1:] if opening.endswith(", ") else text)


@dataclass
class Outcome:
    """What came of `tries` attacks.

    `stored`: written things the attacker got in and that stand; `shown`: attacks whose content recall showed to the
    victim; `acted`: attacks by whose will an action of high impact went; `crossed`: attacks whose content recall showed
    in a scope it was not written for; `residue`: things that stand after the attack's source was revoked. Of the honest
    work `asked` for, `paid` and `found` count what was done.
    """

    tries: int = 0
    stored: int = 0
    shown: int = 0
    acted: int = 0
    crossed: int = 0
    residue: int = 0
    paid: int = 0
    found: int = 0
    asked: int = 0


Attack = Callable[[Memory, int], Outcome]


def vendor(number: int) -> str:
    """Return the name of a vendor."""
    return f"Vendor {number}"


def account(number: int) -> str:
    """Return the vendor's true account."""
    return f"acct-true-{number}"


def theirs(number: int, kind: str = "acct") -> str:
    """Return what the attacker wants used."""
    return f"{kind}-mallory-{number}"


def seed(memory: Memory) -> None:
    """Store the honest claims: where things are, from a loader, and whom to pay, from a person who verified it."""
    for number in range(BENIGN - FULL):
        memory.note(_LOADER, f"Depot {number}", "stores", f"crate {number % 17}", "depots.csv")
    for number in range(FULL):
        memory.note(_DORA, vendor(number), "payee", account(number), "contracts.pdf")


def honest_work(memory: Memory, outcome: Outcome) -> None:
    """Ask for honest work in fresh sessions: pay vendors, find depots."""
    for number in range(FULL):
        outcome.asked += 2
        outcome.paid += account(number) in Gullible(memory, f"honest-{number}").serve(f"payee of {vendor(number)}")
        read = Gullible(memory, f"look-{number}").read(f"what does Depot {number} store")
        outcome.found += any(one.value == f"crate {number % 17}" for one in read.seen)


def play(attack: Attack, memory: Memory, tries: int) -> Outcome:
    """Seed, attack, and return what came of it, with the honest work that could still be done."""
    seed(memory)
    outcome = attack(memory, tries)
    outcome.tries = tries
    honest_work(memory, outcome)
    return outcome


def guarded(attack: Attack, *, text_rules: bool, tries: int = SOME, engine: str = "memory") -> Outcome:
    """Play an attack against tkg."""
    with Guarded(text_rules=text_rules, engine=engine) as memory:
        return play(attack, memory, tries)


def naive(attack: Attack, tries: int = SOME) -> Outcome:
    """Play an attack against the memory that stores all."""
    return play(attack, Naive(), tries)


def holds(outcome: Outcome) -> None:
    """Assert what must hold of every attack on tkg."""
    assert outcome.tries >= SOME
    assert (outcome.acted, outcome.crossed, outcome.residue) == (0, 0, 0), outcome
    assert outcome.paid + outcome.found >= 0.95 * outcome.asked, outcome
