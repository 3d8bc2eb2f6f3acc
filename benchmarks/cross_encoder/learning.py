"""Learning of the corrections of a cross-encoder's weights, step by step."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.utils import clip_grad_norm_

from benchmarks.cross_encoder.network import CrossNetwork

RATE, WARM_UP = 1e-3, 50
REPORTED_STEPS = 100


class Learner:
    """The optimizer of a network. The rate rises during the first steps, and then falls to 0 at the last one."""

    def __init__(self, network: CrossNetwork, steps: int) -> None:
        self._network, self._steps = network, steps
        self._optimizer = torch.optim.AdamW(network.parameters, lr=RATE, weight_decay=0.01)
        self._step, self._losses = 0, 0.0

    def learn(self, loss: Any) -> None:
        """Take one step against the gradient of `loss`."""
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * min(1, self._step / WARM_UP) * (1 - self._step / self._steps)
        self._optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(self._network.parameters, 1)
        self._optimizer.step()
        self._step, self._losses = self._step + 1, self._losses + loss.item()
        if self._step % REPORTED_STEPS == 0:
            print(f"{self._step} of {self._steps}: loss {self._losses / REPORTED_STEPS:.3f}", flush=True)
            self._losses = 0.0
