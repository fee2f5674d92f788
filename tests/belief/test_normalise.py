"""Normalising objects and comparing them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkg.belief.compare import Comparison, Same, compare
from tkg.belief.normalise import normalise
from tkg.model.predicate import Predicate

E, R, G, D, U = (
    Comparison.EQUAL,
    Comparison.REFINES,
    Comparison.GENERALISES,
    Comparison.DIFFERENT,
    Comparison.UNKNOWN,
)


def declared(datatype: str = "auto", **keys: object) -> Predicate:
    return Predicate.build(name="p", cardinality="one", datatype=datatype, **keys)


def laid(a: str, b: str, predicate: Predicate) -> Comparison:
    return compare(normalise(a, predicate), normalise(b, predicate), predicate)


@pytest.mark.parametrize(
    ("datatype", "a", "b", "expected"),
    [
        # without a declared type: numbers as numbers, all else as text
        ("auto", "Nordvik  Stone", "nordvik stone", E),
        ("auto", "ＱＶＸ", "qvx", E),
        ("auto", "zero\u200bwidth", "zerowidth", E),
        ("auto", "permits entry", "blocks entry", D),
        ("auto", "2025-118", "2025-181", D),
        ("auto", "rack 14", "rack 41", D),
        ("auto", "12", "12.4", G),
        ("auto", "12.4", "12.3", D),
        ("auto", "12.50", "12.5", E),
        ("auto", "007", "7", D),
        ("auto", "12", "twelve", D),
        ("auto", "05:30", "5:30", D),
        ("auto", "１２", "12", E),
        # numbers
        ("number", "5.0", "5.04", G),
        ("number", "5.0", "5.2", D),
        ("number", "-12", "-12.4", G),
        ("number", "0", "-0.0", E),
        ("number", "12.5", "13", R),
        ("number", "1,200", "1200", E),
        ("number", "about five", "5", U),
        ("number", "1e3", "+1000", E),
        ("number", "1e-90", "0", U),
        # quantities
        ("quantity", "4 t", "4000 kg", E),
        ("quantity", "4 tonnes", "4120 kg", G),
        ("quantity", "4 t", "5000 kg", D),
        ("quantity", "6 weeks", "42 days", E),
        ("quantity", "12 months", "1 year", E),
        ("quantity", "30 days", "1 month", U),
        ("quantity", "3 pallets", "3 Pallets", E),
        ("quantity", "3 pallets", "4 pallets", U),
        ("quantity", "5 EUR", "5 USD", U),
        ("quantity", "100 Mb", "100 MB", E),
        ("quantity", "a lot", "5 kg", U),
        # dates
        ("date", "2026-03-01", "2026-03", R),
        ("date", "2026-03", "2026-04", D),
        ("date", "2026-03~", "2026-04", U),
        ("date", "2026-03~", "2027", D),
        ("date", "2026-03", "2026-03-01/2026-03-31", E),
        # an interval that ends before it starts, or could, is not a date
        ("date", "2026/2025", "2026", U),
        ("date", "2026-03-15/2026", "2025", U),
        # the rest
        ("boolean", "Yes", "true", E),
        ("boolean", "on", "off", D),
        ("boolean", "maybe", "off", U),
        ("url", "HTTPS://Example.org:443/a%2fb", "https://example.org/a%2Fb", E),
        ("url", "https://example.org", "https://example.org/", E),
        ("url", "https://example.org/a", "https://example.org/A", D),
        ("email", "Ana@Example.ORG", "Ana@example.org", E),
        ("email", "ana@example.org", "Ana@example.org", D),
        ("version", "v4.2", "4.2.0", E),
        ("version", "4.2", "4.20", D),
        ("version", "4.2-rc1", "4.2", D),
        ("place", "Paris", "France", U),
        ("text", "12", "12.4", D),
        ("entity", "Ana Ruiz", "ana ruiz", E),
    ],
)
def test_two_objects_compare_as_people_would(datatype: str, a: str, b: str, expected: Comparison) -> None:
    predicate = declared(datatype)
    assert laid(a, b, predicate) is expected
    assert laid(b, a, predicate) is expected.swapped


def test_listed_values_exclude_each_other_and_synonyms_are_one() -> None:
    tenure = declared(values=[["tenant|renter", "owner"]])
    assert laid("Renter", "tenant", tenure) is E
    assert laid("tenant", "owner", tenure) is D
    assert laid("tenant", "squatter", tenure) is U


def test_a_tree_makes_one_place_a_refinement_of_another() -> None:
    tree = declared(refines={"Aarhus": "Denmark", "Odense": "Denmark", "Denmark": "Europe"})
    assert laid("aarhus", "Denmark", tree) is R
    assert laid("Aarhus", "Europe", tree) is R
    assert laid("Aarhus", "Odense", tree) is D
    place = declared("place", refines={"Aarhus": "Denmark"})
    assert laid("Aarhus", "Malmö", place) is U
    ring = declared(refines={"a": "b", "b": "a"})
    assert laid("a", "c", ring) is D


def test_a_tolerance_is_looked_at_pairwise() -> None:
    loose = declared("number", tolerance="0.5")
    assert laid("10", "10.5", loose) is E
    assert laid("10.5", "11", loose) is E
    assert laid("10", "11", loose) is D
    assert laid("100", "104", declared("number", tolerance="5%")) is E


def test_entities_that_live_claims_call_the_same_are_one() -> None:
    predicate = declared("entity")
    a, b = normalise("Ana Ruiz", predicate), normalise("A. Ruiz", predicate)
    assert compare(a, b, predicate) is D
    assert compare(a, b, predicate, Same([("ana ruiz", "ana r"), ("ana r", "a. ruiz")])) is E
    assert compare(a, b, predicate, Same([("ana ruiz", "ana r")])) is D


TYPES = ("auto", "text", "number", "quantity", "date", "boolean", "url", "email", "version", "entity", "place")
RAW = st.one_of(
    st.text(max_size=20),
    st.decimals(-999, 999, places=2).map(str),
    st.sampled_from(["4 t", "4000 kg", "6 weeks", "2026-03", "2026-03~", "yes", "off", "v1.2.0", "1.2"]),
    st.sampled_from(
        ["https://Example.org", "Ana@Example.org", "Denmark", "Aarhus", "１２", "-0", "12e3", "1e-40", "+7", "1,200"]
    ),
)


@given(RAW, st.sampled_from(TYPES))
def test_normalising_twice_is_normalising_once(raw: str, datatype: str) -> None:
    predicate = declared(datatype)
    once = normalise(raw, predicate)
    assert normalise(once.norm, predicate)[:2] == once[:2]


@given(RAW, RAW, st.sampled_from(TYPES))
def test_comparing_is_reflexive_and_symmetric(a: str, b: str, datatype: str) -> None:
    predicate = declared(datatype)
    assert laid(a, a, predicate) is E
    assert laid(a, b, predicate) is laid(b, a, predicate).swapped
