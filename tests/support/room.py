"""The names under which other tests know `support.machine_table`."""

from support.machine_table import (
    PATIENCE,
    Chooser,
    MachineTable,
    Place,
    begun_room,
    identity,
    make_table,
    seat_at,
    seeded,
    toy_choice,
)

Room = MachineTable

__all__ = [
    "PATIENCE",
    "Chooser",
    "Place",
    "Room",
    "begun_room",
    "identity",
    "make_table",
    "seat_at",
    "seeded",
    "toy_choice",
]
