"""The trustless table, for any game: bytes in, events out; no sockets, no clock, no files."""
