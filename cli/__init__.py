"""The package of the `hoity` command: its commands, screens, words and local files."""


def version() -> str:
    """Return the version of this program, "" if it is run from its source."""
    from importlib import metadata  # Imported here, so that help does not load it.

    try:
        return metadata.version("p2p-hoity")
    except metadata.PackageNotFoundError:
        return ""
