"""Never-store over strings made from public formats: what is found, what is left alone, and that nothing leaks."""

from __future__ import annotations

import pytest

from benchmarks.disguise import DISGUISES
from tests.gate.phrasings import FOURTH_CLEAN, FOURTH_HELD, THIRD_CLEAN, THIRD_HELD
from tests.gate.strings import negatives, positives
from tests.gate.wordings import FIFTH_CLEAN, FIFTH_HELD, SIXTH_CLEAN, SIXTH_HELD
from tkg.gate import GateContext, judge
from tkg.gate.numbers import card, iban
from tkg.gate.secrets import find_secret
from tkg.model.document import Candidate
from tkg.model.policy import WritePolicy
from tkg.model.predicate import Predicate
from tkg.model.scope import Channel


def test_recall_and_false_alarms(capsys: pytest.CaptureFixture[str]) -> None:
    held, clean = positives(), negatives()
    assert len(held) + len(clean) >= 200
    missed = [text for text in held if find_secret([text]) is None]
    alarms = [text for text in clean if find_secret([text]) is not None]
    recall, false_rate = 1 - len(missed) / len(held), len(alarms) / len(clean)
    with capsys.disabled():
        print(f"\nsecrets: found {len(held) - len(missed)}/{len(held)}, false alarms {len(alarms)}/{len(clean)}")
    assert recall >= 0.98, missed
    assert false_rate <= 0.01, alarms


@pytest.mark.parametrize(
    ("held", "clean", "least"),
    [
        (THIRD_HELD, THIRD_CLEAN, 0.98),
        (FOURTH_HELD, FOURTH_CLEAN, 0.85),
        (FIFTH_HELD, FIFTH_CLEAN, 0.97),
        (SIXTH_HELD, SIXTH_CLEAN, 0.75),
    ],
)
def test_what_people_say_is_found_and_talk_about_passwords_is_not(
    held: tuple[str, ...], clean: tuple[str, ...], least: float
) -> None:
    missed = [text for text in held if find_secret([text]) is None]
    assert len(missed) <= (1 - least) * len(held), missed
    assert [text for text in clean if find_secret([text]) is not None] == []


@pytest.mark.parametrize("disguise", DISGUISES)
def test_disguise_hides_at_most_one_in_twenty(disguise: str) -> None:
    held = [text for text in positives() if text.isascii()]
    found = sum(find_secret([DISGUISES[disguise](text)]) is not None for text in held)
    assert found >= 0.95 * len(held), disguise


def test_cards_and_accounts_need_their_check_digit() -> None:
    assert card("4111 1111 1111 1111") and not card("4111 1111 1111 1112")
    assert card("paid with 4111-1111-1111-1111 and 5500 0000 0000 0004")
    assert card("5500 0000 0000 0004 4111 1111 1111 1112")
    assert iban("DE89 3704 0044 0532 0130 00") and not iban("DE89 3704 0044 0532 0130 01")
    assert not iban("US133000000121212121212")


@pytest.mark.parametrize("channel", list(Channel))
@pytest.mark.parametrize("field", ["subject", "object", "quote", "uri"])
def test_no_field_and_no_class_lets_a_secret_through_and_nothing_repeats_it(field: str, channel: Channel) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    fields = {"subject": "Depot", "object": "north", "quote": "north", "uri": "note:1", field: f"x {secret} y"}
    candidate = Candidate(scope="mill", predicate="uses", observed_at=0, **fields)
    context = GateContext(
        channel=channel, label=channel, now=0, predicate=Predicate(name="uses"), system_of_record=False
    )
    judgement = judge(candidate, context, WritePolicy())
    assert (judgement.outcome, judgement.code) == ("rejected", "secret")
    assert secret not in repr(judgement) and len(judgement.checks) == 11
    assert [check.code for check in judgement.checks[6:]] == ["not_run"] * 5


def test_the_name_of_a_predicate_says_what_its_value_is() -> None:
    def code(predicate: str, object: str) -> str:
        candidate = Candidate(scope="mill", subject="Wifi", predicate=predicate, object=object, observed_at=0)
        context = GateContext(
            channel=Channel.HUMAN_STATED,
            label=Channel.HUMAN_STATED,
            now=0,
            predicate=Predicate(name=predicate),
            system_of_record=False,
        )
        return judge(candidate, context, WritePolicy()).code

    assert code("password", "swordfish") == code("api_key", "a8f93kd02mfk3") == code("pin", "4821") == "secret"
    assert code("password_rotation", "every 90 days") == code("password", "kept in the vault") == "ok"
