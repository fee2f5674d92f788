"""One message of a conversation, in the forms that chats are exported in, as a document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from tkg.errors import InvalidTime
from tkg.model.document import Document
from tkg.model.time import Instant, parse_when

_TEXT_KEYS: Final = ("content", "text", "message", "body")
_TIME_KEYS: Final = ("timestamp", "created_at", "ts", "date", "time")
#: names that frameworks give the two sides of a chat
_ROLES: Final = {"human": "user", "ai": "assistant", "aimessagechunk": "assistant", "function": "tool"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One input that could not be read: where, and what to do about it. `line` is 1-based; None for the whole file."""

    path: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'}: {self.message}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands: the file, its line or number in it, and the date of messages without one."""

    uri: str
    number: int
    observed_at: Instant
    #: "line" of a file or "message" of a list
    unit: str = "line"

    def problem(self, message: str) -> Problem:
        """Return a problem at this place."""
        if self.unit == "line":
            return Problem(self.uri, self.number, message)
        return Problem(self.uri, None, f"{self.unit} {self.number}: {message}")


def content_of(item: dict[str, Any]) -> str | None:
    """Return what was said: a text, or the text blocks of a list of blocks; None when there is neither.

    Blocks that hold no words of the speaker (tool calls, images, reasoning) are left out.
    """
    for key in _TEXT_KEYS:
        value = item.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            texts = [
                block if isinstance(block, str) else block["text"]
                for block in value
                if isinstance(block, str)
                or isinstance(block, dict)
                and block.get("type", "text") in ("text", "input_text", "output_text")
                and isinstance(block.get("text"), str)
            ]
            return "\n\n".join(text for text in texts if text.strip())
    return None


def role_of(item: dict[str, Any]) -> str | None:
    """Return who spoke: `role`, or the `type` of a LangChain message, in the words "user", "assistant", "tool", …"""
    for key in ("role", "type"):
        value = item.get(key)
        if isinstance(value, str) and value.strip():
            return _ROLES.get(value.strip().lower(), value) if key == "role" or value != "message" else None
    return None


def turn(item: dict[str, Any], place: Place, *, session: str | None = None) -> Document | Problem:
    """Return one message as a document, or say what is wrong with it.

    Args:
        item: an object with a role, a text and perhaps name, timestamp, session and id.
        place: where it stands.
        session: session of a message that names none.
    """
    content = content_of(item)
    if content is None or not content.strip():
        return place.problem("the message has no content; pass text in 'content'")
    role = role_of(item)
    if role is None:
        return place.problem("the message has no role; pass 'user', 'assistant', 'tool' or a name")
    stamp = next((item[key] for key in _TIME_KEYS if item.get(key) is not None), None)
    try:
        moment = place.observed_at if stamp is None else moment_of(stamp)
    except (InvalidTime, ValueError, OverflowError):
        return place.problem("the timestamp cannot be read; pass ISO 8601 with a zone, such as 2026-03-01T09:00:00Z")
    try:
        content.encode("utf-8")
    except UnicodeEncodeError:
        return place.problem("the content holds a lone surrogate; pass valid Unicode text")
    if "\x00" in content:
        return place.problem("the content holds a NUL character; remove it")
    name, own, identifier = item.get("name"), item.get("session"), item.get("id")
    return Document(
        text=content,
        uri=place.uri,
        media="turn",
        observed_at=moment,
        zone=offset_of(stamp),
        speaker=name if isinstance(name, str) else role,
        role=role,
        turn=str(identifier) if isinstance(identifier, (str, int)) else f"{place.unit}={place.number}",
        session=str(own) if isinstance(own, (str, int)) else session,
    )


def moment_of(value: object) -> Instant:
    """Return the instant of a timestamp: ISO 8601 with a zone, or seconds or milliseconds since 1970.

    Raises:
        InvalidTime: it is none.
        ValueError, OverflowError: it lies outside the calendar.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InvalidTime("not a time")
    if isinstance(value, str):
        return parse_when(value).start
    moment = datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
    return parse_when(moment).start


def offset_of(stamp: object) -> str:
    """Return the writer's offset, so that "yesterday" is the writer's yesterday."""
    if isinstance(stamp, str):
        try:
            offset = datetime.fromisoformat(stamp.strip()).strftime("%z")
        except ValueError:
            return "UTC"
        if len(offset) == 5 and offset != "+0000":
            return f"{offset[:3]}:{offset[3:]}"
    return "UTC"
