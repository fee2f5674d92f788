"""The LoCoMo form of long conversations: sessions of turns with a date each.

Only what people said is read: `conversation.session_N` with `session_N_date_time`. Observations, summaries and
questions in such files are made by models or hold answers; they are never read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from tkg.model.document import Document
from tkg.model.time import Instant, to_instant

_SESSION: Final = re.compile(r"session_(\d{1,6})")
_DATE_FORMS: Final = ("%I:%M %p on %d %B, %Y", "%I:%M %p on %d %B %Y", "%H:%M on %d %B, %Y", "%d %B, %Y")


def session_date(text: object) -> Instant | None:
    """Return a session's date such as "1:56 pm on 8 May, 2023", read in UTC; None when it is none."""
    if not isinstance(text, str):
        return None
    for form in _DATE_FORMS:
        try:
            return to_instant(datetime.strptime(" ".join(text.split()), form).replace(tzinfo=UTC))
        except ValueError:
            continue
    return None


def read_locomo(text: str, observed_at: Instant) -> Iterator[Document | str]:
    """Yield one document per turn, and one sentence for each part that cannot be read.

    Args:
        text: the whole JSON file: one sample or a list of them.
        observed_at: reference date of sessions that carry none.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "it is nested too deeply"
        yield f"the file is not JSON: {reason}"
        return
    samples = data if isinstance(data, list) else [data]
    if not samples:
        yield "there are no conversations in it"
    for number, sample in enumerate(samples, 1):
        conversation = sample.get("conversation") if isinstance(sample, dict) else None
        if not isinstance(conversation, dict):
            yield f"sample {number} has no conversation"
            continue
        name = sample.get("sample_id")
        yield from _sample(str(name) if isinstance(name, (str, int)) else str(number), conversation, observed_at)


def _sample(name: str, conversation: dict[str, Any], observed_at: Instant) -> Iterator[Document | str]:
    speakers = [str(conversation[key]) for key in ("speaker_a", "speaker_b") if isinstance(conversation.get(key), str)]
    found = sorted((int(match[1]), key) for key in conversation if (match := _SESSION.fullmatch(key)))
    if not found:
        yield f"sample {name} has no session_N"
    for number, key in found:
        turns = conversation[key]
        if not isinstance(turns, list):
            yield f"sample {name}: {key} is not a list of turns"
            continue
        stamp = conversation.get(f"{key}_date_time")
        moment = session_date(stamp)
        if moment is None:
            moment = observed_at
            yield f"sample {name}: {key}_date_time cannot be read; the turns get the date of ingestion"
        for index, turn in enumerate(turns, 1):
            yield _turn(name, f"{name}/session_{number}", f"D{number}:{index}", turn, moment, speakers)


def _turn(name: str, session: str, place: str, turn: object, moment: Instant, speakers: list[str]) -> Document | str:
    if not isinstance(turn, dict) or not isinstance(turn.get("text"), str) or not isinstance(turn.get("speaker"), str):
        return f"sample {name}: turn {place} has no speaker and text"
    body, caption = turn["text"].strip(), turn.get("blip_caption")
    if isinstance(caption, str) and caption.strip():
        body = f"{body}\n[shared image: {caption.strip()}]".strip()
    if not body or "\x00" in body:
        return f"sample {name}: turn {place} has no usable text"
    speaker = turn["speaker"]
    others = [other for other in speakers if other != speaker]
    identifier = turn.get("dia_id")
    return Document(
        text=body.encode("utf-8", "replace").decode("utf-8"),
        uri=f"locomo:{name}",
        media="turn",
        observed_at=moment,
        speaker=speaker,
        addressee=others[0] if len(others) == 1 else None,
        turn=identifier if isinstance(identifier, str) and identifier else place,
        session=session,
    )
