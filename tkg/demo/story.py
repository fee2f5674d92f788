"""The retired mailbox, day by day. Files are read as `tkg ingest` reads them; only the clock is set by hand."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from tkg.clock import ManualClock
from tkg.demo.stage import Stage
from tkg.errors import Conflict, RequestError
from tkg.extractors.config import ConfigExtractor, Rule
from tkg.ids import SeededIds
from tkg.memory.handle import Handle
from tkg.memory.loading import Loader, Tally, documents_of
from tkg.memory.opening import open_memory
from tkg.memory.reading import Recalled
from tkg.memory.store import Memory
from tkg.model.artefact import Artefact
from tkg.model.document import Document, Extracted
from tkg.model.evidence import Evidence
from tkg.model.scope import Channel
from tkg.model.time import to_instant
from tkg.model.verdict import Verdict

FILES: Final = Path(__file__).with_name("files")
MARK: Final = "demo-store.txt"
TENANT: Final = "harbour"
SUBJECT, PREDICATE = "exception reports", "destination"
QUESTION: Final = "Where do exception reports go?"
MAILBOX, QUEUE = "regional settlement mailbox", "case-management queue"
DAYS: Final = {
    0: datetime(2025, 9, 1, 8, tzinfo=UTC),
    4: datetime(2025, 9, 5, 9, tzinfo=UTC),
    9: datetime(2025, 9, 10, 2, tzinfo=UTC),
    11: datetime(2025, 9, 12, 12, tzinfo=UTC),
    16: datetime(2025, 9, 17, 10, tzinfo=UTC),
}
#: what the store is told about its one interesting predicate
POLICY: Final = """\
[predicates.destination]
cardinality = "one"
system_of_record = "billing.yaml"
"""


def play(
    store: Path, *, engine: str = "auto", out: Console | None = None, until: int = 16, now: datetime | None = None
) -> dict[str, Any]:
    """Play the demo and leave its store on disk.

    Args:
        store: directory of the store; an earlier store of the demo is made anew, anything else is left alone.
        engine: graph engine.
        out: where the story is told; None only checks it.
        until: the day after which the story stops; before day 16 the poison is still believed.
        now: when day 16 is (default: 17 September 2025, the day of the files).

    Returns:
        The facts that came out, with the ids to look at.

    Raises:
        RequestError: the directory holds something else, or `until` is no day.
        Damaged: an expected fact did not come out.
    """
    if not 0 <= until <= 16:
        raise RequestError("the story has days 0 to 16")
    _prepare(store)
    later = timedelta() if now is None else now - DAYS[16]
    days = {day: at + later for day, at in DAYS.items()}
    stage, clock = Stage(out), ManualClock(days[0])
    with open_memory(store, clock=clock, ids=SeededIds(16), engine=engine) as memory:
        story = Story(memory, clock, stage, days)
        for day, tell in (
            (0, story.ingestion),
            (4, story.first_exposure),
            (9, story.own_transcript),
            (16, story.symptom),
            (16, story.quarantine),
            (16, story.correction),
            (16, story.revocation),
            (16, story.afterwards),
        ):
            if day <= until:
                tell()
    _invite(stage, store, story.poison, contained=until == 16)
    return {"store": str(store), "tenant": TENANT, **stage.facts}


def _prepare(store: Path) -> None:
    try:
        if store.is_symlink() or store.exists() and not store.is_dir():
            raise RequestError(f"{store} is not a directory; name another place with --store")
        if store.exists() and any(store.iterdir()):
            if not (store / MARK).is_file():
                raise RequestError(f"{store} is not a store of the demo; name another place with --store")
            shutil.rmtree(store)
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        (store / MARK).write_text("Made by `tkg demo`; playing it again makes this directory anew.\n", encoding="utf-8")
        (store / "tkg.toml").write_text(POLICY, encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{store} cannot be used: {error.strerror}; name another place with --store") from None


class Story:
    """The chapters, in order; each leaves behind what the next one looks at."""

    def __init__(self, memory: Memory, clock: ManualClock, stage: Stage, days: Mapping[int, datetime]) -> None:
        self._memory = memory
        self._days = days
        self._clock = clock
        self._stage = stage
        self._operator = self._handle(Channel.HUMAN_VERIFIED, "olga", "incident-7")
        self.poison = ""
        self.correction_id = ""
        self._artefacts: dict[str, str] = {}

    def _handle(self, channel: Channel, principal: str, session: str | None = None) -> Handle:
        return self._memory.scope(TENANT, channel=channel, principal=principal, session=session)

    def _ingest(
        self, day: int, name: str, principal: str, version: str | None = None
    ) -> list[tuple[Document, Verdict]]:
        """Read one file of a day; return each document's verdicts."""
        now = to_instant(self._clock.now())
        stated = None if name.endswith(".jsonl") else now
        found = [
            one
            for one in documents_of(FILES / f"day-{day:02}", now=now, stated=stated)
            if not isinstance(one, Document) or one.uri == name
        ]
        verdicts: list[tuple[Document, Verdict]] = []
        problems: list[str] = []
        loader = Loader(self._memory, TENANT, None, Channel.TRUSTED_TOOL, principal, version=version)
        tally = Tally()
        loader.load_all(
            found,
            tally,
            problem=problems.append,
            done=lambda document, many: verdicts.extend((document, one) for one in many if document is not None),
        )
        self._stage.expect(f"day_{day}_{name}_problems", problems, [], f"{name} is read: {_counted(tally)}.")
        return verdicts

    def _value(self, *, valid_day: int | None = None, known_day: int | None = None) -> str | None:
        valid_at = None if valid_day is None else self._days[valid_day]
        as_of = None if known_day is None else self._days[known_day]
        return self._operator.value(SUBJECT, PREDICATE, valid_at=valid_at, as_of=as_of).value

    def _states(self) -> dict[str, str]:
        named = {"claim": self.poison, **self._artefacts}
        return {name: self._operator.explain(one).state for name, one in named.items()}

    def _show_items(self, result: Recalled) -> None:
        rows = [(number, one.kind, _short(one.text)) for number, one in enumerate(result.items, 1)]
        self._stage.table(["", "kind", "what the agent is shown"], rows)

    def _show_states(self) -> None:
        ids = {"claim": self.poison, **self._artefacts}
        self._stage.table(["what", "state", "id"], [(name, state, ids[name]) for name, state in self._states().items()])

    # -- day 0

    def ingestion(self) -> None:
        """The guide is read; one of its sentences is out of date."""
        stage = self._stage
        stage.day(0, "a guide is read, and one of its sentences is out of date")
        stage.say(
            "An analyst uploads version 3 of the reconciliation guide. Every sentence that states something becomes "
            "a candidate for the gate, with the line it stands in. Among them, in chapter 5.2:"
        )
        self._ingest(0, "reconciliation-guide.md", "guide-loader", version="3")
        claims = self._operator.value(SUBJECT, PREDICATE).claims
        stage.expect("day_0_claims", len(claims), 1, "One claim was accepted about where exception reports go.")
        self.poison = claims[0]
        stage.facts["poison"] = self.poison
        found = self._operator.explain(self.poison)
        evidence = found.evidence[0]
        stage.quote(f"“{evidence.quote}”")
        stage.quote(f"{evidence.uri}, version {evidence.version}, {evidence.locator}, said by {evidence.principal}")
        stage.say(
            "It is well formed, has a source that can be fetched again, and nothing contradicts it. Nobody can know "
            "yet that the mailbox was switched off two weeks ago."
        )
        stage.expect("day_0_state", found.state, "active", "The claim is believed.")
        stage.expect("day_0_value", self._value(), MAILBOX, f"The value of {SUBJECT} · {PREDICATE} is {MAILBOX}.")

    # -- day 4

    def first_exposure(self) -> None:
        """An agent answers from it, and makes a summary, a skill and a queued action of it."""
        stage = self._stage
        self._clock.set(self._days[4])
        stage.day(4, "the agent answers from it, and makes more of it")
        agent = self._handle(Channel.AGENT_INFERRED, "reference-agent", "desk-4")
        result = agent.recall(QUESTION)
        stage.say(f"Ben asks: “{QUESTION}”. Recall shows the agent:")
        stage.quote(result.items[0].text if result.items else "nothing")
        stage.expect("day_4_top", _top(result), self.poison, "The outdated claim is the first item.")
        stage.say(
            "The agent answers with the mailbox, and writes down what it learned. Each text gets an edge to everything "
            "its session was shown, whether the agent says so or not:"
        )
        for kind, content, meta in (
            ("summary", f"Desk 4 asked where exception reports go; they are sent to the {MAILBOX}.", {}),
            (
                "skill",
                f"Filing an exception report: fill in the template, attach the list of the run, send both to the {MAILBOX}.",
                {"name": "file-an-exception-report"},
            ),
            ("action", f"Send the exception report of case 88 to the {MAILBOX}.", {"tool": "mail", "case": "88"}),
        ):
            made = agent.derive(kind, content, used=result, meta=meta)
            written = made.id if isinstance(made, Artefact) else made.artefact_id or ""
            self._artefacts[kind] = written
            stage.facts[kind] = written
        stage.say(
            "What agents do from now on is not theirs to decide: the skill waits for a person. Ben has just done it "
            "that way, and accepts it."
        )
        ben = self._handle(Channel.HUMAN_STATED, "ben")
        skill = self._artefacts["skill"]
        stage.expect("day_4_skill", ben.explain(skill).state, "held", "The agent's skill is held.")
        ben.decide(skill, "accept", reason="that is how I filed case 88")
        self._show_states()
        stage.expect(
            "day_4_exposure", len(self._operator.exposure(self.poison)), 1, "One read has shown the claim so far."
        )

    # -- day 9

    def own_transcript(self) -> None:
        """The agent's own words come back as a transcript, and count for nothing."""
        stage = self._stage
        self._clock.set(self._days[9])
        stage.day(9, "the agent's own transcript repeats it, and that is no evidence")
        before = self._operator.explain(self.poison)
        verdicts = self._ingest(9, "desk-4.jsonl", "chat-export")
        echo = [one for document, one in verdicts if document.turn == "t2" and one.artefact_id is None]
        stage.say(
            "The nightly export of desk 4 contains the agent's answer of day 4, word for word. A store that counts "
            "repetition would now be surer than before. Here the session is known to have been shown the claim:"
        )
        for one in echo:
            stage.table(["verdict", "code"], [(one.outcome.value, one.code)])
        stage.expect("day_9_verdicts", [one.outcome.value for one in echo], ["rejected"], "The repetition is refused.")
        stage.expect("day_9_code", [one.code for one in echo], ["echo"], "The reason is that it is an echo.")
        after = self._operator.explain(self.poison)
        stage.expect("day_9_evidence", len(after.evidence), 1, "The claim still rests on one piece of evidence.")
        stage.expect(
            "day_9_confidence", after.confidence, before.confidence, f"Its confidence is still {after.confidence}."
        )
        claims = self._operator.value(SUBJECT, PREDICATE).claims
        stage.expect("day_9_claims", len(claims), 1, "There is still one claim.")

    # -- day 16

    def symptom(self) -> None:
        """Operations notices; the chain is found."""
        stage = self._stage
        self._clock.set(self._days[16])
        stage.day(16, "the symptom, and the chain behind it")
        result = self._handle(Channel.AGENT_INFERRED, "reference-agent", "desk-9").recall(QUESTION, k=8)
        stage.say("Operations notices that the agent still recommends a mailbox that nobody reads. Recall before:")
        self._show_items(result)
        stage.expect(
            "before",
            sorted({one.kind for one in result.items if MAILBOX in one.text} & {"claim", "summary", "skill"}),
            ["claim", "skill", "summary"],
            "The claim is shown, and by now also the summary and the skill that repeat it.",
        )
        stage.say("Writing about the subject is frozen first, so that nothing moves while people look.")
        self._operator.freeze(subject=SUBJECT, reason="incident 7")
        reads = [one.retrieval for one in self._operator.exposure(self.poison)]
        stage.table(
            ["who was shown it", "session", "asked"], [(one.principal, one.session, one.query) for one in reads]
        )
        stage.expect(
            "exposure", [one.session for one in reads], ["desk-4", "desk-9"], "Two sessions were shown the claim."
        )
        found = self._operator.lineage(self.poison)
        stage.say("Its lineage, up to the source and down to what was made of it:")
        stage.lineage(found)
        stage.expect(
            "lineage_down",
            sorted({one.kind for one in found.down} & {"action", "skill", "summary"}),
            ["action", "skill", "summary"],
            "A summary, a skill and a queued action grew from it.",
        )
        stage.expect("lineage_up", found.up[-1].kind, "source", "It ends in a source: the guide.")

    def quarantine(self) -> None:
        """The claim is taken out of belief before anything is destroyed."""
        stage = self._stage
        stage.say("")
        stage.say("Quarantine comes first: it takes the claim out of belief at once, and can be undone.")
        self._operator.quarantine(claim=self.poison, reason="names a retired mailbox; under review")
        self._show_states()
        stage.expect("quarantined", self._states()["claim"], "quarantined", "The claim is quarantined.")
        result = self._handle(Channel.AGENT_INFERRED, "reference-agent", "desk-10").recall(QUESTION)
        stage.expect(
            "quarantine_hides", self.poison in [one.id for one in result.items], False, "Recall no longer shows it."
        )

    def correction(self) -> None:
        """The right value is read from the configuration, with file and line, and takes the claim's place."""
        stage = self._stage
        self._operator.thaw(subject=SUBJECT, reason="the correction is ready")
        document, found, since = _from_configuration(to_instant(self._clock.now()))
        stage.say("")
        stage.say("The correction comes from the system of record, not from somebody's memory:")
        stage.quote(f"{document.uri}, {found.locator}: “{found.object}”, since {since}")
        verdict = self._handle(Channel.SYSTEM_OF_RECORD, "platform-sync").propose(
            subject=found.subject,
            predicate=found.predicate,
            object=found.object,
            valid_from=since,
            evidence=Evidence(
                uri=document.uri, version="31", quote=found.quote, locator=found.locator, owner="platform team"
            ),
        )
        stage.expect("correction_verdict", verdict.outcome.value, "accepted", "The gate accepts it.")
        self.correction_id = verdict.claim_id or ""
        stage.facts["correction"] = self.correction_id
        evidence = self._operator.explain(self.correction_id).evidence[0]
        stage.expect(
            "correction_source",
            [evidence.uri, evidence.locator],
            ["billing.yaml", found.locator],
            "Its evidence names file and line.",
        )
        self._operator.supersede(self.poison, self.correction_id, reason="the mailbox was switched off on 15 August")
        edges = [(one.edge, one.other) for one in self._operator.explain(self.poison).edges]
        stage.expect(
            "superseded_by",
            ("superseded_by", self.correction_id) in edges,
            True,
            "An edge says that the correction supersedes the old claim.",
        )

    def revocation(self) -> None:
        """The claim is revoked, and everything that grew from it is withdrawn."""
        stage = self._stage
        stage.say("")
        stage.say("The claim should never have been believed: it is revoked. The plan says beforehand what that does:")
        plan = self._operator.plan_revoke(claim=self.poison)
        stage.table(
            ["what falls", "before", "after", "id"],
            [(one.kind, one.before, one.after, one.id) for one in plan.falls],
        )
        ours = set(self._artefacts.values())
        stage.expect(
            "plan_falls", ours <= {one.id for one in plan.falls}, True, "Summary, skill and action are in the plan."
        )
        done = self._operator.revoke(plan, reason="outdated sentence in version 3 of the guide")
        stage.expect("done_as_planned", done.effects == plan.effects, True, "What happened is what was planned.")
        self._show_states()
        stage.expect(
            "withdrawn",
            self._states(),
            {"claim": "revoked", "summary": "revoked", "skill": "revoked", "action": "revoked"},
            "The claim, the summary, the skill and the action are withdrawn.",
        )
        refused = None
        try:
            self._handle(Channel.TRUSTED_TOOL, "mail-runner").dispatch(self._artefacts["action"])
        except Conflict as error:
            refused = error.code
            stage.quote(f"dispatch: {error}")
        stage.expect("dispatch", refused, "conflict", "The queued mail is not sent: dispatch refuses.")

    def afterwards(self) -> None:
        """Recall after; what was believed on day 11; the new version of the guide."""
        stage = self._stage
        stage.say("")
        agent = self._handle(Channel.AGENT_INFERRED, "reference-agent", "desk-11")
        result = agent.recall(QUESTION, k=8)
        stage.say("Recall after:")
        self._show_items(result)
        stage.expect("after_top", _top(result), self.correction_id, "Recall answers with the correction.")
        stage.expect(
            "after",
            [one.id for one in result.items if MAILBOX in one.text],
            [],
            "Nothing that names the mailbox is shown.",
        )
        rebuilt = agent.derive("summary", f"Exception reports go to the {QUEUE}.", used=result)
        stage.expect(
            "rebuilt", self._operator.explain(rebuilt.id).state, "active", "The summary is written anew from it."
        )
        stage.say("Nothing was overwritten. Both times can be asked for:")
        stage.expect(
            "replay_day_11",
            self._value(valid_day=11, known_day=11),
            MAILBOX,
            f"On day 11 the store believed: {MAILBOX}.",
        )
        stage.expect(
            "known_now_of_day_11", self._value(valid_day=11), QUEUE, f"As known now, day 11 was already: {QUEUE}."
        )
        verdicts = self._ingest(16, "reconciliation-guide.md", "guide-loader", version="4")
        again = [one for _, one in verdicts if one.claim_id == self.correction_id]
        stage.expect(
            "guide_4",
            [one.outcome.value for one in again],
            ["reinforced"],
            "Version 4 of the guide agrees: no second claim.",
        )


def _counted(tally: Tally) -> str:
    claims = ", ".join(f"{number} {name}" for name, number in sorted(tally.claims.items()))
    return f"{tally.episodes} episode(s), claims: {claims or 'none'}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def _top(result: Recalled) -> str | None:
    return result.items[0].id if result.items else None


def _from_configuration(now: int) -> tuple[Document, Extracted, str]:
    """Read `billing.yaml`: the document, the candidate about the destination, and since when it holds."""
    (document,) = [
        one
        for one in documents_of(FILES / "day-16", now=now, stated=now)
        if isinstance(one, Document) and one.uri == "billing.yaml"
    ]
    rules = (Rule("exception reports.*", SUBJECT),)  # the file's own name says nothing about the subject
    found = {one.predicate: one for one in ConfigExtractor(rules=rules).extract(document) if one.subject == SUBJECT}
    return document, found[PREDICATE], found["since"].object


def _invite(stage: Stage, store: Path, poison: str, *, contained: bool) -> None:
    at = f"--store {store} --tenant {TENANT}"
    commands = [f"tkg lineage {at} {poison}"]
    if contained:
        commands.append(f"tkg value {at} '{SUBJECT}' {PREDICATE} --valid-at 2025-09-12 --as-of 2025-09-12")
    commands.append(f"tkg recall {at} '{QUESTION}'")
    stage.facts["try"] = commands
    stage.say(f"\nThe store is in {store}. Try on it:\n")
    for one in commands:
        stage.command(one)
