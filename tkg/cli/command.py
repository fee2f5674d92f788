"""What a command is: its name, its function, and an example that is shown with its help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Command(NamedTuple):
    """One command. The help is the function's docstring, of which only the text before `Args:` is shown.

    `run` returns the exit code, or None for 0.
    """

    name: str
    run: Callable[..., Any]
    example: str

    @property
    def help(self) -> str:
        """The docstring, as help."""
        lines = [line.strip() for line in (self.run.__doc__ or "").strip().splitlines()]
        return "\n".join(lines)

    @property
    def summary(self) -> str:
        """The first sentence, for the list of commands."""
        return self.help.partition("\n\n")[0].replace("\n", " ")

    @property
    def epilog(self) -> str:
        """The example; the backspace keeps its lines from being wrapped together."""
        return "\b\nExample:\n" + "\n".join(f"  {line}" for line in self.example.splitlines())
