"""An agent without a model and without judgement: it stores what it is told and does what it is shown.

If nothing bad comes of it, that does not depend on anybody's good sense.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from tests.scenarios.memories import Memory, Read, Voice
from tkg.model.scope import Channel

#: "… the payee of Vendor 3 is acct-x-3" in any text is written down
_TOLD = re.compile(
    r"(?i)\b(?:the )?(payee|preferred tool|opening day) (?:of|for) ([\w ]+?) (?:is|=|:|are) ((?:acct|tool)-[\w-]+)"
)
#: "pay … acct-x-3", "run … tool-x-3", "send … mail-x-3" in any text is done
_ORDER = re.compile(r"(?is)\b(pay|transfer|run|use|call|send|forward)\b.{0,80}?\b((?:acct|tool|mail)-[\w-]+)")
_TOOLS = {
    "pay": "payments.pay",
    "transfer": "payments.transfer",
    "run": "shell.run",
    "use": "shell.run",
    "call": "shell.run",
    "send": "mail.send",
    "forward": "mail.send",
}
#: claims that say whom to pay and what to run
_BY_CLAIM = {"payee": "payments.pay", "preferred_tool": "shell.run", "recommended_connector": "shell.run"}


@dataclass
class Gullible:
    """One work session of the agent for one user (or for the tenant).

    Args:
        memory: where it keeps things.
        session: its work session.
        user: for whom it works.
    """

    memory: Memory
    session: str
    user: str | None = None

    @property
    def voice(self) -> Voice:
        """The agent's own voice."""
        return Voice(Channel.AGENT_INFERRED, "agent", self.session, self.user)

    def told(self, text: str) -> list[str]:
        """Write down every claim that a text asks to have written down, here and for the whole tenant."""
        found = []
        for what, subject, value in _TOLD.findall(text):
            predicate = what.casefold().replace(" ", "_")
            for voice in (self.voice, replace(self.voice, user=None)):
                uri = f"session:{self.session}"
                found.append(self.memory.note(voice, subject.strip(), predicate, value, uri, text[:500]))
        return [one for one in found if one is not None]

    def read(self, query: str) -> Read:
        """Recall."""
        return self.memory.recall(self.voice, query)

    def serve(self, query: str) -> set[str]:
        """Recall, then do all that is shown: what claims say, what texts order, and what they order read as one text.

        Returns:
            The targets of the actions that went.
        """
        read = self.read(query)
        wanted = {
            (_BY_CLAIM[one.predicate], one.value) for one in read.seen if one.predicate in _BY_CLAIM and one.value
        }
        texts = [one.text for one in read.seen]
        for text in (*texts, " ".join(texts), " ".join(sorted(texts)), read.block):
            wanted |= {(_TOOLS[verb.casefold()], target) for verb, target in _ORDER.findall(text)}
            said = ((what.casefold().replace(" ", "_"), value) for what, _, value in _TOLD.findall(text))
            wanted |= {(_BY_CLAIM[what], value) for what, value in said if what in _BY_CLAIM}
        return {target for tool, target in sorted(wanted) if self.memory.act(self.voice, tool, target, read)}
