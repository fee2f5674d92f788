"""Units of measurement: a small fixed table with exact factors.

A table and not a library: norms live in the ledger for ever, so the reading of "4 t" must not change with somebody
else's release, and an expression parser has no place behind untrusted text. Factors are exact by definition (SI
brochure, 9th edition; international yard and pound, 1959). Months and years are no multiple of a day and have a
dimension of their own; currencies are never converted.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from tkg.text import match_form

# dimension: {symbol: (factor, other spellings)}; the factor leads to the first unit of the dimension
_TABLE: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "length": {
        "m": ("1", "metre metres meter meters"),
        "km": ("1000", "kilometre kilometres kilometer kilometers"),
        "cm": ("1/100", "centimetre centimetres centimeter centimeters"),
        "mm": ("1/1000", "millimetre millimetres millimeter millimeters"),
        "µm": ("1/1000000", "um μm micrometre micrometres micrometer micrometers"),
        "in": ("0.0254", "inch inches"),
        "ft": ("0.3048", "foot feet"),
        "yd": ("0.9144", "yard yards"),
        "mi": ("1609.344", "mile miles"),
        "nmi": ("1852", ""),
    },
    "mass": {
        "kg": ("1", "kilogram kilograms kilo kilos"),
        "g": ("1/1000", "gram grams"),
        "mg": ("1/1000000", "milligram milligrams"),
        "t": ("1000", "tonne tonnes"),
        "lb": ("0.45359237", "lbs pound pounds"),
        "oz": ("0.028349523125", "ounce ounces"),
    },
    "time": {
        "s": ("1", "sec secs second seconds"),
        "ms": ("1/1000", "millisecond milliseconds"),
        "µs": ("1/1000000", "us μs microsecond microseconds"),
        "min": ("60", "mins minute minutes"),
        "h": ("3600", "hr hrs hour hours"),
        "d": ("86400", "day days"),
        "wk": ("604800", "week weeks"),
    },
    "months": {"mo": ("1", "month months"), "yr": ("12", "year years")},
    "volume": {
        "l": ("1", "litre litres liter liters"),
        "ml": ("1/1000", "millilitre millilitres milliliter milliliters"),
        "cl": ("1/100", "centilitre centilitres"),
        "hl": ("100", "hectolitre hectolitres"),
        "m³": ("1000", "m3"),
    },
    "area": {
        "m²": ("1", "m2 sqm"),
        "km²": ("1000000", "km2"),
        "ha": ("10000", "hectare hectares"),
        "cm²": ("1/10000", "cm2"),
    },
    "speed": {"m/s": ("1", ""), "km/h": ("5/18", "kph kmh"), "mph": ("0.44704", ""), "kn": ("463/900", "knot knots")},
    "data": {
        "B": ("1", "byte bytes"),
        "kB": ("1000", "kb kilobyte kilobytes"),
        "MB": ("1000000", "mb megabyte megabytes"),
        "GB": ("1000000000", "gb gigabyte gigabytes"),
        "TB": ("1000000000000", "tb terabyte terabytes"),
        "KiB": ("1024", "kib"),
        "MiB": ("1048576", "mib"),
        "GiB": ("1073741824", "gib"),
        "TiB": ("1099511627776", "tib"),
    },
    "power": {
        "W": ("1", "watt watts"),
        "kW": ("1000", "kw kilowatt kilowatts"),
        "MW": ("1000000", "megawatt megawatts"),
    },
    "energy": {
        "J": ("1", "joule joules"),
        "kJ": ("1000", "kj"),
        "kWh": ("3600000", "kwh"),
        "MWh": ("3600000000", "mwh"),
    },
    "pressure": {
        "Pa": ("1", "pascal pascals"),
        "kPa": ("1000", "kpa"),
        "bar": ("100000", "bars"),
        "hPa": ("100", "hpa"),
    },
    "frequency": {
        "Hz": ("1", "hz hertz"),
        "kHz": ("1000", "khz"),
        "MHz": ("1000000", "mhz"),
        "GHz": ("1000000000", "ghz"),
    },
    "voltage": {
        "V": ("1", "volt volts"),
        "mV": ("1/1000", "millivolt millivolts"),
        "kV": ("1000", "kilovolt kilovolts"),
    },
    "current": {"A": ("1", "amp amps ampere amperes"), "mA": ("1/1000", "milliamp milliamps")},
    "temperature": {"°C": ("1", "celsius degc")},
    "temperature-f": {"°F": ("1", "fahrenheit degf")},
    "temperature-k": {"K": ("1", "kelvin")},
    "share": {"%": ("1", "percent")},
}


class Unit(NamedTuple):
    """A known unit: its dimension and the exact factor to the dimension's first unit."""

    symbol: str
    dimension: str
    factor: Fraction


def _index() -> tuple[dict[str, Unit], dict[str, Unit]]:
    exact: dict[str, Unit] = {}
    folded: dict[str, Unit] = {}
    for dimension, units in _TABLE.items():
        for symbol, (factor, spellings) in units.items():
            unit = Unit(symbol, dimension, Fraction(factor))
            exact[symbol] = unit
            for spelling in spellings.split():
                folded[spelling] = unit
    return exact, folded


_EXACT, _FOLDED = _index()
#: an amount and a word, "%" or a degree; a symbol keeps its case first (MW and mW differ), words are folded
_QUANTITY = re.compile(r"(-?(?:0|[1-9][0-9]{0,27})(?:\.[0-9]{1,28})?)\s*(%|°?[^\W\d_].{0,31})")


class Quantity(NamedTuple):
    """An amount with its unit as stated; `unit` is None when the table does not know it."""

    amount: Decimal
    unit: Unit | None
    text: str

    @property
    def value(self) -> Fraction:
        """The amount in the dimension's first unit, exactly."""
        return Fraction(self.amount) * (self.unit.factor if self.unit else 1)

    @property
    def quantum(self) -> Fraction:
        """One unit of the last stated digit, in the dimension's first unit."""
        exponent = self.amount.as_tuple().exponent
        step = Fraction(10) ** (exponent if isinstance(exponent, int) else 0)
        return step * (self.unit.factor if self.unit else 1)


def read_quantity(raw: str) -> Quantity | None:
    """Read "4 t", "900 kg" or "6 weeks"; None when it is no number followed by a word."""
    match = _QUANTITY.fullmatch(" ".join(unicodedata.normalize("NFKC", raw).split()))
    if match is None:
        return None
    name = match[2].strip()
    unit = _EXACT.get(name) or _FOLDED.get(name.casefold())
    # a unit the table does not know keeps its folded spelling: "3 pallets" equals "3 pallets" and nothing else
    return Quantity(Decimal(match[1]), unit, f"{match[1]} {unit.symbol if unit else match_form(name)}")
