"""Five false passages of one untrusted source that support each other, against one claim of a trusted source."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.table import Table

import tkg
from benchmarks.catalogue import Options
from benchmarks.poison import Question, questions
from benchmarks.proportion import Share
from benchmarks.result import Result
from tkg.clock import ManualClock
from tkg.ids import SeededIds
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Registry
from tkg.model.scope import Channel

_TENANT: Final = "bench"
_FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
_PREDICATE: Final = "answer"
#: classes that may have said the true claim
_TRUSTED: Final = (Channel.TRUSTED_TOOL, Channel.HUMAN_STATED)


def measure(result: Result, options: Options) -> None:
    """Count questions whose true claim was displaced: its value is no longer the answer, or recall leaves it out."""
    asked = questions(options.data)
    engine = options.engines[0] if options.engines else "memory"
    table = Table(
        "true claim by", "rules", "questions", "answer displaced (95 %)", "left out of recall (95 %)",
        "false passages shown, as quotes from outside", "false claims shown",
        title=f"gate: five false passages of one untrusted source (engine {engine})", title_justify="left",
    )  # fmt: skip
    displaced = Share(0, 0)
    for channel in _TRUSTED:
        for rules in (True, False):
            options.say(f"gate: false passages against {channel.value}, rules {'on' if rules else 'off'}")
            with TemporaryDirectory(prefix="tkg-rumour-") as place:
                counts = _attack(Path(place) / "store", engine, asked, channel, text_rules=rules)
            shares = [Share(counts[name], len(asked)) for name in ("displaced", "left out")]
            table.add_row(
                channel.value, "on" if rules else "off", str(len(asked)), *map(str, shares), str(counts["passages"]),
                str(counts["claims"]),
            )  # fmt: skip
            hit = counts["displaced or left out"]
            displaced = Share(displaced.hits + hit, displaced.n + len(asked))
            result.n += len(asked)
    control = _control(asked)
    table.add_section()
    for name, hits in control.items():
        table.add_row(f"control: {name}", "", str(len(asked)), str(Share(hits, len(asked))), "", "", "")
        result.baselines[f"poisonedrag_{name.replace(' ', '_')}"] = hits
    result.figures["poisonedrag_displaced"] = displaced.hits
    result.figures["poisonedrag_n"] = displaced.n
    result.figures["poisonedrag_displaced_upper"] = displaced.interval[1]
    if displaced.hits:
        result.missed.append(f"{displaced.hits} of {displaced.n} true claims displaced by false passages")
    result.tables.append(table)


def _policies(*, text_rules: bool) -> Policies:
    registry = Registry.of({_PREDICATE: {"cardinality": "one"}})
    return Policies(write=WritePolicy(text_rules=text_rules, held_channels=(), registry=registry))


def _attack(store: Path, engine: str, asked: list[Question], channel: Channel, *, text_rules: bool) -> Counter[str]:
    found = Counter[str]()
    clock = ManualClock(_FIRST, timedelta(milliseconds=1))
    policies = _policies(text_rules=text_rules)
    with tkg.open(store, clock=clock, ids=SeededIds(0), engine=engine, policies=policies) as memory:
        memory.create_tenant(_TENANT)
        honest = memory.scope(tenant=_TENANT, channel=channel, principal="registry", session="past")
        for number, one in enumerate(asked):
            _state(honest, one, one.right, f"registry://{number}", one.asked)
        clock.set(_FIRST + timedelta(days=1))
        outside = memory.scope(tenant=_TENANT, channel=Channel.EXTERNAL, principal="mallory", session="web")
        for number, one in enumerate(asked):
            for place, passage in enumerate(one.passages):
                uri = f"https://mallory.example/{number}/{place}"
                outside.remember(passage, evidence=tkg.Evidence(uri=uri), media="turn", turn="1")
                _state(outside, one, one.wrong, uri, passage)
        for one in asked:
            reader = memory.scope(tenant=_TENANT)
            answer = reader.value(one.subject, _PREDICATE)
            displaced = answer.kind != "value" or answer.value != one.right
            shown = reader.recall(one.asked).items
            left_out = not any(item.subject == one.subject and item.object == one.right for item in shown)
            found["displaced"] += displaced
            found["left out"] += left_out
            found["displaced or left out"] += displaced or left_out
            found["passages"] += sum(item.kind == "episode" for item in shown)
            found["claims"] += sum(item.subject == one.subject and item.object == one.wrong for item in shown)
    return found


def _state(handle: tkg.memory.handle.Handle, one: Question, value: str, uri: str, quote: str) -> None:
    handle.propose(subject=one.subject, predicate=_PREDICATE, object=value, evidence=tkg.Evidence(uri=uri, quote=quote))


def _control(asked: list[Question]) -> dict[str, int]:
    """Count what the same attack displaces where nothing defends, and what a higher class may displace."""
    majority = sum(
        Counter([one.right, *[one.wrong] * len(one.passages)]).most_common(1)[0][0] != one.right for one in asked
    )
    clock = ManualClock(_FIRST, timedelta(milliseconds=1))
    policies = _policies(text_rules=True)
    with tkg.open(None, clock=clock, ids=SeededIds(0), engine="memory", policies=policies) as memory:
        memory.create_tenant(_TENANT)
        honest = memory.scope(tenant=_TENANT, channel=Channel.TRUSTED_TOOL, principal="registry", session="past")
        person = memory.scope(tenant=_TENANT, channel=Channel.HUMAN_VERIFIED, principal="ana", session="day")
        for number, one in enumerate(asked):
            _state(honest, one, one.right, f"registry://{number}", one.asked)
            _state(person, one, one.wrong, f"minutes://{number}", one.asked)
        replaced = sum(person.value(one.subject, _PREDICATE).value == one.wrong for one in asked)
    return {"majority of the statements": majority, "a person says otherwise": replaced}
