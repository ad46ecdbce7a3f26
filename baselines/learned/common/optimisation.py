"""Auxiliary losses on all covered cells, from the end of a game and from the clues; and optimisers by name."""

from collections.abc import Iterable
from inspect import unwrap
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.networks import click_masks
from minesweeper_env.codes import FLAGGED
from minesweeper_env.inference import mine_probabilities_batch


def hindsight_losses(outputs: Tensor, codes: Tensor, safe: Tensor, isolated_weight_cap: float) -> Tensor:
    """Returns the hindsight loss of boards: the cross-entropy of each legal cell's safety with its final outcome.

    Covered cells without an open neighbour all look alike, and a large board has hundreds of them. Their noise would
    dominate the sum, so `isolated_weight_cap` limits their total weight:

        loss = sum over legal cells i of w_i * BCE(outputs_i, safe_i),
        w_i = 1 with an open neighbour, else min(1, isolated_weight_cap / number of cells without one).

    Args:
        outputs: (N, rows * cols) float32, logits of safety.
        codes: (N, rows, cols), the boards.
        safe: (N, rows * cols), 1 safe, 0 mine; -1 in all cells of a board whose game has no outcome.
        isolated_weight_cap: cap on the total weight, in cells, of legal cells without an open neighbour.

    Returns:
        (N, 1) float32; 0 for a board without an outcome.
    """
    targets = safe.clamp(min=0).to(outputs.dtype)
    losses = functional.binary_cross_entropy_with_logits(outputs, targets, reduction="none")
    return (losses * hindsight_weights(codes, isolated_weight_cap) * (safe >= 0)).sum(dim=1, keepdim=True)


def hindsight_weights(codes: Tensor, isolated_weight_cap: float) -> Tensor:
    """Returns the weights w of `hindsight_losses`, (N, rows * cols) float32; 0 where a click is illegal."""
    legal = click_masks(codes)
    is_open = (codes < FLAGGED).to(torch.float32)
    beside_open = functional.max_pool2d(is_open[:, None], 3, stride=1, padding=1).flatten(start_dim=1) > 0
    isolated = legal & ~beside_open
    # Without isolated cells a cap of 0 would give 0 / 0, a NaN that their zero mask does not remove.
    weight = (isolated_weight_cap / isolated.sum(dim=1, keepdim=True).clamp(min=1)).clamp(max=1.0)
    return (legal & beside_open) + isolated * weight


def safety_of(codes: Tensor, mines: int) -> Tensor:
    """Returns the oracle's probability that each cell is safe, (N, rows * cols) float32, for codes (N, rows, cols)."""
    boards = codes.cpu().numpy().astype(np.int8)
    safety = 1.0 - mine_probabilities_batch(boards, mines).reshape(len(boards), -1)
    return torch.as_tensor(safety, dtype=torch.float32, device=codes.device)


TOTAL_WEIGHT = 0.1
"""Weight in `consistency_losses` of the error of the board's number of mines; that of a clue has weight 1."""


def consistency_losses(outputs: Tensor, codes: Tensor, mines: int) -> Tensor:
    """Returns the squared errors by which mine probabilities contradict the clues and the number of mines of boards.

    The probabilities of the covered neighbours of a clue sum to the clue, and those of all covered cells to the number
    of mines. The loss needs the visible board alone, so it also teaches about cells that nobody clicked:

        loss = sum over clues c of (sum of p around c - c)^2 + TOTAL_WEIGHT * (sum of all p - mines)^2.

    Args:
        outputs: (N, rows * cols) float32, logits of safety.
        codes: (N, rows, cols), boards of games in progress, of radius 1.
        mines: the number of mines of each board.

    Returns:
        (N, 1) float32; 0 for the exact probabilities, and for those of any layout that fits the board.
    """
    covered = codes >= FLAGGED
    risks = torch.sigmoid(-outputs).reshape(codes.shape) * covered
    # An open cell has risk 0, so the sum over the 3x3 cells around a clue is that over its neighbours.
    risk_sums = 9 * functional.avg_pool2d(risks[:, None], 3, stride=1, padding=1)[:, 0]
    errors = torch.where(covered, 0.0, risk_sums - codes) ** 2
    return (errors.sum(dim=(1, 2)) + TOTAL_WEIGHT * (risks.sum(dim=(1, 2)) - mines) ** 2)[:, None]


COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Coefficients a, b, c of the polynomial a x + b x^3 + c x^5 that drives singular values to 1 (Jordan et al. 2024)."""

ITERATIONS = 5
RATE = 10.0
"""Learning rate of Muon as a multiple of Adam's: its steps have singular values near 1, Adam's entries near 1."""

_MOMENTUM, _BETAS = 0.95, (0.9, 0.999)
"""Momentum of Muon, and decay rates of Adam."""

_EPSILON = 1e-8


class Muon(torch.optim.Optimizer):
    """Muon for parameters with at least two rows and two columns, Adam (Kingma and Ba 2015) for all others.

    Args:
        params: the parameters; those without a gradient stay unchanged.
        lr: learning rate of Adam; Muon takes `RATE` times as much.
        weight_decay: decoupled weight decay of matrices, relative to their rate, as in AdamW (Loshchilov and Hutter
            2019). Muon steps have constant size, so without decay weights grow forever and each step changes less.
    """

    # Wrapped as they are for torch.compile, they would load its compiler at their first call, which takes seconds.
    add_param_group = unwrap(torch.optim.Optimizer.add_param_group)
    load_state_dict = unwrap(torch.optim.Optimizer.load_state_dict)
    state_dict = unwrap(torch.optim.Optimizer.state_dict)
    zero_grad = unwrap(torch.optim.Optimizer.zero_grad)

    def __init__(self, params: Iterable[nn.Parameter], lr: float = 2e-3, weight_decay: float = 0.0) -> None:
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Updates the parameters by their gradients; `closure` must be None."""
        assert closure is None
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if parameter.ndim >= 2 and len(parameter) > 1 and parameter[0].numel() > 1:
                    self._step_muon(parameter, parameter.grad, group)
                else:
                    self._step_adam(parameter, parameter.grad, group)

    def _step_muon(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """Moves a parameter against its Nesterov momentum, made orthogonal, after weight decay."""
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        state["momentum"].mul_(_MOMENTUM).add_(gradient)
        nesterov = gradient.add(state["momentum"], alpha=_MOMENTUM)
        rows, cols = len(nesterov), nesterov[0].numel()  # of a convolution: output channels, and weights of each
        direction = orthogonalise(nesterov.reshape(rows, cols)).reshape(parameter.shape)
        parameter.mul_(1 - group["lr"] * RATE * group["weight_decay"])
        parameter.add_(direction, alpha=-group["lr"] * RATE * max(1.0, rows / cols) ** 0.5)

    def _step_adam(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """Moves a parameter against the mean of its gradients, divided by their root mean square; without decay."""
        state = self.state[parameter]
        if not state:
            state["step"] = torch.zeros(())
            state["mean"], state["square"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        state["step"] += 1
        for name, value, beta in zip(("mean", "square"), (gradient, gradient**2), _BETAS, strict=True):
            state[name].lerp_(value, 1 - beta)
        step = state["step"].item()
        # Both averages begin at 0; the divisions undo this bias.
        mean, square = (state[name] / (1 - beta**step) for name, beta in zip(("mean", "square"), _BETAS, strict=True))
        parameter.addcdiv_(mean, square.sqrt_().add_(_EPSILON), value=-group["lr"])


def orthogonalise(matrix: Tensor) -> Tensor:
    """Returns a matrix near the closest semi-orthogonal one, found by `ITERATIONS` Newton-Schulz steps.

    Argument and result are (rows, cols) float32. The singular values of the result lie between about 0.7 and 1.2.
    """
    wide = matrix if len(matrix) <= matrix.shape[1] else matrix.T
    wide = wide / (wide.norm() + _EPSILON)
    a, b, c = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram = wide @ wide.T
        wide = a * wide + (b * gram + c * gram @ gram) @ wide
    return wide if len(matrix) <= matrix.shape[1] else wide.T


OPTIMIZER_CLASSES: dict[str, type[torch.optim.Optimizer]] = {"muon": Muon, "adam": torch.optim.AdamW}
