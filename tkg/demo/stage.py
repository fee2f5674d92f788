"""Telling and checking: every fact that the demo shows is also expected, and one that does not come out ends it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from tkg.errors import Damaged
from tkg.memory.answers import Lineage, Node
from tkg.text import safe_text


class Stage:
    """Prints to a console, or to nobody, and keeps the facts that came out.

    Args:
        out: where to print; None only checks.
    """

    def __init__(self, out: Console | None) -> None:
        self._out = out
        self.facts: dict[str, Any] = {}

    def _print(self, what: Any) -> None:
        if self._out is not None:
            self._out.print(what)

    def day(self, number: int, title: str) -> None:
        """Begin a chapter."""
        if self._out is not None:
            self._out.print()
            self._out.rule(Text(f"Day {number}: {title}", style="bold"), align="left", characters="-")

    def say(self, text: str) -> None:
        """Say what happens and why."""
        self._print(Text(safe_text(text)))

    def quote(self, text: str) -> None:
        """Show words from the store or a file."""
        self._print(Text(f"    {safe_text(text)}", style="italic"))

    def command(self, text: str) -> None:
        """Show a command on one line, so that it can be copied."""
        if self._out is not None:
            self._out.print(Text(f"  {safe_text(text)}", style="cyan"), soft_wrap=True)

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Show rows; the last column is never wrapped."""
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1))
        for number, heading in enumerate(headings):
            table.add_column(Text(heading), overflow="fold", no_wrap=number == len(headings) - 1)
        for row in rows:
            table.add_row(*(Text(safe_text(one)) for one in row))
        self._print(table)

    def lineage(self, found: Lineage) -> None:
        """Show what a claim rests on and what grew from it."""
        tree = Tree(_label(found.root), guide_style="dim")
        for title, nodes in (("rests on", found.up), ("what grew from it", found.down)):
            branch = tree.add(Text(title, style="bold"))
            places = {found.root.id: branch}
            for node in nodes:
                parent = next((places[one] for one in node.parents if one in places), branch)
                if node.id not in places:
                    places[node.id] = parent.add(_label(node))
        self._print(tree)

    def expect(self, name: str, found: object, wanted: object, sentence: str) -> None:
        """Check a fact, keep it under `name`, and say the sentence.

        Raises:
            Damaged: it did not come out.
        """
        self.facts[name] = found
        if found != wanted:
            raise Damaged(f"the demo did not come out: {sentence} Expected {wanted!r} for {name}, found {found!r}")
        self._print(Text.assemble(("  ok  ", "green"), safe_text(sentence)))


def _label(node: Node) -> Text:
    return Text(f"{node.kind} [{node.state}] {safe_text(node.label, one_line=True)}", overflow="ellipsis", no_wrap=True)
