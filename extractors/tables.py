"""CSV and Parquet rows as claims, by a mapping that says which column is what.

A mapping is TOML: one `[[claims]]` per claim that a row makes, its fields texts in which `{column}` stands for the row's
cell. A claim that needs an empty cell for its subject, predicate or object is left out. Rows are streamed, never held together.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tkg.errors import InvalidText, NotFound
from tkg.extractors.turns import Problem

#: file suffixes that are tables
TABLES: Final = frozenset({".csv", ".tsv", ".parquet"})
_FIELDS: Final = frozenset({"subject", "predicate", "object", "polarity", "valid_from", "valid_to", "observed_at"})
_NEEDED: Final = ("subject", "predicate", "object")
_COLUMN: Final = re.compile(r"\{([^{}]+)\}")
#: longest CSV record, in characters
_RECORD: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class TableMapping:
    """What a row's cells mean: for each claim, a template for each field."""

    claims: tuple[dict[str, str], ...]

    @property
    def columns(self) -> frozenset[str]:
        """Names of the columns it uses."""
        return frozenset(name for claim in self.claims for text in claim.values() for name in _COLUMN.findall(text))


@dataclass(frozen=True, slots=True)
class Row:
    """One claim that a row makes: the fields of a proposal, and the row as evidence."""

    fields: dict[str, str]
    uri: str
    number: int
    quote: str

    @property
    def locator(self) -> str:
        """Number of the row, the first after the header being 1."""
        return f"row={self.number}"


def read_mapping(path: Path) -> TableMapping:
    """Read a mapping file.

    Raises:
        NotFound: there is no such file.
        InvalidText: it is no TOML, has no `[[claims]]`, lacks a field or names an unknown one.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound(f"no such file: {path}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidText(f"the mapping cannot be read: {error}") from None
    claims = data.get("claims")
    if not isinstance(claims, list) or not claims or not all(isinstance(one, dict) for one in claims):
        raise InvalidText("the mapping has no [[claims]]; give at least one with subject, predicate and object")
    for number, claim in enumerate(claims, 1):
        missing = [name for name in _NEEDED if name not in claim]
        unknown = sorted(set(claim) - _FIELDS)
        if missing or unknown or not all(isinstance(value, str) for value in claim.values()):
            what = (
                f"lacks {missing[0]}" if missing else f"has no field {unknown[0]!r}" if unknown else "holds a non-text"
            )
            raise InvalidText(f"claim {number} of the mapping {what}; its fields are {', '.join(sorted(_FIELDS))}")
    return TableMapping(tuple(claims))


def read_table(path: Path, uri: str, mapping: TableMapping) -> Iterator[Row | Problem]:
    """Yield the claims of a table, row by row, with one problem for each row or file that cannot be read.

    Args:
        path: a `.csv` (comma, semicolon or tab, found from the header), `.tsv` or `.parquet` file.
        uri: its address.
        mapping: what the columns mean.
    """
    reader = _parquet(path) if path.suffix.lower() == ".parquet" else _csv(path)
    number = 0
    try:
        header = next(reader)
        if unknown := sorted(mapping.columns - set(header)):
            yield Problem(uri, None, f"the table has no column {unknown[0]!r}; it has {', '.join(header)[:200]}")
            return
        for cells in reader:
            number += 1
            if len(cells) != len(header):
                yield Problem(uri, None, f"row {number} has {len(cells)} cells, the header {len(header)}")
                continue
            yield from _claims(mapping, dict(zip(header, cells, strict=True)), uri, number)
    except StopIteration:
        yield Problem(uri, None, "the table is empty")
    except ImportError:
        yield Problem(uri, None, "reading Parquet needs pyarrow; run: pip install pyarrow")
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).splitlines()[0]
        yield Problem(uri, None, f"row {number + 1} cannot be read: {reason}")


def _claims(mapping: TableMapping, row: Mapping[str, str], uri: str, number: int) -> Iterator[Row]:
    for claim in mapping.claims:
        fields = {name: _COLUMN.sub(lambda m: row[m[1]], text).strip() for name, text in claim.items()}
        needed = {name for field in _NEEDED for name in _COLUMN.findall(claim[field])}
        if all(fields[name] for name in _NEEDED) and all(row[name].strip() for name in needed):
            used = [name for text in claim.values() for name in _COLUMN.findall(text)]
            quote = ", ".join(f"{name}: {row[name]}" for name in dict.fromkeys(used) if row[name])
            yield Row({name: value for name, value in fields.items() if value}, uri, number, quote)


def _csv(path: Path) -> Iterator[list[str]]:
    csv.field_size_limit(_RECORD)
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline(_RECORD)
        delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t|", key=first.count)
        file.seek(0)
        yield from (row for row in csv.reader(file, delimiter=delimiter, strict=True) if row)


def _parquet(path: Path) -> Iterator[list[str]]:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        yield list(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=1_000):
            columns = [column.to_pylist() for column in batch.columns]
            yield from ([_shown(cell) for cell in cells] for cells in zip(*columns, strict=True))


def _shown(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
