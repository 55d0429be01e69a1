"""What is under way on one link: by name until it is known to be read, bounded, and no liar's."""

import pytest

from p2p_hoity.net.peer_link import MOST, UnderWay
from p2p_hoity.net.transport import MARK

ONE, TWO = b"one", b"two"


def entered(ways, *frames):
    """What of these is to be queued; it goes out at once, a hundred bytes each."""
    names = [name for name in map(ways.enter, frames) if name is not None]
    for name in names:
        ways.write(100, [name])
    return len(names)


def test_a_frame_enters_again_once_its_last_byte_is_read_and_so_many_are_remembered():
    ways = UnderWay()
    assert entered(ways, ONE, ONE, TWO) == 2
    for read, again in ((0, 0), (99, 0), (100, 1), (100, 0), (199, 0)):
        ways.acknowledge(read)
        assert entered(ways, ONE) == again
    assert entered(ways, TWO) == 0
    ways.acknowledge(300)
    assert entered(ways, ONE, TWO) == 2
    ways = UnderWay()
    frames = [number.to_bytes(4, "big") for number in range(MOST + 1)]
    assert entered(ways, *frames) == MOST + 1
    assert len(ways._names) == len(ways._out) == MOST
    assert entered(ways, *frames[1:]) == 0
    assert entered(ways, frames[0]) == 1


def test_what_only_waits_is_under_way_whatever_is_read_and_the_count_goes_round():
    ways = UnderWay()
    name = ways.enter(ONE)
    ways.write(100, [])
    ways.acknowledge(100)
    assert ways.enter(ONE) is None
    ways.write(100, [name])
    ways.acknowledge(200)
    assert ways.enter(ONE) == name
    ways = UnderWay()
    for _ in range(5):
        ways.write(MARK - 7, [])
        ways.acknowledge(ways._written % MARK)
        assert entered(ways, ONE) == 1
        ways.acknowledge((ways._written - 1) % MARK)
        assert entered(ways, ONE) == 0
        ways.acknowledge(ways._written % MARK)
    assert ways._known == ways._written > 4 * MARK


@pytest.mark.parametrize("forged", [101, 1 << 20, MARK - 1])
def test_more_than_was_written_or_less_than_before_says_nothing(forged):
    ways = UnderWay()
    assert entered(ways, ONE) == 1
    ways.acknowledge(50)
    for read in (forged, 49, 0):
        ways.acknowledge(read)
        assert entered(ways, ONE) == 0
    ways.acknowledge(100)
    assert entered(ways, ONE) == 1
