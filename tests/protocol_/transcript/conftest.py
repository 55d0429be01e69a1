"""Transcripts of the toy game are made and judged with the cheap group.

The committed vectors and the certificates of the independent verifier are of the real group.
"""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from support.sim.cheap import cheap_blocks

REAL = (
    "test_transcript_format_bounds",
    "test_vectors",
    "test_judged_files",
    "test_specimens",
    "test_failures",
    "test_certificate_readers",
)


@pytest.fixture(autouse=True, scope="module")
def _cards(request: pytest.FixtureRequest) -> Iterator[None]:
    """Exchange the group of the cards, but for vectors."""
    with nullcontext() if request.path.stem in REAL else cheap_blocks(shared=False):
        yield
