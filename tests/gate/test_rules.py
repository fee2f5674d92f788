"""The examples that stand beside each rule."""

from __future__ import annotations

import re

import pytest

from tkg.gate import rules
from tkg.gate.scan import form
from tkg.gate.secrets import find_secret, fires

SECRETS = rules.load("secrets.toml")
INSTRUCTIONS = rules.load("instructions.toml")


@pytest.mark.parametrize(
    ("rule", "text"), [(r, t) for r in SECRETS for t in r.hits], ids=lambda v: getattr(v, "id", None)
)
def test_a_secret_rule_fires_on_its_example(rule: rules.Rule, text: str) -> None:
    assert fires(rule, form(text).plain)
    assert find_secret([text]) is not None


@pytest.mark.parametrize(
    ("rule", "text"), [(r, t) for r in SECRETS for t in r.misses], ids=lambda v: getattr(v, "id", None)
)
def test_a_secret_rule_leaves_its_counter_example_alone(rule: rules.Rule, text: str) -> None:
    assert not fires(rule, form(text).plain)
    assert find_secret([text]) is None


@pytest.mark.parametrize("rule", INSTRUCTIONS, ids=lambda rule: rule.id)
def test_an_instruction_rule_keeps_to_its_examples(rule: rules.Rule) -> None:
    for text in rule.hits:
        assert rule.pattern.search(form(text).folded) is not None, text
    for text in rule.misses:
        assert rule.pattern.search(form(text).folded) is None, text
    assert rule.hits and rule.misses


def test_both_engines_take_every_pattern_and_agree_on_the_examples() -> None:
    for rule, entry in zip(
        SECRETS + INSTRUCTIONS,
        rules.table("secrets.toml")["rule"] + rules.table("instructions.toml")["rule"],
        strict=True,
    ):
        assert rule.id == entry["id"]
        plain = re.compile(entry["pattern"], re.ASCII)
        for text in rule.hits + rule.misses:
            for shown in (form(text).plain, form(text).folded):
                assert (plain.search(shown) is None) == (rule.pattern.search(shown) is None), (rule.id, text)
