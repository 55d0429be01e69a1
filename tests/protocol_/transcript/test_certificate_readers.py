"""Two readers of result certificates, each written from SPEC.md, agree on every forged one."""

from __future__ import annotations

import pytest
from independent.certificate import CertificateError, read_certificate
from independent.encoding import encode
from independent.forged_certificates import BY_INPUTS, BY_VOTES, all_certificates, changed
from support.cases import each

from protocol.errors import Invalid
from protocol.transcript import check_certificate

CERTIFICATES = all_certificates()


def product(data: bytes) -> str | None:
    try:
        check_certificate(data)
    except Invalid as error:
        return error.code
    return None


def independent(data: bytes) -> str | None:
    try:
        read_certificate(data)
    except CertificateError as error:
        return str(error)
    return None


@each(CERTIFICATES)
def test_a_forged_certificate_is_refused_with_its_code(name: str) -> None:
    data, code = CERTIFICATES[name]
    assert product(data) == code


@pytest.mark.parametrize("value", [BY_INPUTS, BY_VOTES], ids=["inputs", "votes"])
def test_both_readers_agree_on_changed_values(value: list[object]) -> None:
    for other in changed(value):
        data = encode(other)
        assert product(data) == independent(data), other


@pytest.mark.parametrize("value", [BY_INPUTS, BY_VOTES], ids=["inputs", "votes"])
def test_both_readers_agree_on_changed_bytes(value: list[object]) -> None:
    data = encode(value)
    for place in range(0, len(data), 3):
        assert product(data[:place]) == independent(data[:place]) == "bad-encoding"
        flipped = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert product(flipped) == independent(flipped), place
