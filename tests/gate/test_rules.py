"""The examples that stand beside each rule."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


_WORDS = rules.index("secrets.toml")[0]
_PIECES = st.one_of(st.sampled_from(_WORDS), st.sampled_from(_WORDS).map(lambda word: word[:3]), st.text(max_size=4))


@given(st.lists(_PIECES, max_size=60).map("".join), st.integers(1, 40))
def test_the_rules_looked_at_are_those_whose_keyword_occurs(text: str, times: int) -> None:
    words, places, always = rules.index("secrets.toml")
    folded = form(text * times).folded
    wanted = {place for word in words if word in folded for place in places[word]} | set(always)
    assert rules.candidates("secrets.toml", folded) == [SECRETS[place] for place in sorted(wanted)]


def test_every_keyword_at_once_is_found() -> None:
    words = rules.index("secrets.toml")[0]
    assert len(rules.candidates("secrets.toml", " ".join(words))) == len(SECRETS)
    assert len(rules.candidates("secrets.toml", "")) < len(SECRETS)
