"""Facts from before the year 1 on the command line."""

from __future__ import annotations

import json

from tests.cli.conftest import PERSON, Acme

EXTERNAL = ("--channel", "external", "--principal", "crawler")


def test_years_before_1_are_given_asked_about_and_shown(acme: Acme) -> None:
    spans = (("Antony", "-0043-03-15", "-0042"), ("Caesar", "-0058", "-0043-03-14"))
    for value, start, end in spans:
        told = acme.claim("Rome", "destination", value, "--valid-from", start, "--valid-to", end, "--uri", "annals")
        assert told.code == 0, told.err
    asked = acme("value", "Rome", "destination", "--valid-at", "-0050", "--json")
    assert asked.json["values"] == ["Caesar"]
    claim = asked.json["claims"][0]
    assert acme("value", "Rome", "destination", "--valid-at=-0043-05-01", "--json").json["values"] == ["Antony"]
    assert "-0043-03-15" in acme("timeline", "Rome", "destination").out
    lines = [json.loads(line) for line in acme("export").out.splitlines()]
    starts = {one["interval"]["valid_from"] for one in lines if one.get("record") == "claim"}
    assert starts == {"-0058-01-01T00:00:00Z", "-0043-03-15T00:00:00Z"}
    assert "-0058-01-01" in acme("explain", claim).out
    for start in ("-0058", ".."):  # a person's corrected words keep the time that was given
        waits = acme.claim("Gaul", f"ruler {start}", "Cesar", "--valid-from", start, "--uri", "web", who=EXTERNAL)
        edited = acme(
            "decide", *PERSON, waits.json["claim_id"], "edit", "--set", "object=Caesar", "--reason", "spelling"
        )
        assert edited.code == 0, edited.err
        assert acme("value", "Gaul", f"ruler {start}", "--valid-at", "-0057", "--json").json["values"] == ["Caesar"]
    refused = acme("value", "Rome", "destination", "--valid-at", "-10000")
    assert refused.code == 2 and "44 BC is -0043" in " ".join(refused.err.split())


def test_two_sides_before_the_year_1_are_drawn_on_one_axis(acme: Acme) -> None:
    one = acme.claim("Rome", "destination", "Caesar", "--valid-from", "-0058", "--uri", "annals")
    other = acme.claim("Rome", "destination", "Bibulus", "--valid-from", "-0057", "--uri", "fasti",
        who=("--channel", "human_stated", "--principal", "ben"))  # fmt: skip
    ids = (one.json["claim_id"], other.json["claim_id"])
    shown = acme("contradictions", "--pair", ids[0], "--pair", ids[1]).out
    assert "░" in shown or "█" in shown
    marks = [line for line in shown.splitlines() if "-0058-01-01" in line and "-0057-01-01" in line]
    assert marks and marks[-1].index("-0058-01-01") < marks[-1].index("-0057-01-01")
