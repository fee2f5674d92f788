"""The predicate registry: what is declared about a predicate decides what counts as a contradiction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Self

from pydantic import field_validator

from tkg.errors import InvalidPredicate, InvalidTime
from tkg.model.base import Value
from tkg.model.instant import duration
from tkg.text import MAX_NAME, clean, match_form

_RULE: Final = re.compile(
    r"(?P<ends>ends\s+)?(?P<word>before|after|during)\s+(?P<name>\S(?:.*?\S)?)(?:\s\+\s*(?P<length>[0-9]+\s*[a-z]+))?"
)


class OrderRule(NamedTuple):
    """A declared order: `[ends] before|after PREDICATE [+ LENGTH]` or `during PREDICATE`.

    `ends`: the end of the claim is meant, not its start. `later`: microseconds added to the start of the other claim.
    """

    word: str
    name: str
    ends: bool = False
    later: int = 0

    @classmethod
    def read(cls, rule: str) -> OrderRule:
        """Read one entry of `order`.

        Raises:
            InvalidPredicate: it is of another form.
        """
        match = _RULE.fullmatch(rule.strip())
        if match is None or (match["word"] == "during" and (match["ends"] or match["length"])):
            raise InvalidPredicate(
                "an order rule is 'before', 'after' or 'during' and a predicate, such as 'after born', "
                "'after born + 16y' or 'ends before died'"
            )
        try:
            later = 0 if match["length"] is None else duration(match["length"])
        except InvalidTime as error:
            raise InvalidPredicate(f"in an order rule: {error}") from None
        return cls(match["word"], match["name"], match["ends"] is not None, later)


class Predicate(Value):
    """Declaration of one predicate; the defaults are what an undeclared predicate gets (multi-valued).

    Keys as in the design: `cardinality` one, many or a number k; `values` closed groups of values that exclude each
    other (synonyms in one name, `"tenant|renter"`, the first is canonical); `disjoint` the same without closing the
    list of values; `live` state that one tool call
    answers and memory must not hold, `tool` and `query` say where ("{subject}" stands for it); `consequence` high asks for a second factor; `review_after`, `ttl` like "30d";
    `system_of_record` the uri (or uris) that decide; `refines` child value -> parent value; `separators` names of
    qualifiers that allow several values; `excludes` predicates that cannot hold at the same time; `order` rules such
    as "after started_at", "after born + 16y" or "ends before died" (see `OrderRule`); `datatype` text, number, quantity,
    date, enum, boolean, url, email, version, entity or place; auto (the default) reads plain numbers as numbers and all else as text.
    """

    name: str
    cardinality: Literal["one", "many"] | int = "many"
    values: tuple[tuple[str, ...], ...] = ()
    disjoint: tuple[tuple[str, ...], ...] = ()
    live: bool = False
    tool: str | None = None
    query: str | None = None
    consequence: Literal["low", "high"] = "low"
    review_after: str | None = None
    ttl: str | None = None
    system_of_record: tuple[str, ...] = ()
    symmetric: bool = False
    inverse_of: str | None = None
    inverse_functional: bool = False
    refines: Mapping[str, str] = {}
    separators: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    #: what its facts are about: those about a system are the tenant's by default, those about a person the user's
    about: Literal["system", "person"] | None = None
    datatype: str = "auto"
    tolerance: str | None = None
    #: how much newer an origin's own assertion must be to count as newer, like "0s"
    epsilon: str = "0s"
    declared: bool = True

    @field_validator("name")
    @classmethod
    def _name(cls, value: str) -> str:
        return check_predicate(value)

    @field_validator("cardinality")
    @classmethod
    def _cardinality(cls, value: object) -> object:
        if isinstance(value, bool) or (isinstance(value, int) and value < 1):
            raise InvalidPredicate("cardinality is one, many or a number from 1 up")
        return "one" if value == 1 else value

    @field_validator("order")
    @classmethod
    def _order(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for rule in value:
            OrderRule.read(rule)
        return value

    @field_validator("system_of_record", mode="before")
    @classmethod
    def _several(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def limit(self) -> int | None:
        """Most values that may hold at one instant; None for any number."""
        if self.cardinality == "many":
            return None
        return 1 if self.cardinality == "one" else self.cardinality

    @cached_property
    def order_rules(self) -> tuple[OrderRule, ...]:
        """The entries of `order`, read."""
        return tuple(map(OrderRule.read, self.order))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Match form of every listed value and synonym -> its canonical form."""
        return {
            match_form(name): match_form(entry.split("|")[0])
            for group in (*self.values, *self.disjoint)
            for entry in group
            for name in entry.split("|")
        }

    @cached_property
    def exclusive(self) -> tuple[frozenset[str], ...]:
        """Groups of canonical values of which at most one holds at a time."""
        return tuple(
            frozenset(match_form(entry.split("|")[0]) for entry in group) for group in (*self.values, *self.disjoint)
        )

    @cached_property
    def tree(self) -> Mapping[str, str]:
        """The refinement tree in match form: child -> parent."""
        return {match_form(child): match_form(parent) for child, parent in self.refines.items()}

    @cached_property
    def places(self) -> frozenset[str]:
        """Every value that the refinement tree knows, in match form."""
        return frozenset(self.tree) | frozenset(self.tree.values())


def check_predicate(value: object) -> str:
    """Return a predicate's name in its stored form (trimmed, NFC), or refuse it.

    Raises:
        InvalidPredicate: missing, empty or not text.
    """
    if not isinstance(value, str) or not value.strip():
        raise InvalidPredicate("a claim needs a predicate, such as 'destination'")
    return clean(value.strip(), "predicate", limit=MAX_NAME)


class Registry(Value):
    """All declared predicates; `get` answers for every name."""

    predicates: Mapping[str, Predicate] = {}

    @cached_property
    def _by_form(self) -> Mapping[str, Predicate]:
        """Declarations by the form in which names are compared: "Lives_In" is "lives_in"."""
        return {match_form(name): predicate for name, predicate in self.predicates.items()}

    def get(self, name: str) -> Predicate:
        """Return the declaration of `name`, or the default (multi-valued, low consequence)."""
        found = self._by_form.get(match_form(name))
        return found if found is not None else Predicate(name=name, declared=False)

    @classmethod
    def of(cls, declarations: Mapping[str, Mapping[str, Any]]) -> Self:
        """Read `{name: {key: value}}` as in `tkg.toml` and the acceptance cases.

        Raises:
            InvalidPredicate: a name or key that cannot be, or two names that differ only in how they are written.
        """
        made = cls(predicates={name: Predicate.build(name=name, **keys) for name, keys in declarations.items()})
        if len(made._by_form) < len(made.predicates):
            raise InvalidPredicate("two predicates differ only in how their names are written; declare one of them")
        return made
