"""The policy and the critic of the cut-down: a number for each choice of each information, and for
each node."""

from __future__ import annotations

import torch
from torch import nn

from ..policy import NEVER
from ..rows import Asked
from .deals import SEATS


class Logits(nn.Module):
    """Of rows whose own number is that of their information the chances, all alike at first."""

    def __init__(self, infos: int, width: int) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.zeros(infos, width))

    def forward(self, asked: Asked) -> torch.Tensor:
        """(R, width) the log chance of each candidate, NEVER where there is none."""
        info = asked.own[:, 0].long()
        worth = self.values[info[asked.row], asked.nth]
        return torch.log_softmax(asked.padded(worth, NEVER), 1)


class Judgement(nn.Module):
    """Of tables whose number is that of their node the shares to expect, all alike at first."""

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.zeros(nodes, SEATS))

    def forward(self, seats: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """(G, SEATS) the log of the share of each seat."""
        return torch.log_softmax(self.values[table[:, 0].long()], 1)
