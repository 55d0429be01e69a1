"""TLS: the listener is who its key says, the key is nowhere left behind."""

import os
import ssl
import stat
import tempfile
from pathlib import Path

import pytest
import trio
import trio.testing

from p2p_hoity.net import tls
from p2p_hoity.net.errors import NetError
from protocol.crypto.signing import Identity

LISTENER = Identity(bytes([2]) * 32)
OTHER = Identity(bytes([3]) * 32)
MINE = tls.credentials(LISTENER.seed)


async def meet(expected, listen):
    near, far = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen, far)
        try:
            return await tls.secure_to(near, expected)
        except NetError as error:
            nursery.cancel_scope.cancel()
            refusal = error
    raise refusal


async def listen_as_listener(raw):
    stream = await tls.secure_from(raw, MINE)
    await stream.send_all(b"hello")


async def test_the_dialler_learns_the_id_the_certificate_and_that_it_is_tls_1_3():
    stream, peer, certificate = await meet(LISTENER.public, listen_as_listener)
    assert peer == LISTENER.public
    assert certificate == MINE.digest
    assert stream.version() == "TLSv1.3"
    assert await stream.receive_some() == b"hello"


async def test_an_id_can_be_asked_for_without_expecting_one():
    _, peer, _ = await meet(None, listen_as_listener)
    assert peer == LISTENER.public


async def test_someone_elses_key_is_refused():
    with pytest.raises(NetError, match="someone-else-answers"):
        await meet(OTHER.public, listen_as_listener)


async def test_a_certificate_that_is_not_for_an_ed25519_key_is_refused():
    async def listen(raw):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        load_p256_certificate(context)
        await trio.SSLStream(raw, context, server_side=True).do_handshake()

    with pytest.raises(NetError, match="certificate-of-other-kind"):
        await meet(LISTENER.public, listen)


def load_p256_certificate(context):
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = tls._NAME
    builder = tls.x509.CertificateBuilder(name, name, key.public_key(), 1, tls._FROM, tls._TO)
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with tls._passing_file(certificate + private) as path:
        context.load_cert_chain(path)


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\n\r\n", bytes(100), b"\x16\x03\x01\xff\xff"])
async def test_garbage_instead_of_tls_is_told_on_either_side(said):
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(said)
    await near.send_eof()
    with pytest.raises(NetError, match="connection-failed"):
        await tls.secure_from(far, MINE)

    async def listen(raw):
        await raw.send_all(said)
        await raw.send_eof()

    with pytest.raises(NetError, match="connection-failed"):
        await meet(LISTENER.public, listen)


async def test_older_tls_is_refused():
    near, far = trio.testing.memory_stream_pair()
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2

    async def dial():
        with pytest.raises(trio.BrokenResourceError):
            await trio.SSLStream(near, old).do_handshake()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(dial)
        with pytest.raises(NetError, match="other-tls"):
            await tls.secure_from(far, MINE)
        await far.aclose()  # the refusal itself has been sent


def test_credentials_do_not_show_their_key_and_are_the_same_each_time():
    assert LISTENER.seed.hex() not in repr(MINE)
    assert "context" not in repr(MINE)
    assert tls.credentials(LISTENER.seed).digest == MINE.digest


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
    assert tls.credentials(LISTENER.seed).digest == MINE.digest
    assert seen["mode"] == 0o700
    assert b"ENCRYPTED PRIVATE KEY" in seen["content"]
    assert list(tmp_path.iterdir()) == []


def test_no_file_descriptor_stays_open():
    before = len(os.listdir("/dev/fd"))
    tls.credentials(OTHER.seed)
    assert len(os.listdir("/dev/fd")) == before
