"""The form texts are compared in: the short way for plain text gives what the long way gives."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from tkg.text import match_form


def spelled_out(value: str) -> str:
    folded = unicodedata.normalize("NFKC", value).casefold()
    kept = "".join(c for c in folded if unicodedata.category(c) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", kept).split())


@given(st.one_of(st.text(), st.text(st.characters(max_codepoint=127))))
@example("\x1c a\x0b\t B \x1f")
@example("Stra\u00dfe\u200b  \ufb01nd")
def test_plain_text_goes_the_short_way_to_the_same_form(value: str) -> None:
    assert match_form(value) == spelled_out(value)


def test_names_that_differ_in_case_and_space_are_one() -> None:
    assert match_form("  Lives\tIn ") == "lives in" == match_form("LIVES IN")
    assert match_form("lives in") != match_form("livesin")
