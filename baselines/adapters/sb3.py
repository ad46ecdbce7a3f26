"""Policy of a loaded model of Stable-Baselines3 or sb3-contrib."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Dict, MultiBinary, Space
from numpy.typing import NDArray

from baselines.adapters.base import BATCH_SIZE, ScoredPolicy, choose, moves_of, random_legal
from baselines.support.board_names import size_name
from minesweeper_env.config import BoardConfig
from minesweeper_env.observations import ENCODINGS, Encoder

if TYPE_CHECKING:
    from torch import Tensor


Input = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]
"""A function of boards (N, rows, cols) int8 and masks (N, actions) bool that returns N observations."""


def input_of(space: Space[Any], config: BoardConfig, owner: str) -> Input:
    """Returns the function that makes the observations of a space.

    Args:
        space: a `Box` of codes, planes or flat planes, of any number type; or a `Dict` of such a `Box` and a mask.
        config: the board.
        owner: the model in words, for the error.

    Raises:
        ValueError: the space has none of these forms; the message names them.
    """
    if not isinstance(space, Dict):
        return _part_of(space, config, owner)
    parts = {key: _part_of(part, config, f"{owner}, key {key!r},") for key, part in space.spaces.items()}
    return lambda boards, masks: {key: make(boards, masks) for key, make in parts.items()}


def _part_of(space: Space[Any], config: BoardConfig, owner: str) -> Input:
    shape, dtype = space.shape, space.dtype
    if _is_mask(space, config):
        return lambda _, masks: masks.astype(dtype)
    encoding = _encoding_of(space, config)
    if encoding is None or shape is None:
        raise ValueError(
            f"{owner} was trained on observations {space}, which are none of {', '.join(ENCODINGS)} on "
            f"{size_name(config.rows, config.cols)}: {_shapes(config)}"
        )
    encode = Encoder(encoding, config).encode
    return lambda boards, _: encode(boards).reshape(len(boards), *shape).astype(dtype)


def _is_mask(space: Space[Any], config: BoardConfig) -> bool:
    """Returns whether a space holds one truth value per action, as in the conventions of `ActionMaskObservation`."""
    if space.shape != (config.actions,):
        return False
    return isinstance(space, MultiBinary) or (isinstance(space, Box) and bool((space.high == 1).all()))


def _encoding_of(space: Space[Any], config: BoardConfig) -> str | None:
    """Returns the encoding with the shape and the range of a space, or None if there is none."""
    if not isinstance(space, Box):
        return None
    rows, cols, planes = config.rows, config.cols, config.codes.mine + 1
    if bool((space.high >= config.codes.mine).all()):
        return "codes" if space.shape in ((rows, cols), (1, rows, cols), (config.cells,)) else None
    return {(planes, rows, cols): "planes", (planes * config.cells,): "flat"}.get(space.shape)


def _shapes(config: BoardConfig) -> str:
    shapes = (Encoder(encoding, config).space.shape for encoding in ENCODINGS)
    return ", ".join(str(shape) for shape in shapes)


class SB3Policy(ScoredPolicy):
    """Plays the legal action that a model prefers.

    The model's observation space gives the encoding: codes, planes, flat, or a `Dict` of one of these and a mask.
    Illegal actions are excluded from the logits (PPO, A2C, TRPO, MaskablePPO) or from the Q-values (DQN, QRDQN). A
    model of another kind plays through `PredictPolicy`.

    This class takes a model, not a path. ``Algorithm.load(path)`` unpickles objects, and so runs code from the file:
    load only files that you trust.

    Example:
        >>> model = MaskablePPO.load("model.zip")
        >>> policy = SB3Policy(model, size=8, mines=14)
    """

    def __init__(
        self,
        model: Any,
        size: int | Sequence[int],
        mines: int | None = None,
        first_click: str = "opening",
        *,
        moves: Sequence[str] | None = None,
        deterministic: bool = True,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        """Checks that the model fits the board, with one forward pass.

        Args:
            model: a loaded model.
            size: side of a square board, or (rows, cols).
            mines: number of mines; None follows the size.
            first_click: "opening", "safe", "any" or "corners".
            moves: the moves of the model's actions; None finds them from their number.
            deterministic: True plays the best legal action. False samples: from the model's distribution, or, with
                Q-values, uniformly at the model's exploration rate.
            batch_size: number of games to play side by side.

        Raises:
            ValueError: the model does not fit the board, or gives neither logits nor Q-values.
        """
        name = type(model).__name__
        _check_model(model, name)
        chosen = moves_of(int(model.action_space.n), size, moves, f"the {name} model")
        super().__init__(name, size, mines, first_click, chosen, deterministic=deterministic, batch_size=batch_size)
        self._model = model
        self._input = input_of(model.observation_space, self.config, f"the {name} model")
        self._rate(self.empty_board(), np.ones((1, self.config.actions), np.bool_))

    def _choose(self, boards: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        if self._rng is None or not _has_values(self._model):
            return super()._choose(boards, masks)
        best = choose(self.name, self._rate(boards, masks), masks)
        explores = self._rng.random(len(boards)) < getattr(self._model, "exploration_rate", 0.0)
        return np.where(explores, random_legal(masks, self._rng), best)

    def _rate(self, boards: NDArray[np.int8], masks: NDArray[np.bool_], /) -> NDArray[np.floating]:
        import torch

        policy = self._model.policy
        policy.set_training_mode(False)
        with torch.no_grad():
            inputs, _ = policy.obs_to_tensor(self._input(boards, masks))
            scores: NDArray[np.floating] = _outputs(policy, inputs, masks).float().cpu().numpy()
        return scores


def _check_model(model: Any, name: str) -> None:
    if not all(hasattr(model, each) for each in ("policy", "observation_space", "action_space")):
        raise ValueError(f"SB3Policy takes a loaded model of Stable-Baselines3 or sb3-contrib, not {name}")
    if not _has_values(model) and (
        not hasattr(model.policy, "get_distribution") or hasattr(model.policy, "lstm_actor")
    ):
        raise ValueError(f"the {name} model gives neither logits nor Q-values of a board alone; use PredictPolicy")


def _has_values(model: Any) -> bool:
    """Returns whether the scores of a model are Q-values."""
    return hasattr(model.policy, "q_net") or hasattr(model.policy, "quantile_net")


def _outputs(policy: Any, inputs: Any, masks: NDArray[np.bool_]) -> Tensor:
    """Returns the Q-values or the logits of a policy of Stable-Baselines3, (N, actions)."""
    if hasattr(policy, "q_net"):
        values: Tensor = policy.q_net(inputs)
        return values
    if hasattr(policy, "quantile_net"):
        means: Tensor = policy.quantile_net(inputs).mean(dim=1)
        return means
    takes_masks = "action_masks" in inspect.signature(policy.get_distribution).parameters
    given = {"action_masks": masks} if takes_masks else {}
    logits: Tensor = policy.get_distribution(inputs, **given).distribution.logits
    return logits
