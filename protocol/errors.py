"""The errors that input from a peer turns into: a code, and a note for developers."""


class Invalid(ValueError):
    """Bytes that break the protocol. `code` is a fixed kebab-case word, `reason` is for people.

    The code can be compared and sent; the reason holds no secret and no bytes of the input.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


class OtherVersion(Invalid):
    """The terms are of another version of the protocol: `theirs` as they say it, and `ours`."""

    def __init__(self, theirs: str, ours: str) -> None:
        super().__init__("bad-header", f"the table speaks {theirs!r}, this is {ours!r}")
        self.theirs, self.ours = theirs, ours
