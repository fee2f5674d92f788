"""What a contract needs of a test runner: to expect an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def raises(kind: type[Exception], *, saying: str = "") -> Iterator[None]:
    """Expect the block to raise `kind` with `saying` somewhere in its message.

    Raises:
        AssertionError: it raised nothing, or its message says something else; other errors pass through.
    """
    try:
        yield
    except kind as error:
        assert saying in str(error), f"the message should say {saying!r}: {error}"
    else:
        raise AssertionError(f"expected {kind.__name__}")
