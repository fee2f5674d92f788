"""The base of all values: frozen, no unknown fields, errors in one sentence."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from tkg.errors import RequestError
from tkg.model.display import Displayed, Parts
from tkg.text import safe_text


class Value(Displayed, BaseModel):
    """A frozen value; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)

    @classmethod
    def build(cls, **fields: Any) -> Self:
        """Make the value, or raise `RequestError` with one clear sentence.

        The message names the field and what is wrong with it and never repeats the input.
        """
        try:
            return cls(**fields)
        except ValidationError as error:
            raise refusal(cls, error) from None

    def _display_(self) -> Parts:
        return {name: getattr(self, name) for name in type(self).model_fields if name != "record"}


def refusal(kind: type, error: ValidationError) -> RequestError:
    """Return one clear sentence for what is wrong with a value: it names the field and repeats no value."""
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(safe_text(str(part)[:40], one_line=True) for part in first["loc"]) or kind.__name__
    return RequestError(f"{where}: {'unknown field' if first['type'] == 'extra_forbidden' else first['msg']}")
