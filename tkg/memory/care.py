"""The verbs that care for a memory: forgetting for good, legal holds, receipts, export."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tkg.errors import StoreError, TkgError
from tkg.extractors.contract import Extractor
from tkg.memory import (
    condensing,
    consolidating,
    dumping,
    erasing,
    forgetting,
    holding,
    maintaining,
    provenance,
    receipts,
)
from tkg.memory.answers import Forgetting, Upkeep
from tkg.memory.bound import Bound
from tkg.memory.consolidated import Consolidation, Undone
from tkg.memory.fetching import Limits
from tkg.memory.replicating import spread
from tkg.model.scope import GLOBAL
from tkg.model.time import When


class Care(Bound):
    """The part of a handle that forgets, holds and exports."""

    def export(self, *, subject: str | None = None, portable: bool = False) -> Iterator[str]:
        """Return everything in this scope as JSON Lines, the same bytes for the same ledger.

        Each record comes with its operation and both times; claims also with their state and, where another one
        contradicts them, with that note.

        Args:
            subject: only what is about this subject: its claims with evidence and sources, what was made from them, the
                decisions about them and who was shown them.
            portable: carry the tenant's key, so that `Memory.import_archive` can make the tenant again. Whoever has the
                key can test guesses about names that were erased: keep such an archive as you keep the store.

        Raises:
            NotFound: nothing is about that subject; names are compared whole.
        """
        with self._reading() as tenant:
            return iter(list(dumping.export(tenant, self._caller, subject=subject, portable=portable)))

    def export_prov(self, *, subject: str | None = None) -> str:
        """Return what `export` tells as one PROV-JSON document (W3C PROV-DM), the same text for the same ledger.

        Raises:
            Unsupported: the library is not installed; `pip install 'tkg[prov]'`.
            NotFound: nothing is about that subject; names are compared whole.
        """
        with self._reading() as tenant:
            return provenance.to_prov(dumping.export(tenant, self._caller, subject=subject))

    def plan_forget(
        self,
        *,
        claim: str | None = None,
        evidence: str | None = None,
        artefact: str | None = None,
        subject: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        scope: bool = False,
        mentions: bool = False,
    ) -> Forgetting:
        """Return what an erasure would take, by exact ids; writes nothing. See `forget` for the arguments."""
        with self._reading() as tenant:
            wanted = forgetting.Wanted(
                claim, evidence, artefact, subject, source, session, principal, scope=scope, mentions=mentions
            )
            return forgetting.plan(tenant, self._caller, wanted)

    def forget(
        self,
        plan: Forgetting | None = None,
        *,
        claim: str | None = None,
        evidence: str | None = None,
        artefact: str | None = None,
        subject: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        scope: bool = False,
        mentions: bool = False,
        reason: str,
    ) -> forgetting.Forgotten:
        """Erase content for good: from ledger, graph, index, and every file of the tenant; it cannot be undone.

        Name exactly one thing; names are compared whole. What was derived from it goes with it, and what other evidence
        also says stays. The claims keep their place in time, without content, so that nothing resurfaces.

        Args:
            plan: what `plan_forget` returned: refused if it no longer says what would happen.
            claim: id of one claim.
            evidence: id of one piece of evidence.
            artefact: id of one text; an episode takes the claims that were read from it.
            subject: name of an entity: every claim about it or naming it as a value.
            source: uri of a source, in all its versions, with its copies.
            session: name of a work session.
            principal: who said it.
            scope: everything in this handle's scope.
            mentions: also erase what only names the subject in its text (`plan.mentions`).
            reason: the request or the legal basis; kept as a commitment in the receipt.

        What is forgotten at global is forgotten in every tenant at once; one that is busy elsewhere is named in the receipt
        and forgets before its next use. `notify` then names who was shown it in which tenant.

        Returns:
            The plan, the receipt (no personal data in it), and whom to notify.

        Raises:
            NotFound: nothing of that name. NotPermitted: an agent's handle, or a user's on what is the tenant's.
            LegalHold: some of it is under legal hold; nothing was erased. Conflict: erased already, or the plan is old.
            Busy, DiskFull, Damaged, RequestError: the disk is full, failed or is read-only. The message says whether
                nothing was erased, or it is out of every read and the files are finished at the next opening.
        """
        with self._writing() as tenant:
            wanted = forgetting.Wanted(
                claim, evidence, artefact, subject, source, session, principal, scope=scope, mentions=mentions
            )
            try:
                return forgetting.forget(tenant, self._caller, wanted, reason, plan, self._spread)
            except TkgError as error:
                if isinstance(error, StoreError) or erasing.under_way(tenant.folder):
                    self._memory.drop(self.scope.tenant)
                raise

    def _spread(self) -> forgetting.Elsewhere:
        return spread(self._memory) if self.scope.tenant == GLOBAL else forgetting.Elsewhere()

    def maintain(
        self,
        *,
        dry_run: bool = True,
        limit: int | None = None,
        roots: Sequence[str | os.PathLike[str]] = (),
        hosts: Sequence[str] = (),
        documents: int = 100,
        seconds: float = 60.0,
    ) -> Upkeep:
        """Carry out the forget policy in this scope, then fetch the sources of its evidence again within a budget.

        What is over its time leaves recall and stays for audit, its content in a cold file; episodes of one session may be
        compressed into a summary that rests on them. What rests on changed or gone evidence alone is suspended
        (see `Memory.reverify`).

        Args:
            dry_run: only say what would happen, and record nothing; the default.
            limit: most decisions of the forget policy in this run; the next one goes on.
            roots: folders below which sources may be read again. Without roots and hosts nothing is fetched.
            hosts: hosts that may be asked over HTTP.
            documents: sources fetched at most; those looked at longest ago come first, and the next run goes on.
            seconds: no source is begun after so long.

        Raises:
            NotPermitted: an agent's handle, or a store opened read-only (but for a dry run).
            RequestError: a budget below one document or above no time.
        """
        limits = Limits(roots=tuple(Path(one) for one in roots), hosts=tuple(hosts))
        budget = maintaining.Budget(limits, documents, seconds)
        if dry_run:
            with self._reading() as tenant:
                found = maintaining.plan(tenant, self._caller)
                again = maintaining.evidence(tenant, self._caller, budget, record=False)
        else:
            with self._writing() as tenant:
                found = maintaining.carry_out(tenant, self._caller, limit=limit)
                again = maintaining.evidence(tenant, self._caller, budget, record=True)
        return found.model_copy(update={"evidence": again})

    def consolidate(
        self,
        *,
        since: When = None,
        until: When = None,
        extractor: Extractor | None = None,
        compress: bool = True,
        dry_run: bool = True,
    ) -> Consolidation:
        """Read the episodes of a window again, check every fact, and compress the episodes of each session.

        What the texts say and was not proposed before goes to the gate in the name of who said it then. Every claim of this
        scope that may hold in the window is looked at: still true, superseded by what, ended, in dispute, with the reason
        and the evidence. Episodes that were compressed leave recall for the summary that rests on them. One note in the
        ledger tells the whole job; `undo_consolidation` takes it back.

        Args:
            since: only episodes said, and claims that hold, from then on (default: all).
            until: and up to then; a date is included.
            extractor: what reads the episodes (default: the store's, else the rules); a model finds what rules do not.
            compress: make summaries; else only read and check.
            dry_run: only say what would be done, read nothing again and record nothing; the default.

        Raises:
            NotPermitted: an agent's handle, or a store opened read-only (but for a dry run).
            RequestError: the window is empty. ModelError: see the extractor; what was proposed until then stays.
        """
        with self._reading() if dry_run else self._writing() as tenant:
            return consolidating.consolidate(
                tenant,
                self._caller,
                since=since,
                until=until,
                extractor=extractor,
                compress=compress,
                dry_run=dry_run,
            )

    def undo_consolidation(self, job: str, *, reason: str) -> Undone:
        """Take a consolidation back: its episodes return to recall, its summaries leave, what it read is quarantined.

        Raises:
            NotFound: no such job in this scope. NotPermitted: an agent's handle. Conflict: nothing of it is left.
        """
        with self._writing() as tenant:
            return consolidating.undo(tenant, self._caller, job, reason)

    def unarchive(self, id: str, reason: str) -> tuple[str, ...]:
        """Bring what `maintain` took out of recall back, and return the ids.

        Given a summary that `maintain` made, its episodes come back and the summary leaves. Their time begins anew.

        Raises:
            NotFound: no such id here. NotPermitted: an agent's handle, or a user's on what is the tenant's.
            Conflict: it is in recall. Rejected: the reason holds what is never stored.
        """
        with self._writing() as tenant:
            return condensing.unarchive(tenant, self._caller, id, reason)

    def verify_receipt(self, receipt: Mapping[str, Any], *, texts: Sequence[str] = ()) -> list[receipts.Check]:
        """Compare a receipt of an erasure with the store as it is now; each check says whether it holds.

        Args:
            receipt: as `forget` returned it.
            texts: words to look for besides, in every byte of the tenant's files.
        """
        with self._reading() as tenant:
            return [*receipts.verify(tenant, receipt), *erasing.looked_for(tenant, texts)]

    def receipt(self, receipt_id: str) -> dict[str, Any]:
        """Return the receipt of an earlier erasure. Raises NotFound when there is none."""
        with self._reading() as tenant:
            return receipts.find(tenant, receipt_id)

    def hold(
        self,
        *,
        subject: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        id: str | None = None,
        reason: str,
    ) -> None:
        """Place a legal hold on one of these (or, with none, on the whole scope): it cannot be erased or evicted."""
        with self._writing() as tenant:
            on = holding.Held(subject=subject, source=source, session=session, principal=principal, id=id)
            holding.place(tenant, self._caller, on, "placed", reason)

    def lift(
        self,
        *,
        subject: str | None = None,
        source: str | None = None,
        session: str | None = None,
        principal: str | None = None,
        id: str | None = None,
        reason: str,
    ) -> None:
        """Lift a legal hold; name what it was placed on."""
        with self._writing() as tenant:
            on = holding.Held(subject=subject, source=source, session=session, principal=principal, id=id)
            holding.place(tenant, self._caller, on, "lifted", reason)
