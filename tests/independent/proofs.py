"""The proofs of section 7: keys, shares, shuffles, commitments with escrows, key shares."""

from functools import lru_cache

import nacl.bindings as sodium
from nacl.exceptions import CryptoError

from . import constants as c
from . import group
from .encoding import context, digest, expand, hash_scalar, u64
from .group import BASE, NotAPoint, add, multiply, read_scalar, scalar_bytes, subtract, total


def combine_weights(seats: list[int]) -> list[int]:
    """Return the Lagrange weights at 0 for the points of some seats (7.1, *Combine*)."""
    weights = []
    for j in seats:
        weight = 1
        for m in seats:
            if m != j:
                weight = weight * (m + 1) * pow(m - j, -1, c.ORDER) % c.ORDER
        weights.append(weight)
    return weights


def combine(points: dict[int, bytes], quorum: int) -> bytes:
    """Return what the points of the `quorum` lowest seats combine into (7.1)."""
    seats = sorted(points)[:quorum]
    weights = combine_weights(seats)
    return total([multiply(w, points[j]) for w, j in zip(weights, seats, strict=True)])


def evaluate(vector: list[bytes], seat: int) -> bytes:
    """Return the public key share of a seat, for a key vector (7.1)."""
    result = vector[-1]
    for point in reversed(vector[:-1]):
        result = add(multiply(seat + 1, result), point)
    return result


def response_point(z: int, base: bytes, e: int, public: bytes) -> bytes:
    """Return z·base − e·public."""
    return subtract(multiply(z, base), multiply(e, public))


def split_proof(proof: bytes) -> tuple[int, int] | None:
    """Return the scalars e and z of a proof of 64 bytes, or None if one is no scalar."""
    e, z = read_scalar(proof[:32]), read_scalar(proof[32:])
    return None if e is None or z is None else (e, z)


@lru_cache(maxsize=4096)
def key_proof_is_valid(ctx: bytes, public: bytes, proof: bytes) -> bool:
    """Return whether a proof shows that its author knows the key of `public` (7.1)."""
    scalars = split_proof(proof)
    if scalars is None or scalars[0] == 0 or not group.is_point(public):
        return False
    e, z = scalars
    return e == hash_scalar("key proof", ctx, BASE, public, response_point(z, BASE, e, public))


@lru_cache(maxsize=1 << 14)
def share_proof_is_valid(
    ctx: bytes,
    joint: bytes,
    public: bytes,
    bases: tuple[bytes, ...],
    shares: tuple[bytes, ...],
    proof: bytes,
) -> bool:
    """Return whether one proof shows a batch of shares (7.4); the shares are points."""
    scalars = split_proof(proof)
    if scalars is None or scalars[0] == 0:
        return False
    e, z = scalars
    answers = [response_point(z, a, e, share) for a, share in zip(bases, shares, strict=True)]
    first = response_point(z, BASE, e, public)
    count = u64(len(bases))
    expected = hash_scalar(
        "shares", ctx, joint, BASE, public, count, *bases, *shares, first, *answers
    )
    return e == expected


@lru_cache(maxsize=4096)
def shuffle_is_valid(
    ctx: bytes, joint: bytes, before: tuple[bytes, ...], after: tuple[bytes, ...], proof: bytes
) -> bool:
    """Return whether a shuffle's proof is valid (7.2). Decks are points a, b, a, b, …."""
    cards = len(before) // 2
    parts = group.split_points(proof)
    if len(proof) != 32 * (5 + 4 * cards) or len(after) != 2 * cards:
        return False
    scalars = [read_scalar(part) for part in parts[: 5 + 2 * cards]]
    if not all(scalars):
        return False
    c_, s1, s2, s3, s4 = scalars[:5]
    hats, primes = scalars[5 : 5 + cards], scalars[5 + cards :]
    permuted, chained = parts[5 + 2 * cards : 5 + 3 * cards], parts[5 + 3 * cards :]
    generators = group.shuffle_generators(cards)
    h = group.CHAIN_GENERATOR
    sigma = digest(
        "shuffle statement",
        ctx,
        joint,
        BASE,
        h,
        u64(cards),
        *generators,
        *before,
        *after,
        *permuted,
    )
    weights = [hash_scalar("shuffle weight", sigma, u64(i)) for i in range(cards)]
    product = 1
    for weight in weights:
        product = product * weight % c.ORDER

    def answer(responses: list[bytes], bases: list[bytes], own: list[bytes]) -> bytes:
        """Return Σ s'_i·bases_i − c·Σ u_i·own_i."""
        given = total([multiply(p, base) for p, base in zip(primes, bases, strict=True)])
        owed = total([multiply(u, point) for u, point in zip(weights, own, strict=True)])
        return subtract(total([given, *responses]), multiply(c_, owed))

    try:
        # Every point of deck and proof is multiplied below, which checks it ([D-7]).
        t3 = answer([multiply(s3, BASE)], generators, permuted)
        t4a = answer([multiply(-s4, BASE)], list(after[0::2]), list(before[0::2]))
        t4b = answer([multiply(-s4, joint)], list(after[1::2]), list(before[1::2]))
        links = [
            subtract(
                add(multiply(hats[i], BASE), multiply(primes[i], last)), multiply(c_, chained[i])
            )
            for i, last in enumerate([h, *chained[:-1]])
        ]
        rest = subtract(total(permuted), group.shuffle_generator_sum(cards))
        t1 = response_point(s1, BASE, c_, rest)
        t2 = response_point(s2, BASE, c_, subtract(chained[-1], multiply(product, h)))
    except NotAPoint:
        return False
    return c_ == hash_scalar("shuffle challenge", sigma, *chained, t1, t2, t3, t4a, t4b, *links)


def commitment(ctx: bytes, choice: bytes, nonce: bytes) -> bytes:
    """Return the commitment to a choice (7.5)."""
    return digest("commitment", ctx, choice, nonce)


def xor(left: bytes, right: bytes) -> bytes:
    """Return the exclusive or of two byte strings of one length."""
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


def where_sealed(ctx: bytes, joint: bytes, committed: bytes) -> tuple[bytes, ...]:
    """Return the list that 7.5 calls *bound*."""
    return (ctx, joint, BASE, group.SECOND_GENERATOR, committed)


@lru_cache(maxsize=1 << 14)
def make_escrow(
    ctx: bytes, joint: bytes, committed: bytes, choice: bytes, nonce: bytes, size: int
) -> bytes:
    """Return the escrow of an opening, all of which follows from it (7.5)."""
    where = where_sealed(ctx, joint, committed)
    opening = nonce + len(choice).to_bytes(2, "big") + choice.ljust(size, b"\0")
    r = hash_scalar("escrow randomness", *where, opening)
    u, u2 = multiply(r, BASE), multiply(r, group.SECOND_GENERATOR)
    m = xor(opening, expand("escrow kdf", len(opening), multiply(r, joint), u))
    s = hash_scalar("escrow proof nonce", scalar_bytes(r), *where, m, u, u2)
    announced = multiply(s, BASE), multiply(s, group.SECOND_GENERATOR)
    e = hash_scalar("escrow challenge", *where, m, u, u2, *announced)
    f = (s + r * e) % c.ORDER
    return u + u2 + scalar_bytes(e) + scalar_bytes(f) + m


@lru_cache(maxsize=1 << 14)
def escrow_is_valid(ctx: bytes, joint: bytes, committed: bytes, escrow: bytes, size: int) -> bool:
    """Return whether an escrow of a choice of at most `size` bytes proves itself (7.5)."""
    if len(escrow) != size + 34 + c.ESCROW_OVERHEAD:
        return False
    u, u2, e_bytes, f_bytes = group.split_points(escrow[:128])
    e, f = read_scalar(e_bytes), read_scalar(f_bytes)
    if not (group.is_point(u) and group.is_point(u2)) or e is None or f is None:
        return False
    answers = response_point(f, BASE, e, u), response_point(f, group.SECOND_GENERATOR, e, u2)
    where = where_sealed(ctx, joint, committed)
    expected = hash_scalar("escrow challenge", *where, escrow[128:], u, u2, *answers)
    return e != 0 and e == expected


@lru_cache(maxsize=1 << 14)
def escrow_share_is_valid(
    ctx: bytes, where: tuple[bytes, ...], escrow: bytes, public: bytes, share: bytes
) -> bool:
    """Return whether a share of an escrow proves itself (7.5); `public` is the seat's T_j."""
    point, scalars = share[:32], split_proof(share[32:])
    if len(share) != c.ESCROW_SHARE_SIZE or not group.is_point(point) or scalars is None:
        return False
    e, z = scalars
    answers = response_point(z, BASE, e, public), response_point(z, escrow[:32], e, point)
    expected = hash_scalar("escrow share", ctx, *where, escrow, public, point, *answers)
    return e != 0 and e == expected


def open_escrow(escrow: bytes, combined: bytes) -> bytes:
    """Return the opening in an escrow, given its combined shares (7.5)."""
    m = escrow[128:]
    return xor(m, expand("escrow kdf", len(m), combined, escrow[:32]))


def read_opening(opening: bytes) -> tuple[bytes, bytes] | None:
    """Return choice and nonce of an opening, or None if its length does not fit (7.5)."""
    size = int.from_bytes(opening[32:34], "big")
    if 34 + size > len(opening):
        return None
    return opening[34 : 34 + size], opening[:32]


def open_key_share(ctx: bytes, encrypted: bytes, box: bytes, secret: bytes) -> bytes | None:
    """Return the key share that was encrypted to a transport key, or None (7.1).

    Args:
        ctx: the context of kind `key-share-j` of the seat that dealt it.
        encrypted: R and the ciphertext.
        box: the public transport key of the receiver.
        secret: its secret.
    """
    if len(encrypted) != c.KEY_SHARE_SIZE or not group.is_transport_key(encrypted[:32]):
        return None
    shared = group.transport_shared(secret, encrypted[:32])
    if shared is None:
        return None
    key = digest("key share kdf", ctx, encrypted[:32], box, shared)
    try:
        cipher = encrypted[32:]
        return sodium.crypto_aead_chacha20poly1305_ietf_decrypt(cipher, None, bytes(12), key)
    except CryptoError:
        return None


def key_share_is_sound(
    table: bytes,
    vector: list[bytes],
    dealer: int,
    seat: int,
    encrypted: bytes,
    box: bytes,
    secret: bytes,
) -> bool:
    """Return whether a key share fits the vector of its dealer (7.1, *sound*)."""
    ctx = context(table, 2, dealer, c.KEY_SHARE_KIND.format(seat))
    key_share = open_key_share(ctx, encrypted, box, secret)
    scalar = None if key_share is None else read_scalar(key_share)
    return scalar is not None and multiply(scalar, BASE) == evaluate(vector, seat)
