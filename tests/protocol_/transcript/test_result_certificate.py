"""Result certificates: made from files whose game is over, and refused if any field is forged."""

from dataclasses import replace
from itertools import pairwise

import pytest
from support.cases import fails
from support.forgeries.transcripts import with_evidence
from support.played import files_of, game_of

from protocol import codec
from protocol.errors import Invalid
from protocol.transcript import certify, check_certificate, opened, verify
from protocol.transcript.result_certificate import INPUTS, VOTES, Certificate
from protocol.transcript.transcript_format import open_file, read
from protocol.wire.table_header import parse_header

BY_INPUTS, BY_VOTES = "four", "doubted end"


def certificate(name: str) -> Certificate:
    data = files_of(name)[0]
    whole = opened(data)
    return certify(whole, verify(whole, game_of))


@pytest.mark.parametrize(("name", "kind"), [(BY_INPUTS, INPUTS), (BY_VOTES, VOTES)])
def test_it_says_what_the_file_says(name: str, kind: int) -> None:
    made = certificate(name)
    report = verify(files_of(name)[0], game_of)
    found, header = check_certificate(made.encode())
    assert found == made
    assert found.kind == kind
    assert header == parse_header(made.header)
    assert found.result.digest.hex() == report.digest
    assert found.result.standings == report.standings
    assert len(made.encode()) <= len(made.header) + 600


def test_a_game_that_is_not_over_has_none() -> None:
    whole = opened(with_evidence(read(open_file(files_of(BY_INPUTS)[0])), final=()).encode())
    with pytest.raises(ValueError, match="finished"):
        certify(whole, verify(whole, game_of))


@pytest.mark.parametrize("name", [BY_INPUTS, BY_VOTES])
def test_no_field_can_be_forged(name: str) -> None:
    made = certificate(name)
    result, ranked = made.result, made.result.standings
    swapped = tuple(
        sorted((rank, seat) for (rank, _), (_, seat) in zip(ranked, ranked[::-1], strict=True))
    )
    (first, sign), *rest = made.signatures
    forged = {
        "digest": replace(made, result=replace(result, digest=bytes(32))),
        "step": replace(made, result=replace(result, step=result.step + 1)),
        "present": replace(made, result=replace(result, present=result.present[1:])),
        "standings": replace(made, result=replace(result, standings=swapped)),
        "epoch": replace(made, epoch=made.epoch + 1),
        "kind": replace(made, kind=INPUTS + VOTES - made.kind),
        "a signature": replace(made, signatures=((first, sign[::-1]), *rest)),
        "a signature less": replace(made, signatures=tuple(rest)),
        "a seat": replace(made, signatures=((*rest, (7, sign)))),
        "header": replace(made, header=certificate("three").header),
        "header bytes": replace(made, header=made.header[:-1]),
    }
    if made.kind == VOTES:
        counts = (result.absences[0] + 1, *result.absences[1:])
        forged["absences"] = replace(made, result=replace(result, absences=counts))
        forged["banned"] = replace(made, result=replace(result, banned=(0,)))
    refused = {"bad-form", "bad-header", "bad-result", "bad-signature"}
    for one in forged.values():
        with pytest.raises(Invalid) as error:
            check_certificate(one.encode())
        assert error.value.code in refused, one


def test_its_bytes_are_the_one_encoding_of_this_version() -> None:
    data = certificate(BY_INPUTS).encode()
    value = codec.decode(data, len(data))
    fails(Invalid, "bad-encoding", check_certificate, data + b"\xc0")
    fails(Invalid, "bad-encoding", check_certificate, data[:-1])
    fails(Invalid, "bad-encoding", check_certificate, b"")
    fails(Invalid, "bad-form", check_certificate, codec.encode(()))
    fails(Invalid, "bad-form", check_certificate, codec.encode(("hoity-transcript", *value[1:])))
    fails(Invalid, "other-version", check_certificate, codec.encode((value[0], 2, *value[2:])))
    fails(Invalid, "bad-form", check_certificate, codec.encode(value[:-1]))
    assert all(a < b for a, b in pairwise(seat for seat, _ in value[-1]))
