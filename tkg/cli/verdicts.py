"""Showing what the gate decided."""

from __future__ import annotations

from typing import Any, Final

from tkg.cli.screen import complain, print_fields, print_table
from tkg.memory.loading import reason_of
from tkg.model.verdict import Outcome, Verdict

_REFUSED: Final = frozenset({Outcome.REJECTED, Outcome.HELD, Outcome.QUARANTINED})


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON."""
    return verdict.model_dump(mode="json", exclude={"record", "candidate"})


def show_verdict(verdict: Verdict) -> None:
    """Print a verdict with every check's outcome."""
    print_fields(
        [
            ("verdict", verdict.outcome.value),
            ("claim", verdict.claim_id),
            ("evidence", verdict.evidence_id),
            ("digest", verdict.digest),
        ]
    )
    print_table(["check", "outcome", "reason"], [(one.check, one.outcome, one.reason) for one in verdict.checks or ()])


def exit_code(verdict: Verdict) -> int:
    """Return 0 for what was accepted, 3 for what was not, then with a sentence on stderr."""
    if verdict.outcome not in _REFUSED:
        return 0
    complain(f"{verdict.outcome.value.capitalize()}: {reason_of(verdict)}")
    return 3
