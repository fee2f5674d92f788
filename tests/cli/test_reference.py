"""Nothing the command line offers is missing from the documents, and the examples are commands that parse."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from tests.house.sources import ROOT
from tkg.cli.main import COMMANDS, build
from tkg.cli.reference import reference

CLI = ROOT / "CLI.md"
APP: Any = build()


def test_the_reference_is_up_to_date() -> None:
    assert CLI.read_text("utf-8") == reference(), "make it again: python -m tkg.cli.reference > CLI.md"


def missing(text: str) -> list[str]:
    """Return the commands and options that the application has and `text` does not mention."""
    sections = dict(re.findall(r"^## (tkg[ \w-]*)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))
    found = []
    for name, command in [("tkg", APP), *((f"tkg {name}", one) for name, one in APP.commands.items())]:
        if name not in sections:
            found.append(name)
            continue
        found += [
            f"{name} {option}"
            for parameter in command.params
            if parameter.param_type_name == "option"
            for option in (*parameter.opts, *parameter.secondary_opts)
            if f"`{option}`" not in sections[name]
        ]
    return found


def test_every_command_and_option_is_documented() -> None:
    assert missing(CLI.read_text("utf-8")) == []


def test_the_probe_finds_what_is_missing() -> None:
    text = CLI.read_text("utf-8")
    assert missing(text.replace("## tkg recall\n", "## tkg recalled\n")) == ["tkg recall"]
    assert missing(text.replace("`--token-budget`", "")) == ["tkg recall --token-budget"]


def test_the_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [one.name for one in COMMANDS if f"tkg {one.name}" not in readme and f"`{one.name}`" not in readme] == []


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_each_command_has_help_with_an_example_that_parses(command: Any) -> None:
    made = APP.commands[command.name]
    assert f"tkg {command.name} " in made.epilog and len(command.help) > 20
    for line in command.example.replace("\\\n", " ").splitlines():
        tkg, name, *words = shlex.split(line)
        assert (tkg, name) == ("tkg", command.name)
        context = made.make_context(name, words)  # parses and does not run
        assert context.params
