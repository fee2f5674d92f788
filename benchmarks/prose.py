"""Files to read: Markdown as teams write it, and one long transcript; the same for the same number.

Names are drawn anew all the time, sentences from a few dozen forms, so that a store fills with different claims while the
parser sees ordinary English. A transcript is what an agent's working day leaves: short turns of a person, longer ones of
the assistant, and outputs of tools, which are half of its bytes.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

_FIRST: Final = datetime(2026, 1, 1, 8, tzinfo=UTC)
_THINGS: Final = (
    "billing service, ledger, archive, release checklist, status page, gateway, search index, payments queue, backup job, "
    "audit log, staging cluster, import worker, mail relay, price list, delivery plan, holiday calendar"
).split(", ")
_TEAMS: Final = (
    "platform team, finance team, support team, audit team, data team, web team, field office, night shift".split(", ")
)
_PLACES: Final = "Oslo, Porto, Auckland, Lyon, Graz, Turku, Leeds, Bergen, Braga, Delft".split(", ")
_TOOLS: Final = "PostgreSQL, Redis, Kafka, Grafana, Terraform, Ansible, Nginx, Vault, Prometheus, Docker".split(", ")
_NAMES: Final = "Mira, Tom, Ines, Karl, Rosa, Emil, Nora, Paul, Vera, Otto, Lena, Hugo, Ada, Finn, Ida, Jan".split(", ")
#: one claim or more each
_FACTS: Final = (
    "The {thing} runs on {tool}.",
    "{name} owns the {thing}.",
    "The {thing} is hosted in {place} since March 2025.",
    "The {team} maintains the {thing}.",
    "{name} works for the {team}.",
    "The {thing} depends on {tool}.",
    "The retention of the {thing} is {number} days.",
    "{name} moved from {place} to {other} in 2025.",
    "The {team} no longer uses {tool}.",
    "The port of the {thing} is {number}.",
    "{name}, the lead of the {team}, lives in {place}.",
    "Until June 2026 the {thing} is kept in {place}.",
)
#: none
_TALK: Final = (
    "It took a while to find out why the numbers did not match, and nobody had looked at the old report before.",
    "Could you check whether the {thing} is still slow?",
    "If the {thing} fails again, we will call the {team}.",
    "Please restart the {thing} before lunch.",
    "We might move the {thing} to {place} next year.",
    "Thanks, that helps a lot!",
    "I think the {team} will look at it, but I am not sure.",
    "After the meeting we went through the list once more and agreed that most of it can wait until the next quarter.",
    "Usually the {team} answers within an hour.",
    "That is roughly what {name} said as well.",
)


class Writer:
    """Writes sentences."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def sentence(self) -> str:
        """Return the next sentence; two in five state something."""
        chance = self._chance
        form = chance.choice(_FACTS if chance.random() < 0.4 else _TALK)
        place, other = chance.sample(_PLACES, 2)
        number = chance.randrange(1, 900)
        return form.format(
            thing=f"{chance.choice(_THINGS)} {chance.randrange(4_000)}",
            team=chance.choice(_TEAMS),
            name=f"{chance.choice(_NAMES)} {chance.choice(_NAMES)}son{chance.randrange(300)}",
            tool=chance.choice(_TOOLS),
            place=place,
            other=other,
            number=number,
        )

    def paragraph(self, least: int, most: int) -> str:
        """Return so many sentences."""
        return " ".join(self.sentence() for _ in range(self._chance.randint(least, most)))

    def output(self) -> str:
        """Return what a tool printed: a log or a listing, without prose."""
        chance = self._chance
        rows = chance.randint(20, 80)
        if chance.random() < 0.5:
            return "\n".join(
                f"2026-01-{chance.randrange(1, 29):02}T{chance.randrange(24):02}:17:{chance.randrange(60):02}Z INFO "
                f"worker[{chance.randrange(99)}] job={chance.randrange(10**6)} took={chance.randrange(900)}ms status=ok"
                for _ in range(rows)
            )
        return "\n".join(
            f"    {chance.choice('abcxyz')}_{row} = load(path[{row}], key='{chance.randrange(10**8):x}')  # {row}"
            for row in range(rows)
        )

    def page(self) -> str:
        """Return one Markdown file."""
        parts = [f"# The {self._chance.choice(_THINGS)} of the {self._chance.choice(_TEAMS)}"]
        for _ in range(self._chance.randint(2, 4)):
            parts += [f"## {self._chance.choice(_THINGS).title()}", self.paragraph(3, 6)]
            parts.append("\n".join(f"- {self.sentence()}" for _ in range(self._chance.randint(1, 4))))
            parts.append("```sh\nmake deploy TARGET=staging\n```")
        return "\n\n".join(parts) + "\n"

    def turn(self, number: int) -> dict[str, str]:
        """Return one turn of a transcript."""
        stamp = (_FIRST + timedelta(seconds=40 * number)).isoformat()
        role = ("user", "assistant", "tool", "assistant")[number % 4]
        content = self.output() if role == "tool" else self.paragraph(1, 3) if role == "user" else self.paragraph(3, 12)
        return {
            "role": role,
            "content": content,
            "timestamp": stamp,
            "session": f"day-{number // 400}",
            "id": f"t{number}",
        }


def write_folder(folder: Path, files: int) -> None:
    """Write so many Markdown files."""
    folder.mkdir(parents=True)
    for number in range(files):
        (folder / f"page-{number:04}.md").write_text(Writer(number).page(), "utf-8")


def transcript(size: int) -> Iterator[str]:
    """Yield the lines of a transcript of `size` bytes."""
    writer, written, number = Writer(-1), 0, 0
    while written < size:
        line = json.dumps(writer.turn(number)) + "\n"
        yield line
        written += len(line)
        number += 1


def write_transcript(path: Path, size: int) -> int:
    """Write a transcript of `size` bytes as JSON lines; return the number of turns."""
    number = 0
    with path.open("w", encoding="utf-8") as file:
        for line in transcript(size):
            file.write(line)
            number += 1
    return number
