"""A claim that stands although its own source has denied it since says so wherever it is shown."""

from __future__ import annotations

import pytest

from tests.cli.conftest import WHO, Acme

ANA, BEN = WHO, ("--channel", "human_stated", "--principal", "ben")
SOURCE = "Its own source has denied it since"


def denied(acme: Acme, when: str) -> tuple[str, str]:
    """Ana and Ben said it; Ana's document denies it in its next version, from some time on."""
    said = ("bills", "destination", "hall")
    claim = acme.claim(*said, "--uri", "a.md", "--version", "1", "--valid-from", "2026-01-01", who=ANA).json["claim_id"]
    again = acme.claim(*said, "--uri", "b.md", "--valid-from", "2026-01-01", who=BEN)
    assert again.json["outcome"] == "reinforced", again
    no = acme.claim(*said, "--uri", "a.md", "--version", "2", "--valid-from", when, "--polarity", "negative", who=ANA)
    assert no.json["outcome"] == "accepted", no
    return claim, no.json["claim_id"]


@pytest.mark.parametrize("when", ["2026-01-01", "2026-06-01"])
def test_it_is_shown_with_a_remark(acme: Acme, when: str) -> None:
    claim, denial = denied(acme, when)
    for command in ("show", "explain"):
        assert any(SOURCE in one and denial in one for one in acme(command, claim, "--json").json["remarks"]), command
        flat = " ".join(acme(command, claim).out.split())
        assert f"remark {SOURCE}" in flat and denial in flat, flat
    told = next(one for one in acme("show", "bills", "--json").json["claims"] if one["id"] == claim)
    assert any(SOURCE in one for one in told["remarks"]) and told["use"].startswith("It is in dispute")
    shown = " ".join(acme("show", "bills").out.split())
    assert f"! {SOURCE}" in shown and "It is believed now" not in shown
    read = acme("recall", "where do bills go", "--json").json
    (item,) = [one for one in read["items"] if one["id"] == claim]
    assert item["state"] == "conflict" and f"its own source has denied it since, in {denial}" in item["note"]
    assert "denied it since" in read["text"]  # what an agent is given
    assert "its own source has denied it since" in " ".join(acme("recall", "where do bills go").out.split())


def test_another_ones_denial_is_told_apart(acme: Acme) -> None:
    claim = acme.claim("bills", "destination", "hall", "--uri", "a.md", who=ANA).json["claim_id"]
    no = acme.claim("bills", "destination", "hall", "--uri", "b.md", "--polarity", "negative", who=BEN).json["claim_id"]
    assert acme("explain", claim, "--json").json["remarks"] == [f"It is in conflict with {no}, which denies it."]
    assert "denied it since" not in acme("recall", "where do bills go").out


def test_the_control_has_none(acme: Acme) -> None:
    claim = acme.claim("bills", "destination", "hall", "--uri", "a.md", who=ANA).json["claim_id"]
    assert acme("explain", claim, "--json").json["remarks"] == [] and "remark" not in acme("explain", claim).out
    assert "It is believed now" in acme("show", "bills").out and "\n   !" not in acme("recall", "bills").out
