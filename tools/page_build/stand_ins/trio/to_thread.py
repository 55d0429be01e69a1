"""Functions that run in threads elsewhere. A page has none, so they run in the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ._scopes import checkpoint_if_cancelled, let_others_run

__all__ = ["run_sync"]

T = TypeVar("T")


async def run_sync(function: Callable[..., T], *args: Any, abandon_on_cancel: bool = False) -> T:
    """Return the result of a function. Once it has begun, this is not cancelled."""
    await checkpoint_if_cancelled()
    try:
        return function(*args)
    finally:
        await let_others_run()
