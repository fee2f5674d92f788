"""A page in a real headless Chromium: what it asked the network for, and what its console said.

No host name leads anywhere, so that nothing leaves the machine, and every request that was begun stands in the browser's network
log with who began it: a page, a frame in it, or the browser by itself. Chromium is the one that is installed (Debian:
`apt-get install chromium`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

#: why a test is skipped where there is none
ABSENT: Final = "needs Chromium on the path (Debian: apt-get install chromium); an HTML parser looks at the same pages"
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_QUIET: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-default-apps", "--disable-extensions", "--no-first-run", "--no-default-browser-check",
    "--disable-domain-reliability", "--disable-client-side-phishing-detection", "--disable-features=OptimizationHints,Translate",
    "--no-pings", "--metrics-recording-only", "--virtual-time-budget=1500", "--enable-logging=stderr", "--v=0",
)  # fmt: skip
#: who the log says began what the browser asks for by itself, and the page that is opened
_ITSELF: Final = "not an origin"


def chromium() -> str | None:
    """Return the installed Chromium, or None."""
    return next((found for name in _NAMES if (found := shutil.which(name)) is not None), None)


@dataclass(frozen=True)
class Seen:
    """What a page did: urls it asked for, lines on its console, and the page as the browser read it."""

    asked: tuple[str, ...]
    console: tuple[str, ...]
    dom: str


def visit(page: Path) -> Seen:
    """Open a page and return what it did."""
    program = chromium()
    assert program is not None, ABSENT
    with TemporaryDirectory(prefix="tkg-browser-") as place:
        log = Path(place) / "net.json"
        done = subprocess.run(
            [
                program,
                *_QUIET,
                f"--user-data-dir={place}/profile",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                f"--log-net-log={log}",
                "--net-log-capture-mode=Everything",
                "--dump-dom",
                page.absolute().as_uri(),
            ],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=180,
            check=False,
        )
        console = tuple(line for line in done.stderr.splitlines() if "CONSOLE" in line)
        return Seen(_asked(log), console, done.stdout)


def _asked(log: Path) -> tuple[str, ...]:
    """Return every url of the network log that a page began a request for; what the browser begins has no origin."""
    text = log.read_text("utf-8", errors="replace").rstrip().rstrip(",")
    if not text.endswith("}"):
        text += "]}"
    read = json.loads(text)
    kind = read["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    begun = [one.get("params", {}) for one in read["events"] if one["type"] == kind]
    return tuple(one["url"] for one in begun if one.get("initiator", _ITSELF) != _ITSELF)
