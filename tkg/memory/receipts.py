"""Receipts of erasures: what they say, and whether it is still true."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from tkg.errors import NotFound, RequestError, TkgError
from tkg.ids import canonical, chain_hash
from tkg.ledger.heads import Signer, load_signer, signer_of
from tkg.ledger.port import Ledger
from tkg.ledger.proof import Proof, prove
from tkg.memory.checking import KEY, read_public
from tkg.memory.tenant import Tenant

FORMAT: Final = "tkg.receipt/2"
#: receipts of the first form have neither proof nor signature
_FIRST: Final = "tkg.receipt/1"
#: name of the note that holds a receipt
ABOUT: Final = "receipt:{}"

#: what no erasure inside a store can reach; in every receipt
NOT_COVERED: Final[tuple[tuple[str, str], ...]] = (
    ("copies on the device", "worn-levelled cells, file system snapshots and swap are not under the store's control"),
    ("files outside the store", "exports and backups that were written elsewhere have to be destroyed where they are"),
    ("readers", "what was shown to people, agents and model providers cannot be called back; notify the recipients"),
    (
        "structure",
        "ids, times, classes and edges of what was erased remain, without content, so that nothing resurfaces",
    ),
    (
        "keyed digests",
        "names are remembered as keyed digests that keep them erased; with the tenant's key a guess can be tested",
    ),
)


class Check(NamedTuple):
    """One thing a verification looked at: whether it holds, and what was found."""

    what: str
    holds: bool
    detail: str


def signer(tenant: Tenant) -> Signer | None:
    """Return what signs the store's heads, and its receipts; None for a store in memory.

    Raises:
        Damaged, DiskFull, RequestError: the key cannot be read, or made.
    """
    return None if tenant.folder is None else load_signer(tenant.folder.parent.parent / KEY, tenant.ids)


def logged(ledger: Ledger, seq: int, digest: str) -> dict[str, Any]:
    """Return where an erasure stands in the ledger: its entry, and the proof (RFC 9162) that a tree holds it."""
    found = prove(ledger, seq)
    return {
        "seq": seq,
        "hash": digest,
        "head": ledger.head.hash,
        "leaf": found.leaf,
        "size": found.size,
        "root": found.root,
        "inclusion": list(found.inclusion),
    }


def sign(tenant: Tenant, receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Return a receipt signed with the key of the store's heads, so that somebody without the store can check it.

    The erasure is acknowledged by now: where the key has been lost since, the receipt says so and stays unsigned.
    """
    try:
        by = signer(tenant)
    except TkgError:
        return {**receipt, "key": None, "signature": None, "unsigned": "the signing key could not be read"}
    if by is None:
        return {**receipt, "key": None, "signature": None, "unsigned": "a store in memory has no signing key"}
    return by.signed(receipt)


def seal(tenant: Tenant, receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Return a receipt with its keyed seal: only the tenant's own store can have made it."""
    body = {key: value for key, value in receipt.items() if key != "mac"}
    mac = hmac.new(tenant.ledger.key, canonical(["receipt", body]).encode(), "sha256").hexdigest()
    return {**body, "mac": mac}


def removed_in(body: str) -> list[str]:
    """Return the records whose content an erasure's entry removes, read from its canonical body."""
    wanted = (("status", "erased"), ("content", "removed"))
    return [
        record["target"]
        for record in json.loads(body)["records"]
        if record["record"] == "status" and (record["axis"], record["value"]) in wanted
    ]


def sealed_note(ledger: Ledger, record: Mapping[str, Any]) -> Any:
    """Return the JSON in a note's body; None when it is gone."""
    text = None if "commitment" not in record else ledger.content(record["commitment"])
    body = None if text is None else json.loads(text)["body"]
    return None if body is None else json.loads(body)


def stored(ledger: Ledger, receipt_id: str) -> dict[str, Any] | None:
    """Return the receipt as the ledger keeps it."""
    for row in ledger.rows():
        if '"forgotten"' not in row.body:
            continue
        for record in json.loads(row.body)["records"]:
            if record["record"] == "note" and record["about"] == ABOUT.format(receipt_id):
                found = sealed_note(ledger, record)
                return found if isinstance(found, dict) else None
    return None


def read(text: str) -> dict[str, Any]:
    """Return a receipt from its JSON.

    Raises:
        RequestError: it is none.
    """
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict) and "receipt" in found:
        found = found["receipt"]
    known = isinstance(found, dict) and found.get("format") in (FORMAT, _FIRST)
    if not known or not isinstance(found.get("receipt_id"), str):
        raise RequestError("that is not a receipt of an erasure; pass the JSON that `tkg forget` printed")
    assert isinstance(found, dict)
    return found


def _signature(tenant: Tenant, receipt: Mapping[str, Any]) -> Iterator[Check]:
    """Yield whether the receipt is signed with the key of the store's heads; the keyed seal is around the signature."""
    if receipt.get("format") == _FIRST:
        return
    key = signer_of({name: value for name, value in receipt.items() if name != "mac"})
    if tenant.folder is None:
        yield Check("signature", receipt.get("key") is None, "a store in memory has no signing key")
        return
    own = key is not None and key == read_public(tenant.folder.parent.parent)
    detail = "by the key of the store's heads" if own else "by another key" if key else "none that matches it"
    yield Check("signature", own, detail)


def _proof(ledger: Ledger, kept: Mapping[str, Any], leaf: str) -> Iterator[Check]:
    """Yield whether the inclusion proof leads from the erasure's entry to its root, and the ledger still has that root."""
    if kept.get("format") == _FIRST:
        return
    log = kept["log"]
    said = Proof(
        seq=log["seq"], leaf=log["leaf"], size=log["size"], root=log["root"], inclusion=tuple(log["inclusion"])
    )
    holds = said.leaf == leaf and said.holds()
    yield Check("proof", holds, f"entry {said.seq} is in the tree of {said.size} entries with root {said.root[:16]}")
    same = ledger.head.seq >= said.size and prove(ledger, said.seq, said.size).root == said.root
    yield Check("root", same, f"the ledger's first {said.size} entries still have that root")


def verify(tenant: Tenant, receipt: Mapping[str, Any]) -> list[Check]:
    """Compare a receipt with the store as it is now; see `Handle.verify_receipt`."""
    if not isinstance(receipt, Mapping) or not isinstance(receipt.get("receipt_id"), str):
        raise RequestError(
            "that is no receipt: pass the whole mapping that forget returned, or that handle.receipt(id) finds"
        )
    checks = [Check("seal", seal(tenant, receipt) == dict(receipt), "made by this tenant's store")]
    checks += _signature(tenant, receipt)
    kept = stored(tenant.ledger, str(receipt["receipt_id"]))
    checks.append(Check("ledger", kept == dict(receipt), "the same receipt stands in the ledger"))
    if kept is None:
        return checks
    seq = int(kept["log"]["seq"])
    row = next((one for one in tenant.ledger.rows(seq - 1)), None)
    whole = row is not None and row.seq == seq and chain_hash(row.body) == row.hash == kept["log"]["hash"]
    checks.append(Check("entry", whole, f"entry {seq} of the ledger is the erasure the receipt names"))
    if row is None or not whole:
        return checks
    checks += _proof(tenant.ledger, kept, row.leaf.hex())
    gone = set(removed_in(row.body))
    left = [one for one, _ in tenant.ledger.sealed() if one in gone]
    checks.append(Check("content", not left, f"{len(gone)} records, {len(left)} of which have content"))
    shown = [one for one in gone if has_content(tenant, one)]
    checks.append(Check("graph", not shown, f"{len(gone)} records, {len(shown)} of which the graph still tells"))
    return checks


def has_content(tenant: Tenant, identifier: str) -> bool:
    """Return whether the graph tells anything of what a claim, piece of evidence, text or source says."""
    if (claim := tenant.graph.claim(identifier)) is not None:
        one = claim.claim
        return any(part is not None for part in (one.subject, one.predicate, one.object, one.object_norm))
    if (evidence := tenant.graph.evidence(identifier)) is not None:
        said = evidence.evidence
        return any(
            part is not None
            for part in (said.quote, said.version, said.locator, said.principal, said.session, said.extractor)
        )
    if (artefact := tenant.graph.artefact(identifier)) is not None:
        return artefact.artefact.content is not None or bool(artefact.artefact.meta)
    if (read_ := tenant.graph.retrieval(identifier)) is not None:
        return read_.retrieval.query is not None
    source = tenant.graph.source(identifier)
    return source is not None and source.uri is not None


def find(tenant: Tenant, receipt_id: str) -> dict[str, Any]:
    """Return a receipt by its id.

    Raises:
        NotFound: there is none.
    """
    found = stored(tenant.ledger, receipt_id)
    if found is None:
        raise NotFound("no receipt of that id in this tenant; what `forget` printed has it")
    return found


def counted(ids: Iterable[str], kinds: Mapping[str, str]) -> dict[str, int]:
    """Return how many records of each kind."""
    found: dict[str, int] = {}
    for one in ids:
        kind = kinds.get(one, "record")
        found[kind] = found.get(kind, 0) + 1
    return dict(sorted(found.items()))
