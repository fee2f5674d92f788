"""An export as PROV-JSON (W3C PROV-DM): what was generated, derived, used, attributed and invalidated, by the library `prov`.

Claims, evidence, sources, texts, verdicts and notes are entities; each ledger entry and each read is an activity; whoever
spoke or decided is an agent. Every field of a record travels as an attribute in the namespace `urn:tkg:`, so that nothing
of the export is lost on the way. The same bytes for the same ledger.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tkg.errors import Unsupported
from tkg.ids import canonical

if TYPE_CHECKING:
    from prov.model import ProvDocument

#: namespace of ids and attributes
NAMESPACE: Final = "urn:tkg:"
#: statuses after which a node is no longer to be used
_ENDS: Final = frozenset({"revoked", "rejected", "erased"})
#: fields that a relation says, and so no attribute has to
_RELATIONS: Final = frozenset({"id", "seq", "tx_time", "op", "under", "requires", "shown", "key"})


def to_prov(lines: Iterable[str]) -> str:
    """Return the PROV-JSON of an export.

    Args:
        lines: as `tkg.memory.dumping.export` yields them, header first.

    Raises:
        Unsupported: the library is not installed.
    """
    try:
        from prov.model import ProvDocument
    except ImportError:
        raise Unsupported("PROV-JSON needs the library prov: pip install 'tkg[prov]'") from None
    document = ProvDocument()
    document.add_namespace("tkg", NAMESPACE)
    writer = _Writer(document)
    for line in lines:
        fields = json.loads(line)
        if "record" in fields:
            writer.write(fields)
    return canonical(json.loads(document.serialize(format="json") or "{}")) + "\n"


class _Writer:
    """Adds records, in the order of the ledger, to a document."""

    def __init__(self, document: ProvDocument) -> None:
        self._document = document
        self._agents: set[str] = set()
        self._activities: set[str] = set()

    def write(self, fields: Mapping[str, Any]) -> None:
        """Add one line of an export."""
        activity, time = self._activity(fields), fields["tx_time"]
        name = _name(fields["id"])
        match fields["record"]:
            case "justification":
                self._derived(fields, activity)
            case "supersession":
                self._document.wasRevisionOf(
                    _name(fields["winner"]),
                    _name(fields["loser"]),
                    activity,
                    identifier=name,
                    other_attributes=self._attributes(fields),
                )
            case "refinement":
                self._document.specializationOf(_name(fields["finer"]), _name(fields["coarser"]))
                self._entity(fields, activity, time)
            case "status":
                self._changed(fields, activity, time)
            case "retrieval":
                self._read(fields, activity, time)
            case _:
                self._entity(fields, activity, time)

    def _attributes(self, fields: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        """Return the fields of a record as attributes; lists as repeated ones, what is nested as JSON."""
        found: list[tuple[Any, Any]] = [("prov:type", self._word(fields["record"]))]
        for name, value in fields.items():
            if name in _RELATIONS or value is None:
                continue
            for one in value if isinstance(value, list) else [value]:
                found.append((f"tkg:{name}", canonical(one) if isinstance(one, dict | list) else one))
        return found

    def _word(self, word: str) -> Any:
        return self._document.valid_qualified_name(f"tkg:{word}")

    def _activity(self, fields: Mapping[str, Any]) -> str:
        """Return the activity of a ledger entry, made at its first record."""
        name = f"tkg:tx-{fields['seq']}"
        if name not in self._activities:
            self._activities.add(name)
            time = fields["tx_time"]
            about = [
                ("prov:type", self._word(fields["op"])),
                ("tkg:scope", fields["under"]),
                ("tkg:seq", fields["seq"]),
            ]
            self._document.activity(name, time, time, about)
        return name

    def _agent(self, identifier: str, label: str | None) -> str:
        name = _name(identifier)
        if name not in self._agents:
            self._agents.add(name)
            self._document.agent(name, [] if label is None else [("prov:label", label)])
        return name

    def _entity(self, fields: Mapping[str, Any], activity: str, time: str) -> None:
        name = _name(fields["id"])
        self._document.entity(name, self._attributes(fields))
        self._document.wasGeneratedBy(name, activity, time)
        if fields["record"] == "evidence":
            self._document.hadPrimarySource(name, _name(fields["source_id"]))
            self._document.wasAttributedTo(name, self._agent(fields["principal_id"], fields["principal"]))
            if fields["copy_of"] is not None:
                self._document.wasQuotedFrom(name, _name(fields["copy_of"]))
        for about in ("claim_id", "artefact_id", "left", "right"):
            if fields.get(about) is not None:
                self._document.wasInfluencedBy(name, _name(fields[about]))

    def _derived(self, fields: Mapping[str, Any], activity: str) -> None:
        """Add one derivation for each thing that is required; together they are one justification, which they name."""
        for place, one in enumerate(fields["requires"]):
            self._document.wasDerivedFrom(
                _name(fields["head"]),
                _name(one),
                activity,
                identifier=f"{_name(fields['id'])}.{place}",
                other_attributes=[*self._attributes(fields), ("tkg:justification", fields["id"])],
            )

    def _changed(self, fields: Mapping[str, Any], activity: str, time: str) -> None:
        name, target, about = _name(fields["id"]), _name(fields["target"]), self._attributes(fields)
        if fields["axis"] == "status" and fields["value"] in _ENDS:
            self._document.wasInvalidatedBy(target, activity, time, identifier=name, other_attributes=about)
        else:
            self._document.wasInfluencedBy(target, activity, identifier=name, other_attributes=about)

    def _read(self, fields: Mapping[str, Any], activity: str, time: str) -> None:
        name = _name(fields["id"])
        self._document.activity(name, time, time, self._attributes(fields))
        self._document.wasAssociatedWith(name, self._agent(fields["principal_id"], fields["principal"]))
        self._document.wasInformedBy(name, activity)
        for one in fields["shown"]:
            self._document.used(name, _name(one), time)


def _name(identifier: str) -> str:
    """Return an id as a qualified name; what targets of changes may hold besides ids (scope paths) is made to fit."""
    return f"tkg:{identifier.replace('/', '.').replace(':', '.')}"
