"""The hoity command: what a player sees and types."""


def version() -> str:
    """Return the version of this program; nothing if it is run from its source."""
    from importlib import metadata  # here, so that help needs nothing of it

    try:
        return metadata.version("p2p-hoity")
    except metadata.PackageNotFoundError:
        return ""
