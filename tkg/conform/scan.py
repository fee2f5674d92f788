"""Looking for a text in every file of a store, in the forms it may have been written in."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path


def forms(text: str) -> Iterator[tuple[str, bytes]]:
    """Yield (name of the form, bytes): UTF-8, UTF-16 in both orders, escaped JSON, hexadecimal, and base 64 at each phase."""
    plain = text.encode("utf-8", "surrogatepass")
    yield "utf-8", plain
    yield "utf-16-le", text.encode("utf-16-le", "surrogatepass")
    yield "utf-16-be", text.encode("utf-16-be", "surrogatepass")
    if not text.isascii():
        yield "json", "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in text).encode()
    yield "hex", plain.hex().encode()
    for phase in range(3):
        # the first and last characters of base 64 depend on the neighbours, so only the middle is looked for
        coded = base64.b64encode(b"\x00" * phase + plain)
        whole = coded[4 if phase else 0 : len(coded) - (4 if (len(plain) + phase) % 3 else 0)]
        if len(whole) >= 8:
            yield "base64", whole


def find(root: Path, text: str) -> list[str]:
    """Return "file (form)" for each file under `root` that holds `text`, and each name that does.

    ASCII letters are also looked for in lower case, as an index may keep them.
    """
    looked = list(forms(text))
    hits: list[str] = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if text in name:
            hits.append(f"{name} (name)")
        if not path.is_file():
            continue
        data = path.read_bytes()
        lowered = data.lower()
        for form, wanted in looked:
            if wanted in data or (form.startswith("utf") and wanted.lower() in lowered):
                hits.append(f"{name} ({form})")
                break
    return hits
