"""How an operation becomes a hashed body and sealed content, and how both become an entry again.

Both ledgers use this module and nothing else for it, so equal clocks, ids and drafts give equal bytes.

The body of an entry is canonical JSON: `seq`, `tx_time`, `op`, `scope`, `prev` (hash of the entry before, "" for the
first) and `records`. A record stands in it without its sealed fields; when any of these holds something, `commitment`
stands for them: SHA-256 over a random salt and the canonical JSON of the sealed fields. Salt and JSON are kept apart
and can be removed without touching the chain (the hash is the leaf hash of RFC 9162).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, get_args

from tkg.clock import Clock
from tkg.errors import Damaged, InvalidText, RequestError, TooLarge
from tkg.ids import Ids, canonical, chain_hash, commitment
from tkg.ledger.port import Finding, Head, Row
from tkg.model.entry import Draft, Entry, Record
from tkg.model.time import Instant, to_instant

#: sealed fields of each kind of record
_SEALED: Final[dict[str, frozenset[str]]] = {
    model.model_fields["record"].default: model.sealed for model in get_args(get_args(Record)[0])
}
#: most records of one entry
MAX_RECORDS: Final = 1 << 20


class Content(NamedTuple):
    """What is kept of one record beside the body; `commitment` is None where the record seals nothing.

    `salt` and `text` are both None where there is nothing, or nothing any more.
    """

    id: str
    commitment: str | None
    salt: bytes | None
    text: str | None


class Written(NamedTuple):
    """One entry ready to be stored: the value, its body, and one `Content` per record in order."""

    entry: Entry
    body: str
    contents: tuple[Content, ...]


def compose(head: Head, drafts: Sequence[Draft], clock: Clock, ids: Ids) -> list[Written]:
    """Return the entries that follow `head`.

    The clock is read once. Transaction times never go back: each is at least one microsecond after the one before.

    Raises:
        RequestError: a record id occurs twice in `drafts`.
        TooLarge: more than `MAX_RECORDS` records in one operation.
        InvalidText: a text cannot be written as UTF-8.
    """
    now = to_instant(clock.now())
    seen: set[str] = set()
    out: list[Written] = []
    for draft in drafts:
        if len(draft.records) > MAX_RECORDS:
            raise TooLarge(f"operation {draft.op!r} has more than {MAX_RECORDS} records; split it")
        for record in draft.records:
            if record.id in seen:
                raise duplicate(record.id)
            seen.add(record.id)
        try:
            written = _compose_one(head, draft, max(now, head.tx_time + 1), ids)
        except UnicodeEncodeError:
            raise InvalidText(f"a text of operation {draft.op!r} holds a lone surrogate; pass valid Unicode") from None
        out.append(written)
        head = Head(written.entry.seq, written.entry.hash, written.entry.tx_time)
    return out


def _compose_one(head: Head, draft: Draft, tx_time: int, ids: Ids) -> Written:
    bodies: list[dict[str, Any]] = []
    contents: list[Content] = []
    for record in draft.records:
        fields, content = _seal(record, ids)
        bodies.append(fields)
        contents.append(content)
    seq = head.seq + 1
    body = canonical(
        {
            "seq": seq,
            "tx_time": tx_time,
            "op": draft.op,
            "scope": draft.scope,
            "records": bodies,
            "prev": head.hash,
        }
    )
    entry = Entry(
        seq=seq,
        tx_time=tx_time,
        op=draft.op,
        scope=draft.scope,
        records=draft.records,
        prev=head.hash,
        hash=chain_hash(body),
    )
    return Written(entry, body, tuple(contents))


def _seal(record: Record, ids: Ids) -> tuple[dict[str, Any], Content]:
    """Split a record into the fields the chain hashes and the content that can be removed."""
    fields = record.model_dump(mode="json")
    sealed = {name: fields.pop(name) for name in sorted(record.sealed)}
    if all(value is None for value in sealed.values()):
        return fields, Content(record.id, None, None, None)
    text, salt = canonical(sealed), ids.salt()
    fields["commitment"] = commitment(salt, text)
    return fields, Content(record.id, fields["commitment"], salt, text)


def restore(seq: int, body: str, digest: str, prev: str, contents: Sequence[Content]) -> Entry:
    """Check one stored entry and return it; sealed fields of erased records are None.

    Args:
        seq: where it must stand.
        body: its canonical body.
        digest: the hash stored with it.
        prev: the hash of the entry before.
        contents: what is stored for its records, in order.

    Raises:
        Damaged: anything does not match; the message names the sequence number.
    """
    if chain_hash(body) != digest:
        raise _damaged(seq, "the body does not match its hash")
    try:
        fields = json.loads(body)
        if fields["seq"] != seq:
            raise _damaged(seq, f"the body says it is entry {fields['seq']}")
        if fields["prev"] != prev:
            raise _damaged(seq, "it does not follow the entry before it")
        if len(fields["records"]) != len(contents):
            raise _damaged(seq, f"{len(fields['records'])} records, {len(contents)} stored")
        records = [_unseal(seq, record, content) for record, content in zip(fields["records"], contents, strict=True)]
        return Entry.model_validate({**fields, "records": records, "hash": digest})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # ValidationError repeats its input, which may be content: only the kind of error is told
        raise _damaged(seq, f"it cannot be read ({type(error).__name__})") from None


def _unseal(seq: int, record: dict[str, Any], content: Content) -> dict[str, Any]:
    fields = dict(record)
    expected = fields.pop("commitment", None)
    if content.id != fields["id"]:
        raise _damaged(seq, "content of another record stands in its place")
    if content.commitment != expected:
        raise _damaged(seq, f"content of {content.id} is bound to another commitment")
    fields.update(dict.fromkeys(_SEALED[fields["record"]]))
    if (content.salt is None) != (content.text is None):
        raise _damaged(seq, f"content of {content.id} is half there")
    if content.salt is None or content.text is None:
        return fields
    if expected is None or commitment(content.salt, content.text) != expected:
        raise _damaged(seq, f"content of {content.id} does not match its commitment")
    fields.update(json.loads(content.text))
    return fields


def opened(bound: str, salt: bytes | None, text: bytes) -> str:
    """Return content read on its own, after checking it against its commitment.

    Raises:
        Damaged: it does not match.
    """
    try:
        content = text.decode()
    except UnicodeDecodeError:
        content = ""
    if commitment(salt or b"", content) != bound:
        raise Damaged("content does not match its commitment; run `tkg verify` and restore the ledger from a backup")
    return content


def duplicate(identifier: str) -> RequestError:
    """Return the error for a record id that is already taken."""
    return RequestError(f"record id {identifier} is already in the ledger; ids are never used twice")


def _damaged(seq: int, what: str) -> Damaged:
    return Damaged(f"ledger entry {seq}: {what}; run `tkg verify` and restore the ledger from a backup")


def decode_time(seq: int, body: str) -> Instant:
    """Return the transaction time in a body.

    Raises:
        Damaged: there is none.
    """
    try:
        return int(json.loads(body)["tx_time"])
    except (ValueError, KeyError, TypeError):
        raise _damaged(seq, "it has no time") from None


def examine(stored: Iterable[tuple[Row, Sequence[Content]]]) -> Iterator[Finding]:
    """Check a whole ledger from its first entry and yield what is wrong, without stopping at the first.

    After a wrong entry the chain goes on from what that entry says of itself, so that one damaged entry is told
    once and not once per successor.
    """
    expected, prev = 1, ""
    for row, contents in stored:
        if row.seq != expected:
            yield Finding(row.seq, "gap", f"entry {expected} should stand here, found entry {row.seq}")
        try:
            restore(row.seq, row.body, row.hash, prev, contents)
        except Damaged as error:
            yield Finding(row.seq, "entry", str(error))
        expected, prev = row.seq + 1, row.hash
