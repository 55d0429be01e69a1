"""Many cases in one test, of which every one that fails is listed; and calls that must fail."""

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

OUTCOMES = (Exception, pytest.fail.Exception, pytest.skip.Exception)
"""How a check ends that does not pass."""


def each(
    cases: Iterable[Any], name: Callable[[Any], str] = str
) -> Callable[[Callable[[Any], None]], Callable[[pytest.Subtests], None]]:
    """Makes a check of one case a test of all of them; it fails if there is none.

    For cases that cost next to nothing each. What costs something is parametrised instead, so
    that the cases run side by side.
    """
    listed = list(cases)

    def test_of_all(check: Callable[[Any], None]) -> Callable[[pytest.Subtests], None]:
        def test(subtests: pytest.Subtests) -> None:
            assert listed
            for case in listed:
                try:
                    check(case)
                except OUTCOMES:
                    # A report takes long, so only a case that does not pass gets one.
                    with subtests.test(msg=name(case)):
                        raise

        test.__name__, test.__doc__, test.__module__ = (
            check.__name__,
            check.__doc__,
            check.__module__,
        )
        return test

    return test_of_all


def fails(
    error: type[Exception], words: str, call: Callable[..., Any], *given: Any, **named: Any
) -> Any:
    """Check that a call raises this error, with this code or with these words in its text.

    Returns:
        The error.
    """
    with pytest.raises(error) as caught:
        call(*given, **named)
    return _checked(caught.value, words)


async def ends_in(error: type[Exception], words: str, work: Awaitable[Any]) -> Any:
    """Do the same for what is awaited."""
    with pytest.raises(error) as caught:
        await work
    return _checked(caught.value, words)


def _checked(found: Exception, words: str) -> Exception:
    """Check that an error has one of these codes; other words stand somewhere in its text."""
    code = getattr(found, "code", None)
    is_code = code is not None and "-" in words and re.fullmatch("[a-z|-]+", words)
    assert re.fullmatch(words, str(code)) if is_code else re.search(words, str(found)), found
    return found
