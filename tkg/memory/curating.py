"""The verbs by which people shape what is shown: the pinned core, how skills did, and labels on reads."""

from __future__ import annotations

from tkg.belief.runs import Runs
from tkg.memory import core as pinned
from tkg.memory import labelling, running
from tkg.memory.bound import Bound


class Curating(Bound):
    """The part of a handle that pins, and that tells how skills did."""

    def core(self) -> pinned.Core:
        """Return what is pinned for this scope: shown by every recall, within the read policy's `core_items` and `core_tokens`.

        `core().markdown` is a file that a person edits and `read_core` takes back.
        """
        with self._reading() as tenant:
            return pinned.core(tenant, self._caller)

    def pin(self, claim_id: str) -> pinned.Core:
        """Show a claim in every recall of this scope, whatever is asked, as long as it stands.

        Raises:
            NotFound: no such claim. NotPermitted: not a person, or the claim lies in another scope.
            Conflict: it does not stand. TooLarge: the core is full.
        """
        with self._writing() as tenant:
            return pinned.pin(tenant, self._caller, claim_id)

    def unpin(self, claim_id: str) -> pinned.Core:
        """Take a claim out of the core; it stays in memory.

        Raises:
            NotFound: it is not pinned in this scope. NotPermitted: not a person.
        """
        with self._writing() as tenant:
            return pinned.unpin(tenant, self._caller, claim_id)

    def read_core(self, text: str) -> pinned.CoreImport:
        """Take an edited core file back: lines that are gone are unpinned, edited and new ones go through the gate.

        An edited line takes the place of the one it was (where its predicate may have many values, both stand and the new one
        is pinned). What the gate holds or refuses is not pinned, and its verdict says
        why. Only lines of this very scope are in the file.

        Args:
            text: what `core().markdown` returned, edited.

        Raises:
            RequestError: a line that cannot be read, or an id that is not to be had; the message names the line and nothing
                was changed. TooLarge: more than the core may hold. NotPermitted: not a person.
        """
        with self._writing() as tenant:
            return pinned.read_core(tenant, self._caller, text)

    def label(self, read: str, item: str, *, relevant: bool) -> None:
        """Say whether something that a read showed bore on its question; of several labels the last counts.

        Args:
            read: id of the read (`result.id`).
            item: id of what it showed.
            relevant: whether it bore on the question.

        Raises:
            NotFound: no such read in this scope, or it did not show that. NotPermitted: not a person.
        """
        with self._writing() as tenant:
            labelling.label(tenant, self._caller, read, item, relevant)

    def precision(self, k: int = 5) -> labelling.Precision:
        """Return precision@k of the labelled reads of this scope."""
        with self._reading() as tenant:
            return labelling.precision(tenant, self._caller, k)

    def record_run(self, skill_id: str, *, succeeded: bool, note: str = "") -> Runs:
        """Tell how a run of a skill ended: a failure demotes it, a success that a tool or a person tells promotes it.

        After `skill_failures` of the read policy in a row, recall leaves the skill out, and its SKILL.md is taken away,
        until a verified run. What the agent itself calls a success ends no row of failures.

        Args:
            skill_id: the skill.
            succeeded: whether its success check held.
            note: what happened, in a sentence.

        Raises:
            NotFound: no such skill. NotPermitted: another scope's skill, and neither tool nor person.
            Rejected: the note holds what is never stored.
        """
        with self._writing() as tenant:
            return running.record_run(tenant, self._caller, skill_id, succeeded, note)
