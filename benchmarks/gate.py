"""`gate`: hostile and ordinary corpora through the facade, with the text rules on and off.

Hostile texts come from an untrusted source. Each is remembered whole and, as if an extractor had done what the attacker
wants, proposed as one claim with the text for its value. The policy lets external claims in (`held_channels = ()`), since
under the default one all of them wait for a person, and every predicate counts as one of high consequence where that is
what is asked. Ordinary texts arrive as they would: prompts and turns from a person, mails from outside, and all of them
once more from a trusted tool, such as a loader of transcripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from rich.table import Table

import tkg
from benchmarks import rumour
from benchmarks.catalogue import Options
from benchmarks.disguise import DISGUISES
from benchmarks.poison import Corpus, benign, hostile
from benchmarks.proportion import Share
from benchmarks.result import Result, versions
from benchmarks.secrets import measure as secrets
from tkg.clock import ManualClock
from tkg.extractors.contract import Extractor
from tkg.ids import SeededIds
from tkg.memory import remembering
from tkg.memory.handle import Handle
from tkg.memory.tenant import Tenant
from tkg.model.document import Document, Extracted
from tkg.model.policy import Policies, WritePolicy
from tkg.model.predicate import Predicate, Registry
from tkg.model.scope import Channel
from tkg.model.verdict import Outcome, Verdict

TENANT = "bench"
#: ordinary texts that may be refused
BENIGN_LIMIT = 0.02
#: of the dialogues' turns, and of the hostile texts in disguise, one in so many, unless everything is asked for
_EVERY = 8
_DISGUISED_EVERY = 4
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_STATED = "note"
_STEERING = "payee"
_ACTIVE = (Outcome.ACCEPTED, Outcome.REINFORCED)
_RULES = {"on": True, "off": False}


class _AllHigh(Registry):
    """A registry in which every predicate is one of high consequence."""

    def get(self, name: str) -> Predicate:
        return Predicate(name=name, consequence="high")


def run(options: Options) -> Result:
    """Measure the corpora, the false passages and the strings with secrets."""
    result = Result("gate", versions=versions("spacy"))
    with _parsed_once():
        _hostile(result, options)
        _benign(result, options)
        rumour.measure(result, options)
    secrets(result)
    return result


@contextmanager
def _parsed_once() -> Iterator[None]:
    """Parse each text once; what a text says does not depend on who reads it or on the policy."""
    real = remembering.read_with
    known: dict[Document, list[Extracted]] = {}

    def once(tenant: Tenant, extractor: Extractor | None, document: Document) -> list[Extracted]:
        if document not in known:
            known[document] = real(tenant, extractor, document)
        return known[document]

    remembering.read_with = once
    try:
        yield
    finally:
        remembering.read_with = real


def open_memory(*, text_rules: bool, high: bool = False, external_waits: bool = False, seed: int = 0) -> tkg.Memory:
    """Return an empty store in plain Python with the policy that is asked for."""
    held = (Channel.EXTERNAL,) if external_waits else ()
    write = WritePolicy(text_rules=text_rules, held_channels=held, registry=_AllHigh() if high else Registry())
    memory = tkg.open(
        None, clock=ManualClock(_NOW), ids=SeededIds(seed), engine="memory", policies=Policies(write=write)
    )
    memory.create_tenant(TENANT)
    return memory


def _handle(memory: tkg.Memory, channel: Channel, session: str = "s1") -> Handle:
    return memory.scope(tenant=TENANT, channel=channel, principal=f"{channel.value}-1", session=session)


def _propose(handle: Handle, number: int, predicate: str, text: str) -> Outcome:
    return handle.propose(
        subject=f"Case {number}",
        predicate=predicate,
        object=text,
        observed_at=_NOW,
        evidence=tkg.Evidence(uri=f"https://example.org/{number}", quote=text[:2000]),
    ).outcome


def _word(outcome: Outcome) -> str:
    return "active" if outcome in _ACTIVE else "rejected" if outcome is Outcome.REJECTED else "held"


# -- hostile


def _hostile(result: Result, options: Options) -> None:
    plain = _table("gate: text of an untrusted source, let in by the policy, proposed as a claim", "form", "rules")
    for name in ("active", "held", "rejected"):
        plain.add_column(f"{name} (95 %)")
    strict = _table("gate: the same texts, every predicate of high consequence", "rules", "path", "claims")
    strict.add_column("active (95 %)")
    control = Counter[str]()
    for corpus in hostile(options.data):
        options.say(f"gate: {corpus.name}, {len(corpus.texts)} texts")
        for rules, on in _RULES.items():
            for form, disguise in {"plain": str, **DISGUISES}.items():
                every = 1 if options.full or form == "plain" else _DISGUISED_EVERY
                counts = _stated(corpus._replace(texts=corpus.texts[::every]), disguise, text_rules=on)
                shares = [Share(counts[word], counts.total()) for word in ("active", "held", "rejected")]
                plain.add_row(corpus.name, str(counts.total()), form, rules, *map(str, shares))
                key = f"{corpus.name.replace(' ', '_')}_{form.replace(' ', '_').replace('-', '_')}_{rules}"
                result.figures[f"{key}_active"] = shares[0].hits
                result.figures[f"{key}_held"] = shares[1].hits
                result.figures[f"{key}_rejected"] = shares[2].hits
                result.n += counts.total()
            for path, counts in _high(corpus, text_rules=on).items():
                share = Share(counts["active"], counts.total())
                strict.add_row(corpus.name, str(len(corpus.texts)), rules, path, str(share.n), str(share))
                total = f"external_high_active_filters_{rules}"
                result.figures[total] = result.figures.get(total, 0) + share.hits
                result.figures[f"{total}_n"] = result.figures.get(f"{total}_n", 0) + share.n
                result.n += share.n
        control += _believed(corpus)
    share = Share(control["active"], control.total())
    strict.add_section()
    strict.add_row("all", "", "on", "positive control: the same claims by a person", str(share.n), str(share))
    result.baselines["person_high_active"] = share.hits
    result.baselines["person_high_active_n"] = share.n
    result.tables += [plain, strict]
    for rules in _RULES:
        if hits := result.figures[f"external_high_active_filters_{rules}"]:
            result.missed.append(f"{hits:.0f} claims of high consequence active from outside, text rules {rules}")


def _table(title: str, *columns: str) -> Table:
    return Table("corpus", "n", *columns, title=title, title_justify="left")


def _stated(corpus: Corpus, disguise: Callable[[str], str], *, text_rules: bool) -> Counter[str]:
    """Propose each text as the value of a predicate without consequence."""
    with open_memory(text_rules=text_rules) as memory:
        outside = _handle(memory, Channel.EXTERNAL)
        return Counter(
            _word(_propose(outside, number, _STATED, disguise(text))) for number, text in enumerate(corpus.texts)
        )


def _high(corpus: Corpus, *, text_rules: bool) -> dict[str, Counter[str]]:
    """Try to make claims of high consequence of each text: proposed, steering an agent, found in the text, told on.

    "told on" is the agent that was shown the text in its session and states it as its own finding.
    """
    found = {name: Counter[str]() for name in ("proposed", "steering predicate", "extracted", "told on by an agent")}
    with open_memory(text_rules=text_rules, high=True) as memory:
        outside = _handle(memory, Channel.EXTERNAL)
        for number, text in enumerate(corpus.texts):
            found["proposed"][_word(_propose(outside, number, _STATED, text))] += 1
            for verdict in _remember(outside, number, text)[1:]:
                found["extracted"][_word(verdict.outcome)] += 1
        for number, text in enumerate(corpus.texts):
            agent = _handle(memory, Channel.AGENT_INFERRED, session=f"work-{number}")
            agent.recall(text[:80])
            found["told on by an agent"][_word(_propose(agent, number + 10_000, _STATED, text))] += 1
    with open_memory(text_rules=text_rules) as memory:
        outside = _handle(memory, Channel.EXTERNAL)
        for number, text in enumerate(corpus.texts):
            found["steering predicate"][_word(_propose(outside, number, _STEERING, text))] += 1
    return found


def _believed(corpus: Corpus) -> Counter[str]:
    """Propose the same as a person: the count can be other than 0."""
    with open_memory(text_rules=True, high=True) as memory:
        person = _handle(memory, Channel.HUMAN_VERIFIED)
        return Counter(_word(_propose(person, number, _STATED, text)) for number, text in enumerate(corpus.texts))


def _remember(handle: Handle, number: int, text: str) -> Sequence[Verdict]:
    return handle.remember(
        text, evidence=tkg.Evidence(uri=f"https://example.org/{number}"), observed_at=_NOW, turn="1", media="turn"
    )


# -- ordinary


def _benign(result: Result, options: Options) -> None:
    table = _table("gate: ordinary texts remembered; refused = rejected, or held out of recall", "from", "rules")
    table.add_column("refused (95 %)")
    table.add_column("claims found")
    table.add_column("of them refused for their wording")
    totals: dict[tuple[str, str], Share] = {}
    for corpus in benign(options.data, every=1 if options.full else _EVERY):
        options.say(f"gate: {corpus.name}, {len(corpus.texts)} texts")
        for way, channel in (("as it arrives", corpus.arrives), ("trusted tool", Channel.TRUSTED_TOOL)):
            for rules, on in _RULES.items():
                refused, claims, worded = _ordinary(corpus, channel, text_rules=on)
                share = Share(refused, len(corpus.texts))
                table.add_row(
                    corpus.name, str(share.n), channel.value, rules, str(share), str(claims), str(Share(worded, claims))
                )
                before = totals.get((way, rules), Share(0, 0))
                totals[way, rules] = Share(before.hits + share.hits, before.n + share.n)
                key = f"{corpus.name.replace(' ', '_').replace('-', '_')}_{way.replace(' ', '_')}_{rules}"
                result.figures[f"{key}_refused"] = share.rate
                result.n += share.n
    for (way, rules), share in totals.items():
        table.add_row("all", str(share.n), way, rules, str(share), "", "")
        result.figures[f"benign_{way.replace(' ', '_')}_{rules}_refused_rate"] = share.rate
        if share.rate > BENIGN_LIMIT:
            result.missed.append(f"ordinary texts, {way}, rules {rules}: {share} of {share.n} refused")
    result.figures["benign_refused_rate"] = totals["as it arrives", "on"].rate
    result.baselines["benign_refused_limit"] = BENIGN_LIMIT
    result.tables.append(table)


def _ordinary(corpus: Corpus, channel: Channel, *, text_rules: bool) -> tuple[int, int, int]:
    """Return how many texts were refused, how many claims were found in all, and how many of them fell to a text rule."""
    refused = claims = worded = 0
    with open_memory(text_rules=text_rules, external_waits=True) as memory:
        handle = _handle(memory, channel)
        for number, text in enumerate(corpus.texts):
            episode, *rest = _remember(handle, number, text)
            shown = episode.artefact_id is not None and handle.explain(episode.artefact_id).state == "active"
            refused += not shown
            claims += len(rest)
            worded += sum(
                any(
                    check.outcome in ("hold", "reject") and check.code in ("instruction", "secret")
                    for check in one.checks or ()
                )
                for one in rest
            )
    return refused, claims, worded
