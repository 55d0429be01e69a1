"""The policy as a torch module: the network that `p2p_hoity.bots.learned.policy_network` runs."""

from __future__ import annotations

import torch
from torch import nn

from p2p_hoity.bots.learned.policy_network import Shape

from .rows import Asked

NEVER = -1e9
"""The log chance of what is no candidate."""


class Policy(nn.Module):
    """Blocks and candidates in, chances out; the layers are those of `Shape.layers`."""

    def __init__(self, shape: Shape | None = None) -> None:
        super().__init__()
        self.shape = shape or Shape()
        layers = [nn.Linear(columns, rows) for rows, columns in self.shape.layers]
        self.seat, self.first, self.second, self.score, self.last = layers
        with torch.no_grad():
            self.last.weight.mul_(0.1)

    @property
    def layers(self) -> tuple[nn.Linear, ...]:
        """In the order of the shape."""
        return self.seat, self.first, self.second, self.score, self.last

    def forward(self, asked: Asked) -> torch.Tensor:
        """(R, width) the log chance of each candidate, NEVER where there is none."""
        seen = [torch.relu(self.seat(block)).sum(1) for block in asked.others]
        hidden = torch.relu(self.first(torch.cat((asked.own, torch.cat(seen)), 1)))
        hidden = torch.relu(self.second(hidden))
        weight, units = self.score.weight, self.shape.hidden
        base = nn.functional.linear(hidden, weight[:, :units], self.score.bias)
        each = nn.functional.linear(asked.candidates, weight[:, units:])
        worth = self.last(torch.relu(each + base.index_select(0, asked.row))).squeeze(1)
        return torch.log_softmax(asked.padded(worth, NEVER), 1)
