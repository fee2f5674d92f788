"""Reads beside writers: nothing that fell is returned by a read that began after its revocation was acknowledged.

`python -m tests.memory.reads --reads 100000 --engine kuzu` runs it at length and prints what it did, with the 95 % bound.
A read is judged by what was dead when it began and still is when it ends; `--blind` leaves the revocations out and shows
that the probe finds what it looks for.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tkg

#: subjects that are read and written at one time; a writer retires its own after a few writes, so that slots stay small
WINDOW = 8
WRITES = 10
#: seconds between two looks of the interpreter for a thread that waits: else the threads spend their time passing one lock on
SWITCH = 0.0002


@dataclass
class Trial:
    """What is going on: which words are dead since which acknowledgement, and what was seen."""

    memory: tkg.Memory
    wanted: int
    blind: bool = False
    pause: float = 0.01
    recalls: float = 0.05
    #: subject -> word -> number of the acknowledgement that took it back
    dead: dict[str, dict[str, int]] = field(default_factory=dict)
    subjects: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    failed: list[BaseException] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def handle(self, who: str, channel: str = "human_verified", session: str | None = None) -> Any:
        """Return a speaker's handle."""
        return self.memory.scope("acme", channel=channel, principal=who, session=session)


def write(trial: Trial, writer: int) -> None:
    """Say, derive, revoke, quarantine and release until the readers are done."""
    draw, number = random.Random(writer), 0
    acknowledged = 0
    while not trial.stop.is_set():
        subject = f"crate {writer} {number}"
        number += 1
        dead = trial.dead.setdefault(subject, {})
        trial.subjects.append(subject)
        del trial.subjects[:-WINDOW]
        for turn in range(WRITES):
            word = f"bay{writer}x{number}x{turn}x"
            handle = trial.handle(f"clerk {writer}")
            said = handle.propose(
                subject=subject,
                predicate="stored_in",
                object=word,
                evidence=tkg.Evidence(uri=f"log/{word}", quote=word),
            )
            if turn % 3 == 0:
                handle.derive("summary", f"{subject} lies in {word}.", from_=[said.claim_id])
            verb = draw.choice(("revoke", "quarantine", "release", "keep"))
            if verb == "keep":
                continue
            if not trial.blind:
                if verb == "quarantine":
                    handle.quarantine(evidence=said.evidence_id, reason="review")
                else:
                    handle.revoke(handle.plan_revoke(evidence=said.evidence_id), reason="wrong")
            acknowledged += 1
            dead[word] = acknowledged
            trial.seen["taken back"] += 1
            if verb == "release" and not trial.blind:
                del dead[word]  # from here on a reader may see it again
                handle.release(evidence=said.evidence_id, reason="right after all")
                trial.seen["released"] += 1
            if trial.stop.wait(trial.pause):
                return


def read(trial: Trial, reader: int) -> None:
    """Ask until enough has been asked; every answer is laid beside what was dead before the question."""
    draw = random.Random(1_000 + reader)
    while not trial.stop.is_set():
        if not trial.subjects:
            time.sleep(0.001)
            continue
        subject = draw.choice(list(trial.subjects))
        before = dict(trial.dead.get(subject, {}))
        kind = "recall" if draw.random() < trial.recalls else "value"
        handle = trial.handle(f"reader {reader}", session=f"s{reader}")
        if kind == "recall":
            text = handle.recall(f"where is {subject} stored", k=10).text
        else:
            text = " ".join(handle.value(subject, "stored_in").values)
        after = trial.dead.get(subject, {})
        trial.found += [f"{kind}: {word}" for word, at in before.items() if word in text and after.get(word) == at]
        trial.seen[kind] += 1
        trial.seen["with something dead in reach"] += bool(before)
        trial.seen["with an answer"] += "bay" in text
        if trial.seen["value"] + trial.seen["recall"] >= trial.wanted:
            trial.stop.set()


def run(memory: tkg.Memory, *, reads: int, writers: int = 2, readers: int = 2, **more: Any) -> Trial:
    """Run until so many reads were made.

    Args:
        memory: an empty store.
        reads: how many.
        writers: threads that write.
        readers: threads that read.
        more: `blind`, `pause` (seconds between two writes of a writer) and `recalls` (share of reads that are recalls).

    Raises:
        BaseException: what went wrong in a thread.
    """
    memory.create_tenant("acme")
    trial = Trial(memory, reads, **more)

    def guarded(work: Any, number: int) -> None:
        try:
            work(trial, number)
        except BaseException as error:  # noqa: BLE001 - told to the caller, whatever it was
            trial.failed.append(error)
            trial.stop.set()

    threads = [threading.Thread(target=guarded, args=(write, number)) for number in range(writers)]
    threads += [threading.Thread(target=guarded, args=(read, number)) for number in range(readers)]
    usual = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(usual)
    if trial.failed:
        raise trial.failed[0]
    return trial


def main(arguments: list[str]) -> int:
    """Run at length and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reads", type=int, default=100_000)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--engine", default="kuzu", choices=("kuzu", "ladybug", "memory"))
    parser.add_argument("--pause", type=float, default=0.01, help="seconds between two writes of one writer")
    parser.add_argument("--recalls", type=float, default=0.05, help="share of the reads that are recalls")
    parser.add_argument("--blind", action="store_true")
    chosen = parser.parse_args(arguments)
    began = time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="tkg-reads-") as folder,
        tkg.open(Path(folder) / "store", engine=chosen.engine) as memory,
    ):
        trial = run(
            memory,
            reads=chosen.reads,
            writers=chosen.writers,
            readers=chosen.readers,
            blind=chosen.blind,
            pause=chosen.pause,
            recalls=chosen.recalls,
        )
    seconds = time.perf_counter() - began
    total = trial.seen["value"] + trial.seen["recall"]
    for name in sorted(trial.seen):
        print(f"{name:>30}  {trial.seen[name]:,}")
    print(f"{'seconds':>30}  {seconds:,.0f}")
    bound = "" if trial.found else f" (95 % bound {3 / max(1, total):.1e})"
    print(f"{'returned what had fallen':>30}  {len(trial.found)} of {total:,}{bound}")
    for one in trial.found[:10]:
        print(one)
    return 1 if trial.found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
