"""A sentence for each code of `p2p_hoity`: by code, with the code's fields as its gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .codes import CODES
from .editions import EDITIONS
from .network import NETWORK
from .reaching import REACHING
from .storage import STORAGE
from .tables import TABLES
from .talk import TALK

SENTENCES: Final[Mapping[str, str]] = {
    **NETWORK,
    **REACHING,
    **TABLES,
    **STORAGE,
    **EDITIONS,
    **TALK,
    **CODES,
}
