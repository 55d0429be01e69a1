"""What a page has in the place of `ssl`: names, since its browser does TLS, and Python none.

The modules that use TLS natively are loaded in a page, too. What they name has to be there, and is
never raised or called.
"""

from __future__ import annotations


class SSLError(OSError):
    """An error of TLS."""


class SSLEOFError(SSLError):
    """The connection has ended without a word."""


class SSLZeroReturnError(SSLError):
    """The connection has ended."""


class SSLSyscallError(SSLError):
    """The system has failed below TLS."""


class SSLWantReadError(SSLError):
    """More bytes are needed."""


class SSLCertVerificationError(SSLError, ValueError):
    """A certificate is not valid."""


class SSLContext:
    """The settings of connections."""


class SSLObject:
    """A connection without a socket."""


class SSLSocket:
    """A connection over a socket."""
