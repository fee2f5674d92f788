"""Drift: how soon a rise is seen, how often nothing is mistaken for one."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.gate.drift import cusum, divergence, ewma, per_unit, reference


def poisson(rate: float, chance: random.Random) -> int:
    limit, product, count = math.exp(-rate), chance.random(), 0
    while product > limit:
        product *= chance.random()
        count += 1
    return count


def delays(rate: float, factor: float, runs: int) -> list[int]:
    """Hours until a campaign at `factor` times the usual rate is seen."""
    chance = random.Random(11)
    found = []
    for _ in range(runs):
        crossed = cusum([poisson(rate * factor, chance) for _ in range(400)], rate)
        found.append(400 if crossed is None else crossed.at + 1)
    return found


@pytest.mark.parametrize(("rate", "factor", "hours"), [(5, 2, 6.0), (5, 5, 2.0), (0.5, 2, 50.0), (20, 2, 3.0)])
def test_a_campaign_is_seen_soon(rate: float, factor: float, hours: float) -> None:
    found = delays(rate, factor, 300)
    assert sum(found) / len(found) <= hours


def test_ordinary_writing_is_left_alone_for_a_thousand_hours() -> None:
    chance = random.Random(12)
    alarms = sum(cusum([poisson(5, chance) for _ in range(1_000)], 5) is not None for _ in range(60))
    assert alarms <= 60 * 1_000 / 3_690 * 1.5  # at most half as many again as the mean time of the table allows
    assert cusum([poisson(10, chance) for _ in range(1_000)], 5) is not None  # the control


def test_the_reference_value_is_that_of_the_table() -> None:
    assert reference(0.5) == pytest.approx(0.72, abs=0.01)
    assert reference(5) == pytest.approx(7.21, abs=0.01) and reference(20) == pytest.approx(28.9, abs=0.1)


@given(st.lists(st.integers(0, 30), max_size=200), st.floats(0.1, 20))
def test_what_never_exceeds_the_reference_never_alarms_and_more_writes_alarm_no_later(
    counts: list[int], rate: float
) -> None:
    k = reference(rate)
    assert cusum([min(count, math.floor(k)) for count in counts], rate) is None
    one, more = cusum(counts, rate), cusum([count + 1 for count in counts], rate)
    if one is not None:
        assert more is not None and more.at <= one.at and one.since <= one.at


def test_a_share_that_rises_is_seen_and_a_steady_one_is_not() -> None:
    steady = [n % 20 == 0 for n in range(400)]
    assert ewma(steady, 0.05) is None
    assert ewma([*steady, *(n % 2 == 0 for n in range(40))], 0.05) is not None


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 50)), st.dictionaries(st.integers(0, 9), st.integers(0, 50)))
def test_divergence_is_symmetric_and_between_nought_and_one(one: dict[int, int], other: dict[int, int]) -> None:
    found = divergence(one, other)
    assert -1e-9 <= found <= 1 + 1e-9 and found == pytest.approx(divergence(other, one))
    assert divergence(one, one) == pytest.approx(0)
    if sum(one.values()) and sum(other.values()) and not {k for k in one if one[k]} & {k for k in other if other[k]}:
        assert found == pytest.approx(1)


@given(st.lists(st.integers(0, 999), max_size=60), st.integers(1, 97))
def test_every_write_is_counted_in_its_hour(times: list[int], unit: int) -> None:
    counted = per_unit(times, start=0, end=1_000, unit=unit)
    assert sum(counted) == len(times) and len(counted) == -(-1_000 // unit)
    assert Counter({n: c for n, c in enumerate(counted) if c}) == Counter(at // unit for at in times)
