"""A skill as an agent follows it: whole, with what must hold before, each step's tool, and how success is seen."""

from __future__ import annotations

from pydantic import Field

from tkg.errors import RequestError
from tkg.model.base import Value


class Step(Value):
    """One step: what is done, and with which tool."""

    do: str = Field(min_length=1)
    tool: str | None = None


class SkillForm(Value):
    """What a skill says. All of it is shown, or none of it: half a procedure is worse than none."""

    name: str = Field(min_length=1)
    description: str = ""
    preconditions: tuple[str, ...] = ()
    steps: tuple[Step, ...] = Field(min_length=1)
    success_check: str = Field(min_length=1)

    def markdown(self, version: int) -> str:
        """Return the skill as text, which is how it is kept, judged and shown.

        Raises:
            RequestError: a field goes over more than one line, so that it could pass for another part.
        """
        for text in (self.name, self.description, *self.preconditions, *(one.do for one in self.steps),
                     *(one.tool or "" for one in self.steps), self.success_check):  # fmt: skip
            if len(text.splitlines()) > 1:
                raise RequestError("name, description, conditions, steps, tools and the check are one line each")
        lines = [f"# {self.name}", ""]
        if self.description:
            lines += [self.description, ""]
        lines += [f"Version {version}", ""]
        if self.preconditions:
            lines += ["## Before", "", *(f"- {one}" for one in self.preconditions), ""]
        steps = (f"{n}. {one.do}" + (f" (tool: {one.tool})" if one.tool else "") for n, one in enumerate(self.steps, 1))
        lines += ["## Steps", "", *steps, "", "## Success", "", self.success_check, ""]
        return "\n".join(lines)
