"""The form of every `--json` document: one JSON Schema for each name and version, made from the typed answers.

`python -m tkg.cli.forms` writes them to `tkg/cli/schemas/`; a test fails when they differ, and validates what every command
prints. A change that a reader could stumble over takes a new version of the name.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from tkg.cli.metrics import SHARES
from tkg.evaluate import Evaluation
from tkg.gate.accounts import Loss
from tkg.ledger.heads import SignedHead
from tkg.ledger.proof import Proof
from tkg.memory import (
    accounting,
    answers,
    auditing,
    checking,
    consolidated,
    copying,
    core,
    doctor,
    drifting,
    examining,
    findings,
    labelling,
    predicates,
    reading,
    reliability,
    skills,
    telling,
)
from tkg.model.verdict import Verdict

FOLDER: Final = Path(__file__).with_name("schemas")


class Form(BaseModel):
    """A document: nothing but the fields that are named."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class Open(Form):
    """A document that holds more than the fields that are named."""

    model_config = ConfigDict(extra="allow")


class Asked(Form):
    """How a recall understood the question."""

    mode: str
    rule: str
    phrase: str | None


class Item(Form):
    """One thing that a recall showed."""

    id: str
    kind: str
    state: str
    text: str
    subject: str | None
    predicate: str | None
    object: str | None
    negative: bool
    scope: str
    channel: str
    observed_at: str | None
    valid_from: str | None
    valid_to: str | None
    uri: str | None
    version: str | None
    locator: str | None
    score: float
    note: str | None
    pinned: bool
    found_by: list[str]


class Note(Form):
    """What a recall noted beside its items."""

    id: str | None
    code: str
    key: Any
    text: str


class LeftOut(Form):
    """What a recall found and did not show."""

    id: str
    reason: str


class Abstained(Form):
    """Why a recall gave no answer, and how that can be settled."""

    code: str
    resolve: str


class Read(Form):
    """One read that showed something."""

    id: str
    seq: int
    scope: str
    query: str | None
    principal: str | None
    session: str | None
    valid_at: str | None
    as_of: int
    shown: list[str]


class Suggested(Open):
    """One declaration that what is stored speaks for."""

    predicate: str
    key: str
    value: Any
    confidence: float


class Tried(Open):
    """The outcome of one acceptance case on one store."""

    id: str
    store: str
    passed: bool
    reasons: list[str]


class Played(Open):
    """What came out of the demo; every fact it checked stands beside these, by its name."""

    store: str
    tenant: str


def _form(name: str, base: type[BaseModel] | None = None, *, exclude: tuple[str, ...] = (), **fields: Any) -> Any:
    """Return the model of a document: the fields of an answer, some more, and (where it has a version) its name."""
    given: dict[str, Any] = {}
    if "/" in name:
        given["schema_"] = (Annotated[Literal[name], Field(alias="schema")], ...)
    for field, info in ({} if base is None else base.model_fields).items():
        if field not in exclude:
            given[field] = (info.annotation, info)
    given |= {field: (annotation, ...) for field, annotation in fields.items()}
    make: Any = create_model
    return make(name, __base__=Open if base is Played else Form, **given)


def _of_the_store() -> list[Any]:
    return [
        _form("tkg.init/1", store=str, tenants=list[str]),
        _form("tkg.rebuild/1", tenant=str, entries=int),
        _form("tkg.verify/1", checking.Report, ok=bool),
        _form("tkg.evidence/1", answers.EvidenceReport, counts=dict[str, int]),
        _form("tkg.doctor/1", ok=bool, checks=list[doctor.Check]),
        _form("tkg.backup/1", folder=str, backup=copying.Backup),
        _form("tkg.restore/1", store=str, backup=copying.Backup),
        _form("tkg.head/1", SignedHead),
        _form("tkg.proof/1", Proof),
    ]


class Rate(Form):
    """A share with its 95 % interval."""

    hits: int
    n: int
    rate: float | None
    low: float
    high: float


class Step(Form):
    """One stage of the funnel."""

    name: str
    entering: int
    routed: int
    rejected: int
    merged: int
    held: int
    leaving: int


def _of_the_gate() -> list[Any]:
    shares = SHARES
    rates: dict[str, Any] = dict.fromkeys(shares, Rate)
    left: dict[str, Any] = {"exclude": ("funnel", "accepted_by_class", *shares), "funnel": list[Step]}
    return [
        _form(
            "tkg.metrics/1",
            accounting.GateFigures,
            accepted_by_class=dict[str, Rate],
            **left,
            **rates,
        ),
        *(_form(f"tkg.{one}/1", Verdict, exclude=("record", "candidate")) for one in ("promote", "derive.held")),
        _form("tkg.audit/1", examining.Audit),
        _form("tkg.audit.regressions/1", count=int, cases=list[dict[str, Any]]),
        _form("tkg.audit.sample/1", side=str, items=list[accounting.Sampled]),
        _form("tkg.audit.mark/1", verdict=str, right=bool),
        _form("tkg.notes/1", notes=dict.__class_getitem__((str, str)), ended=bool),
        _form("tkg.supersede/1", edge=str, old=str, new=str),
        _form("tkg.audit.drift/1", drifting.Drift),
        _form("tkg.audit.sources/1", reliability.Reliability),
        _form("tkg.audit.global/1", count=int, items=list[answers.GlobalClaim]),
        _form("tkg.policy.compare/1", policies=dict[str, Loss]),
    ]


def _of_keeping() -> list[Any]:
    return [
        _form("tkg.forget/1", plan=answers.Forgetting, receipt=dict[str, Any] | None),
        _form("tkg.forget.verify/1", receipt_id=str, checks=list[dict[str, Any]]),
        _form("tkg.hold/1", scope=str, state=str),
        _form("tkg.maintain/1", answers.Upkeep),
        _form("tkg.unarchive/1", restored=list[str]),
        _form("tkg.import/1", tenant=str, entries=int),
        _form("tkg.export/1", tenant=str, records=list[dict[str, Any]]),
        _form("tkg.conform/1", passed=int, failed=int, results=list[Tried]),
        _form("tkg.demo/1", Played),
    ]


def _of_containment() -> list[Any]:
    plan: Any = answers.Plan | None
    report: Any = answers.ContainmentReport | None
    return [
        _form("tkg.contain/1", containment=answers.Containment, plan=plan, report=report),
        _form("tkg.containments/1", count=int, items=list[answers.Containment]),
        _form("tkg.preserve/1", id=str, file=str, sha256=str),
        _form("tkg.cancel/1", id=str, state=str),
        _form("tkg.renew/1", id=str, renewed=str | None),
        _form("tkg.show.subject/1", telling.Remembered),
        _form("tkg.show.delete/1", erases=list[str], receipts=list[dict[str, Any]]),
    ]


def _of_declarations() -> list[type[Form]]:
    return [
        _form("tkg.predicates/1", count=int, items=list[predicates.DeclaredPredicate]),
        _form("tkg.predicates.suggest/1", count=int, items=list[Suggested], toml=str),
        _form("tkg.contradictions.audit/1", count=int, items=list[auditing.Finding], next=str | None),
        _form("tkg.skills/1", count=int, items=list[skills.SkillShown]),
        _form("tkg.evaluate/1", base=Evaluation, harm=int),
        _form("tkg.audit.label/1", read=str, item=str, relevant=bool),
        _form("tkg.audit.precision/1", base=labelling.Precision),
        _form("tkg.ran/1", id=str, failures=int, verified=int, last=str | None),
        _form("tkg.core/1", base=core.Core),
        _form("tkg.core.read/1", base=core.CoreImport),
    ]


def _of_reading() -> list[Any]:
    told: dict[str, Any] = {"counts": dict[str, int], "claims": dict[str, int]}
    return [
        _form(
            "tkg.ingest/1",
            documents=int,
            episodes=int,
            already_there=int,
            refused=int,
            failed=int,
            claims=dict[str, int],
            older_versions=dict[str, int],
        ),
        _form("tkg.consolidate/1", consolidated.Consolidation, exclude=("verdicts",), **told),
        _form("tkg.consolidate.undo/1", consolidated.Undone),
    ]


@cache
def forms() -> dict[str, type[Form]]:
    """Return the model of every document by its name and version."""
    verdict: dict[str, Any] = {"base": Verdict, "exclude": ("record", "candidate")}
    one_verdict: Any = _form("tkg.verdict", **verdict)
    shown: dict[str, Any] = {"id": str, "kind": str, "label": str, "state": str}
    frozen: dict[str, Any] = {"scope": str, "subject": str | None, "predicate": str | None, "state": str}
    about: dict[str, Any] = {"subject": str, "predicate": str}
    made = [
        *(*_of_the_store(), *_of_the_gate(), *_of_declarations(), *_of_reading()),
        *(_form(f"tkg.{verb}/1", **verdict) for verb in ("propose", "confirm")),
        _form("tkg.remember/1", verdicts=list.__class_getitem__(one_verdict)),
        _form("tkg.derive/1", **shown),
        _form("tkg.dispatch/1", **shown),
        _form(
            "tkg.recall/1",
            query=str,
            id=str,
            seq=int,
            valid_at=str | None,
            as_of=int,
            intent=Asked,
            items=list[Item],
            notes=list[Note],
            left_out=list[LeftOut],
            abstained=Abstained | None,
            tokens=int,
            token_budget=int,
            text=str,
        ),
        _form("tkg.value/1", answers.Value, **about),
        _form("tkg.timeline/1", segments=list[reading.Segment], history=list[findings.Believed], **about),
        _form("tkg.show/1", answers.Explanation, exclude=("edges", "decisions", "rests_on")),
        _form("tkg.show.correct/1", wrong=str, verdict=one_verdict),
        _form("tkg.explain/1", answers.Explanation),
        _form("tkg.contradictions/1", count=int, items=list[reading.Contradiction]),
        _form("tkg.contradiction/1", findings.Dispute),
        _form("tkg.lineage/1", answers.Lineage),
        _form("tkg.why/1", findings.Why),
        _form("tkg.why_not/1", findings.WhyNot),
        _form("tkg.single_points/1", findings.SinglePoints),
        _form("tkg.blast/1", findings.Blast),
        _form("tkg.poison_chain/1", findings.PoisonChain),
        _form("tkg.diff/1", findings.Diff),
        _form("tkg.exposure/1", id=str, count=int, reads=list[Read]),
        _form("tkg.review/1", count=int, items=list[answers.Waiting]),
        *(_form(f"tkg.{verb}/1", answers.Plan) for verb in ("decide", "quarantine", "release", "revoke")),
        *(_form(f"tkg.{verb}/1", **frozen) for verb in ("freeze", "thaw")),
        *_of_containment(),
        *_of_keeping(),
    ]
    found = {one.__name__: one for one in made}
    return dict(sorted(found.items()))


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a document by its name and version, such as `tkg.recall/1`."""
    made = forms()[name].model_json_schema(mode="serialization", by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{name.replace('/', ':')}", **made}


def file_of(name: str) -> Path:
    """Return the file that holds the schema of a name."""
    return FOLDER / f"{name.replace('/', '-')}.json"


def text_of(name: str) -> str:
    """Return a schema as its file holds it."""
    return json.dumps(schema_of(name), indent=1, sort_keys=True, ensure_ascii=True) + "\n"


def main() -> int:
    """Write every schema to its file, and remove those of no document."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.json"):
        file.unlink()
    for name in forms():
        file_of(name).write_text(text_of(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
