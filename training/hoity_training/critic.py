"""The critic: what share of victory each seat may expect, judged by who sees all, and who plays it;
for training only."""

from __future__ import annotations

import torch
from torch import nn

from .insight import SEAT_NUMBERS, TABLE_NUMBERS
from .seating import COMPANY

UNITS = 96
HIDDEN = 128


class Critic(nn.Module):
    """Every seat is judged in the company of all; the shares of a table sum to 1."""

    def __init__(self) -> None:
        super().__init__()
        self.seat = nn.Linear(SEAT_NUMBERS + COMPANY, UNITS)
        self.first = nn.Linear(2 * UNITS + TABLE_NUMBERS, HIDDEN)
        self.second = nn.Linear(HIDDEN, HIDDEN)
        self.last = nn.Linear(HIDDEN, 1)
        with torch.no_grad():
            self.last.weight.mul_(0.1)

    def forward(self, seats: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """(G, S) the log of the share of each seat, of (G, S, numbers) and (G, numbers)."""
        each = torch.relu(self.seat(seats))
        common = torch.cat((each.mean(1), table), 1)
        ours, theirs = self.first.weight[:, :UNITS], self.first.weight[:, UNITS:]
        hidden = nn.functional.linear(each, ours)
        hidden = hidden + nn.functional.linear(common, theirs, self.first.bias)[:, None]
        hidden = torch.relu(self.second(torch.relu(hidden)))
        return torch.log_softmax(self.last(hidden).squeeze(2), 1)
