"""The numbers that the learned bot is given, by the names of their features."""

from collections.abc import Iterable, Sequence

from p2p_hoity.bots.learned.features import Feature


def by_name(features: Iterable[Feature], numbers: Sequence[float]) -> dict[str, list[float]]:
    """Return the rounded numbers of each feature."""
    found: dict[str, list[float]] = {}
    at = 0
    for feature in features:
        assert feature.name not in found
        found[feature.name] = [round(number, 6) for number in numbers[at : at + feature.count]]
        at += feature.count
    assert at == len(numbers)
    return found
