"""The verbs of a containment and of a correction, as a part of `Handle`: each is a few lines that call one room."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tkg.errors import RequestError
from tkg.files import write_whole
from tkg.ids import digest
from tkg.memory import containing, reckoning, regressions, renewing, telling
from tkg.memory.answers import Containment, ContainmentReport, Plan
from tkg.memory.caller import Caller
from tkg.memory.changing import person
from tkg.memory.tenant import Tenant
from tkg.memory.visible import visible_node
from tkg.model.evidence import Evidence
from tkg.model.verdict import Verdict

if TYPE_CHECKING:
    from tkg.memory.store import Memory


class Incidents(ABC):
    """Containing what proved wrong: step by step, with evidence kept first and a report at the end."""

    _memory: Memory
    _caller: Caller

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Tenant]: ...

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Tenant]: ...

    def containment(self, identifier: str) -> Containment:
        """Return where the containment of an id stands: the steps taken, and the next one.

        Raises:
            NotFound: no such id in this scope. RequestError: neither a claim, nor a text, nor a piece of evidence.
        """
        with self._reading() as tenant:
            return containing.shown(tenant, self._caller, identifier)

    def containments(self) -> list[Containment]:
        """Return the containments of this scope that were begun, the oldest first."""
        with self._reading() as tenant:
            return containing.listing(tenant, self._caller)

    def contain(
        self,
        identifier: str,
        step: str,
        *,
        reason: str,
        plan: Plan | None = None,
        correction: str | Mapping[str, Any] | None = None,
        file: str | os.PathLike[str] | None = None,
    ) -> Containment:
        """Take the next step of a containment; one that was taken already changes nothing.

        The steps in order: freeze, preserve, quarantine, descendants, plan, confirm, cancel, withdraw, correct, supersede,
        rebuild, regressions, report. Each is one transaction that also says that it was taken, so that an interrupted
        containment goes on where it stopped, in another process or by another person.

        Args:
            identifier: what is contained: a claim, a text or a piece of evidence.
            step: the step; it must be the next one.
            reason: why; kept with every decision.
            plan: for `confirm`: the plan that was shown to a person (`plan_revoke`).
            correction: for `correct`: the id of a claim that stands, or a mapping with `object` (and valid_from, valid_to,
                evidence) that is proposed in the same slot.
            file: for `preserve`, `regressions` and `report`: the file to write.

        Raises:
            Conflict: another step is next, or the plan has changed since it was shown.
            NotPermitted: not a person, or the class may not take that back. RequestError: a step without what it needs.
        """
        code, says = "", ""
        if step in _WRITES and self.containment(identifier).next == step:
            person(self._caller, "containing")
            if file is None:
                raise RequestError(f"{step} writes a file: name it with file=…")
            text = _WRITES[step](self, identifier)
            code, says = digest(text), str(_put(Path(file), text))
        with self._writing() as tenant:
            asked = containing.Step(
                tenant, self._caller, identifier, reason, plan=plan, correction=correction, code=code, says=says
            )
            return containing.take(asked, step)

    def containment_report(self, identifier: str) -> ContainmentReport:
        """Return what a containment found and did so far; see `ContainmentReport`."""
        with self._reading() as tenant:
            visible_node(tenant, self._caller, identifier)
            return reckoning.report(tenant, self._caller, identifier)

    def evidence_bundle(self, identifier: str) -> dict[str, Any]:
        """Return everything known about an id as one JSON document, to be kept before anything is changed.

        Its lineage, where it came from, who was shown it, every node with its decisions and what a revocation would do; where
        the store has a signing key and is open for writing, also the signed head of the ledger and proofs that it holds
        the entries that wrote the id and what it rests on.
        """
        with self._reading() as tenant:
            visible_node(tenant, self._caller, identifier)
            made = reckoning.bundle(tenant, self._caller, identifier)
        if self._memory.path is not None and not self._memory.read_only:
            name = self._caller.scope.tenant
            head = self._memory.head(name)
            made["head"] = head.model_dump(mode="json")
            made["proofs"] = [
                self._memory.prove(name, seq, size=head.size).model_dump(mode="json") for seq in reckoning.entries(made)
            ]
        return made

    def about(self, subject: str) -> telling.Remembered:
        """Return everything remembered about a subject, told in plain sentences, with source and date.

        Args:
            subject: its whole name, as subject or value of a claim.

        Raises:
            NotFound: nothing in this scope names it.
        """
        with self._reading() as tenant:
            return telling.about(tenant, self._caller, subject)

    def correct(self, claim: str, value: str, *, reason: str, evidence: Evidence | None = None) -> Verdict:
        """Put what is right in the place of a claim, as a person: it is proposed in the same slot and supersedes the claim.

        Args:
            claim: id of the claim that is wrong.
            value: what is right.
            reason: why; kept with the decision.
            evidence: where it can be looked up (default: the correction itself).

        Returns:
            The verdict on the right value; where it is held, nothing is superseded yet.

        Raises:
            NotFound: no such claim. NotPermitted: not a person, or the claim is of another scope.
        """
        with self._writing() as tenant:
            return telling.correct(tenant, self._caller, claim, value, reason, evidence)

    def cancel(self, action: str, *, reason: str) -> None:
        """Take a queued action out of the queue for good.

        Raises:
            NotFound: no such action. Conflict: it is not queued (any more). NotPermitted: another's, through a low channel.
        """
        with self._writing() as tenant:
            containing.cancel(tenant, self._caller, action, reason)

    def renew(self, summary: str) -> str | None:
        """Write a summary that fell anew, from the claims behind it that still stand and those that took others' place.

        Returns:
            The id of the new summary (of an earlier one where it was done before); None where nothing behind it stands.

        Raises:
            RequestError: it is no summary: what agents do is for them to derive anew. NotFound: no such id.
        """
        with self._writing() as tenant:
            visible_node(tenant, self._caller, summary)
            view = tenant.graph.artefact(summary)
            if view is None or view.artefact.kind != "summary":
                raise RequestError("only a summary is written anew; skills and actions are for their authors to derive")
            return renewing.renew(tenant, self._caller, summary)

    def regressions(self, of: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return an acceptance case for each question that was answered with what has been revoked since.

        Write them as YAML and run them with `tkg conform`: what was shown in error once must not be shown again.

        Args:
            of: only reads that showed one of these ids (default: all).
        """
        with self._reading() as tenant:
            return regressions.regressions(tenant, self._caller, None if of is None else frozenset(of))

    def _bundle_text(self, identifier: str) -> str:
        return json.dumps(self.evidence_bundle(identifier), indent=1, ensure_ascii=True) + "\n"

    def _regressions_text(self, identifier: str) -> str:
        with self._reading() as tenant:
            shown = {identifier, *containing.withdrawn(tenant, identifier)}
            return regressions.as_yaml(regressions.regressions(tenant, self._caller, shown))

    def _report_text(self, identifier: str) -> str:
        return (
            json.dumps(self.containment_report(identifier).model_dump(mode="json"), indent=1, ensure_ascii=True) + "\n"
        )


#: steps that write a file -> what it holds
_WRITES = {
    "preserve": Incidents._bundle_text,
    "regressions": Incidents._regressions_text,
    "report": Incidents._report_text,
}


def _put(path: Path, text: str) -> Path:
    """Write a file whole, readable by its owner only; return its place."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}; name another folder") from None
    return path
