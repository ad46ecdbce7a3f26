"""Policy of a PyTorch network that rates the actions of a board."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from baselines.adapters.base import BATCH_SIZE, ScoredPolicy
from baselines.policy import DEFAULT_MOVES
from baselines.support.extras import import_extra
from minesweeper_env.observations import Encoder

if TYPE_CHECKING:
    import torch
    from torch import Tensor


class TorchPolicy(ScoredPolicy):
    """Plays the legal action with the highest output of a network, or samples one.

    Example:
        >>> network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(13 * 64, 64))
        >>> policy = TorchPolicy(network, size=8, mines=14, observation="planes")
    """

    def __init__(
        self,
        network: Callable[..., Tensor],
        size: int | Sequence[int],
        mines: int | None = None,
        first_click: str = "opening",
        *,
        observation: str = "codes",
        moves: Sequence[str] = DEFAULT_MOVES,
        deterministic: bool = True,
        mines_input: bool = False,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        """Checks that the network fits the board, with one forward pass.

        Args:
            network: maps a batch of observations to one logit or Q-value per action: (N, actions), or
                (N, moves, rows, cols); a `torch.nn.Module` or another function of tensors. During play a module is in
                evaluation mode.
            size: side of a square board, or (rows, cols).
            mines: number of mines; None follows the size.
            first_click: "opening", "safe", "any" or "corners".
            observation: encoding of the input: "codes" int8 (N, rows, cols), "planes" float32 (N, 13, rows, cols)
                or "flat" float32 (N, 13 * rows * cols).
            moves: the moves of the actions.
            deterministic: True plays the highest output; False samples with probability softmax(outputs).
            mines_input: whether the network takes the number of mines as second argument, float32 (N,).
            dtype: number type of the input; None leaves that of the encoding.
            device: where the network computes, a module is moved there; None takes the device of its parameters.
            batch_size: number of games to play side by side.

        Raises:
            MissingExtraError: PyTorch is not installed.
            ValueError: the network does not fit the board; the message names both shapes.
        """
        if not callable(network):
            raise ValueError(f"a torch module or a function of tensors is needed, not {type(network).__name__}")
        import_extra("torch")
        name = _name_of(network)
        super().__init__(name, size, mines, first_click, moves, deterministic=deterministic, batch_size=batch_size)
        self._network = network
        self._encoder = Encoder(observation, self.config)
        self._mines_input = mines_input
        self._dtype = dtype
        self._device = _place(network, device)
        self._check_outputs()

    def scores(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """Returns the outputs of the network, (N, actions) float32, for codes (N, rows, cols)."""
        parts = [self._outputs(boards[batch]) for batch in self._batches(len(boards))]
        return np.concatenate(parts) if parts else np.zeros((0, self.config.actions), np.float32)

    def _rate(self, boards: NDArray[np.int8], _masks: NDArray[np.bool_], /) -> NDArray[np.floating]:
        return self._outputs(boards)

    def _outputs(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        outputs: NDArray[np.float32] = self._forward(boards).reshape(len(boards), -1).float().cpu().numpy()
        return outputs

    def _forward(self, boards: NDArray[np.int8]) -> Tensor:
        import torch

        inputs = torch.as_tensor(self._encoder.encode(boards), dtype=self._dtype, device=self._device)
        more = (torch.full((len(boards),), float(self.config.mines), device=self._device),) if self._mines_input else ()
        with torch.no_grad(), evaluation_mode(self._network):
            return self._network(inputs, *more)

    def _check_outputs(self) -> None:
        """Checks the shape of the outputs for two empty boards."""
        import torch

        boards = np.repeat(self.empty_board(), 2, axis=0)
        try:
            outputs: Any = self._forward(boards)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            inputs = torch.as_tensor(self._encoder.encode(boards), dtype=self._dtype)
            raise ValueError(
                f"the network {self.name} refused {self._encoder.encoding} of shape {tuple(inputs.shape)} and "
                f"{inputs.dtype}: {error}"
            ) from error
        if not isinstance(outputs, torch.Tensor):
            raise ValueError(
                f"the network {self.name} returns a {type(outputs).__name__}; it must return one tensor: "
                "wrap it in a function that returns the logits or Q-values alone"
            )
        self._check_shape(tuple(outputs.shape))

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        config, planes = self.config, len(self.moves)
        allowed = [(2, config.actions), (2, planes, config.rows, config.cols)]
        if shape not in allowed and (planes > 1 or shape != (2, config.rows, config.cols)):
            raise ValueError(
                f"the network {self.name} returns outputs of shape {shape} for 2 boards of {self.board}; "
                f"the shape must be {' or '.join(map(str, allowed))}"
            )


@contextmanager
def evaluation_mode(network: Any) -> Generator[None]:
    """Puts a module into evaluation mode, and back into training mode afterwards if it was there."""
    trains = getattr(network, "training", False)
    if trains:
        network.eval()
    try:
        yield
    finally:
        if trains:
            network.train()


def _name_of(network: Any) -> str:
    return str(getattr(network, "__name__", type(network).__name__))


def _place(network: Any, device: torch.device | str | None) -> torch.device:
    """Moves a module to a device, and returns the device of its input."""
    import torch

    if not isinstance(network, torch.nn.Module):
        return torch.device("cpu" if device is None else device)
    if device is not None:
        network.to(device)
        return torch.device(device)
    first = next(network.parameters(), None)
    return torch.device("cpu") if first is None else first.device
