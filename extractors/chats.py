"""Chats as other programs export them: message lists in JSON, Slack's JSON, WhatsApp's text.

JSON: a list of messages, an object with `messages`, or a list of such objects; messages as OpenAI, Anthropic, LangChain
and LangGraph write them. WhatsApp: `12/03/2026, 14:05 - Ana: …`, in any of its date forms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final

from tkg.extractors.turns import Place, Problem, content_of, role_of, turn
from tkg.model.document import Document
from tkg.model.time import Instant, to_instant

_LIST_KEYS: Final = ("messages", "history", "turns")
_SESSION_KEYS: Final = ("session", "thread_id", "conversation_id", "id", "title")
_STAMP: Final = re.compile(
    r"^\u200e?\[?(?P<a>\d{1,4})[/.-](?P<b>\d{1,2})[/.-](?P<c>\d{2,4}),? (?P<h>\d{1,2})[:.](?P<m>\d{2})(?:[:.](?P<s>\d{2}))?"
    r"(?:[ \u202f\u00a0]?(?P<half>[AaPp])\.?[Mm]\.?)?(?:\] | [-–] )(?P<rest>.*)$"
)
_SAID: Final = re.compile(r"(?P<who>[^:\n]{1,80}): (?P<text>.*)", re.DOTALL)
#: what the program itself writes in place of a message
_PLACEHOLDERS: Final = frozenset({"<media omitted>", "image omitted", "this message was deleted", "null", ""})


# --- JSON -------------------------------------------------------------------------------------------------------------


def _unwrapped(item: object) -> object:
    """Return a LangChain message out of its serialised form."""
    if isinstance(item, dict) and isinstance(item.get("kwargs"), dict):
        kind = item.get("id")
        name = str(kind[-1]) if isinstance(kind, list) and kind else ""
        return {"type": name.removesuffix("Chunk").removesuffix("Message").lower(), **item["kwargs"]}
    if isinstance(item, dict) and isinstance(item.get("data"), dict) and isinstance(item.get("type"), str):
        return {**item["data"], "type": item["type"]}
    return item


def _is_message(item: object) -> bool:
    found = _unwrapped(item)
    if not isinstance(found, dict) or content_of(found) is None and "tool_calls" not in found:
        return False
    return _slack(found) or role_of(found) is not None


def _slack(item: dict[str, Any]) -> bool:
    return item.get("type") == "message" and isinstance(item.get("ts"), str) and "text" in item


def _conversations(data: object) -> list[tuple[str | None, list[object]]] | None:
    """Return (session, messages) pairs, or None when the data is no chat."""
    if isinstance(data, list):
        if data and all(_is_message(item) for item in data):
            return [(None, data)]
        inner = [_conversations(item) if isinstance(item, dict) else None for item in data]
        if inner and all(found is not None for found in inner):
            return [pair for found in inner if found for pair in found]
        return None
    if not isinstance(data, dict):
        return None
    messages = next((data[key] for key in _LIST_KEYS if isinstance(data.get(key), list)), None)
    if messages is None or not any(_is_message(item) for item in messages):
        return None
    session = next((data[key] for key in _SESSION_KEYS if isinstance(data.get(key), (str, int))), None)
    return [(None if session is None else str(session), messages)]


def is_chat(text: str) -> bool:
    """Say whether a JSON text holds messages rather than settings."""
    try:
        return _conversations(json.loads(text)) is not None
    except (ValueError, RecursionError):
        return False


def read_messages(text: str, uri: str, observed_at: Instant) -> Iterator[Document | Problem]:
    """Yield one document per message of a JSON export; messages without words (tool calls, images) are left out.

    Args:
        text: the whole file.
        uri: its address.
        observed_at: reference date of messages without one.
    """
    try:
        found = _conversations(json.loads(text))
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
        yield Problem(uri, None, f"the file is not JSON: {reason}")
        return
    if found is None:
        yield Problem(uri, None, "there are no messages in it; pass a list of objects with role and content")
        return
    number = 0
    for session, messages in found:
        for raw in messages:
            number += 1
            place = Place(uri, number, observed_at, "message")
            item = _unwrapped(raw)
            if not isinstance(item, dict):
                yield place.problem("it is not an object with role and content")
                continue
            if content_of(item) == "" or content_of(item) is None and "tool_calls" in item:
                continue
            yield turn(_from_slack(item) if _slack(item) else item, place, session=session)


def _from_slack(item: dict[str, Any]) -> dict[str, Any]:
    profile = item.get("user_profile")
    named = profile.get("real_name") if isinstance(profile, dict) else None
    bot = item.get("bot_id") is not None or item.get("subtype") == "bot_message"
    try:
        moment: object = float(item["ts"])
    except ValueError:
        moment = item["ts"]
    return {
        "role": "bot" if bot else "user",
        "name": named or item.get("user") or item.get("username") or "unknown",
        "text": item["text"],
        "timestamp": moment,
        "id": item["ts"],
        "session": item.get("thread_ts"),
    }


# --- WhatsApp ---------------------------------------------------------------------------------------------------------


def is_whatsapp(text: str) -> bool:
    """Say whether a text is a WhatsApp export: its first lines with words are stamped."""
    lines = [line for line in text[:4000].splitlines() if line.strip()][:3]
    return (
        bool(lines)
        and _STAMP.match(lines[0]) is not None
        and sum(_STAMP.match(one) is not None for one in lines) >= min(2, len(lines))
    )


def _order(stamps: list[re.Match[str]]) -> str | None:
    """Return the order of day, month and year that the whole file allows, or None when it allows two."""
    if any(len(m["a"]) == 4 for m in stamps):
        return "YMD"
    if any(int(m["a"]) > 12 for m in stamps):
        return "DMY"
    if any(int(m["b"]) > 12 for m in stamps):
        return "MDY"
    for order in ("DMY", "MDY"):  # a long chat runs forward in time under one of the two readings only
        moments = [_moment(m, order) for m in stamps]
        other = [_moment(m, "MDY" if order == "DMY" else "DMY") for m in stamps]
        if None in moments or None in other:
            continue
        forward = all(a <= b for a, b in pairwise(moments))  # type: ignore[operator]
        backward = any(a > b for a, b in pairwise(other))  # type: ignore[operator]
        if forward and backward:
            return order
    return None


def _moment(m: re.Match[str], order: str) -> Instant | None:
    parts = dict(zip(order, (int(m["a"]), int(m["b"]), int(m["c"])), strict=True))
    year = parts["Y"] if parts["Y"] > 99 else 2000 + parts["Y"]
    hour = int(m["h"]) % 12 + (12 if m["half"].lower() == "p" else 0) if m["half"] else int(m["h"])
    try:
        return to_instant(datetime(year, parts["M"], parts["D"], hour, int(m["m"]), int(m["s"] or 0), tzinfo=UTC))
    except ValueError:
        return None


def read_whatsapp(text: str, uri: str) -> Iterator[Document | Problem]:
    """Yield one document per message; the clock times of the export carry no zone and are read as UTC."""
    lines = text.splitlines()
    starts = [(number, found) for number, line in enumerate(lines) if (found := _STAMP.match(line))]
    order = _order([found for _, found in starts])
    if not starts:
        yield Problem(uri, None, "no line starts with a date and time as WhatsApp writes them")
        return
    if order is None:
        yield Problem(uri, None, "its dates can be read as day/month or as month/day; export it with the year first")
        return
    for place, (number, stamp) in enumerate(starts):
        until = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        said = _SAID.fullmatch("\n".join([stamp["rest"], *lines[number + 1 : until]]))
        if said is None:  # "Ana added Bea": the program's own words
            continue
        words = said["text"].strip().strip("\u200e")
        if words.lower() in _PLACEHOLDERS or words.lower().endswith("omitted"):
            continue
        moment = _moment(stamp, order)
        if moment is None:
            yield Problem(uri, number + 1, "there is no such date")
            continue
        item = {"role": "user", "name": said["who"].strip("\u200e~ "), "content": words, "id": f"line={number + 1}"}
        yield turn(item, Place(uri, number + 1, moment))
