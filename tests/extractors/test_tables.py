"""Rows of CSV and Parquet files become claims by a mapping."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from tkg.errors import InvalidText, NotFound
from tkg.extractors.tables import Row, TableMapping, read_mapping, read_table
from tkg.extractors.turns import Problem

MAPPING = TableMapping(
    (
        {"subject": "{name}", "predicate": "lives_in", "object": "{city}", "valid_from": "{since}"},
        {"subject": "{name}", "predicate": "pager", "object": "pager {pager}"},
    )
)


def table(path: Path, text: str) -> list[Row | Problem]:
    path.write_bytes(text.encode("utf-8"))
    return list(read_table(path, path.name, MAPPING))


@pytest.mark.parametrize(("name", "sign"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t")])
def test_each_row_makes_the_claims_of_the_mapping(name: str, sign: str, tmp_path: Path) -> None:
    text = 'name,city,since,pager\nAna,"Porto",2026-03,7\n"Bea ""B""",Braga,,\n'.replace(",", sign)
    first, second, third = table(tmp_path / name, text)
    assert isinstance(first, Row) and isinstance(second, Row) and isinstance(third, Row)
    assert first.fields == {"subject": "Ana", "predicate": "lives_in", "object": "Porto", "valid_from": "2026-03"}
    assert (first.locator, first.quote) == ("row=1", "name: Ana, city: Porto, since: 2026-03")
    assert second.fields["object"] == "pager 7"
    assert third.fields == {"subject": 'Bea "B"', "predicate": "lives_in", "object": "Braga"}


def test_a_claim_without_subject_or_object_is_left_out(tmp_path: Path) -> None:
    found = table(tmp_path / "a.csv", "name,city,since,pager\n,Porto,,7\nAna,,,7\n")
    assert [one.fields["predicate"] for one in found if isinstance(one, Row)] == ["pager"]


def test_a_row_of_another_width_is_one_problem_and_the_rest_goes_on(tmp_path: Path) -> None:
    found = table(tmp_path / "a.csv", "name,city,since,pager\nAna,Porto\nBea,Braga,,8\n")
    assert str(found[0]) == "a.csv: row 1 has 2 cells, the header 4"
    assert len(found) == 3


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "empty"),
        (b"who,city,since,pager\nAna,Porto,,7\n", "no column 'name'; it has who, city"),
        (b'name,city,since,pager\n"Ana,Porto\n', "cannot be read"),
        (b"name,city,since,pager\n\xff,x,,\n", "cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read_is_one_line(raw: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(raw)
    (found,) = read_table(path, "a.csv", MAPPING)
    assert isinstance(found, Problem) and says in str(found) and "\n" not in str(found)


def test_parquet_cells_keep_their_dates(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    data = {"name": ["Ana"], "city": ["Porto"], "since": [date(2026, 3, 1)], "pager": [None]}
    pyarrow.parquet.write_table(pyarrow.table(data), path)
    (first,) = read_table(path, "a.parquet", MAPPING)
    assert isinstance(first, Row) and first.fields["valid_from"] == "2026-03-01"
    path.write_bytes(path.read_bytes()[:40])
    (found,) = read_table(path, "a.parquet", MAPPING)
    assert isinstance(found, Problem)


@pytest.mark.parametrize(
    "text",
    ["", "claims = 3", "[[claims]]\nsubject = 'x'\n", "[[claims]]\nsubject='a'\npredicate='b'\nobject='c'\nscope='d'\n",
     "[[claims]]\nsubject=1\npredicate='b'\nobject='c'\n", "not toml"],
)  # fmt: skip
def test_a_mapping_that_lacks_something_says_what(text: str, tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text(text)
    with pytest.raises(InvalidText):
        read_mapping(path)
    with pytest.raises(NotFound):
        read_mapping(tmp_path / "other.toml")
