"""The Debian graph: packages that hold while, of each group of alternatives they ask for, one holds.

Made acyclic as the data's description says: within a strongly connected component the alternatives that lie in the same
component go, and so does a group that this empties. A group empty from the start never holds.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import networkx as nx

from tkg.clock import Clock
from tkg.ids import Ids
from tkg.memory.names import Names
from tkg.model.claim import Claim, Justification
from tkg.model.entry import Draft, Record
from tkg.model.evidence import Source, StoredEvidence
from tkg.model.scope import Channel
from tkg.model.time import Interval, to_instant

#: package -> its groups, each a list of alternatives
Packages = Mapping[str, Sequence[Sequence[str]]]

#: what a group without alternatives asks for: something that is nowhere to be had
NOTHING: Final = "(nothing)"
#: between the alternatives in the name of a group
_OR: Final = " | "
_PER_ENTRY: Final = 50
SAMPLE: Final[Packages] = {
    "libc": (),
    "dpkg": (("libc",), ("tar",)),
    "tar": (("libc",), ("dpkg",)),
    "exim": (("libc",),),
    "postfix": (("libc",), ("openssl",)),
    "openssl": (("libc",),),
    "mailer": (("exim", "postfix"), ("dpkg",)),
    "web": (("openssl",), ("mailer",)),
    "lost": ((),),
    "near": (("lost", "web"),),
    "far": (("lost",), ("web",)),
}


def read(path: Path) -> dict[str, list[list[str]]]:
    """Return the packages of `debian_graph.jsonl.gz`."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return dict(json.loads(line) for line in lines)


def acyclic(packages: Packages) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the same packages without the alternatives that lead round in a circle."""
    graph = nx.DiGraph()
    graph.add_nodes_from(packages)
    graph.add_edges_from((one, other) for one, groups in packages.items() for group in groups for other in group)
    ring = {
        node: number
        for number, part in enumerate(nx.strongly_connected_components(graph))
        if len(part) > 1
        for node in part
    }
    made = {}
    for one, groups in packages.items():
        kept = []
        for group in groups:
            left = tuple(other for other in group if other != one and (one not in ring or ring.get(other) != ring[one]))
            if left or not group:
                kept.append(left)
        made[one] = tuple(dict.fromkeys(kept))
    return made


def holding(packages: Packages, without: Iterable[str] = ()) -> set[str]:
    """Return the packages that hold, by plain propagation in memory: the baseline."""
    gone = set(without)
    users: dict[str, list[tuple[str, int]]] = {}
    open_groups: dict[str, int] = {}
    met: set[tuple[str, int]] = set()
    for one, groups in packages.items():
        open_groups[one] = len(groups)
        for number, group in enumerate(groups):
            for other in group:
                users.setdefault(other, []).append((one, number))
    ahead = [one for one, number in open_groups.items() if number == 0 and one not in gone]
    found = set(ahead)
    while ahead:
        for user in users.get(ahead.pop(), ()):
            if user in met:
                continue
            met.add(user)
            open_groups[user[0]] -= 1
            if open_groups[user[0]] == 0 and user[0] not in gone and user[0] not in found:
                found.add(user[0])
                ahead.append(user[0])
    return found


def digest(names: Iterable[str]) -> str:
    """Return the sha256 of sorted names, one a line."""
    return sha256("\n".join(sorted(names)).encode()).hexdigest()


def drafts(packages: Packages, names: Names, ids: Ids, clock: Clock, scope: str) -> Iterator[Draft]:
    """Yield the packages as claims, antecedents first.

    A package that asks for nothing rests on evidence of its own, any other on one justification over its groups. A group
    of several alternatives is a claim of its own with one justification for each; groups that ask for the same are one.
    What an empty group asks for is a claim with evidence, to be revoked.
    """
    maker = _Maker(names, ids, to_instant(clock.now()), scope)
    graph = nx.DiGraph()
    graph.add_nodes_from(packages)
    graph.add_edges_from((other, one) for one, groups in packages.items() for group in groups for other in group)
    records: list[Record] = [maker.source, *maker.stated(NOTHING)]
    for number, one in enumerate(nx.lexicographical_topological_sort(graph), 1):
        needed = []
        for group in packages.get(one, ()):
            found, added = maker.group(group)
            needed.append(found)
            records += added
        records += maker.derived(one, [needed]) if needed else maker.stated(one)
        if number % _PER_ENTRY == 0:
            yield Draft(op="propose", scope=scope, records=tuple(records))
            records = []
    if records:
        yield Draft(op="propose", scope=scope, records=tuple(records))


class _Maker:
    """Makes the records; ids are drawn in order, so that equal packages give equal stores."""

    def __init__(self, names: Names, ids: Ids, now: int, scope: str) -> None:
        self._names, self._ids, self._now, self._scope = names, ids, now, scope
        self._origin, self._principal = names.origin("archive"), names.principal("archive")
        self._object = names.entity("yes")
        self.source = Source(id=names.source("debian:bookworm"), uri="debian:bookworm")
        self._claims: dict[str, str] = {}
        self._interval = Interval.make(None, None, default_from=now)

    def _claim(self, subject: str) -> Claim:
        made = Claim(
            id=self._ids.new("clm"),
            scope=self._scope,
            slot_id=self._names.slot(self._scope, subject, "installable"),
            subject_id=self._names.entity(subject),
            object_id=self._object,
            interval=self._interval,
            subject=subject,
            predicate="installable",
            object="yes",
            object_norm="yes",
        )
        self._claims[subject] = made.id
        return made

    def _because(self, head: Claim, requires: Sequence[str], **fields: Any) -> Justification:
        return Justification(
            id=self._ids.new("jst"),
            head=head.id,
            requires=tuple(dict.fromkeys(requires)),
            channel=Channel.TRUSTED_TOOL,
            origins=(self._origin,),
            observed_at=self._now,
            slot_id=head.slot_id,
            **fields,
        )

    def stated(self, subject: str) -> list[Record]:
        """Return a claim with evidence of its own."""
        evidence = StoredEvidence(
            id=self._ids.new("evd"),
            scope=self._scope,
            source_id=self.source.id,
            channel=Channel.TRUSTED_TOOL,
            origin=self._origin,
            principal_id=self._principal,
            observed_at=self._now,
            quote=subject,
            principal="archive",
        )
        made = self._claim(subject)
        return [evidence, made, self._because(made, [evidence.id])]

    def derived(self, subject: str, alternatives: Iterable[Sequence[str]]) -> list[Record]:
        """Return a claim with one justification for each list of antecedents."""
        made = self._claim(subject)
        return [made, *(self._because(made, one, kind="derivation") for one in alternatives)]

    def group(self, alternatives: Sequence[str]) -> tuple[str, list[Record]]:
        """Return the id of the claim that a group is, with the records it takes if it is new."""
        names = list(dict.fromkeys(alternatives)) or [NOTHING]
        name = _OR.join(sorted(names))
        if name in self._claims:
            return self._claims[name], []
        made = self.derived(name, [[self._claims[one]] for one in names])
        return self._claims[name], made


def is_package(subject: str) -> bool:
    """Return whether a subject is a package, not a group or what an empty group asks for."""
    return _OR not in subject and subject != NOTHING
