"""From a checkpoint to the file that the game ships, and from such a file back to a policy.

`python -m hoity_training.export CHECKPOINT WEIGHTS [--part average|policy]`
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from p2p_hoity.bots.learned.policy_network import PolicyNetwork

from .keeping import load, policy_of
from .packing import pack
from .policy import Policy


def weights_of(state: Mapping[str, Any], part: str) -> bytes:
    """The file of a checkpoint's `policy`, or of its `average`."""
    policy, about = policy_of(state, part), state["about"]
    layers = [(layer.weight.tolist(), layer.bias.tolist()) for layer in policy.layers]
    return pack(policy.shape, layers, about["commit"], about["seed"])


def policy_from(network: PolicyNetwork) -> Policy:
    """The policy that a network in a file is, its weights as they were rounded."""
    made = Policy(network.shape)
    with torch.no_grad():
        for layer, read in zip(made.layers, network.layers, strict=True):
            layer.weight.copy_(torch.tensor(read.rows))
            layer.bias.copy_(torch.tensor(read.bias))
    return made.requires_grad_(False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--part", choices=("average", "policy"), default="average")
    given = parser.parse_args(arguments)
    given.weights.write_bytes(weights_of(load(given.checkpoint), given.part))


if __name__ == "__main__":
    main()
