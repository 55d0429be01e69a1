"""The group of the product against independent arithmetic; `test_group_laws` has its laws."""

from hashlib import sha512

from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.forged_points import negated, off_curve, small_order

from protocol.crypto import group
from protocol.crypto.group import BASE, IDENTITY
from protocol.crypto.hashing import ORDER, Label
from protocol.errors import Invalid

P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P

Affine = tuple[int, int]


def plus(left: Affine, right: Affine) -> Affine:
    """The addition law of RFC 8032, section 5.1.4, in affine coordinates."""
    (x1, y1), (x2, y2) = left, right
    k = D * x1 * x2 * y1 * y2 % P
    return (
        (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P,
    )


def times(k: int, point: Affine) -> Affine:
    result = (0, 1)
    for bit in bin(k)[2:]:
        result = plus(result, result)
        if bit == "1":
            result = plus(result, point)
    return result


def compress(point: Affine) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def decompress(data: bytes) -> Affine | None:
    """RFC 8032, section 5.1.3, for a canonical y; None where no point has it."""
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255, number >> 255
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        return None
    return (P - x if x & 1 != sign else x) % P, y


SMALL_ORDER = small_order()
OFF_CURVE = off_curve()

scalars = st.one_of(
    st.sampled_from([0, 1, 2, 7, 8, ORDER - 1, ORDER, ORDER + 1, 2**255]),
    st.integers(0, 2**256),
)


def test_base_and_points_of_small_order_are_what_they_are_said_to_be() -> None:
    """BASE is that of RFC 8032."""
    point = decompress(BASE)
    assert point is not None
    assert point[1] == 4 * pow(5, -1, P) % P
    assert compress(times(ORDER, point)) == IDENTITY
    for data in SMALL_ORDER:
        point = decompress(data)
        assert point is not None
        assert times(8, point) == (0, 1)
    assert len(set(SMALL_ORDER)) == 8
    assert decompress(OFF_CURVE) is None


@settings(max_examples=15, deadline=None)
@given(scalars, scalars)
def test_agrees_with_independent_arithmetic(j: int, k: int) -> None:
    base = decompress(BASE)
    assert base is not None
    one, two = times(j % ORDER, base), times(k % ORDER, base)
    left, right = group.mul_base(j), group.mul(k, BASE)
    assert (left, right) == (compress(one), compress(two))
    assert group.add(left, right) == compress(plus(one, two))
    assert group.add(group.sub(left, right), right) == left
    assert group.add(left, negated(left)) == IDENTITY
    assert group.mul(k, left) == compress(times(k % ORDER, one))


def test_scalars_are_canonical() -> None:
    for number in (0, 1, ORDER - 1):
        assert group.decode_scalar(group.encode_scalar(number)) == number
    for data in (ORDER.to_bytes(32, "little"), b"\xff" * 32, b"", bytes(31), bytes(33)):
        fails(Invalid, "bad-scalar", group.decode_scalar, data)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=40))
def test_any_bytes_are_a_point_or_invalid(data: bytes) -> None:
    try:
        point = group.decode_point(data)
    except Invalid:
        return
    affine = decompress(point)
    assert affine is not None
    assert compress(times(ORDER, affine)) == IDENTITY


def independent_hash_to_group(label: str, *parts: bytes) -> tuple[bytes, int]:
    """The map as its text says, sharing no code with it; with the counter it stopped at."""
    for counter in range(100):
        fields = [label.encode(), *parts, counter.to_bytes(8, "big")]
        framed = b"".join(len(field).to_bytes(8, "big") + field for field in fields)
        point = decompress(sha512(framed).digest()[:32])
        if point is not None and compress(times(8, point)) != IDENTITY:
            return compress(times(8, point)), counter
    raise AssertionError("a hundred misses")


def test_hash_to_group_follows_its_text() -> None:
    stops = set()
    for index in range(12):
        part = index.to_bytes(8, "big")
        point, counter = independent_hash_to_group(Label.CARD.value, part)
        assert group.hash_to_group(Label.CARD, part) == point == group.decode_point(point)
        stops.add(counter)
    assert len(stops) > 1


def test_hash_to_group_vectors() -> None:
    assert group.hash_to_group(Label.CARD, bytes(8)).hex() == VECTOR_CARD_0
    assert group.hash_to_group(Label.SECOND_GENERATOR).hex() == VECTOR_SECOND_GENERATOR
    assert group.hash_to_group(Label.CARD, b"a", b"b") != group.hash_to_group(Label.CARD, b"ab")


VECTOR_CARD_0 = "861e00dbfd765875bfa9566b2deb48d988133cfcd45f97c029c5425e5f2e3419"
VECTOR_SECOND_GENERATOR = "d9d8e25b2ce3daa1b0915143fdcba667647fd770dbd7261d4d11f0e6b3f4df41"
