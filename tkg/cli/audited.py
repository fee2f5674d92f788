"""Showing a whole audit: as tables, as JSON, or as a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tkg.cli.opening import check_path
from tkg.cli.pages import write_page
from tkg.cli.screen import print_fields, print_heading, print_json, print_line, print_table
from tkg.cli.sheets import sheet
from tkg.errors import RequestError
from tkg.files import write_whole
from tkg.memory.examining import Audit
from tkg.text import when


def shown(found: Audit, html: Path | None, csv: Path | None, json: bool) -> int:
    """Print an audit, or write its page or sheet; return 1 when something needs a person."""
    if csv is not None:
        try:
            write_whole(check_path(csv, "--csv"), sheet(("found", "id", "what", "why", "reads"), _rows(found)))
        except OSError as error:
            raise RequestError(f"{csv} cannot be written: {error.strerror}; name another file") from None
    if json:
        print_json("tkg.audit/1", found.model_dump(mode="json"))
    elif html is not None:
        write_page(html, "audit", found)
    else:
        _print(found)
    return 1 if found.needs else 0


def _rows(found: Audit) -> Iterator[tuple[object, ...]]:
    """Yield everything an audit lists, a row each."""
    for one in found.most_shown:
        yield ("shown most", one.id, one.says, one.how, one.reads)
        yield from (("weak point", one.id, one.says, why, one.reads) for why in one.weak)
    for section in found.sections:
        yield from ((section.title, each.id, each.says, each.why, None) for each in section.items)
    for drawn in found.rejected:
        yield ("refused", drawn.verdict, drawn.source, " ".join(drawn.reasons), None)


def _print(found: Audit) -> None:
    print_line(
        f"{found.scope}: {found.standing} of {found.claims} claims stand, after {found.transactions} transactions."
    )
    if found.most_shown:
        print_heading("Shown most: how do we know this?")
    for number, one in enumerate(found.most_shown, 1):
        print_line(f"{number}. {one.says} [{one.state}], {one.reads} read(s)")
        print_line(f"   {one.id}", "dim")
        print_line(f"   {one.how}")
        for why in one.weak:
            print_line(f"   ! {why}", "yellow")
        if one.marked is not None:
            print_line(f"   marked {'right' if one.marked else 'wrong'}")
    print_heading("What is weak")
    print_table(["what", "how many", "of"], [(one.title, one.count, one.of) for one in found.sections])
    for section in found.sections:
        if section.items:
            print_heading(section.title)
            print_table(["what", "why", "id"], [(one.says, one.why, one.id) for one in section.items], whole=(2,))
    print_heading("Review queue")
    print_fields(
        [
            ("waiting", found.queue.length),
            ("oldest", f"{found.queue.oldest_seconds // 3600} h"),
            ("grown in a week", found.queue.grown),
            ("reviews", found.queue.reviews),
            ("alarm", found.queue.alarm),
        ]
    )
    if found.rejected:
        print_heading("Refused, drawn by lot (tkg audit mark VERDICT --is right|wrong)")
        rows = [(one.verdict, when(one.at), one.stage, one.source, _marked(one.marked)) for one in found.rejected]
        print_table(["verdict", "at", "stopped by", "source", "marked"], rows, whole=(0,))
    print_heading("Needs a person")
    for need in found.needs:
        print_line(f"- {need}")
    if not found.needs:
        print_line("Nothing.")


def _marked(marked: bool | None) -> str:
    return "" if marked is None else "right" if marked else "wrong"
