"""Tests of TLS with a relay: its key is that of its certificate, and is nowhere left behind."""

import datetime
import os
import ssl
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import trio
import trio.testing
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, ends_in, fails

from p2p_hoity.net import relay_tls
from p2p_hoity.net.network_errors import NetError
from protocol.crypto.identities import Identity

LISTENER = Identity(bytes([2]) * 32)
OTHER = Identity(bytes([3]) * 32)
MINE = relay_tls.credentials(LISTENER.seed)
MADE = relay_tls.certificate(LISTENER.seed)


async def meet(listen):
    near, far = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen, far)
        try:
            return await relay_tls.secure_to(near)
        except NetError as error:
            nursery.cancel_scope.cancel()
            refusal = error
    raise refusal


async def listen_as_listener(raw):
    stream = await relay_tls.secure_from(raw, MINE)
    await stream.send_all(b"hello")


async def test_the_dialler_learns_who_listens_by_tls_1_3():
    stream, peer, certificate = await meet(listen_as_listener)
    assert peer == LISTENER.public
    assert certificate == MINE.digest
    assert stream.version() == "TLSv1.3"
    assert await stream.receive_some() == b"hello"


async def test_a_handshake_that_is_cut_is_told_apart_from_what_is_no_tls_of_ours():
    async def cut(raw):
        await raw.receive_some()
        await raw.send_eof()

    async def other(raw):
        await raw.receive_some()
        await raw.send_all(b"220 mail.example ESMTP\r\n")

    error = await ends_in(NetError, r"\(connection-cut", meet(cut))
    assert not error.is_final
    error = await ends_in(NetError, r"\(other-tls", meet(other))
    assert error.is_final


async def test_older_tls_or_a_certificate_for_another_kind_of_key_is_refused():
    async def listen(raw):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        load_p256_certificate(context)
        await trio.SSLStream(raw, context, server_side=True).do_handshake()

    await ends_in(NetError, "certificate-of-other-kind", meet(listen))
    near, far = trio.testing.memory_stream_pair()
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2

    async def dial():
        await ends_in(trio.BrokenResourceError, "", trio.SSLStream(near, old).do_handshake())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dial)
        await ends_in(NetError, r"\(other-tls", relay_tls.secure_from(far, MINE))
        await far.aclose()  # the refusal itself has been sent


def reference(key, by=None, **other):
    """What the library makes of an identity's key; `other`: one thing otherwise."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, other.get("name", "hoity"))])
    first = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    last = datetime.datetime(9999, 12, 31, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, first, last)
    if "extension" in other:
        builder = builder.add_extension(other["extension"], critical=False)
    return builder.sign(other.get("signer", key), by)


def of_seed(seed):
    return ed25519.Ed25519PrivateKey.from_private_bytes(seed)


def der_of(made):
    return made.public_bytes(serialization.Encoding.DER)


@given(st.binary(min_size=32, max_size=32), st.integers(0, len(MADE) - 1), st.integers(1, 255))
def test_the_certificate_is_what_the_library_makes_of_the_key_in_each_byte(seed, place, change):
    made = relay_tls.certificate(seed)
    assert made == der_of(reference(of_seed(seed)))
    assert relay_tls.key_of(made) == Identity(seed).public
    read = serialization.load_der_private_key(relay_tls.private_key(seed), None)
    assert read.private_bytes_raw() == seed
    der = bytearray(MADE)
    der[place] ^= change
    fails(NetError, "", relay_tls.key_of, bytes(der))


def strange_certificates():
    key, other, good = of_seed(LISTENER.seed), of_seed(OTHER.seed), MADE
    yield "none", None
    yield "empty", b""
    yield "long", good + b"\0"
    yield "short", good[:-1]
    yield "other name", der_of(reference(key, name="hoitz"))
    yield "extension", der_of(reference(key, extension=x509.BasicConstraints(False, None)))
    yield "other signer", der_of(reference(key, signer=other))
    yield "other key in it", good.replace(LISTENER.public, OTHER.public)
    yield "no point", good.replace(LISTENER.public, b"\x02" + b"\xff" * 31)
    yield "the identity", good.replace(LISTENER.public, b"\x01" + bytes(31))[:-64] + bytes(64)
    yield "P-256", der_of(reference(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()))


@each(list(strange_certificates()))
def test_any_other_certificate_is_refused(case):
    _what, der = case
    fails(NetError, "certificate-of-other-kind", relay_tls.key_of, der)


def load_p256_certificate(context):
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = reference(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with tempfile.NamedTemporaryFile() as file:
        file.write(certificate + private)
        file.flush()
        context.load_cert_chain(file.name)


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\n\r\n", bytes(100), b"\x16\x03\x01\xff\xff"])
async def test_garbage_instead_of_tls_is_told_on_either_side(said):
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(said)
    await near.send_eof()
    await ends_in(NetError, "connection-failed", relay_tls.secure_from(far, MINE))

    async def listen(raw):
        await raw.send_all(said)
        await raw.send_eof()

    await ends_in(NetError, "connection-failed", meet(listen))


def test_credentials_show_no_key_are_the_same_each_time_and_leave_no_file_open():
    assert LISTENER.seed.hex() not in repr(MINE)
    assert "context" not in repr(MINE)
    assert relay_tls.credentials(LISTENER.seed).digest == MINE.digest
    before = len(os.listdir("/dev/fd"))
    relay_tls.credentials(OTHER.seed)
    assert len(os.listdir("/dev/fd")) == before


def test_where_the_system_has_no_files_in_memory_an_owner_only_one_passes(monkeypatch, tmp_path):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = {}
    load = ssl.SSLContext.load_cert_chain

    def watch(self, path, **rest):
        seen["mode"] = stat.S_IMODE(Path(path).parent.stat().st_mode)
        seen["content"] = Path(path).read_bytes()
        return load(self, path, **rest)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watch)
    assert relay_tls.credentials(LISTENER.seed).digest == MINE.digest
    assert seen["mode"] == 0o700
    assert b"ENCRYPTED PRIVATE KEY" in seen["content"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="this system has no files in memory")
def test_no_relay_loads_an_x509_library():
    code = "from p2p_hoity.net import hub, relay_tls; relay_tls.credentials(bytes(32))"
    asked = f"{code}; import sys; print('cryptography' in sys.modules)"
    command = [sys.executable, "-c", asked]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
