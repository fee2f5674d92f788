"""One extractor for all tests of the room: loading the pipeline takes a second."""

from __future__ import annotations

import pytest

from tkg.extractors.text import TextExtractor


@pytest.fixture(scope="session")
def extractor() -> TextExtractor:
    return TextExtractor()
