"""Adapters that let agents from other libraries, networks and plain functions play as policies.

Each adapter is a `baselines.policy.Policy` for one board. PyTorch is imported only by the adapters that need it.
Nothing here loads a file: a Stable-Baselines3 ``.zip`` holds pickled code, so only code of your own should open one.
"""

from __future__ import annotations

import inspect
import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box, Dict, MultiBinary, Space
from numpy.typing import NDArray

from baselines.checks import import_extra
from baselines.policy import DEFAULT_MOVES, PolicyError, checked_act, forbidden
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig, one_of, parse_size
from minesweeper_env.observations import ENCODINGS, Encoder

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["FunctionPolicy", "PredictPolicy", "SB3Policy", "TorchPolicy"]


def _check_argument(is_allowed: bool, requirement: str, value: Any) -> None:
    """Raises ValueError unless the first argument of an adapter is allowed; `requirement` begins the message."""
    if not is_allowed:
        hint = "; load it first: an adapter takes no path" if isinstance(value, str) else ""
        raise ValueError(f"{requirement}, not {value!r:.100}{hint}")


class _BoardPolicy(ABC):
    """A policy for one board, with a name for tables."""

    def __init__(
        self, name: str, size: int | Sequence[int], mines: int | None, first_click: str, moves: Sequence[str]
    ) -> None:
        self.name = name
        self.config = BoardConfig.of_size(size, mines, first_click=first_click, moves=moves)
        self.moves = tuple(self.config.moves)
        self._board = f"{self.config.rows}x{self.config.cols} with moves {', '.join(self.moves)}"

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one action per board; see `baselines.policy.Policy.act`. Games may offer further moves.

        Raises:
            PolicyError: the agent gives no legal action, or a legal action the score NaN.
            ValueError: the boards or the masks have another shape or type.
        """
        return self._choose(observations, action_masks[:, : self.config.actions] != 0)

    @abstractmethod
    def _choose(self, boards: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns a legal action for each of the N boards, (N,); the masks are (N, actions), True for legal."""

    def _empty_boards(self, count: int) -> NDArray[np.int8]:
        return np.full((count, self.config.rows, self.config.cols), self.config.codes.hidden, np.int8)


class FunctionPolicy(_BoardPolicy):
    """Calls a function with each board, one at a time.

    The function may have a method `reset(seed)`, which is called before each batch of games.

    Example:
        >>> def first_covered(observation, action_mask):
        ...     return action_mask.argmax()
        >>> policy = FunctionPolicy(first_covered, size=8, mines=14)
    """

    def __init__(
        self,
        function: Callable[[NDArray[Any], NDArray[np.int8]], Any],
        size: int | Sequence[int],
        mines: int | None = None,
        first_click: str = "opening",
        *,
        moves: Sequence[str] = DEFAULT_MOVES,
        observation: str = "codes",
        illegal: str = "error",
    ) -> None:
        """Stores the function and calls it once, with an empty board.

        Args:
            function: called with an observation of one board and its mask (actions,) int8, 1 for each legal action;
                returns an action, a whole number.
            size: side of a square board, or (rows, cols).
            mines: number of mines; None follows the size.
            first_click: "opening", "safe", "any" or "corners".
            moves: the moves of the actions.
            observation: encoding of the observation: "codes", "planes" or "flat".
            illegal: what happens when the function returns an illegal action: "error" ends the evaluation, "random"
                plays a uniformly random legal action instead.

        Raises:
            PolicyError: the function does not return an action of the board.
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        _check_argument(callable(function), "FunctionPolicy takes a function of (observation, action_mask)", function)
        super().__init__(getattr(function, "__name__", type(function).__name__), size, mines, first_click, moves)
        self._function = function
        self._encoder = Encoder(observation, self.config)
        self._illegal = one_of("illegal", illegal, ("error", "random"))
        self.reset(0)
        self._call(self._empty_boards(1)[0], np.ones(self.config.actions, np.bool_))

    def reset(self, seed: int) -> None:
        """Seeds the random actions, and the function if it has a method `reset`; see `baselines.policy.Policy`."""
        self._rng = np.random.default_rng(seed)
        if callable(reset := getattr(self._function, "reset", None)):
            reset(seed)

    def _choose(self, boards: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        actions = np.array([self._call(board, mask) for board, mask in zip(boards, masks, strict=True)], np.int64)
        illegal = ~masks[np.arange(len(masks)), actions]
        if illegal.any() and self._illegal == "error":
            choice = forbidden(actions[illegal][0], boards[illegal][0])
            raise PolicyError(f'{self.name} chose {choice}; illegal="random" plays a random legal action instead')
        legal_masks = masks[illegal]
        # The argmax of uniform random scores is a uniformly random legal action.
        actions[illegal] = np.where(legal_masks, self._rng.random(legal_masks.shape), -1.0).argmax(axis=1)
        return actions

    def _call(self, board: NDArray[np.int8], mask: NDArray[np.bool_]) -> int:
        """Returns the action that the function chooses for one board, (rows, cols); it may be illegal."""
        value = self._function(self._encoder.encode(board[None])[0], mask.astype(np.int8))
        try:
            action = operator.index(value.item() if isinstance(value, np.ndarray) and value.size == 1 else value)
        except TypeError:
            action = -1
        if isinstance(value, bool) or not 0 <= action < self.config.actions:
            raise PolicyError(
                f"{self.name} returned {value!r} for a board; it must return an action, "
                f"0 to {self.config.actions - 1} on {self._board}"
            )
        return action


class PredictPolicy(FunctionPolicy):
    """Calls `agent.predict(observation)` with each board, one at a time.

    `predict` returns an action, or a tuple whose first item is one, such as the (action, state) of Stable-Baselines3.
    If `predict` has a parameter `action_masks`, `action_mask` or `mask`, it also receives the mask, (actions,) int8.
    """

    def __init__(self, agent: Any, *board: Any, **options: Any) -> None:
        """Stores the agent and lets it predict once, for an empty board.

        Args:
            agent: an object with a method `predict`; its method `reset(seed)`, if any, is called before each batch of
                games.
            *board: size, mines and first_click, as `FunctionPolicy` takes them.
            **options: keyword arguments of `FunctionPolicy`, such as `mines`, `moves`, `observation` and `illegal`.

        Raises:
            PolicyError: `predict` does not return an action of the board.
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        has_predict = callable(getattr(agent, "predict", None))
        _check_argument(has_predict, "PredictPolicy takes an agent with a method predict", agent)
        super().__init__(_Predict(agent), *board, **options)


class _Predict:
    """The method `predict` of an agent as a function of (observation, action_mask)."""

    def __init__(self, agent: Any) -> None:
        self.__name__ = type(agent).__name__
        self._predict = agent.predict
        parameters = inspect.signature(agent.predict).parameters
        self._mask_name = next((name for name in ("action_masks", "action_mask", "mask") if name in parameters), None)
        self.reset = getattr(agent, "reset", None)

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
        arguments = {} if self._mask_name is None else {self._mask_name: action_mask}
        value = self._predict(observation, **arguments)
        return value[0] if isinstance(value, tuple) else value


class _ScoredPolicy(_BoardPolicy):
    """Plays the legal action with the highest score, or samples one by softmax; subclasses compute the scores."""

    batch_size = 500

    def __init__(self, *board: Any, deterministic: bool) -> None:
        super().__init__(*board)
        self._deterministic = deterministic
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seeds the sampled actions; see `baselines.policy.Policy.reset`."""
        self._rng = np.random.default_rng(seed)

    def _choose(self, boards: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns the first legal action with the highest score on each board, (N,), or one drawn by softmax."""
        import torch

        with torch.no_grad():
            scores = self._scores(boards, masks).reshape(len(boards), -1).float().cpu().numpy()
        legal_scores = scores[masks].astype(np.float64)  # 1-D: those of the first board, then of the second, ...
        if np.isnan(legal_scores).any():
            raise PolicyError(f"{self.name} gives a legal action a score that is not a number (NaN)")
        if not self._deterministic:
            # The Gumbel-max trick samples with probability softmax(scores).
            legal_scores += self._rng.gumbel(size=legal_scores.shape)
        # A legal action with the score -inf must still beat the illegal ones.
        comparable = np.full(scores.shape, -np.inf)
        comparable[masks] = np.maximum(legal_scores, np.finfo(np.float64).min)
        return comparable.argmax(axis=1)

    @abstractmethod
    def _scores(self, boards: NDArray[np.int8], masks: NDArray[np.bool_], /) -> Any:
        """Returns the logits or Q-values, a tensor (N, actions) or (N, moves, rows, cols)."""


class SB3Policy(_ScoredPolicy):
    """Plays the legal action that a model of Stable-Baselines3 or sb3-contrib prefers.

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
    ) -> None:
        """Checks that the model fits the board, with one forward pass.

        Args:
            model: a loaded model.
            size: side of a square board, or (rows, cols).
            mines: number of mines; None follows the size.
            first_click: "opening", "safe", "any" or "corners".
            moves: the moves of the model's actions; None infers them from the number of actions.
            deterministic: True plays the best legal action; False samples with probability softmax(logits or Q-values).

        Raises:
            ValueError: the model does not fit the board, or gives neither logits nor Q-values.
        """
        name = type(model).__name__
        if not all(hasattr(model, attribute) for attribute in ("policy", "observation_space", "action_space")):
            raise ValueError(f"SB3Policy takes a loaded model of Stable-Baselines3 or sb3-contrib, not {name}")
        has_logits = hasattr(model.policy, "get_distribution") and not hasattr(model.policy, "lstm_actor")
        if not has_logits and not hasattr(model.policy, "q_net") and not hasattr(model.policy, "quantile_net"):
            raise ValueError(f"the {name} model gives neither logits nor Q-values of a board alone; use PredictPolicy")
        moves = _moves_of(int(model.action_space.n), size, moves, f"the {name} model")
        super().__init__(name, size, mines, first_click, moves, deterministic=deterministic)
        self._model = model
        self._make_input = _input_maker(model.observation_space, self.config, f"the {name} model")
        self._scores(self._empty_boards(1), np.ones((1, self.config.actions), np.bool_))

    def _scores(self, boards: NDArray[np.int8], masks: NDArray[np.bool_], /) -> Any:
        policy = self._model.policy
        policy.set_training_mode(False)
        inputs, _ = policy.obs_to_tensor(self._make_input(boards, masks))
        if hasattr(policy, "q_net"):
            return policy.q_net(inputs)
        if hasattr(policy, "quantile_net"):
            return policy.quantile_net(inputs).mean(dim=1)
        takes_masks = "action_masks" in inspect.signature(policy.get_distribution).parameters
        return policy.get_distribution(inputs, *([masks] if takes_masks else ())).distribution.logits


def _moves_of(actions: int, size: int | Sequence[int], moves: Sequence[str] | None, owner: str) -> tuple[str, ...]:
    """Returns the moves that give so many actions: `moves` or one of three usual sets; raises ValueError if none do."""
    rows, cols = parse_size(size)
    candidates = [DEFAULT_MOVES, ("click", "flag"), MOVE_NAMES] if moves is None else [tuple(moves)]
    for candidate in candidates:
        if actions == len(candidate) * rows * cols:
            return candidate
    raise ValueError(
        f"{owner} has {actions} actions, but {rows}x{cols} with moves {', '.join(candidates[0])} "
        f"has {len(candidates[0]) * rows * cols}; set size= and moves= as in its training"
    )


_InputMaker = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]
"""A function of boards (N, rows, cols) int8 and masks (N, actions) bool that returns N observations."""


def _input_maker(space: Space[Any], config: BoardConfig, owner: str) -> _InputMaker:
    """Returns the function that makes observations of a space: an encoding, a mask, or a `Dict` of such spaces."""
    if isinstance(space, Dict):
        makers = {key: _input_maker(value, config, f"{owner}, key {key!r},") for key, value in space.spaces.items()}
        return lambda boards, masks: {key: make(boards, masks) for key, make in makers.items()}
    dtype = space.dtype
    is_binary = isinstance(space, MultiBinary) or (isinstance(space, Box) and bool((space.high == 1).all()))
    if is_binary and space.shape == (config.actions,):
        return lambda _, masks: masks.astype(dtype)
    encoders = [Encoder(name, config) for name in ENCODINGS]
    if isinstance(space, Box):
        for encoder in encoders:
            encoded, mine = encoder.space, config.codes.mine
            # Only codes reach the value `mine`; the other encodings are at most 1.
            same_range = (space.high.min() >= mine) == (encoded.high.min() >= mine)
            # The same numbers may be flattened, or an image with one channel.
            if same_range and space.shape in (encoded.shape, (1, *encoded.shape), (math.prod(encoded.shape),)):
                encode, shape = encoder.encode, space.shape
                return lambda boards, _: encode(boards).reshape(len(boards), *shape).astype(dtype)
    shapes = ", ".join(str(encoder.space.shape) for encoder in encoders)
    raise ValueError(
        f"{owner} was trained on observations {space}, which are none of {', '.join(ENCODINGS)} on "
        f"{config.rows}x{config.cols}: {shapes}"
    )


class TorchPolicy(_ScoredPolicy):
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
            mines_input: True if the network takes the number of mines as second argument, float32 (N,).
            dtype: number type of the input; None for that of the encoding.

        Raises:
            MissingExtraError: PyTorch is not installed.
            ValueError: the network does not fit the board; the message names both shapes.
        """
        _check_argument(callable(network), "TorchPolicy takes a network or another function of tensors", network)
        torch = import_extra("torch")
        name = getattr(network, "__name__", type(network).__name__)
        super().__init__(name, size, mines, first_click, moves, deterministic=deterministic)
        self._network: Any = network
        self._encoder = Encoder(observation, self.config)
        self._mines_input, self._dtype = mines_input, dtype
        weight = next(network.parameters(), None) if isinstance(network, torch.nn.Module) else None
        self._device = torch.device("cpu") if weight is None else weight.device
        self._check_outputs()

    def _scores(self, boards: NDArray[np.int8], _masks: NDArray[np.bool_], /) -> Any:
        import torch

        inputs = [torch.as_tensor(self._encoder.encode(boards), dtype=self._dtype, device=self._device)]
        if self._mines_input:
            inputs.append(torch.full((len(boards),), float(self.config.mines), device=self._device))
        network = self._network
        if was_training := getattr(network, "training", False):
            network.eval()
        try:
            return network(*inputs)
        finally:
            if was_training:
                network.train()

    def _check_outputs(self) -> None:
        """Raises ValueError unless the network returns scores of an allowed shape for two empty boards."""
        config, boards = self.config, self._empty_boards(2)
        try:
            outputs = self._scores(boards, np.ones((2, config.actions), np.bool_))
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            space = self._encoder.space
            raise ValueError(
                f"the network {self.name} fails on 2 boards of {self._board}, {self._dtype or space.dtype} "
                f"{(2, *space.shape)}: {' '.join(str(error).split())}; set size=, observation=, dtype= and "
                "mines_input= as in its training"
            ) from error
        shape, board = tuple(getattr(outputs, "shape", ())), (config.rows, config.cols)
        allowed = [(2, config.actions), (2, len(self.moves), *board), *([(2, *board)] if len(self.moves) == 1 else [])]
        if shape not in allowed or not hasattr(outputs, "cpu"):
            raise ValueError(
                f"the network {self.name} must return one tensor of shape {' or '.join(map(str, allowed[:2]))} for 2 "
                f"boards of {self._board}, the logits or Q-values alone, not {type(outputs).__name__} {shape}"
            )
