"""The commands: one file each, from parsed options to an exit code."""
