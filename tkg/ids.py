"""The only maker of ids, digests and canonical JSON.

Ids are `<kind>_<26 characters>`: a millisecond time and 80 random bits in Crockford base 32 (the ULID layout),
so they sort by creation and never carry content. Digests of content are salted commitments: without the salt,
which is stored beside the content and removed with it, a digest says nothing about what was erased.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import secrets
from typing import Any, Final, Protocol

from tkg.clock import Clock
from tkg.errors import RequestError

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"

#: id prefix -> what it names. One place, so that a prefix is never used twice.
KINDS: Final[dict[str, str]] = {
    "ten": "tenant",
    "src": "source",
    "evd": "evidence",
    "ent": "entity",
    "slt": "slot",
    "clm": "claim",
    "jst": "justification",
    "art": "artefact",
    "sup": "supersession",
    "cfl": "conflict",
    "ref": "refinement",
    "sta": "status change",
    "ret": "retrieval",
    "vrd": "verdict",
    "rev": "review",
    "ses": "session",
    "prn": "principal",
    "org": "origin",
    "pol": "policy",
    "pre": "predicate",
    "opn": "operation",
    "key": "idempotency key",
    "dgs": "content digest",
    "tmb": "tombstone",
    "nte": "note",
}


#: two digits at a time: every proposal makes a dozen ids
_PAIRS: Final = tuple(high + low for high in _ALPHABET for low in _ALPHABET)


def _base32(value: int, length: int) -> str:
    """Return the last `length` digits (an even number) of `value` in base 32."""
    return "".join([_PAIRS[value >> shift & 1023] for shift in range(5 * length - 10, -10, -10)])


class Ids(Protocol):
    """Makes ids, salts and keys; injected, so that histories are reproducible."""

    def new(self, kind: str) -> str:
        """Return a fresh id of `kind` (a prefix in `KINDS`)."""
        ...

    def salt(self) -> bytes:
        """Return 16 fresh bytes."""
        ...

    def key(self) -> bytes:
        """Return 32 fresh bytes."""
        ...

    def signing_key(self) -> bytes:
        """Return 32 fresh bytes that no id depends on: made when a file is missing, not when a history goes on."""
        ...


class RandomIds:
    """Ids from the operating system's randomness."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def new(self, kind: str) -> str:
        """Return a fresh id of `kind`."""
        millis = int(self._clock.now().timestamp() * 1000)
        return f"{kind}_{_base32(millis, 10)}{_base32(secrets.randbits(80), 16)}"

    def salt(self) -> bytes:
        """Return 16 random bytes."""
        return secrets.token_bytes(16)

    def key(self) -> bytes:
        """Return 32 random bytes."""
        return secrets.token_bytes(32)

    def signing_key(self) -> bytes:
        """Return 32 random bytes."""
        return secrets.token_bytes(32)


class SeededIds:
    """Ids from a seed: for tests and notebooks, never for a store that matters.

    The counter makes ids sort by creation, as `RandomIds` does by time.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._keys = random.Random(f"signing {seed}")
        self._count = 0

    def new(self, kind: str) -> str:
        """Return the next id of `kind`."""
        self._count += 1
        return f"{kind}_{_base32(self._count, 10)}{_base32(self._random.getrandbits(80), 16)}"

    def salt(self) -> bytes:
        """Return the next 16 bytes."""
        return self._random.randbytes(16)

    def key(self) -> bytes:
        """Return the next 32 bytes."""
        return self._random.randbytes(32)

    def signing_key(self) -> bytes:
        """Return the next 32 bytes of a sequence of their own."""
        return self._keys.randbytes(32)


def kind_of(identifier: str) -> str | None:
    """Return what an id names ("claim", "artefact", …), or None if it is not an id.

    Raises:
        RequestError: it is not even text: a whole verdict or artefact, say.
    """
    if not isinstance(identifier, str):
        raise RequestError(f"an id is text such as verdict.claim_id or action.id, not {type(identifier).__name__}")
    prefix, _, rest = identifier.partition("_")
    return KINDS.get(prefix) if len(rest) == 26 else None


def canonical(value: Any) -> str:
    """Return canonical JSON: sorted keys, no spaces, no floats beyond the shortest form, UTF-8 text kept.

    The form follows RFC 8785 for the values tkg uses (strings, integers, booleans, null, lists, objects);
    integers are written exactly, also beyond 2**53.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def keyed(kind: str, key: bytes, *parts: str) -> str:
    """Return the id of `kind` that `parts` always get under this tenant's `key` (HMAC-SHA-256).

    Used for sources, entities, slots, sessions, principals and origins: equal names meet in one node, and the
    id alone says nothing about the name to someone without the key.
    """
    mac = hmac.new(key, canonical([kind, *parts]).encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return f"{kind}_{_base32(int.from_bytes(mac[:17], 'big') >> 6, 26)}"


def commitment(salt: bytes, content: str) -> str:
    """Return the hex SHA-256 that commits to `content` under `salt`."""
    return hashlib.sha256(salt + content.encode("utf-8")).hexdigest()


def digest(content: str) -> str:
    """Return the hex SHA-256 of `content` (unsalted: only for values that are kept beside it)."""
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


def chain_hash(body: str) -> str:
    """Return the hash of one ledger entry's canonical body (RFC 9162 leaf: prefix 0x00)."""
    return hashlib.sha256(b"\x00" + body.encode("utf-8")).hexdigest()
