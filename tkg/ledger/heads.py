"""Signed heads: what the ledger held at a moment, in a few lines that can be kept somewhere else.

A chain does not help against somebody who can rewrite the whole file. A head that lies in another place (another disk, a
ticket, a mail) does: `tkg verify --witness FILE` shows whether the ledger still continues it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from tkg.errors import Damaged, NotFound, RequestError
from tkg.files import write_whole
from tkg.ids import Ids, canonical
from tkg.ledger.faults import translated
from tkg.ledger.merkle import Frontier
from tkg.ledger.port import Ledger
from tkg.model.base import Value

#: form of a signed head
FORMAT: Final = "tkg.head/1"
#: largest file of heads that is read, in bytes
_LARGEST: Final = 64 << 20


class SignedHead(Value):
    """Size and root of a tenant's tree, the newest entry's hash and time, and who says so.

    `root`, `hash`, `key` (the public key) and `signature` (Ed25519 over the canonical JSON of all else) are hex.
    """

    format: str = FORMAT
    tenant: str
    size: int
    root: str
    hash: str
    tx_time: int
    key: str
    signature: str

    def signed_by(self) -> str | None:
        """Return the public key that signed exactly this, or None."""
        return signer_of(self.model_dump())


def signer_of(fields: Mapping[str, object]) -> str | None:
    """Return the public key (hex) that signed exactly these fields, or None; see `Signer.signed`."""
    key, signature = fields.get("key"), fields.get("signature")
    if not isinstance(key, str) or not isinstance(signature, str):
        return None
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(_bytes(signature), _message(fields))
    except (InvalidSignature, ValueError):
        return None
    return key


def _bytes(written: str) -> bytes:
    """Return the bytes written in hex; ValueError where they are not written as we write them (capitals read the same)."""
    found = bytes.fromhex(written)
    if found.hex() != written:
        raise ValueError(written)
    return found


def _message(fields: Mapping[str, object]) -> bytes:
    return canonical({name: value for name, value in fields.items() if name != "signature"}).encode()


class Signer:
    """A store's signing key.

    Args:
        seed: 32 bytes.
    """

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._key.public_key().public_bytes_raw().hex()

    def sign(self, tenant: str, size: int, root: bytes, digest: str, tx_time: int) -> SignedHead:
        """Return the head, signed."""
        fields: dict[str, object] = {
            "format": FORMAT,
            "tenant": tenant,
            "size": size,
            "root": root.hex(),
            "hash": digest,
            "tx_time": tx_time,
        }
        return SignedHead.model_validate(self.signed(fields))

    def signed(self, fields: Mapping[str, object]) -> dict[str, object]:
        """Return the fields with `key` and `signature`: Ed25519 over the canonical JSON of all but the signature."""
        said = {**fields, "key": self.public}
        return {**said, "signature": self._key.sign(_message(said)).hex()}


def load_signer(path: Path, ids: Ids) -> Signer:
    """Return the store's signer; its key is made at the first use (a file for the owner only).

    Raises:
        Damaged: the file holds no key.
        DiskFull, RequestError: the file cannot be made.
    """
    with translated(path):
        if not path.exists():
            write_whole(path, ids.signing_key().hex() + "\n")
        try:
            return Signer(bytes.fromhex(path.read_text("ascii")))
        except ValueError:
            raise Damaged(f"{path} holds no signing key; restore it from a backup, or remove it to sign anew") from None


class Kept(NamedTuple):
    """The newest head as it lies beside the ledger, with the tree it stands for, so that the next costs only what is new."""

    head: SignedHead
    tree: Frontier


def read_kept(path: Path) -> Kept | None:
    """Return the head that lies beside a ledger, or None where there is none.

    Raises:
        Damaged: the file is not one of ours.
    """
    with translated(path):
        if not path.exists():
            return None
        try:
            text = path.read_text("utf-8")
            found = json.loads(text)
            if text != canonical(found) + "\n":
                raise ValueError  # a changed byte that means the same, such as a space
            head = SignedHead.model_validate(found["head"])
            return Kept(head, Frontier(head.size, [_bytes(one) for one in found["peaks"]]))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Damaged(f"{path} is not a signed head; remove it, the next one is made from the ledger") from None


def advance(path: Path, ledger: Ledger, signer: Signer) -> SignedHead:
    """Sign the ledger's newest state and keep it at `path`; return it.

    A head that is ahead of the ledger stays: that the end of the ledger is missing must not be covered up.

    Raises:
        Damaged: the ledger cannot be read, or ends before its own head.
        DiskFull: no space.
    """
    kept = None
    with suppress(Damaged):
        kept = read_kept(path)
    newest = ledger.head
    if kept is not None and kept.head.size > newest.seq:
        raise Damaged(
            f"the ledger of {ledger.tenant} ends at entry {newest.seq}, and its head was signed at {kept.head.size}; "
            "run `tkg verify` and restore the ledger from a backup"
        )
    if kept is not None and kept.head.size == newest.seq and kept.head.key == signer.public:
        return kept.head
    tree = Frontier() if kept is None else kept.tree
    for row in ledger.rows(tree.size):
        if row.seq > newest.seq:
            break
        tree.add(row.leaf)
    head = signer.sign(ledger.tenant, tree.size, tree.root, newest.hash, newest.tx_time)
    with translated(path):
        write_whole(path, canonical({"head": head.model_dump(), "peaks": [one.hex() for one in tree.peaks]}) + "\n")
    return head


def append_witness(path: Path, head: SignedHead) -> None:
    """Add a head to a file of heads in another place, one JSON document a line.

    Raises:
        RequestError: it cannot be written.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            os.write(fd, (canonical(head.model_dump()) + "\n").encode())
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}") from None


def read_witness(path: Path, tenants: Iterable[str]) -> Iterator[SignedHead]:
    """Yield the heads of some tenants in a file of heads.

    Raises:
        NotFound: there is no such file.
        RequestError: a line is not a head; the message names it.
    """
    wanted = set(tenants)
    if not path.is_file():
        raise NotFound(f"there is no file of heads at {path}; write one with `tkg head --output FILE`")
    if path.stat().st_size > _LARGEST:
        raise RequestError(f"{path} is larger than {_LARGEST >> 20} MiB; pass a shorter file of heads")
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            head = SignedHead.model_validate_json(line)
        except ValueError:
            raise RequestError(f"line {number} of {path} is not a signed head") from None
        if head.tenant in wanted:
            yield head
