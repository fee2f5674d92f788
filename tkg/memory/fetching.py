"""Fetching a source again: from files below given folders, from git repositories there, or over HTTP from named hosts.

A uri comes from what was written, so it may be hostile: nothing is fetched that the caller did not open up. What is fetched
is compared and thrown away.
"""

from __future__ import annotations

import re
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

#: largest document that is fetched, in bytes
MAX_BYTES: Final = 16 << 20
_SCHEME: Final = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]*):")
#: most redirects that are followed, each to a named host
_REDIRECTS: Final = 3


class Limits(NamedTuple):
    """What may be fetched, and how much of it.

    `roots` are folders below which files and git repositories may be read, `hosts` those that may be asked over HTTP.
    """

    roots: tuple[Path, ...] = ()
    hosts: tuple[str, ...] = ()
    bytes: int = MAX_BYTES
    #: seconds for one source
    patience: float = 10.0


class Fetched(NamedTuple):
    """A document, or why there is none: "gone" (it is not there any more) or "unreachable" (it could not be asked)."""

    text: str | None
    state: str = ""
    why: str = ""


def fetchable(uri: str) -> bool:
    """Return whether a uri names a place that `fetch` could ask; whether it answers is another question."""
    found = _SCHEME.match(uri)
    return found is None or found[1].lower() in ("http", "https", "git", "file")


def fetch(uri: str, limits: Limits) -> Fetched:
    """Fetch a source again.

    Args:
        uri: a path, `file://…`, `git:REPOSITORY//PATH` (as of its HEAD), `http://…` or `https://…`; a fragment is ignored.
        limits: what may be fetched.
    """
    bare = uri.partition("#")[0]
    scheme = found[1].lower() if (found := _SCHEME.match(bare)) else ""
    try:
        if scheme in ("http", "https"):
            return _http(bare, limits)
        if scheme == "git":
            return _git(bare.removeprefix("git:"), limits)
        if scheme == "file":
            return _file(unquote(urlsplit(bare).path), limits)
        if scheme:
            return Fetched(None, "unreachable", "a scheme that is not fetched")
        if "/" not in bare and not Path(bare).suffix:
            return Fetched(None, "unreachable", "a name that is no file")  # a ticket, a message, a person
        return _file(bare, limits)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return Fetched(None, "unreachable", type(error).__name__)


def _decoded(content: bytes, limits: Limits) -> Fetched:
    if len(content) > limits.bytes:
        return Fetched(None, "unreachable", "larger than the limit")
    return Fetched(content.decode("utf-8", "replace"))


def _below(name: str, limits: Limits) -> tuple[Path | None, bool]:
    """Return the place of a name below a root, and whether any root could hold it."""
    possible = False
    for root in limits.roots:
        real = root.resolve()
        place = (real / name).resolve()
        if place != real and place.is_relative_to(real):
            possible = True
            if place.exists():
                return place, True
    return None, possible


def _file(name: str, limits: Limits) -> Fetched:
    place, possible = _below(name, limits)
    if place is None:
        return (
            Fetched(None, "gone", "no such file") if possible else Fetched(None, "unreachable", "outside the folders")
        )
    if not place.is_file():
        return Fetched(None, "unreachable", "not a file")
    with place.open("rb") as file:
        return _decoded(file.read(limits.bytes + 1), limits)


def _git(name: str, limits: Limits) -> Fetched:
    repository, _, inside = name.partition("//")
    place, possible = _below(repository or ".", limits) if repository not in ("", ".") else (_only(limits), True)
    if place is None or not inside:
        return Fetched(None, "gone" if possible else "unreachable", "no such repository")
    command = ["git", "--no-pager", "-C", str(place), "cat-file", "blob", f"HEAD:{inside}"]
    done = subprocess.run(command, capture_output=True, timeout=limits.patience, check=False, stdin=subprocess.DEVNULL)
    if done.returncode == 0:
        return _decoded(done.stdout, limits)
    head = ["git", "--no-pager", "-C", str(place), "rev-parse", "--verify", "--quiet", "HEAD"]
    whole = subprocess.run(head, capture_output=True, timeout=limits.patience, check=False, stdin=subprocess.DEVNULL)
    if whole.returncode:
        return Fetched(None, "unreachable", "not a git repository")
    return Fetched(None, "gone", "no such file in HEAD")


def _only(limits: Limits) -> Path | None:
    return limits.roots[0] if limits.roots else None


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to a host that was named."""

    max_redirections = _REDIRECTS

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = hosts

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if not _named(newurl, self._hosts):
            raise urllib.error.URLError("redirected to a host that was not named")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _named(url: str, hosts: Sequence[str]) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("http", "https") and (parts.hostname or "") in hosts


def _http(url: str, limits: Limits) -> Fetched:
    if not _named(url, limits.hosts):
        return Fetched(None, "unreachable", "a host that was not named")
    opener = urllib.request.build_opener(_Redirects(limits.hosts), urllib.request.ProxyHandler({}))
    end = time.monotonic() + limits.patience
    try:
        with opener.open(urllib.request.Request(url, headers={"User-Agent": "tkg"}), timeout=limits.patience) as answer:
            content = b""
            while len(content) <= limits.bytes and (piece := answer.read1(1 << 16)):
                content += piece
                if time.monotonic() > end:
                    return Fetched(None, "unreachable", "too slow")
            return _decoded(content, limits)
    except urllib.error.HTTPError as error:
        with error:
            gone = error.code in (404, 410)
            return Fetched(None, "gone" if gone else "unreachable", f"HTTP {error.code}")
