"""Case files: reading them, and refusing with one clear sentence what is not of the written form.

A file is a YAML list of cases. Every mistake names the file, the case and the place, so that a misspelt key can never
make a case pass by being ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from tkg.errors import NotFound, RequestError

CLASSES: Final = (
    "temporal", "invalidation", "contradiction", "entity", "cascade", "scope", "deletion", "recall", "gate", "extraction",
    "concurrency", "robustness",
)  # fmt: skip

_REVOKING: Final = frozenset({"target", "source", "session", "principal", "scope", "reason"})
#: verb -> the keys its body may have
VERBS: Final[Mapping[str, frozenset[str]]] = {
    "claim": frozenset(
        {
            "as", "scope", "channel", "principal", "session", "subject", "predicate", "object", "polarity", "valid",
            "observed_at", "evidence", "depends_on", "modality", "idempotency_key", "expected_digest",
        }
    ),
    "text": frozenset(
        {
            "as", "scope", "channel", "principal", "session", "body", "evidence", "observed_at", "speaker", "turn", "media",
        }
    ),
    "derive": frozenset({"as", "scope", "kind", "from", "body", "session", "channel", "principal"}),
    "revoke": _REVOKING,
    "quarantine": _REVOKING,
    "release": _REVOKING,
    "erase": _REVOKING | {"subject"},
    "verify": frozenset({"target", "scope", "reason", "principal"}),
    "dispatch": frozenset({"target", "scope", "reason"}),
    "rebuild_artefact": frozenset({"target", "scope", "reason"}),
    "freeze": frozenset({"scope", "subject", "predicate", "reason"}),
    "thaw": frozenset({"scope", "subject", "predicate", "reason"}),
    "decide": frozenset({"review_of", "decision", "principal", "scope", "reason"}),
    "restart": frozenset({"rebuild"}),
    "kill": frozenset({"during"}),
    "recall": frozenset({"as", "scope", "query", "k", "valid_at", "as_of", "session", "principal", "token_budget"}),
    "value": frozenset({"as", "scope", "subject", "predicate", "valid_at", "as_of"}),
    "contradictions": frozenset({"as", "scope", "of", "as_of"}),
    "timeline": frozenset({"as", "scope", "of", "as_of"}),
    "lineage": frozenset({"as", "scope", "of"}),
    "exposure": frozenset({"as", "scope", "of"}),
    "export": frozenset({"as", "scope", "of"}),
}  # fmt: skip
_BESIDE: Final = frozenset({"at", "as", "processes"})
_NEEDED: Final = ("id", "class", "clock", "steps", "expect")
_KNOWN: Final = frozenset({*_NEEDED, "seen", "predicates", "control", "why"})
_EXPECTED: Final = frozenset(
    {
        "of", "after", "state", "by", "reason", "returns", "excludes", "at_most", "top", "value", "conflict", "none",
        "suspended", "previously", "count", "includes", "scope", "error", "bytes", "any_of",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a story: its verb, what it is given, when it happens, and its label."""

    verb: str
    body: Mapping[str, Any]
    label: str | None = None
    at: str | date | datetime | None = None
    processes: bool = False
    branches: tuple[tuple[Step, ...], ...] = ()

    def walk(self) -> Iterator[Step]:
        """Yield this step and the steps inside it."""
        yield self
        for branch in self.branches:
            for step in branch:
                yield from step.walk()


@dataclass(frozen=True, slots=True)
class Case:
    """One acceptance case."""

    id: str
    kind: str
    clock: datetime
    predicates: Mapping[str, Mapping[str, Any]]
    steps: tuple[Step, ...]
    expect: tuple[Mapping[str, Any], ...]
    control: tuple[Mapping[str, Any], ...]
    why: str = ""
    seen: str = ""
    file: str = ""
    #: as it was read, for another process
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def labels(self) -> set[str]:
        """All labels of the story."""
        return {step.label for top in self.steps for step in top.walk() if step.label is not None}


def _refuse(where: str, what: str) -> RequestError:
    return RequestError(f"{where}: {what}")


def parse_step(raw: object, where: str) -> Step:
    """Read one step.

    Raises:
        RequestError: not of the written form; the message names the place.
    """
    if not isinstance(raw, Mapping):
        raise _refuse(where, "a step is a mapping with one verb")
    verbs = [key for key in raw if key not in _BESIDE]
    if len(verbs) != 1:
        raise _refuse(where, f"a step has exactly one verb, this has {len(verbs)}: {', '.join(map(str, verbs))}")
    (verb,) = verbs
    body = raw[verb]
    beside = raw.get("as")
    if verb == "concurrent":
        if not isinstance(body, list) or not all(isinstance(branch, list) and branch for branch in body):
            raise _refuse(where, "concurrent takes a list of lists of steps")
        branches = tuple(
            tuple(parse_step(one, f"{where}.{b}.{s}") for s, one in enumerate(branch)) for b, branch in enumerate(body)
        )
        return Step(verb, {}, beside, raw.get("at"), bool(raw.get("processes")), branches)
    if verb not in VERBS:
        raise _refuse(where, f"unknown verb {verb}; known: {', '.join(sorted([*VERBS, 'concurrent']))}")
    if body is None:
        body = {}
    if not isinstance(body, Mapping):
        raise _refuse(where, f"{verb} takes a mapping")
    if unknown := sorted(str(key) for key in body if key not in VERBS[verb]):
        raise _refuse(where, f"{verb} does not take {', '.join(unknown)}")
    label = beside if beside is not None else body.get("as")
    if label is not None and not isinstance(label, str):
        raise _refuse(where, "a label is a word")
    return Step(verb, body, label, raw.get("at"))


def _expectation(raw: object, where: str, labels: set[str]) -> Mapping[str, Any]:
    if not isinstance(raw, Mapping):
        raise _refuse(where, "an expectation is a mapping")
    if unknown := sorted(str(key) for key in raw if key not in _EXPECTED):
        raise _refuse(where, f"an expectation does not take {', '.join(unknown)}")
    named = [raw[key] for key in ("of", "after", "by", "top") if key in raw]
    for key in ("returns", "excludes", "includes"):
        if key in raw and not isinstance(raw[key], list):
            raise _refuse(where, f"{key} takes a list of labels")
        named += raw.get(key, [])
    if missing := sorted(str(name) for name in named if name not in labels):
        raise _refuse(where, f"no step is labelled {', '.join(missing)}")
    for place, alternative in enumerate(raw.get("any_of", [])):
        for inner, one in enumerate(alternative):
            _expectation(one, f"{where}.any_of[{place}][{inner}]", labels)
    if not set(raw) - {"of", "after", "scope"}:
        raise _refuse(where, "an expectation says what should be")
    return raw


def _clock(value: object, where: str) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise _refuse(where, "clock is a timestamp with zone") from None
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise _refuse(where, "clock is a timestamp with zone")
    return value.astimezone(UTC)


def parse_case(raw: object, file: str = "") -> Case:
    """Read one case.

    Raises:
        RequestError: not of the written form; the message names the place.
    """
    where = file or "case"
    if not isinstance(raw, Mapping):
        raise _refuse(where, "a case is a mapping")
    where = f"{where}: {raw.get('id', '(no id)')}"
    for key in _NEEDED:
        if key not in raw:
            raise _refuse(where, f"{key} is missing")
    if unknown := sorted(str(key) for key in raw if key not in _KNOWN):
        raise _refuse(where, f"a case does not take {', '.join(unknown)}")
    if raw["class"] not in CLASSES:
        raise _refuse(where, f"class is one of {', '.join(CLASSES)}")
    for key in ("steps", "expect"):
        if not isinstance(raw[key], list) or not raw[key]:
            raise _refuse(where, f"{key} is a list with at least one entry")
    steps = tuple(parse_step(one, f"{where}: steps[{place}]") for place, one in enumerate(raw["steps"]))
    named = [step.label for top in steps for step in top.walk() if step.label is not None]
    if twice := sorted({label for label in named if named.count(label) > 1}):
        raise _refuse(where, f"a label is used once; used again: {', '.join(twice)}")
    labels = set(named)

    def expectations(key: str) -> tuple[Mapping[str, Any], ...]:
        found = raw.get(key) or []
        return tuple(_expectation(one, f"{where}: {key}[{place}]", labels) for place, one in enumerate(found))

    return Case(
        id=str(raw["id"]),
        kind=raw["class"],
        clock=_clock(raw["clock"], where),
        predicates=raw.get("predicates") or {},
        steps=steps,
        expect=expectations("expect"),
        control=expectations("control"),
        why=str(raw.get("why", "")),
        seen=str(raw.get("seen", "")),
        file=file,
        raw=raw,
    )


def load(paths: Iterable[str | Path]) -> list[Case]:
    """Read case files, in order.

    Raises:
        NotFound: a file does not exist.
        RequestError: not YAML, not of the written form, or an id used twice; the message names the place.
    """
    cases: list[Case] = []
    for path in map(Path, paths):
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, IsADirectoryError):
            raise NotFound(f"{path}: no such file") from None
        except UnicodeDecodeError:
            raise RequestError(f"{path}: not UTF-8 text") from None
        try:
            # the pure-Python loader: the one in C refuses escapes of lone surrogates, which some cases are about
            found = yaml.load(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            raise RequestError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None
        if not isinstance(found, Sequence) or isinstance(found, str):
            raise RequestError(f"{path}: a case file is a list of cases")
        cases += [parse_case(raw, path.name) for raw in found]
    ids = [case.id for case in cases]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise RequestError(f"an id names one case; used again: {', '.join(twice)}")
    return cases
