"""Streams, of which a page has none of its own, and their end."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from ._scopes import CancelScope
from .abc import AsyncResource

T = TypeVar("T")


class _NotInAPage:
    """A kind of stream that annotations name, and of which a page has none."""

    def __init__(self, *args: Any, **options: Any) -> None:
        raise NotImplementedError(f"a page has no {type(self).__name__}")


class SSLStream(_NotInAPage, Generic[T]):
    """A stream inside TLS."""


class SocketStream(_NotInAPage):
    """A stream of TCP."""


async def aclose_forcefully(resource: AsyncResource) -> None:
    """Close something without waiting for anything."""
    with CancelScope() as scope:
        scope.cancel()
        await resource.aclose()
