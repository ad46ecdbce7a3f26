"""Muon: gradient descent whose steps on a matrix have equal singular values; Adam for all that is no matrix.

The momentum of each weight matrix, a convolution being the matrix of its outputs by all their inputs, is replaced by
about the nearest matrix with orthonormal rows or columns (Jordan et al. 2024, "Muon: An optimizer for hidden layers
in neural networks"). Directions that gradients rarely have are learned as fast as common ones. PyTorch's own Muon takes
matrices of two dimensions alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the polynomial a x + b x^3 + c x^5, which drives singular values towards 1 (Jordan et al. 2024)."""

ITERATIONS = 5
RATE = 10.0
"""How many times larger the rate of matrices is: their steps have singular values, not entries, of about 1."""

_TINY = 1e-8


class Muon(torch.optim.Optimizer):
    """Muon for weights with at least two rows and two columns, Adam for biases and all others.

    Args:
        params: the parameters; those without a gradient are left as they are.
        lr: the rate of Adam, from which that of Muon follows.
        momentum: of Muon.
        betas: of Adam.
        weight_decay: how fast matrices shrink by themselves, as a share of their rate, as in AdamW (Loshchilov and
            Hutter 2019). Without it they grow for ever, since steps have one size, and so each step changes less.
    """

    def __init__(
        self,
        params: Iterable[nn.Parameter],
        lr: float = 2e-3,
        momentum: float = 0.95,
        betas: tuple[float, float] = (0.9, 0.999),
        weight_decay: float = 0.0,
    ) -> None:
        """Takes the parameters."""
        super().__init__(params, {"lr": lr, "momentum": momentum, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Takes a step along the gradients that the parameters hold.

        Args:
            closure: must be None.
        """
        assert closure is None
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                if is_matrix(parameter):
                    self._step_matrix(parameter, group)
                else:
                    self._step_other(parameter, group)

    def _step_matrix(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state, gradient = self.state[parameter], parameter.grad
        assert gradient is not None
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        state["momentum"].mul_(group["momentum"]).add_(gradient)
        ahead = gradient.add(state["momentum"], alpha=group["momentum"])
        rows, cols = len(ahead), ahead[0].numel()
        direction = orthogonalise(ahead.reshape(rows, cols)).reshape(parameter.shape)
        parameter.mul_(1 - group["lr"] * RATE * group["weight_decay"])
        parameter.add_(direction, alpha=-group["lr"] * RATE * max(1.0, rows / cols) ** 0.5)

    def _step_other(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state, gradient = self.state[parameter], parameter.grad
        assert gradient is not None
        if not state:
            state["step"] = torch.zeros(())
            state["mean"], state["square"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        state["step"] += 1
        for name, value, beta in (("mean", gradient, group["betas"][0]), ("square", gradient**2, group["betas"][1])):
            state[name].lerp_(value, 1 - beta)
        step = state["step"].item()
        mean, square = (
            state[name] / (1 - beta**step) for name, beta in zip(("mean", "square"), group["betas"], strict=True)
        )
        parameter.addcdiv_(mean, square.sqrt_().add_(_TINY), value=-group["lr"])


def is_matrix(parameter: Tensor) -> bool:
    """Returns whether a parameter maps several inputs to several outputs."""
    return parameter.ndim >= 2 and len(parameter) > 1 and parameter[0].numel() > 1


def orthogonalise(matrix: Tensor) -> Tensor:
    """Returns about the nearest matrix whose nonzero singular values are 1, by Newton-Schulz iterations.

    Args:
        matrix: (rows, cols) float32.

    Returns:
        (rows, cols) float32; the singular values lie between about 0.7 and 1.2.
    """
    wide = matrix if len(matrix) <= matrix.shape[1] else matrix.T
    wide = wide / (wide.norm() + _TINY)
    first, second, third = COEFFICIENTS
    for _ in range(ITERATIONS):
        gram = wide @ wide.T
        wide = first * wide + (second * gram + third * gram @ gram) @ wide
    return wide if len(matrix) <= matrix.shape[1] else wide.T
