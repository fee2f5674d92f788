"""Reading of inputs for `tkg ingest`: files and folders into a stream of documents and problems.

A bad item is a `Problem`, a value with path, line and one sentence; the rest goes on. Nothing is held in memory but the
file at hand (JSON lines: the line at hand).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, get_args

from tkg.errors import NotFound, RequestError
from tkg.extractors.chats import is_chat, is_whatsapp, read_messages, read_whatsapp
from tkg.extractors.pages import read_page
from tkg.extractors.turns import Place, Problem, turn
from tkg.model.document import Document
from tkg.model.time import Instant

Format = Literal[
    "jsonl",
    "chat",
    "whatsapp",
    "locomo",
    "markdown",
    "text",
    "html",
    "pdf",
    "docx",
    "yaml",
    "json",
    "toml",
    "ini",
    "env",
]

#: suffix -> format; files with other suffixes are left out of folders and read as text when named
SUFFIXES: Final[dict[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".log": "text",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".env": "env",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".docx": "docx",
}
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
#: largest file that is read whole, in bytes
MAX_FILE: Final = 16 * 1024 * 1024
#: longest line of a JSON lines file, in bytes
MAX_LINE: Final = 1024 * 1024
#: bytes at the beginning of a file of lines that are looked at before the first
_LOOK: Final = 4096
#: formats that share a suffix with another one
_SUFFIX_OF: Final[dict[Format, Format]] = {"locomo": "json", "chat": "json", "whatsapp": "text"}


Read = Document | Problem


def read(path: str | os.PathLike[str], *, format: Format | None = None, observed_at: Instant) -> Iterator[Read]:
    """Yield the documents of a file or folder, with problems between them, in a fixed order.

    Args:
        path: a file, or a folder that is read recursively, sorted by path; hidden files and folders are left out.
        format: one of `FORMATS`; None goes by suffix (in folders, unknown suffixes are left out).
        observed_at: reference date of documents that carry none.

    Raises:
        NotFound: the path does not exist.
        RequestError: no such format.
    """
    if format is not None and format not in FORMATS:
        raise RequestError(f"no format {format!r}; choose one of {', '.join(FORMATS)}")
    root = Path(path)
    if not root.exists():
        raise NotFound(f"no such file or folder: {root}")
    return (
        _read_folder(root, format, observed_at) if root.is_dir() else _read_file(root, str(root), format, observed_at)
    )


def _read_folder(root: Path, format: Format | None, observed_at: Instant) -> Iterator[Read]:
    for found in _walk(root):
        if isinstance(found, Problem):
            yield found
        elif format is None and _suffix(found) in SUFFIXES or format is not None and _fits(found, format):
            yield from _read_file(found, found.relative_to(root).as_posix(), format, observed_at)


def _fits(path: Path, format: Format) -> bool:
    return SUFFIXES.get(_suffix(path)) == _SUFFIX_OF.get(format, format)


def _suffix(path: Path) -> str:
    """Return the suffix that tells the format; ".env" and ".env.local" are all suffix."""
    return ".env" if path.name == ".env" or path.name.startswith(".env.") else path.suffix.lower()


def _walk(folder: Path) -> Iterator[Path | Problem]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Problem(str(folder), None, f"the folder cannot be read: {error.strerror}")
        return
    for entry in entries:
        if entry.name.startswith("."):  # also ".env", which holds secrets more often than facts: it has to be named
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_file():
            yield Path(entry.path)


def _read_file(path: Path, uri: str, format: Format | None, observed_at: Instant) -> Iterator[Read]:
    chosen = format or SUFFIXES.get(_suffix(path), "text")
    if chosen == "jsonl":
        yield from _read_lines(path, uri, observed_at)
        return
    raw = _whole(path, uri)
    if isinstance(raw, Problem):
        yield raw
        return
    if chosen == "html" or chosen == "pdf" or chosen == "docx":
        yield from read_page(raw, chosen, uri, observed_at)
        return
    text = decoded(raw, uri, None)
    if isinstance(text, Problem):
        yield text
    elif chosen == "locomo":
        from tkg.extractors.locomo import read_locomo

        for item in read_locomo(text, observed_at):
            yield Problem(uri, None, item) if isinstance(item, str) else item
    elif chosen == "chat" or chosen == "json" and format is None and is_chat(text):
        yield from read_messages(text, uri, observed_at)
    elif chosen == "whatsapp" or chosen == "text" and format is None and is_whatsapp(text):
        yield from read_whatsapp(text, uri)
    else:
        yield Document(text=text, uri=uri, media=chosen, observed_at=observed_at)


def _whole(path: Path, uri: str) -> bytes | Problem:
    try:
        if not path.is_file():
            return Problem(uri, None, "not a regular file")
        size = path.stat().st_size
        if size > MAX_FILE:
            return Problem(uri, None, f"the file is {size} bytes, the limit is {MAX_FILE}; split it")
        return path.read_bytes()
    except OSError as error:
        return Problem(uri, None, f"the file cannot be read: {error.strerror}")


def decoded(raw: bytes, uri: str, line: int | None) -> str | Problem:
    """Return bytes as text, or say why they are none: empty, binary, or not UTF-8 (a byte order mark is looked through)."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            text = raw.decode("utf-16")
        except UnicodeDecodeError:
            return Problem(uri, line, "the text starts like UTF-16 and is not; save it as UTF-8")
    else:
        if b"\x00" in raw:
            return Problem(uri, line, "the file is binary (it holds NUL bytes); extract its text first")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            return Problem(uri, line, f"the text is not UTF-8 (byte {error.start}); save it as UTF-8")
    if "\x00" in text:
        return Problem(uri, line, "the file is binary (it holds NUL characters); extract its text first")
    return text if text.strip() else Problem(uri, line, "there is no text in it")


# --- JSON lines -------------------------------------------------------------------------------------------------------


def _read_lines(path: Path, uri: str, observed_at: Instant) -> Iterator[Read]:
    number, filled = 0, False
    try:
        with path.open("rb") as file:
            look = file.read(_LOOK)
            if b"\x00" in look and look.lstrip()[:1] != b"{":  # said once, not for each of its lines
                yield Problem(uri, None, "the file is binary (it holds NUL bytes); extract its text first")
                return
            file.seek(0)
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    filled = True
                    yield Problem(uri, number, f"the line is longer than {MAX_LINE} bytes; split the message")
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(MAX_LINE)
                    continue
                if raw.strip():
                    filled = True
                    yield _message(raw, uri, number, observed_at)
    except OSError as error:
        yield Problem(uri, number or None, f"the file cannot be read: {error.strerror}")
        return
    if not filled:
        yield Problem(uri, None, "there is no text in it")


def _message(raw: bytes, uri: str, number: int, observed_at: Instant) -> Read:
    text = decoded(raw, uri, number)
    if isinstance(text, Problem):
        return text
    try:
        item = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = (
            error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply or holds a huge number"
        )
        return Problem(uri, number, f"the line is not JSON: {reason}")
    if not isinstance(item, dict):
        return Problem(uri, number, "the line is not an object with role, content and timestamp")
    return turn(item, Place(uri, number, observed_at))
