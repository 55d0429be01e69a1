"""What the cheap group of the tests has in common with the curve: laws, encodings, refusals."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.cheap_group import CHEAP, cheap_cards
from support.forged_points import FIELD, forgeries, mixed_order, negated, order_eight, small_order
from support.paths import ROOT

from protocol.crypto import elgamal, group
from protocol.crypto.group import BASE, IDENTITY
from protocol.crypto.hashing import ORDER, Label
from protocol.crypto.identities import Identity, verify_signature
from protocol.errors import Invalid

scalars = st.one_of(
    st.sampled_from([0, 1, 2, 7, 8, ORDER - 1, ORDER, ORDER + 1, 2**255]),
    st.integers(0, 2**256),
)
SECRET = 12345
GROUPS = {"curve": nullcontext, "cheap": cheap_cards}


@pytest.fixture(params=GROUPS, scope="module", autouse=True)
def _cards(request: pytest.FixtureRequest) -> Iterator[None]:
    with GROUPS[request.param]():
        yield


def some() -> group.Point:
    """Return a point of the subgroup."""
    return group.mul_base(SECRET)


@settings(max_examples=30, deadline=None)
@given(scalars, scalars, scalars)
def test_laws(i: int, j: int, k: int) -> None:
    left, right = group.mul_base(i), group.mul_base(j)
    assert left == group.mul(i, BASE)
    assert group.add(left, right) == group.add(right, left) == group.mul_base(i + j)
    assert group.sub(left, right) == group.add(left, negated(right)) == group.mul_base(i - j)
    assert group.mul(k, left) == group.mul_base(i * k)
    assert group.add(left, negated(left)) == IDENTITY
    assert (left == right) == (i % ORDER == j % ORDER)


def test_edges_need_no_exception() -> None:
    assert group.mul(0, some()) == group.mul(ORDER, some()) == group.mul_base(0) == IDENTITY
    assert group.mul(5, IDENTITY) == negated(IDENTITY) == group.total([]) == IDENTITY
    assert group.mul_base(1) == BASE
    assert group.add(some(), IDENTITY) == some()
    assert group.sub(some(), some()) == group.mul(0, b"not looked at") == IDENTITY
    assert group.mul(-1, some()) == negated(some())
    assert group.total([some()] * 3) == group.mul(3, some())
    points = [BASE, some(), BASE, some()]
    assert group.weighted([1, 2, 3, 4], points) == group.mul_base(4 + 6 * SECRET)
    assert group.weighted([1, -1], [BASE, BASE]) == IDENTITY
    fails(ValueError, "longer", group.weighted, [1], points)
    for point in (BASE, some(), negated(some()), group.hash_to_group(Label.CARD, b"x")):
        assert group.decode_point(point) == point
        assert group.sub(group.mul(9, point), group.mul(8, point)) == point


def test_every_forgery_is_refused_by_decoding_and_multiplying() -> None:
    forged = forgeries(some())
    assert len(forged) == 1 + 8 + 7 + 38 + 2
    for name, data in forged.items():
        with pytest.raises(Invalid) as caught:
            group.decode_point(data)
        assert caught.value.code == "bad-point", name
        if data != IDENTITY:
            fails(Invalid, "bad-point", group.mul, 3, data)


@pytest.mark.parametrize("operation", [group.add, group.sub])
def test_additions_refuse_only_what_is_no_point(operation: Callable[..., bytes]) -> None:
    """They read encodings that are not canonical."""
    forged = forgeries(some())
    for data in (forged["off the curve 0"], some()[:31], some() + b"\0", some().hex(), None, 7):
        for pair in ((some(), data), (data, some())):
            fails(Invalid, "bad-point", operation, *pair)
    for mixed in mixed_order(some()):
        assert operation(mixed, IDENTITY) == mixed
    # The identity is 1, so its other encodings are the field's prime plus 1, with either sign.
    for name in ("sign of zero 0", "not canonical 2", "not canonical 3"):
        assert operation(some(), forged[name]) == some()


def test_the_whole_group_is_cyclic_of_eight_times_the_order() -> None:
    assert len(set(small_order())) == 8
    assert group.add(small_order()[7], order_eight()) == IDENTITY
    assert negated(order_eight()) == small_order()[7]
    assert len({*mixed_order(some()), some()}) == 8


def test_points_of_other_types_and_lengths_are_refused() -> None:
    for data in (b"", b"\1" * 31, b"\1" * 33, "58" * 32, None, 7, bytearray(BASE)):
        fails(Invalid, "bad-point", group.decode_point, data)
        fails(Invalid, "bad-point", group.mul, 3, data)


def test_about_half_of_all_strings_are_points_and_one_in_sixteen_is_valid() -> None:
    checks = {"any": lambda data: group.add(data, IDENTITY), "valid": group.decode_point}
    found = Counter()
    for y in range(2, 802):
        data = (y * pow(3, 200, FIELD) % FIELD).to_bytes(32, "little")
        for name, check in checks.items():
            with suppress(Invalid):
                found[name] += check(data) == data
    assert 300 < found["any"] < 500
    assert 20 < found["valid"] < 100


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=30, max_size=34))
def test_any_bytes_are_a_point_of_the_subgroup_or_invalid(data: bytes) -> None:
    try:
        point = group.decode_point(data)
    except Invalid:
        return
    assert group.add(group.mul(ORDER - 1, point), point) == IDENTITY


def test_hashing_skips_what_is_no_point_or_of_small_order(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = [data for name, data in forgeries(BASE).items() if "mixed" not in name]
    answers = iter([*refused, *mixed_order(BASE)[2:3]])
    monkeypatch.setattr(group, "digest", lambda *_: next(answers))
    assert group.hash_to_group(Label.CARD) == group.mul_base(8)


def test_groups_are_chosen_by_nested_calls_and_for_all_threads() -> None:
    current = group.use_backend(group.LIBSODIUM)
    try:
        curve = group.mul_base(SECRET)
        with cheap_cards():
            cheap = group.mul_base(SECRET)
            with cheap_cards(), ThreadPoolExecutor(1) as pool:
                assert pool.submit(group.mul_base, SECRET).result() == cheap != curve
            assert group.mul_base(SECRET) == cheap
        assert group.mul_base(SECRET) == curve
    finally:
        group.use_backend(current)


def test_kept_values_belong_to_one_group() -> None:
    kept = [
        partial(group.card_points, 5),
        partial(group.shuffle_generators_total, 5),
        group.chain_generator,
        group.second_generator,
        lambda: tuple(group.card_index()),
        partial(elgamal.starting_deck, BASE, 3),
    ]
    here = [value() for value in kept]
    backend = CHEAP if here[0] == _in(group.LIBSODIUM, kept[0]) else group.LIBSODIUM
    there = [_in(backend, value) for value in kept]
    assert all(a != b for a, b in zip(here, there, strict=True))
    assert here == [value() for value in kept]


def _in(backend: group.Backend, value: Callable[[], object]) -> object:
    former = group.use_backend(backend)
    try:
        return value()
    finally:
        group.use_backend(former)


def test_identities_are_real_in_every_group() -> None:
    identity = Identity(bytes(32))
    verify_signature(
        identity.public, Label.STEP_INPUT, b"data", identity.sign(Label.STEP_INPUT, b"data")
    )
    assert group.LIBSODIUM.is_valid_point(identity.public)
    cheap = CHEAP.multiply_base(SECRET.to_bytes(32, "little"))
    assert CHEAP.is_valid_point(cheap)
    assert not group.LIBSODIUM.is_valid_point(cheap)
    fails(Invalid, "bad-point", verify_signature, cheap, Label.STEP_INPUT, b"data", bytes(64))


def test_no_part_of_the_product_chooses_a_backend() -> None:
    own = Path("protocol/crypto/group.py")
    for folder in ("protocol", "p2p_hoity", "cli", "training/hoity_training"):
        for path in (ROOT / folder).rglob("*.py"):
            assert path.relative_to(ROOT) == own or "use_backend" not in path.read_text()
