"""`metrics`, `audit`, `policy`, `promote` by command."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import AGENT, PERSON, WHO, Acme, Result

WEB = ("--channel", "external", "--principal", "web")


def filled(acme: Acme) -> None:
    for number in range(3):
        assert acme.claim(f"depot {number}", "opens_at", "06:00", "--uri", f"notice/{number}", who=WHO).code == 0
    assert acme.claim("depot 9", "opens_at", "06:00", who=AGENT).code == 3
    assert acme.claim("shop", "opens_at", "9", "--uri", "page", who=WEB).code == 3


def test_metrics_show_the_funnel_and_the_queue(acme: Acme) -> None:
    filled(acme)
    found = acme("metrics", "--json")
    assert found.code == 0
    stages = {one["name"]: one for one in found.json["funnel"]}
    assert stages["kind"]["held"] == 1 and stages["provenance"]["rejected"] == 1
    assert stages["contradiction"]["leaving"] == 3 and found.json["queue"]["length"] == 1
    shown = acme("metrics")
    assert "3 of 5 became claims of their own." in shown.out and "page" in shown.out
    (acme.store / "tkg.toml").write_text("[write]\nreview_alarm = 1\n", encoding="utf-8")
    assert acme("metrics", "--json").code == 1


def test_a_sample_is_marked(acme: Acme) -> None:
    filled(acme)
    (one,) = acme("audit", "sample", "--rejected", 50, "--json").json["items"]
    assert one["stage"] == "provenance" and one["says"] is None
    assert one["verdict"] in acme("audit", "sample").out
    assert acme("audit", "mark", one["verdict"]).code == 2
    assert acme("audit", "mark", one["verdict"], "--is", "wrong", *AGENT).code == 3
    assert acme("audit", "mark", one["verdict"], "--is", "wrong", *PERSON, "--reason", "it was true").code == 0
    assert acme("metrics", "--json").json["false_rejects"]["hits"] == 1
    accepted = acme("audit", "sample", "--accepted", 2, "--json").json
    assert accepted["side"] == "accepted" and len(accepted["items"]) == 2


def test_drift_tells_and_records(acme: Acme) -> None:
    filled(acme)
    calm = acme("audit", "drift", "--json")
    assert calm.code == 0 and calm.json["alarms"] == []
    for number in range(40):
        acme.claim(f"item {number}", "weighs", "3 kg", "--uri", "feed", "--version", str(number), who=WHO)
    loud = acme("audit", "drift", "--no-record", "--json")
    assert loud.code == 1 and loud.json["alarms"][0]["kind"] == "burst" and loud.json["recorded"] is None
    assert acme("audit", "drift", "--json").json["recorded"] is not None
    assert "feed" in acme("audit", "drift").out


def test_policies_are_compared(acme: Acme, tmp_path: Path) -> None:
    filled(acme)
    one, other = tmp_path / "a.toml", tmp_path / "b.toml"
    one.write_text("[write.loss]\nreview = 2.0\n", encoding="utf-8")
    other.write_text('[write]\nheld_channels = ["human_stated"]\n', encoding="utf-8")
    found = acme("policy", "compare", one, other, "--json").json["policies"]
    assert found[str(one)]["total"] == 2.0
    assert found[str(other)]["total"] == (1 + 3) * 0.25
    assert "wrong yes" in acme("policy", "compare", one).out
    assert acme("policy", "compare", tmp_path / "none.toml").code == 2
    assert acme("policy", "rewrite", one).code == 2


def test_a_promotion_widens_and_global_is_listed(acme: Acme) -> None:
    claim = acme.claim("badge", "kept_in", "drawer 14", "--uri", "chat", "--user", "mina", who=WHO).json["claim_id"]
    assert acme("promote", *AGENT, claim, "--reason", "handy").code == 3
    wider = acme("promote", *PERSON, claim, "--reason", "the team shares it", "--json")
    assert wider.code == 0 and acme("value", "badge", "kept_in", "--json").json["values"] == ["drawer 14"]
    assert "Nothing is global." in acme("audit", "global").out
    everybody = acme("promote", *PERSON, wider.json["claim_id"], "--to", "global", "--reason", "for all")
    assert everybody.code == 0
    (found,) = acme("audit", "global", "--json").json["items"]
    assert found["object"] == "drawer 14" and found["scope"] == "global"
    assert found["promoted_by"] == ["acme/olga"] and found["copied_by"] == ["acme"]
    shown = acme("audit", "global").out
    assert "drawer 14" in shown and "acme/olga" in shown


def test_everybody_reads_what_is_global_and_it_is_taken_back_for_everybody(acme: Acme) -> None:
    def beta(command: str, *words: object) -> Result:
        return acme.run(command, "--store", acme.store, "--tenant", "beta", "--engine", acme.engine, *words)

    def everybody(command: str, *words: object) -> Result:
        return acme.run(command, "--store", acme.store, "--tenant", "global", "--engine", acme.engine, *words)

    assert acme.run("init", "--store", acme.store, "--tenant", "beta").code == 0
    claim = acme.claim("badge", "kept_in", "drawer 14", "--uri", "chat", who=WHO).json["claim_id"]
    made = acme("promote", *PERSON, claim, "--to", "global", "--reason", "for all", "--json").json["claim_id"]
    assert beta("value", "badge", "kept_in", "--json").json["values"] == ["drawer 14"]
    (item,) = beta("recall", "where is the badge kept in?", "--json").json["items"]
    assert (item["id"], item["scope"]) == (made, "global")
    refused = beta("revoke", *PERSON, "--claim", made, "--reason", "wrong", "--yes")
    assert refused.code == 3 and "a claim of your own" in " ".join(refused.err.split())
    stated = everybody(
        "propose", *PERSON, "--subject", "badge", "--predicate", "kept_in", "--object", "bin", "--uri", "chat"
    )
    assert stated.code == 3 and "only by a promotion" in " ".join(stated.err.split())
    assert everybody("quarantine", *WHO, "--claim", made, "--reason", "doubtful").code == 3
    assert everybody("quarantine", *PERSON, "--claim", made, "--reason", "doubtful").code == 0
    assert beta("value", "badge", "kept_in", "--json").json["values"] == []
    assert everybody("release", *PERSON, "--claim", made, "--reason", "right").code == 0
    assert beta("value", "badge", "kept_in", "--json").json["values"] == ["drawer 14"]
    assert everybody("revoke", *PERSON, "--claim", made, "--reason", "wrong", "--yes").code == 0
    assert beta("value", "badge", "kept_in", "--json").json["values"] == []
    assert acme("value", "badge", "kept_in", "--json").json["values"] == ["drawer 14"]  # what acme says is acme's
    assert "Nothing is global." in acme("audit", "global").out


def test_sources_are_compared_and_nothing_is_changed(acme: Acme) -> None:
    for source, values in {"good": "111", "fair": "11", "poor": "222"}.items():
        for number, value in enumerate(values):
            told = acme.claim(
                f"report {number}", "destination", f"desk {value}", "--uri", f"site:{source}",
                who=("--channel", "trusted_tool", "--principal", source),
            )  # fmt: skip
            assert told.code == 0, told.err
    before = acme.bytes()
    found = acme("audit", "sources", "--json")
    assert found.code == 0 and found.json["schema"] == "tkg.audit.sources/1"
    assert {one["subject"]: one["value"] for one in found.json["favoured"]} == {
        f"report {number}": "desk 1" for number in range(3)
    }
    shown = acme("audit", "sources", "destination").out
    assert "report 2 · destination: desk 1" in shown and "changes nothing" in " ".join(shown.split())
    assert acme("audit", "sources", "colour").code == 2
    assert acme.bytes() == before
