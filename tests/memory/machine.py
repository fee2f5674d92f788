"""The state machine: the facade on real stores equals the facade on the reference, whatever is done in any order.

`python -m tests.memory.machine --examples 500 --steps 30 --engine kuzu` runs it at length and prints what it did.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

import tkg
from tests.memory.twins import Refused, Twins

SAID = tkg.Evidence(uri="mail/1", quote="Ana Reed lives in Lisbon.")
SUBJECTS = ("Ana Reed", "crane 5")
OBJECTS = {
    "city": ("Lisbon", "Berlin", "lisbon"),
    "limit": ("12", "12.4", "15", "12.0"),
    "skill": ("welding", "first aid", "rigging"),
    "status": ("open", "closed"),
}
CHANNELS = ("system_of_record", "human_verified", "human_stated", "trusted_tool", "agent_inferred", "external")
PRINCIPALS = ("ana", "bo", "loader")
URIS = ("people.yaml", "mail/1", "wiki/2")
TIMES = (None, "2026-02", "2026-03-01", "2026-03-10T00:00:00Z", "2026-04", "..")
SCOPES = (*[("acme", None)] * 4, ("acme", "ana"), ("acme", "ana"), ("acme", "bo"), ("acme-corp", None), ("new", None))


class Machine(RuleBasedStateMachine):
    """Calls in any order on both stores; `Twins.both` compares every answer."""

    engine = "kuzu"
    done: Counter[str] = Counter()

    @initialize(above=st.sampled_from((-1, 1_000_000)))
    def open(self, above: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tkg-twins-"))
        self.twins = Twins(self.folder / "store", self.engine, above)
        self.claims: list[str] = []
        self.artefacts: list[str] = []
        self.results: list[Any] = []
        #: id -> tenant that holds it
        self.home: dict[str, str] = {}
        # two tenants exist from the start; a third name is left for first writes
        for tenant in ("acme", "acme-corp"):
            who = {"tenant": tenant, "channel": "human_stated", "principal": "ana"}
            verdict = self._call(
                "propose",
                lambda handle: handle.propose(subject="Ana Reed", predicate="city", object="Lisbon", evidence=SAID),
                **who,
            )
            self._keep(self.claims, verdict.claim_id, tenant)

    def _keep(self, pool: list[str], identifier: str, tenant: str) -> None:
        pool.append(identifier)
        self.home[identifier] = tenant

    def _call(self, name: str, call: Any, **scope: Any) -> Any:
        self.done[name] += 1
        answer = self.twins.both(call, **scope)
        if isinstance(answer, Refused):
            self.done[f"{name} refused"] += 1
        return answer

    def _who(self, data: st.DataObject, *, person: bool = False, about: str | None = None) -> dict[str, Any]:
        """Draw a caller; `about` an id mostly from the tenant that holds it, else anybody."""
        tenant, user = data.draw(st.sampled_from(SCOPES))
        if about in self.home and data.draw(st.integers(0, 9)):
            tenant, user = data.draw(
                st.sampled_from(((self.home[about], None), (self.home[about], None), (tenant, user)))
            )
        channel = data.draw(st.sampled_from(CHANNELS[1:3] if person else CHANNELS))
        session = data.draw(st.sampled_from((None, "s-1", "s-2")))
        principal = data.draw(st.sampled_from(PRINCIPALS))
        return {"tenant": tenant, "user": user, "channel": channel, "principal": principal, "session": session}

    def _any(self, data: st.DataObject, ids: list[str]) -> str:
        return data.draw(st.sampled_from(ids)) if ids else "clm_00000000000000000000000000"

    # -- writing

    @rule(data=st.data())
    def propose(self, data: st.DataObject) -> None:
        predicate = data.draw(st.sampled_from(sorted(OBJECTS)))
        depends = (self._any(data, self.claims),) if self.claims and data.draw(st.integers(0, 5)) == 0 else ()
        copy_of = data.draw(st.sampled_from((None, None, None, *URIS)))
        uri = data.draw(st.sampled_from(URIS))
        fields = {
            "subject": data.draw(st.sampled_from(SUBJECTS)),
            "predicate": predicate,
            "object": data.draw(st.sampled_from(OBJECTS[predicate])),
            "polarity": data.draw(st.sampled_from(("positive", "positive", "positive", "negative"))),
            "valid_from": data.draw(st.sampled_from(TIMES)),
            "valid_to": data.draw(st.sampled_from(TIMES)),
            "observed_at": data.draw(st.sampled_from((None, None, "2026-02-20"))),
            "evidence": data.draw(st.sampled_from((None, tkg.Evidence(uri=uri, quote="so it says", copy_of=copy_of)))),
            "depends_on": depends,
            "idempotency_key": data.draw(st.sampled_from((None, None, None, "again"))),
        }
        who = self._who(data)
        verdict = self._call("propose", lambda handle: handle.propose(**fields), **who)
        if not isinstance(verdict, Refused):
            self.done[f"verdict {verdict.outcome}"] += 1
            if verdict.claim_id is not None:
                self._keep(self.claims, verdict.claim_id, who["tenant"])

    @rule(data=st.data(), kind=st.sampled_from(("summary", "skill", "action", "claim")))
    def derive(self, data: st.DataObject, kind: str) -> None:
        used = data.draw(st.sampled_from(self.results)) if self.results and data.draw(st.booleans()) else None
        pool = self.claims + self.artefacts
        from_ = (self._any(data, pool),) if pool and data.draw(st.booleans()) else ()
        content: Any = f"{kind} about {data.draw(st.sampled_from(SUBJECTS))} in Lisbon"
        alternatives: tuple[tuple[str, ...], ...] = ()
        if kind == "claim":
            content = {"subject": data.draw(st.sampled_from(SUBJECTS)), "predicate": "skill", "object": "rigging"}
            if pool and data.draw(st.booleans()):
                alternatives = tuple((self._any(data, pool),) for _ in range(2))
        first = next(iter((*from_, *(one for many in alternatives for one in many))), None)
        who = self._who(data, about=first)
        made = self._call(
            "derive",
            lambda handle: handle.derive(kind, content, used=used, from_=from_, alternatives=alternatives),
            **who,
        )
        if isinstance(made, Refused):
            return
        if kind == "claim":
            if made.claim_id is not None:
                self._keep(self.claims, made.claim_id, who["tenant"])
        else:
            self._keep(self.artefacts, made.id, who["tenant"])

    @rule(data=st.data())
    def dispatch(self, data: st.DataObject) -> None:
        action = self._any(data, self.artefacts)
        self._call("dispatch", lambda handle: handle.dispatch(action), **self._who(data, about=action))

    # -- taking back

    def _target(self, data: st.DataObject) -> dict[str, str]:
        what = data.draw(st.sampled_from(("claim", "claim", "source", "session", "principal")))
        pools = {
            "claim": self.claims + self.artefacts or ["clm_00000000000000000000000000"],
            "source": list(URIS),
            "session": ["s-1", "s-2"],
            "principal": list(PRINCIPALS),
        }
        return {what: data.draw(st.sampled_from(pools[what]))}

    @rule(data=st.data())
    def revoke(self, data: st.DataObject) -> None:
        target = self._target(data)
        self._call(
            "revoke",
            lambda handle: handle.revoke(handle.plan_revoke(**target), reason="it was wrong"),
            **self._who(data, about=next(iter(target.values()))),
        )

    @rule(data=st.data(), verb=st.sampled_from(("quarantine", "release")))
    def quarantine(self, data: st.DataObject, verb: str) -> None:
        target = self._target(data)
        who = self._who(data, about=next(iter(target.values())))
        self._call(verb, lambda handle: getattr(handle, verb)(**target, reason="under review"), **who)

    @rule(data=st.data(), verb=st.sampled_from(("freeze", "thaw")))
    def freeze(self, data: st.DataObject, verb: str) -> None:
        where = data.draw(st.sampled_from(({}, {"subject": "crane 5"}, {"predicate": "city"})))
        self._call(verb, lambda handle: getattr(handle, verb)(**where, reason="incident"), **self._who(data))

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def decide(self, data: st.DataObject) -> None:
        claim, decision = self._any(data, self.claims), data.draw(st.sampled_from(("accept", "reject")))
        who = self._who(data, person=True, about=claim)
        self._call("decide", lambda handle: handle.decide(claim, decision, reason="looked at"), **who)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def verify(self, data: st.DataObject) -> None:
        claim = self._any(data, self.claims)
        self._call("verify", lambda handle: handle.verify(claim), **self._who(data, person=True, about=claim))

    @precondition(lambda self: len(self.claims) > 1)
    @rule(data=st.data())
    def supersede(self, data: st.DataObject) -> None:
        old, new = self._any(data, self.claims), self._any(data, self.claims)
        who = self._who(data, person=True, about=new)
        self._call("supersede", lambda handle: handle.supersede(old, new, reason="newer"), **who)

    # -- reading

    @rule(data=st.data())
    def recall(self, data: st.DataObject) -> None:
        query = data.draw(st.sampled_from(("city of Ana Reed", "crane 5 limit", "skill rigging", "summary Lisbon")))
        as_of = data.draw(st.sampled_from((None, None, 3, "2026-03-02")))
        result = self._call("recall", lambda handle: handle.recall(query, as_of=as_of), **self._who(data))
        if not isinstance(result, Refused):
            self.results.append(result)

    @rule(data=st.data())
    def ask(self, data: st.DataObject) -> None:
        subject, predicate = data.draw(st.sampled_from(SUBJECTS)), data.draw(st.sampled_from(sorted(OBJECTS)))
        valid_at = data.draw(st.sampled_from((None, "2026-02-15", "2026-03-20")))
        as_of = data.draw(st.sampled_from((None, 2, 5, "2026-03-02")))
        who = self._who(data)
        self._call("value", lambda handle: handle.value(subject, predicate, valid_at=valid_at, as_of=as_of), **who)
        self._call("timeline", lambda handle: handle.timeline(subject, predicate, as_of=as_of), **who)

    @rule(data=st.data())
    def look(self, data: st.DataObject) -> None:
        node = self._any(data, self.claims + self.artefacts)
        who = self._who(data, about=node)
        self._call("explain", lambda handle: handle.explain(node), **who)
        self._call("lineage", lambda handle: handle.lineage(node), **who)
        self._call("exposure", lambda handle: handle.exposure(node), **who)
        self._call("contradictions", lambda handle: handle.contradictions(), **who)
        self._call("review", lambda handle: handle.review(), **who)

    @rule(data=st.data())
    def investigate(self, data: st.DataObject) -> None:
        node = self._any(data, self.claims + self.artefacts)
        who = self._who(data, about=node)
        as_of = data.draw(st.sampled_from((None, None, 4, "2026-03-02")))
        for verb in ("why", "why_not", "single_points"):
            self._call(verb, lambda handle, verb=verb: getattr(handle, verb)(node, as_of=as_of), **who)
        for verb in ("blast", "poison_chain", "find"):
            self._call(verb, lambda handle, verb=verb: getattr(handle, verb)(node), **who)
        subject, predicate = data.draw(st.sampled_from(SUBJECTS)), data.draw(st.sampled_from(sorted(OBJECTS)))
        self._call("history", lambda handle: handle.history(subject, predicate), **who)
        self._call("diff", lambda handle: handle.diff(as_of or 2), **who)

    # -- the store

    @rule(hours=st.sampled_from((1, 24, 24 * 40)))
    def wait(self, hours: int) -> None:
        self.twins.advance(timedelta(hours=hours))

    @rule(drop=st.booleans())
    def reopen(self, drop: bool) -> None:
        self.done["reopen"] += 1
        self.twins.reopen(drop_projections=drop)

    def teardown(self) -> None:
        if hasattr(self, "twins"):
            try:
                for tenant in ("acme", "acme-corp"):
                    self._call("export", lambda handle: list(handle.export()), tenant=tenant)
            finally:
                self.twins.close()
                shutil.rmtree(self.folder, ignore_errors=True)


def machine_for(engine: str) -> type[Machine]:
    """Return the machine for one engine."""
    return type(f"Machine_{engine}", (Machine,), {"engine": engine, "done": Counter()})


def main(argv: list[str] | None = None) -> int:
    """Run the machine at length and print what was done."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--engine", choices=("kuzu", "ladybug", "memory"), default="kuzu")
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=None, help="for a run that can be repeated")
    options = parser.parse_args(argv)
    machine = machine_for(options.engine)
    if options.seed is not None:
        machine = seed(options.seed)(machine)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=options.examples,
            stateful_step_count=options.steps,
            deadline=None,
            database=None,
            phases=(Phase.generate,),  # no shrinking: at length, the first difference is reported as it is
            suppress_health_check=list(HealthCheck),
        ),
    )
    calls = sum(count for name, count in machine.done.items() if " " not in name)
    print(f"{options.engine}: {options.examples} examples, up to {options.steps} steps, {calls} calls compared")
    print(f"0 differences (95 % bound {3 / calls:.6f} a call)")
    for name, count in sorted(machine.done.items()):
        print(f"  {name}: {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
