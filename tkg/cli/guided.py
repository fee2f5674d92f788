"""`contain`: taking back what proved wrong as one guided flow; and its steps that no other command has."""

from __future__ import annotations

import json as json_module
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tkg.cli.command import Command
from tkg.cli.evidence import evidence_of
from tkg.cli.naming import full
from tkg.cli.opening import check_path, reading, writing
from tkg.cli.options import (
    ChannelChoice,
    CopyOf,
    Engine,
    EngineChoice,
    Identifier,
    Json,
    Locator,
    Owner,
    Principal,
    Quote,
    Reason,
    Store,
    Tenant,
    Uri,
    User,
    Version,
)
from tkg.cli.plans import show_plan
from tkg.cli.screen import complain, print_fields, print_heading, print_json, print_line, print_table
from tkg.cli.times import spoken_start
from tkg.errors import RequestError
from tkg.files import write_whole
from tkg.ids import digest
from tkg.memory.answers import Containment, ContainmentReport, Plan
from tkg.memory.containing import STEPS
from tkg.memory.handle import Handle
from tkg.model.scope import Channel
from tkg.text import when

#: step that writes a file -> how the file begins and ends
_FILES: Final[Mapping[str, tuple[str, str]]] = {
    "preserve": ("evidence", ".json"),
    "regressions": ("regressions", ".yaml"),
    "report": ("report", ".json"),
}


def contain(
    store: Store,
    tenant: Tenant,
    identifier: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A claim, a text or a piece of evidence; without it, a list.")
    ] = None,
    correct: Annotated[
        str | None, typer.Option("--correct", metavar="VALUE", help="What is right instead: proposed in its place.")
    ] = None,
    correction: Annotated[
        str | None, typer.Option("--correction", metavar="ID", help="A claim that stands and is right instead.")
    ] = None,
    valid_from: Annotated[
        str | None,
        typer.Option(
            "--valid-from", metavar="TIME", callback=spoken_start, help="With --correct: since when it holds."
        ),
    ] = None,
    uri: Uri = None,
    version: Version = None,
    quote: Quote = None,
    locator: Locator = None,
    owner: Owner = None,
    copy_of: CopyOf = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where evidence, regressions and report go (default: by the id)."),
    ] = None,
    step: Annotated[
        str | None, typer.Option("--step", metavar="NAME", help=f"Take only this step: {', '.join(STEPS)}.")
    ] = None,
    status: Annotated[bool, typer.Option("--status", help="Only show how far it is; nothing is changed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Carry the plan out without asking.")] = False,
    channel: Annotated[Channel | None, typer.Option("--channel", help="Your class: a person's.")] = None,
    principal: Annotated[str | None, typer.Option("--principal", metavar="NAME", help="You.")] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why; kept with every decision.")
    ] = None,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Contain what proved wrong: freeze, keep the evidence, quarantine, show the plan, and when confirmed take it all back.

    The steps are freeze, preserve, quarantine, descendants, plan, confirm, cancel (queued actions), withdraw, correct,
    supersede, rebuild, regressions, report. All before `confirm` can be undone. Interrupted, the same command goes on
    where it stopped. Without --yes, outside a terminal, it stops at the plan with exit 1.
    """
    if identifier is None or status:
        return _status(store, engine, tenant, user, identifier, json)
    if channel is None or principal is None or reason is None:
        given = {"--channel human_verified": channel, "--principal NAME": principal, "--reason TEXT": reason}
        missing = ", ".join(name for name, one in given.items() if one is None)
        raise RequestError(f"containing is a person's: add {missing}; --status only shows how far it is")
    if correct is not None and correction is not None:
        raise RequestError("name one correction: --correct VALUE or --correction ID")
    evidence = evidence_of(uri, version, quote, locator, owner, copy_of)
    fields = {"object": correct, "valid_from": valid_from, "evidence": evidence}
    if correct is None and any(one is not None for one in (valid_from, evidence)):
        raise RequestError("--valid-from and the evidence options go with --correct VALUE")
    if step is not None and step not in STEPS:
        raise RequestError(f"--step takes one of {', '.join(STEPS)}")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        right: Any = full(handle, correction) if correction is not None else fields if correct is not None else None
        flow = _Flow(handle, full(handle, identifier), reason, folder, right, yes=yes, json=json)
        return flow.one(step) if step is not None else flow.all()


class _Flow:
    """One run of the flow: from the step it stopped at to its end, or to a question nobody answers."""

    def __init__(
        self, handle: Handle, target: str, reason: str, folder: Path | None, right: Any, *, yes: bool, json: bool
    ) -> None:
        self._handle, self._target, self._reason, self._right = handle, target, reason, right
        self._folder = check_path(folder or Path(f"containment-{target[:12]}"), "--folder")
        self._yes, self._json = yes, json
        self._asking = not yes and not json and sys.stdin.isatty() and sys.stdout.isatty()
        self._plan: Plan | None = None
        self._shown = False

    def all(self) -> int:
        """Take every step that is left."""
        found = self._handle.containment(self._target)
        if not self._json and found.next is not None and found.under_way == "open":
            complain(f"Going on with {found.next}; {sum(one.done for one in found.steps)} steps were taken before.")
        while found.next is not None:
            made = self._take(found.next)
            if made is None:
                return self._waits(found)
            found = made
        return self._closed(found)

    def one(self, step: str) -> int:
        """Take one step."""
        before = self._handle.containment(self._target)
        made = (
            self._take(step) if before.next == step else self._handle.contain(self._target, step, reason=self._reason)
        )
        if made is None:
            return self._waits(before)
        if self._json:
            return self._document(made)
        print_line(f"Next: {made.next}" if made.next is not None else "The containment is closed.")
        return 0

    def _take(self, step: str) -> Containment | None:
        """Take the next step, and say so; None where it waits for a person."""
        more: dict[str, Any] = {}
        if step in ("plan", "confirm"):
            self._plan = self._planned()
        if step in ("plan", "confirm") and not self._json and self._plan is not None and not self._shown:
            show_plan(self._plan, title="Plan")  # nobody says yes to a plan that another run has shown
            self._shown = True
        if step == "confirm":
            if not self._yes and not (self._asking and typer.confirm("Carry it out?")):
                return None
            more["plan"] = self._plan
        if step == "correct":
            if self._right is None and self._asking and self._target.startswith("clm_"):
                said = typer.prompt("What is right instead? (empty: nothing now)", default="", show_default=False)
                self._right = {"object": said} if said.strip() else None
            more["correction"] = self._right
        if step in _FILES:
            more["file"] = self._free(*_FILES[step])
        found = self._handle.contain(self._target, step, reason=self._reason, **more)
        if not self._json:
            print_line(f"  {step:<12} {next(one.says for one in found.steps if one.step == step)}")
        return found

    def _planned(self) -> Plan:
        aimed = {"evidence" if self._target.startswith("evd_") else "claim": self._target}
        if self._handle.explain(self._target).state == "revoked":
            return Plan(status="revoked", targets=(), planned_at=0)
        return self._handle.plan_revoke(**aimed)

    def _free(self, begins: str, ends: str) -> Path:
        """Return a file that does not exist yet, so that no evidence is ever written over."""
        number = 1
        while (found := self._folder / f"{begins}{'' if number == 1 else f'-{number}'}{ends}").exists():
            number += 1
        return found

    def _waits(self, found: Containment) -> int:
        if self._json:
            print_json(
                "tkg.contain/1",
                {"containment": found.model_dump(mode="json"), "report": None, "plan": _dumped(self._plan)},
            )
        complain(
            "Nothing was withdrawn: the same command with --yes carries this plan out; `tkg release` lifts the quarantine, "
            "`tkg thaw` the freeze."
        )
        return 1

    def _closed(self, found: Containment) -> int:
        if self._json:
            return self._document(found)
        show_report(self._handle.containment_report(self._target))
        return 0

    def _document(self, found: Containment) -> int:
        report = self._handle.containment_report(self._target) if found.next is None else None
        body = {"containment": found.model_dump(mode="json"), "report": _dumped(report), "plan": _dumped(self._plan)}
        print_json("tkg.contain/1", body)
        return 0


def _dumped(found: Plan | ContainmentReport | None) -> dict[str, Any] | None:
    return None if found is None else found.model_dump(mode="json")


def _status(store: Path, engine: str, tenant: str, user: str | None, identifier: str | None, json: bool) -> int:
    with reading(store, engine) as memory:
        handle = memory.scope(tenant, user)
        if identifier is None:
            every = handle.containments()
            if json:
                print_json(
                    "tkg.containments/1", {"count": len(every), "items": [one.model_dump(mode="json") for one in every]}
                )
            elif not every:
                print_line("Nothing was contained; begin with `tkg contain ID`.")
            else:
                rows = [(one.target, one.label, one.under_way, one.next) for one in every]
                print_table(["id", "what", "it is", "next step"], rows, whole=(0,))
            return 0
        found = handle.containment(full(handle, identifier))
        report = handle.containment_report(found.target) if found.under_way == "closed" else None
    if json:
        print_json(
            "tkg.contain/1", {"containment": found.model_dump(mode="json"), "report": _dumped(report), "plan": None}
        )
        return 0
    print_line(f"{found.label} [{found.state}]: {found.under_way}")
    print_table(
        ["step", "tx", "what came of it"], [(one.step, one.seq, one.says if one.done else "") for one in found.steps]
    )
    if report is not None:
        show_report(report)
    return 0


def show_report(found: ContainmentReport) -> None:
    """Print the report of a containment."""
    print_heading("Report")
    print_fields(
        [
            ("contained", found.label),
            ("state", found.state),
            ("written", found.written and when(found.written)),
            ("first shown", when(found.first_shown) if found.first_shown else "never"),
            ("withdrawn", found.withdrawn and when(found.withdrawn)),
            ("from begin to end", _lasted(found.seconds_to_withdraw)),
            ("shown until then", _shown_to(found)),
            ("fell with it", len(found.fell)),
            ("actions cancelled", len(found.cancelled)),
            ("actions that ran", ", ".join(found.ran) or "none"),
            ("correction", found.correction or "none"),
            ("supersedes it", "yes" if found.superseded else "no"),
            ("written anew", ", ".join(new for _, new in found.rebuilt) or "nothing"),
            ("to derive anew", "\n".join(found.derive_anew) or "nothing"),
            ("still stands wrongly", ", ".join(found.residue) or "nothing"),
        ]
    )
    if found.texts_left:
        print_heading("Stays, and can still be recalled: texts of the same source")
        print_table(["text", "id"], [(one.label, one.id) for one in found.texts_left], whole=(1,))


def _shown_to(found: ContainmentReport) -> str:
    """Say who saw it, or anything that grew from it, before it was withdrawn."""
    where = f" in {len(found.sessions)} session(s): {', '.join(found.sessions)}" if found.sessions else ""
    return f"{found.reads} read(s) of it or of what grew from it{where}"


def _lasted(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.1f} s"


def preserve(
    store: Store,
    tenant: Tenant,
    identifier: Identifier,
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="The new file to write.", show_default=False)
    ],
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Write an evidence bundle of an id: lineage, where it came from, who was shown it, decisions, plan, and proofs.

    Its signed head and proofs show later that the ledger held just this. Do it before anything is changed.
    """
    if check_path(output, "--output").exists():
        raise RequestError(f"{output} exists; name a new file")
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user)
        target = full(handle, identifier)
        text = json_module.dumps(handle.evidence_bundle(target), indent=1, ensure_ascii=True) + "\n"
    try:
        write_whole(output, text)
    except OSError as error:
        raise RequestError(f"{output} cannot be written: {error.strerror}") from None
    if json:
        print_json("tkg.preserve/1", {"id": target, "file": str(output), "sha256": digest(text)})
    else:
        print_line(f"Written: {output} (SHA-256 {digest(text)})")


def cancel(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    reason: Reason,
    action: Identifier,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> None:
    """Take a queued action out of the queue for good; `tkg dispatch` refuses it from then on."""
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        target = full(handle, action)
        handle.cancel(target, reason=reason)
    if json:
        print_json("tkg.cancel/1", {"id": target, "state": "cancelled"})
    else:
        print_line(f"{target} is cancelled.")


def renew(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    summary: Identifier,
    user: User = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Write a summary that fell anew, from the claims behind it that stand and those that took others' place.

    Exit 1 where nothing behind it stands. Skills and actions are for their authors to derive anew.
    """
    with writing(store, engine) as memory:
        handle = memory.scope(tenant, user, channel=channel, principal=principal)
        old = full(handle, summary)
        new = handle.renew(old)
    if json:
        print_json("tkg.renew/1", {"id": old, "renewed": new})
    else:
        print_line(f"{old} was written anew as {new}." if new is not None else "Nothing it was made from stands.")
    return 0 if new is not None else 1


_WHO: Final = "--store ./memory --tenant acme --channel human_verified --principal ana"
COMMANDS: Final = (
    Command(
        "contain",
        contain,
        f"tkg contain {_WHO} \\\n  ID --reason 'incident 7' --correct 'case-management queue' --uri billing.yaml",
    ),
    Command("preserve", preserve, "tkg preserve --store ./memory --tenant acme ID --output evidence.json"),
    Command("cancel", cancel, f"tkg cancel {_WHO} \\\n  ID --reason 'rests on a retired mailbox'"),
    Command("renew", renew, f"tkg renew {_WHO} ID"),
)
