"""Skills as files: a folder of `SKILL.md` that agents load from, kept as a projection of what stands.

The layout is `<folder>/<tenant>/<user or _>/<name>/SKILL.md`, in the agent-skills format: `name` (that of the folder) and
`description`, with provenance under `metadata`. A skill whose support dies, that is quarantined, held or erased leaves
the folder in the operation that does it, and comes back when it stands again; so does one that failed too often in a row. A process that dies in between finds the
difference when the tenant is opened. Of several skills of one name the one of the highest class, then the newest, lies
there; a folder that somebody else made is never touched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from tkg.belief.runs import runs
from tkg.errors import Damaged
from tkg.ids import kind_of
from tkg.model.artefact import Artefact
from tkg.model.base import Value as Frozen
from tkg.model.entry import Entry
from tkg.model.scope import Scope
from tkg.model.skill import SkillForm
from tkg.model.time import iso
from tkg.model.verdict import StatusChange
from tkg.model.view import ArtefactView
from tkg.text import match_form

if TYPE_CHECKING:
    from tkg.memory.caller import Caller
    from tkg.memory.tenant import Tenant

FILE: Final = "SKILL.md"
#: what marks a folder as ours
_MARK: Final = "tkg-id"
_NAME: Final = re.compile(r"[^a-z0-9]+")
#: longest name and description of the format
_MAX_NAME, _MAX_DESCRIPTION = 64, 1024
#: sources named in the provenance of one skill
_SOURCES: Final = 10


class SkillShown(Frozen):
    """A skill as it is listed; `path` is where it lies, None when it lies nowhere."""

    id: str
    name: str
    scope: str
    label: str
    written_seq: int
    live: bool
    path: str | None = None
    version: int = 1
    #: runs that failed since the last verified one, and how many were verified
    failures: int = 0
    verified_runs: int = 0


class _Text(NamedTuple):
    name: str
    description: str
    body: str


def read_skill(artefact: Artefact) -> _Text:
    """Return name, description and body of a skill; its own frontmatter, if it has one, fills what `meta` leaves open."""
    body, own = artefact.content or "", dict[str, Any]()
    if body.startswith("---\n") and "\n---\n" in body[3:]:
        head, _, rest = body[4:].partition("\n---\n")
        try:
            read = yaml.safe_load(head)
        except yaml.YAMLError:
            read = None
        if isinstance(read, dict):
            own, body = read, rest.lstrip("\n")
    meta = artefact.meta or {}
    first = next((line.strip("# \t") for line in body.splitlines() if line.strip("# \t")), "")
    name = _NAME.sub("-", str(meta.get("name") or own.get("name") or first).lower()).strip("-")
    name = name[:_MAX_NAME].strip("-") or "skill"
    described = " ".join(str(meta.get("description") or own.get("description") or first or name).split())
    return _Text(name, described[:_MAX_DESCRIPTION], body)


def render_skill(tenant: Tenant, view: ArtefactView, folder: str) -> str:
    """Return the `SKILL.md` of a skill."""
    one = view.artefact
    text = read_skill(one)
    rests_on = [needed for b in tenant.graph.justifications(one.id) for needed in b.justification.requires]
    above = (tenant.graph.evidence(each) for each in (*rests_on, *(r.id for r in tenant.graph.ancestors(one.id))))
    sources = dict.fromkeys(found.source.uri for found in above if found is not None and found.source.uri)
    head = {
        "name": folder,
        "description": text.description,
        "metadata": {
            _MARK: one.id,
            "tkg-scope": one.scope,
            "tkg-class": one.label.value,
            "tkg-observed-at": iso(one.observed_at) or "",
            "tkg-transaction": str(view.seq),
            "tkg-version": str(one.version),
            "tkg-failures": str(runs(tenant.book, one.id).failures),
            "tkg-rests-on": " ".join(dict.fromkeys(rests_on)),
            "tkg-sources": " ".join(list(sources)[:_SOURCES]),
        },
    }
    front = yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{front}---\n\n{text.body.rstrip()}\n"


def as_written(
    tenant: Tenant, caller: Caller, content: str | Mapping[str, Any], meta: Mapping[str, str]
) -> tuple[str | Mapping[str, Any], Mapping[str, str], int]:
    """Return a skill's text, meta and version: one more than the highest of its name in this scope.

    A skill given by its parts (`SkillForm`) is written out; one given as text stays as it is.

    Raises:
        RequestError: a part is missing, unknown or of several lines.
    """
    form = None
    if isinstance(content, Mapping):
        form = SkillForm.build(**{str(key): value for key, value in content.items()})
    name = form.name if form is not None else meta.get("name")
    version = 1
    if isinstance(name, str) and name:
        views = (tenant.graph.artefact(one) for one in tenant.graph.skills())
        mine = [one.artefact for one in views if one is not None and one.artefact.scope == caller.scope.path]
        same = [one.version for one in mine if match_form((one.meta or {}).get("name") or "") == match_form(name)]
        version = 1 + max(same, default=0)
    if form is None:
        return content, meta, version
    tools = ", ".join(dict.fromkeys(one.tool for one in form.steps if one.tool))
    described = {"name": form.name, "description": form.description, "tools": tools}
    return form.markdown(version), {**{k: v for k, v in described.items() if v}, **meta}, version


class SkillFolder:
    """The folder of one tenant's skills."""

    def __init__(self, root: Path, tenant: str) -> None:
        self._root = root / tenant
        self._known: dict[str, None] = {}

    def attach(self, tenant: Tenant) -> None:
        """Bring the folder up to date when the tenant is opened, or its graph was made again."""
        self._known = dict.fromkeys(tenant.graph.skills())
        self._sync(tenant, tenant.ledger.head.seq)

    def follow(self, tenant: Tenant, entry: Entry) -> None:
        """Take in a committed entry: what it wrote, and what it did to the support of skills."""
        touched = False
        for record in entry.records:
            if isinstance(record, Artefact) and record.kind == "skill":
                self._known[record.id] = None
                touched = True
            elif isinstance(record, StatusChange) and record.target in self._known:
                touched = True
        if touched:
            self._sync(tenant, entry.seq)

    def _wanted(self, tenant: Tenant) -> dict[tuple[str, str], ArtefactView]:
        """Return which skill lies under each (scope, name): of those that stand, the highest class, then the newest."""
        wanted: dict[tuple[str, str], ArtefactView] = {}
        for one in self._known:
            view = tenant.graph.artefact(one)
            if view is None or view.artefact.content is None or not tenant.book.live(one):
                continue
            if runs(tenant.book, one).failures >= tenant.policies.read.skill_failures:
                continue
            key = view.artefact.scope, read_skill(view.artefact).name
            other = wanted.get(key)
            if other is None or _order(view) > _order(other):
                wanted[key] = view
        return wanted

    def _sync(self, tenant: Tenant, seq: int) -> None:
        try:
            wanted: dict[Path, str] = {}
            for (scope, name), view in self._wanted(tenant).items():
                place = self._place(scope, name, view.artefact.id)
                wanted[place] = render_skill(tenant, view, place.name)
            # what fell goes first: an agent may read the folder at any moment
            for folder, _ in list(self.lying()):
                if folder not in wanted:
                    (folder / FILE).unlink()
                    if not any(folder.iterdir()):
                        folder.rmdir()
            for folder, text in wanted.items():
                _write(folder, text)
        except OSError as error:
            raise Damaged(
                f"transaction {seq} is recorded, but {self._root} does not show it ({error.strerror}): "
                "repair the folder, then open the tenant again"
            ) from None

    def _place(self, scope: str, name: str, identifier: str) -> Path:
        folder = self._root / (Scope.parse(scope).user or "_") / name
        if folder.exists() and _owner(folder) is None:
            folder = folder.with_name(f"{name[: _MAX_NAME - 7].strip('-')}-{identifier[-6:].lower()}")
        return folder

    def lying(self) -> Iterator[tuple[Path, str]]:
        """Yield each folder of ours with the id of its skill."""
        for file in sorted(self._root.glob(f"*/*/{FILE}")):
            owner = _owner(file.parent)
            if owner is not None:
                yield file.parent, owner


def listing(tenant: Tenant, caller: Caller, root: Path | None) -> list[SkillShown]:
    """See `Handle.skills`."""
    lying: dict[str, Path] = {}
    if root is not None:
        lying = {name: folder for folder, name in SkillFolder(root, caller.scope.tenant).lying()}
    found = (shown(tenant, one, lying.get(one)) for one in tenant.graph.skills())
    own = caller.scope.path
    return [one for one in found if one.scope in tenant.visible(caller.scope) or one.scope.startswith(f"{own}/")]


def shown(tenant: Tenant, identifier: str, folder: Path | None) -> SkillShown:
    """Return a skill as it is listed."""
    view = tenant.graph.artefact(identifier)
    assert view is not None
    told = runs(tenant.book, identifier)
    return SkillShown(
        id=identifier,
        name=read_skill(view.artefact).name,
        scope=view.artefact.scope,
        label=view.artefact.label.value,
        written_seq=view.seq,
        live=tenant.book.live(identifier),
        path=None if folder is None else str(folder),
        version=view.artefact.version,
        failures=told.failures,
        verified_runs=told.verified,
    )


def _order(view: ArtefactView) -> tuple[int, int]:
    return view.artefact.label.rank, view.seq


def _owner(folder: Path) -> str | None:
    """Return the id of the skill that tkg put into a folder; None for a folder of somebody else's."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8")
        head = yaml.safe_load(text[4:].partition("\n---\n")[0]) if text.startswith("---\n") else None
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError, yaml.YAMLError):
        return None
    metadata = head.get("metadata") if isinstance(head, dict) else None
    mark = metadata.get(_MARK) if isinstance(metadata, dict) else None
    return mark if isinstance(mark, str) and kind_of(mark) == "artefact" else None


def _write(folder: Path, text: str) -> None:
    file = folder / FILE
    if file.exists() and file.read_text(encoding="utf-8") == text:
        return
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = folder / f".{FILE}.new"
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, file)
