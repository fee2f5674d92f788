"""Canaries in every kind of field: planted, erased in five ways, and looked for in every byte of a store.

`python -m tests.memory.canaries --claims 200 --engine kuzu` runs it at length and prints the 95 % bound.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import tkg
from tkg.clock import ManualClock
from tkg.conform import scan
from tkg.ids import SeededIds
from tkg.ledger.cold import NAME
from tkg.memory.directory import folder_name
from tkg.model.policy import ForgetPolicy, Policies

START = datetime(2026, 3, 1, tzinfo=UTC)
DIGITS = 12
#: little stays in recall: the rest is archived, with summaries of what was said
POLICIES = Policies(forget=ForgetPolicy(most_in_use=12, summarise_from=2))
_PLAIN = re.compile(rb"(?=(\d{12}))")
_HEX = re.compile(rb"(?=((?:3\d){12}))")
#: ways to erase, each with its own share of the canaries
WAYS = ("subject", "source", "session", "principal", "scope")


class Figures(NamedTuple):
    """What a run found."""

    canaries: int
    files: int
    before: int
    #: of those found before: in the cold file, and in copies (backups, exports and pages) inside the store
    in_archive: int
    in_copies: int
    after: int
    in_base64: int
    receipts: int
    survivors_changed: int

    @property
    def bound(self) -> float:
        """The upper end of the 95 % interval of the share of canaries left, when none was found."""
        return 3 / self.canaries


class Canaries:
    """Numbers that occur nowhere else."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.planted: dict[str, str] = {}

    def new(self, field: str) -> str:
        """Return a text with a fresh canary for a field."""
        number = "".join(str(self._random.randrange(10)) for _ in range(DIGITS))
        self.planted[number] = field
        return f"Canary {number}"


def held(path: Path) -> set[str]:
    """Return every run of twelve digits in a file: as it stands, in UTF-16 either way, and in hexadecimal."""
    data = path.read_bytes()
    found = {match.decode() for part in (data, data[::2], data[1::2]) for match in _PLAIN.findall(part)}
    return found | {bytes.fromhex(match.decode()).decode() for match in _HEX.findall(data)}


def found_in(root: Path, wanted: dict[str, str]) -> set[str]:
    """Return the canaries in any file of a store, or in the name of one."""
    known = set(wanted)
    found = set()
    for path in root.rglob("*"):
        found |= known & {match.decode() for match in _PLAIN.findall(path.name.encode())}
        if path.is_file():
            found |= known & held(path)
    return found


def plant(memory: tkg.Memory, canaries: Canaries, way: str, claims: int) -> dict[str, Any]:
    """Write claims, texts, artefacts, reads, decisions and reviews with a canary in every field; return the target."""
    user = "guest" if way == "scope" else None
    subject = canaries.new("subject") if way == "subject" else "Ada Venn"
    source = canaries.new("source") if way == "source" else None
    session = canaries.new("session") if way == "session" else None
    principal = canaries.new("principal") if way == "principal" else None

    def handle(channel: str = "human_stated", **other: Any) -> Any:
        who = {"principal": principal or canaries.new("principal"), "session": session or canaries.new("session")}
        return memory.scope("moor", user, channel=channel, **(who | other))

    made = []
    for number in range(claims):
        evidence = tkg.Evidence(
            uri=source or canaries.new("source"),
            version=canaries.new("version"),
            quote=canaries.new("quote"),
            locator=canaries.new("locator"),
            owner=canaries.new("owner"),
        )
        verdict = handle().propose(
            subject=subject if way == "subject" else f"{subject} {canaries.new('subject')}",
            predicate=f"note {number} {canaries.new('predicate')}",
            object=canaries.new("object"),
            evidence=evidence,
        )
        assert verdict.claim_id is not None, verdict
        made.append(verdict.claim_id)
    person = handle("human_verified")
    person.quarantine(claim=made[0], reason=canaries.new("reason"))
    handle("human_verified").release(claim=made[0], reason=canaries.new("reason"))
    if way == "subject":
        person.freeze(subject=subject, reason=canaries.new("reason"))
        person.thaw(subject=subject, reason=canaries.new("reason"))
    text = f"{subject} is allergic to lupin. {canaries.new('episode')}"
    said = tkg.Evidence(uri=source or canaries.new("source"), version=canaries.new("version"))
    handle().remember(text, evidence=said, speaker=canaries.new("speaker"), turn=canaries.new("turn"))
    _chat(handle, canaries, subject, source, session, claims)
    waits = handle("agent_inferred").derive(
        "skill", canaries.new("held skill"), from_=made[:1], meta={"name": canaries.new("skill name")}
    )
    person.decide(waits.artefact_id, "reject", reason=canaries.new("review"))
    person.audit_mark(verdict.id, right=True, reason=canaries.new("mark"))
    person.hold(id=made[0], reason=canaries.new("hold"))
    person.lift(id=made[0], reason=canaries.new("hold"))
    reader = handle("agent_inferred")
    for number in range(0, claims, 5):
        reader.recall(f"what is noted of {subject}? {canaries.new('query')}", k=5)
        summary = reader.derive("summary", canaries.new("summary"), from_=made[number : number + 5])
        reader.derive("skill", canaries.new("skill"), from_=[summary.id], meta={"name": canaries.new("skill name")})
        action = reader.derive("action", canaries.new("action"), from_=[made[number]])
        del action
    person.revoke(person.plan_revoke(claim=made[1]), reason=canaries.new("reason"))
    return {
        "subject": {"subject": subject},
        "source": {"source": source},
        "session": {"session": session},
        "principal": {"principal": principal},
        "scope": {"scope": True},
    }[way] | {"_user": user}


def _chat(
    handle: Callable[..., Any], canaries: Canaries, subject: str, source: str | None, session: str | None, turns: int
) -> None:
    """Write turns of one session: what the forget policy compresses into a summary."""
    speaker = handle(session=session or canaries.new("session"))
    for number in range(turns):
        text = f"{subject} said at turn {number}: {canaries.new('turn text')}"
        speaker.remember(
            text,
            evidence=tkg.Evidence(uri=source or canaries.new("source")),
            speaker=canaries.new("speaker"),
            turn=str(number),
        )


def copies(memory: tkg.Memory, root: Path, way: str, canaries: Canaries) -> None:
    """Put a backup, an export and a report into the folders of a store that hold copies of it."""
    memory.backup(root.with_name(f"{root.name}-{way}"))
    (root / "backups").mkdir(exist_ok=True)
    shutil.move(root.with_name(f"{root.name}-{way}"), root / "backups" / way)
    (root / "exports").mkdir(exist_ok=True)
    reader = memory.scope("moor")
    (root / "exports" / f"{way}.jsonl").write_text("\n".join(reader.export()), encoding="utf-8")
    said = "\n".join(f"<p>Canary {one}</p>" for one in canaries.planted)
    (root / "exports" / f"{way}.html").write_text(f"<h1>Report</h1>{said}", encoding="utf-8")


def keep(memory: tkg.Memory, count: int) -> list[str]:
    """Write what has to survive; return the ids."""
    kept = memory.scope("moor", channel="human_stated", principal="keeper", session="keeping")
    ids = []
    for number in range(count):
        verdict = kept.propose(
            subject=f"depot {number}",
            predicate="opens_at",
            object=f"0{number % 10}:30",
            evidence=tkg.Evidence(uri=f"notice/{number}", quote=f"depot {number} opens as posted"),
        )
        ids.append(str(verdict.claim_id))
    return ids


def look(memory: tkg.Memory, ids: list[str]) -> list[Any]:
    """Return everything that is told of some ids."""
    reader = memory.scope("moor")
    return [reader.explain(one).model_dump() for one in ids]


def leftovers(root: Path, canaries: Canaries) -> Iterator[Path]:
    """Leave copies of everything in the tenant's folder: an export that was cut off, an old log, a temporary file."""
    folder = root / "tenants" / folder_name("moor")
    text = "\n".join(f"Canary {number}" for number in canaries.planted)
    for name, data in (
        ("half.jsonl", text.encode()),
        ("graph.old-wal", text.encode("utf-16-le")),
        ("swap.tmp", text.encode("utf-16-be")),
        ("dump.hex", text.encode().hex().encode()),
    ):
        (folder / name).write_bytes(data)
        yield folder / name


def run(root: Path, engine: str, *, claims: int, seed: int = 1, graph_file_above: int = 50_000) -> Figures:
    """Plant, count, erase in every way, count again."""
    clock = ManualClock(START, timedelta(milliseconds=1))
    everything: dict[str, str] = {}
    before, after, cold, copied = set[str](), set[str](), set[str](), set[str]()
    coded, good, changed = 0, 0, 0
    with tkg.open(
        root, clock=clock, ids=SeededIds(seed), engine=engine, graph_file_above=graph_file_above, policies=POLICIES
    ) as memory:
        kept = keep(memory, 10)
        for way in WAYS:
            canaries = Canaries(seed + WAYS.index(way))
            target = plant(memory, canaries, way, claims)
            clock.advance(timedelta(days=1))
            for user in (None, "guest"):
                memory.scope("moor", user, channel="human_verified", principal="keeper").maintain(dry_run=False)
            copies(memory, root, way, canaries)
            files = list(leftovers(root, canaries))
            everything |= canaries.planted
            before |= found_in(root, canaries.planted)
            tenant = root / "tenants" / folder_name("moor")
            cold |= held(tenant / NAME) & set(canaries.planted)
            for kind in ("backups", "exports"):
                copied |= found_in(root / kind, canaries.planted)
            stays = look(memory, kept)
            handle = memory.scope("moor", target.pop("_user"), channel="human_verified", principal="keeper")
            done = handle.forget(**target, mentions=way == "subject", reason="asked")
            after |= found_in(root, canaries.planted)
            sample = list(canaries.planted)[:: max(1, len(canaries.planted) // 20)]
            coded += sum(bool(scan.find(root, f"Canary {one}")) for one in sample)
            good += (
                all(check.holds for check in handle.verify_receipt(done.receipt)) and done.receipt["scan"]["hits"] == 0
            )
            changed += look(memory, kept) != stays
            assert not any(one.exists() for one in files)
        count = sum(one.is_file() for one in root.rglob("*"))
    left = {number: everything[number] for number in after}
    if left:
        raise AssertionError(f"{len(left)} canaries are left: {sorted(set(left.values()))}")
    after |= found_in(root, everything)
    return Figures(len(everything), count, len(before), len(cold), len(copied), len(after), coded, good, changed)


def main() -> None:
    """Run at length and print the figures."""
    options = argparse.ArgumentParser()
    options.add_argument("--claims", type=int, default=200, help="claims for each way of erasing")
    options.add_argument("--engine", default="kuzu")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--graph-file", action="store_true", help="keep the graph in a file")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="tkg-canaries-") as folder:
        above = -1 if given.graph_file else 50_000
        found = run(Path(folder) / "store", given.engine, claims=given.claims, seed=given.seed, graph_file_above=above)
    print(
        f"{found.canaries} canaries in every kind of field, {len(WAYS)} ways of erasing, engine {given.engine}: "
        f"{found.before} found before, {found.in_archive} of them in the cold file and {found.in_copies} in copies; after: {found.after} found in {found.files} files "
        f"(95 % bound {found.bound:.3%}), {found.in_base64} in base 64 of a sample, "
        f"{found.receipts}/{len(WAYS)} receipts verified, {found.survivors_changed} survivors changed"
    )


if __name__ == "__main__":
    main()
