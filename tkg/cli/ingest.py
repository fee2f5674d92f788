"""`ingest`: files and folders into memory, item by item; running it again goes on where it stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tkg.cli.command import Command
from tkg.cli.extracting import ExtractorName, ExtractorOptions, tell_dropped
from tkg.cli.extracting import chosen as chosen_extractor
from tkg.cli.opening import check_path, writing
from tkg.cli.options import ChannelChoice, Engine, EngineChoice, Json, Principal, Session, Store, Tenant, User
from tkg.cli.screen import complain, console, print_fields, print_json
from tkg.cli.times import past_start
from tkg.errors import NotFound, RequestError
from tkg.extractors import formats
from tkg.extractors.tables import TABLES, TableMapping, read_mapping
from tkg.memory.loading import Loader, Tally, documents_of
from tkg.model.time import Instant, parse_when, to_instant

#: lines of progress where stderr is no terminal
_EVERY: Final = 500


class Format(StrEnum):
    """How a file is read."""

    AUTO = "auto"
    JSONL = "jsonl"
    CHAT = "chat"
    WHATSAPP = "whatsapp"
    LOCOMO = "locomo"
    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    YAML = "yaml"
    JSON = "json"
    TOML = "toml"
    INI = "ini"
    ENV = "env"


def ingest(
    store: Store,
    tenant: Tenant,
    channel: ChannelChoice,
    principal: Principal,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or folders that are read recursively.")],
    user: User = None,
    session: Session = None,
    format: Annotated[Format, typer.Option("--format", help="auto goes by the suffix of each file.")] = Format.AUTO,
    version: Annotated[
        str | None,
        typer.Option("--version", metavar="TEXT", help="Version of the documents (default: a digest of each)."),
    ] = None,
    observed_at: Annotated[
        str | None,
        typer.Option(
            "--observed-at",
            metavar="TIME",
            callback=past_start,
            help="Date of undated documents (default: when each was changed).",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option("--mapping", metavar="TOML", help="Read CSV and Parquet files as claims, by this mapping."),
    ] = None,
    extractor: ExtractorName = None,
    extractor_option: ExtractorOptions = None,
    every: Annotated[
        int | None,
        typer.Option(
            "--every", metavar="N", min=0, help="Read so many turns of a session together; 0: all, at its end."
        ),
    ] = None,
    engine: EngineChoice = Engine.AUTO,
    json: Json = False,
) -> int:
    """Read files and folders: every turn or document becomes an episode, and claims found in it go to the gate.

    With --mapping the paths are tables, and each row is one claim or more; the mapping's [[claims]] say which columns
    are subject, predicate, object, valid_from and valid_to.

    What the assistant said in a chat is never taken for more than inferred by an agent, whatever --channel says. Running
    it again skips what is already there. Exit 1 when some inputs failed and some worked, 2 when all failed.
    """
    chosen: formats.Format | None = None if format is Format.AUTO else format.value  # type: ignore[assignment]
    stated = None if observed_at is None else parse_when(observed_at).start
    for path in paths:
        if not check_path(path, "PATH").exists():
            raise NotFound(f"no such file or folder: {path}")
    columns = None if mapping is None else read_mapping(check_path(mapping, "--mapping"))
    if columns is not None and (other := [path for path in paths if path.suffix.lower() not in TABLES]):
        raise RequestError(f"--mapping reads .csv, .tsv and .parquet files, and {other[0]} is none")
    reads = chosen_extractor(extractor, extractor_option)
    tally = Tally()
    with writing(store, engine, create=True) as memory:
        memory.scope(tenant, user)  # an id outside the grammar is refused before anything is read
        if not memory.exists(tenant) and not memory.may_create(channel):
            raise NotFound(f"no such tenant; make it with `tkg init --store {store} --tenant {tenant}`")
        loader = Loader(memory, tenant, user, channel, principal, session, version, reads, every)
        try:
            _load(loader, paths, tally, chosen, stated, columns)
        except BaseException:
            if tally.documents:  # what was done so far is said also when it was interrupted
                complain(f"So far: {tally.episodes} new of {tally.documents}; run the same command again to go on.")
            raise
        finally:
            tell_dropped(reads)
    return _ended(tally, json)


def _load(
    loader: Loader,
    paths: list[Path],
    tally: Tally,
    chosen: formats.Format | None,
    stated: Instant | None,
    columns: TableMapping | None,
) -> None:
    now = to_instant(loader.memory.clock.now())
    if columns is not None:
        for path in paths:
            when = stated if stated is not None else min(path.stat().st_mtime_ns // 1000, now)
            loader.load_table(path, columns, tally, observed_at=when, problem=complain)
        return
    with _progressing(paths, chosen, now) as advance:
        for path in paths:
            found = documents_of(path, format=chosen, now=now, stated=stated)
            loader.load_all(found, tally, problem=complain, done=advance, notice=complain)


def _ended(tally: Tally, json: bool) -> int:
    """Print the summary and return the exit code."""
    _summary(tally, json)
    if not tally.failed:
        return 0
    return 1 if tally.documents else 2


def _summary(tally: Tally, json: bool) -> None:
    if json:
        print_json("tkg.ingest/1", tally.fields())
        return
    figures = tally.fields()
    claims, older = figures.pop("claims"), figures.pop("older_versions")
    print_fields([(name.replace("_", " "), str(number)) for name, number in figures.items()])
    print_fields([("claims", ", ".join(f"{number} {name}" for name, number in claims.items() if number) or "none")])
    if older:
        print_fields([("of older versions", ", ".join(f"{number} {name}" for name, number in older.items()))])


@contextmanager
def _progressing(paths: list[Path], chosen: formats.Format | None, now: Instant) -> Iterator[Callable[..., None]]:
    """Show progress on stderr: a bar in a terminal, elsewhere a line now and then. Inputs are counted first."""
    total = sum(1 for path in paths for _ in formats.read(path, format=chosen, observed_at=now))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console(error=True), transient=True, disable=not sys.stderr.isatty())
    task = bar.add_task("reading", total=total)
    done = 0

    def advance(*_: object) -> None:
        nonlocal done
        done += 1
        bar.advance(task)
        if bar.disable and done % _EVERY == 0:
            complain(f"{done} of {total} read")

    with bar:
        yield advance


COMMANDS: Final = (
    Command(
        "ingest",
        ingest,
        "tkg ingest --store ./memory --tenant acme --channel trusted_tool --principal guide-loader ./handbook\n"
        "tkg ingest --store ./memory --tenant acme --channel human_stated --principal chat-export --format jsonl chat.jsonl\n"
        "tkg ingest --store ./memory --tenant acme --channel human_stated --principal chat-export --extractor llm "
        "--extractor-option model=NAME --extractor-option base_url=http://127.0.0.1:8000/v1 --every 8 chat.jsonl",
    ),
)
