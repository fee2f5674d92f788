"""Reading of inputs for `tkg ingest`: files and folders into a stream of documents and problems.

A bad item is a `Problem`, a value with path, line and one sentence; the rest goes on. Nothing is held in memory but the
file at hand (JSON lines: the line at hand).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from tkg.errors import InvalidTime, NotFound, RequestError
from tkg.model.document import Document
from tkg.model.time import Instant, parse_when

Format = Literal["jsonl", "locomo", "markdown", "text", "yaml", "json"]

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
}
FORMATS: Final[tuple[Format, ...]] = ("jsonl", "locomo", "markdown", "text", "yaml", "json")
#: largest file that is read whole, in bytes
MAX_FILE: Final = 16 * 1024 * 1024
#: longest line of a JSON lines file, in bytes
MAX_LINE: Final = 1024 * 1024
_TEXT_KEYS: Final = ("content", "text", "message", "body")


@dataclass(frozen=True, slots=True)
class Problem:
    """One input that could not be read: where, and what to do about it. `line` is 1-based; None for the whole file."""

    path: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.message}"


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
        elif format is None and found.suffix.lower() in SUFFIXES or format is not None and _fits(found, format):
            yield from _read_file(found, found.relative_to(root).as_posix(), format, observed_at)


def _fits(path: Path, format: Format) -> bool:
    wanted: Format = "json" if format == "locomo" else format
    return SUFFIXES.get(path.suffix.lower()) == wanted


def _walk(folder: Path) -> Iterator[Path | Problem]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Problem(str(folder), None, f"the folder cannot be read: {error.strerror}")
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))
        elif entry.is_file():
            yield Path(entry.path)


def _read_file(path: Path, uri: str, format: Format | None, observed_at: Instant) -> Iterator[Read]:
    chosen = format or SUFFIXES.get(path.suffix.lower(), "text")
    if chosen == "jsonl":
        yield from _read_lines(path, uri, observed_at)
        return
    text = _whole(path, uri)
    if isinstance(text, Problem):
        yield text
    elif chosen == "locomo":
        from tkg.extractors.locomo import read_locomo

        for item in read_locomo(text, observed_at):
            yield Problem(uri, None, item) if isinstance(item, str) else item
    else:
        yield Document(text=text, uri=uri, media=chosen, observed_at=observed_at)


def _whole(path: Path, uri: str) -> str | Problem:
    try:
        if not path.is_file():
            return Problem(uri, None, "not a regular file")
        size = path.stat().st_size
        if size > MAX_FILE:
            return Problem(uri, None, f"the file is {size} bytes, the limit is {MAX_FILE}; split it")
        raw = path.read_bytes()
    except OSError as error:
        return Problem(uri, None, f"the file cannot be read: {error.strerror}")
    return decoded(raw, uri, None)


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
    number = 0
    try:
        with path.open("rb") as file:
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                if len(raw) > MAX_LINE:
                    yield Problem(uri, number, f"the line is longer than {MAX_LINE} bytes; split the message")
                    while raw and not raw.endswith(b"\n"):
                        raw = file.readline(MAX_LINE)
                    continue
                if raw.strip():
                    yield _message(raw, uri, number, observed_at)
    except OSError as error:
        yield Problem(uri, number or None, f"the file cannot be read: {error.strerror}")
        return
    if number == 0:
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
    return _turn(item, uri, number, observed_at)


def _turn(item: dict[str, Any], uri: str, number: int, observed_at: Instant) -> Read:
    content = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
    if content is None or not content.strip():
        return Problem(uri, number, "the message has no content; pass text in 'content'")
    role = item.get("role")
    if not isinstance(role, str) or not role.strip():
        return Problem(uri, number, "the message has no role; pass 'user', 'assistant', 'tool' or a name")
    stamp = item.get("timestamp")
    try:
        moment = observed_at if stamp is None else _stamp(stamp)
    except (InvalidTime, ValueError, OverflowError):
        return Problem(
            uri, number, "the timestamp cannot be read; pass ISO 8601 with a zone, such as 2026-03-01T09:00:00Z"
        )
    try:
        content.encode("utf-8")
    except UnicodeEncodeError:
        return Problem(uri, number, "the content holds a lone surrogate; pass valid Unicode text")
    if "\x00" in content:
        return Problem(uri, number, "the content holds a NUL character; remove it")
    speaker = item.get("name") if isinstance(item.get("name"), str) else role
    session = item.get("session")
    turn = item.get("id")
    return Document(
        text=content,
        uri=uri,
        media="turn",
        observed_at=moment,
        zone=_offset(stamp),
        speaker=speaker,
        role=role,
        turn=str(turn) if isinstance(turn, (str, int)) else f"line={number}",
        session=str(session) if isinstance(session, (str, int)) else None,
    )


def _stamp(value: object) -> Instant:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InvalidTime("not a time")
    if isinstance(value, str):
        return parse_when(value).start
    moment = datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
    return parse_when(moment).start


def _offset(stamp: object) -> str:
    """Return the writer's offset, so that "yesterday" is the writer's yesterday."""
    if isinstance(stamp, str):
        try:
            offset = datetime.fromisoformat(stamp.strip()).strftime("%z")
        except ValueError:
            return "UTC"
        if len(offset) == 5 and offset != "+0000":
            return f"{offset[:3]}:{offset[3:]}"
    return "UTC"
