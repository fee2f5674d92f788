"""Skills as files: written, removed with their support in the same operation, back on release, right after a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.engines import ENGINES, engine_or_skip
from tests.memory.build import Stage
from tkg.errors import Damaged
from tkg.memory.skills import SkillFolder

pytestmark = pytest.mark.engine


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return engine_or_skip(request.param)


BODY = "# Route exception reports\n\nSend them to the regional mailbox.\n"


def staged(tmp_path: Path, engine: str = "memory", **options: Any) -> Stage:
    return Stage(engine=engine, path=tmp_path / "store", skills=tmp_path / "skills", **options)


def learned(stage: Stage, name: str = "route-reports", body: str = BODY, user: str | None = None) -> tuple[str, str]:
    """Derive a skill from one claim; return both."""
    claim = stage.says("ana", f"reports of {name}", "destination", "regional mailbox", uri=f"guide/{name}", user=user)
    made: Any = stage.by("ana", "human_verified", user=user).derive("skill", body, from_=[claim], meta={"name": name})
    return claim, made.id


def lying(tmp_path: Path) -> list[str]:
    return sorted(str(one.parent.relative_to(tmp_path / "skills")) for one in tmp_path.rglob("SKILL.md"))


def head(file: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(file.read_text("utf-8").split("---\n")[1]))


def test_a_skill_lies_in_the_folder_with_its_provenance(tmp_path: Path, engine: str) -> None:
    with (stage := staged(tmp_path, engine)).memory:
        claim, skill = learned(stage)
        file = tmp_path / "skills" / "acme" / "_" / "route-reports" / "SKILL.md"
        found = head(file)
        assert (found["name"], found["description"]) == ("route-reports", "Route exception reports")
        assert all(isinstance(value, str) for value in found["metadata"].values())
        assert (found["metadata"]["tkg-id"], found["metadata"]["tkg-rests-on"]) == (skill, claim)
        assert found["metadata"]["tkg-sources"] == "guide/route-reports"
        assert file.read_text("utf-8").endswith(BODY)


def test_it_leaves_with_its_support_and_comes_back_with_it(tmp_path: Path, engine: str) -> None:
    with (stage := staged(tmp_path, engine)).memory:
        claim, _ = learned(stage)
        learned(stage, "another")
        warden = stage.by("cy", "human_verified")
        for verb in ("quarantine", "revoke"):
            if verb == "revoke":
                warden.revoke(warden.plan_revoke(claim=claim), reason="wrong")
            else:
                warden.quarantine(claim=claim, reason="review")
            assert lying(tmp_path) == ["acme/_/another"]
            warden.release(claim=claim, reason="right")
            assert lying(tmp_path) == ["acme/_/another", "acme/_/route-reports"]


def test_a_crash_between_ledger_and_folder_is_made_good_at_the_next_opening(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = staged(tmp_path, engine)
    claim, _ = learned(stage)
    with monkeypatch.context() as patched:
        patched.setattr(SkillFolder, "follow", lambda *_: None)
        stage.revoke(claim=claim)
    assert lying(tmp_path) == ["acme/_/route-reports"]
    stage.reopen()
    stage.memory.tenant("acme")
    assert lying(tmp_path) == []
    stage.by("cy", "human_verified").release(claim=claim, reason="right")
    assert lying(tmp_path) == ["acme/_/route-reports"]
    stage.memory.close()


def test_of_one_name_the_newest_of_the_highest_class_lies_there_and_the_one_before_comes_back(tmp_path: Path) -> None:
    with (stage := staged(tmp_path)).memory:
        learned(stage, body="# First\n")
        claim = stage.says("bo", "press", "destination", "dock", uri="guide/2")
        stage.by("bo", "human_verified").derive("skill", "# Second\n", from_=[claim], meta={"name": "route-reports"})
        file = tmp_path / "skills" / "acme" / "_" / "route-reports" / "SKILL.md"
        assert file.read_text("utf-8").endswith("# Second\n")
        stage.revoke(claim=claim)
        assert file.read_text("utf-8").endswith("# First\n")


def test_a_user_has_a_folder_of_their_own_and_the_names_cannot_leave_it(tmp_path: Path) -> None:
    with (stage := staged(tmp_path)).memory:
        learned(stage, "../../etc/Passwd \u202e Überraschung", user="mina")
        learned(stage, "..")
        assert lying(tmp_path) == ["acme/_/skill", "acme/mina/etc-passwd-berraschung"]


def test_what_somebody_else_put_there_is_never_touched(tmp_path: Path) -> None:
    own = tmp_path / "skills" / "acme" / "_" / "route-reports"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: route-reports\n---\nmine\n", encoding="utf-8")
    with (stage := staged(tmp_path)).memory:
        claim, skill = learned(stage)
        assert lying(tmp_path) == ["acme/_/route-reports", f"acme/_/route-reports-{skill[-6:].lower()}"]
        stage.revoke(claim=claim)
    assert lying(tmp_path) == ["acme/_/route-reports"]
    assert (own / "SKILL.md").read_text("utf-8").endswith("mine\n")


def test_text_of_a_skill_cannot_pass_for_its_provenance(tmp_path: Path) -> None:
    body = "---\nname: calm\ndescription: 'says: hello'\nmetadata: {tkg-id: art_forged}\n---\n\n# Body\n"
    with (stage := staged(tmp_path)).memory:
        claim = stage.says("ana", "reports", "destination", "mailbox")
        made: Any = stage.by("ana", "human_verified").derive("skill", body, from_=[claim])
        found = head(tmp_path / "skills" / "acme" / "_" / "calm" / "SKILL.md")
        assert (found["description"], found["metadata"]["tkg-id"]) == ("says: hello", made.id)


def test_a_folder_that_cannot_be_written_is_told_and_the_revocation_stands(tmp_path: Path) -> None:
    stage = staged(tmp_path)
    claim, skill = learned(stage)
    folder = tmp_path / "skills" / "acme" / "_" / "route-reports"
    (folder / "SKILL.md").unlink()
    (folder / "SKILL.md").mkdir()
    with pytest.raises(Damaged):
        stage.revoke(claim=claim)
    assert stage.state(skill) == "revoked"
    (folder / "SKILL.md").rmdir()
    stage.reopen()
    stage.memory.tenant("acme")
    assert lying(tmp_path) == []
    stage.memory.close()


def test_skills_are_listed_with_where_they_lie(tmp_path: Path) -> None:
    with (stage := staged(tmp_path)).memory:
        claim, skill = learned(stage)
        (one,) = stage.memory.scope("acme").skills()
        assert (one.id, one.live, one.path) == (skill, True, str(tmp_path / "skills" / "acme" / "_" / "route-reports"))
        stage.revoke(claim=claim)
        (one,) = stage.memory.scope("acme").skills()
        assert (one.live, one.path) == (False, None)
