"""Training of one Stable-Baselines3 algorithm on several boards in turn, by rounds that a caller can stop and save.

Stable-Baselines3 trains on one environment of one shape. Here each board has a slot: its games, its buffer and its
minibatch size. Before each rollout the algorithm activates the slot with the least work so far, measured in cells that
passed through the network. So all boards get about equal time. All slots train the same network. With one board this
is Stable-Baselines3's own loop.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from inspect import signature
from typing import Any, TypeVar

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from baselines.learned.common import tensor_files
from baselines.learned.common.optimisation import OPTIMIZER_CLASSES, hindsight_losses
from baselines.learned.common.replay_buffer import ThinnedReplayBuffer, Transitions
from baselines.learned.common.tensor_files import Tensors, prefixed, unprefixed
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.configurations import load_reward
from baselines.learned.networks import BoardNetwork, Tower, set_precision
from baselines.learned.settings import LEARNING_COST, OF_SAFETY, Budget, NetworkSize, TrainingSettings, scaled
from minesweeper_env.codes import FLAGGED, MINE


class BoardExtractor(BaseFeaturesExtractor):
    """The trunk as a features extractor: maps codes of N boards to features (N, channels, rows, cols).

    Args:
        observation_space: int8 `Box` of the codes, radius 1.
        channels: features per cell.
        depth: applications of the block.
        mines: number of mines on the boards, which codes do not show; None leaves the planes that need it 0. A caller
            may change this attribute between batches.

    Raises:
        ValueError: the space is not a `Box` of codes of radius 1.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        channels: int = NetworkSize().channels,
        depth: int = NetworkSize().depth,
        mines: int | None = None,
    ) -> None:
        is_board = isinstance(observation_space, spaces.Box) and len(observation_space.shape) == 2
        if not is_board or observation_space.high.max() != MINE:  # type: ignore[attr-defined]
            raise ValueError(f"the observations must be codes (rows, cols) of 0 to {MINE}, not {observation_space}")
        super().__init__(observation_space, features_dim=channels)
        self.trunk, self.mines = nn.ModuleDict({"tower": Tower(NetworkSize(channels, depth))}), mines

    def forward(self, observations: Tensor) -> Tensor:
        """Maps codes (N, rows, cols) to features (N, channels, rows, cols) float32."""
        features: Tensor = self.trunk["tower"](observations, self.mines)
        return features


def check_clicks_alone(observation_space: spaces.Space[Any], action_space: spaces.Space[Any]) -> None:
    """Raises ValueError unless the actions are the clicks on the cells of the board."""
    rows, cols = observation_space.shape or (0, 0)
    actions = getattr(action_space, "n", None)
    if actions != rows * cols:
        raise ValueError(
            f"the network rates the {rows * cols} clicks of {rows}x{cols}, but the environment has {actions} actions; "
            'make it with moves=("click",)'
        )


@dataclass
class BoardSlot:
    """State of an algorithm on one board."""

    env: MinesweeperVecEnv  # the N games of the board
    batch_size: int  # boards in a minibatch
    buffer: ThinnedReplayBuffer  # boards with the outcomes of their cells; it is DQN's replay buffer
    observations: NDArray[np.int8]  # (N, rows, cols): the current boards of the games
    episode_starts: NDArray[np.bool_]  # (N,): True where the next click is the first of its game
    games: NDArray[np.int64]  # (N,): numbers of the games in progress, unique within the slot
    work: int = 0  # cells that passed through the network so far; in gradient steps they count `LEARNING_COST` times
    drawn: int = 0  # boards drawn from the buffer so far, repeats included

    def store(self, chosen: NDArray[np.bool_], **transitions: NDArray[Any]) -> None:
        """Stores those of the last N transitions where `chosen` (N,) is True; `record_ends` labels them later."""
        rows = {name: values[chosen] for name, values in transitions.items()}
        unlabelled = np.full((int(chosen.sum()), self.env.config.cells), -1, np.int8)
        self.buffer.add(safe=unlabelled, games=self.games[chosen], **rows)

    def forget(self, games: NDArray[np.bool_]) -> None:
        """Renumbers games, (N,) bool, so that `record_ends` never labels the boards that they have stored so far."""
        self.games[games] += len(self.games)

    def record_ends(self, dones: NDArray[np.bool_], infos: list[dict[str, Any]], losses: bool = True) -> None:
        """Labels the stored boards of the games that ended, and gives numbers to the games that replace them.

        Truncated games get no labels, since their last board does not show the mines. Lost games get labels only with
        `losses`. `dones` and `infos` are as `MinesweeperVecEnv.step_wait` returns them.
        """
        labels = np.full((len(dones), self.env.config.cells), -1, np.int8)
        for index in np.flatnonzero(dones):
            if not infos[index]["TimeLimit.truncated"]:
                last = infos[index]["terminal_observation"].reshape(-1)
                if (is_lost := (last == MINE).any()) and not losses:
                    continue
                # A lost board shows its mines; on a won board the covered cells are the mines.
                labels[index] = last != MINE if is_lost else last < FLAGGED
        stored_labels, stored_games = (self.buffer.columns[name][: self.buffer.size] for name in ("safe", "games"))
        # One pass over the buffer finds the rows of all labelled games, however many end.
        rows = np.flatnonzero(np.isin(stored_games, self.games[labels[:, 0] >= 0]))
        # `forget` adds multiples of N to a game's number, so the number modulo N is the game's index.
        stored_labels[rows] = labels[stored_games[rows] % len(dones)]
        self.forget(dones)

    def tensors(self) -> Tensors:
        """Returns the state of the games and of the buffer, for `restore`."""
        arrays: dict[str, NDArray[Any]] = {f"env/{key}": value for key, value in self.env.get_state().items()}
        arrays |= {"episode_starts": self.episode_starts, "games": self.games}
        tensors = {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}
        return tensors | prefixed(self.buffer.save(), "buffer")

    def restore(self, tensors: Tensors) -> None:
        """Restores what `tensors` returned."""
        arrays: dict[str, Any] = {name: tensor.numpy() for name, tensor in tensors.items()}
        self.observations = self.env.set_state(unprefixed(arrays, "env"))  # type: ignore[arg-type]
        self.episode_starts, self.games = arrays["episode_starts"].astype(np.bool_), arrays["games"].copy()
        self.buffer.restore(unprefixed(tensors, "buffer"))


class MultiBoardMixin(BaseAlgorithm):
    """Mixin that makes a Stable-Baselines3 algorithm a `Learner` on several boards, with schedules of a `Budget`.

    Attributes:
        slots: one slot per board; empty until `play_on` is called.
        slot: the active slot, whose games the algorithm plays.
        counters: names of the attributes that a snapshot keeps as numbers.
        budget: what the schedules follow; None for Stable-Baselines3's own count of steps.
        after_step: a step callback of Stable-Baselines3; `_last_obs` still has the boards before the step.
    """

    counters: tuple[str, ...] = ("num_timesteps", "_n_updates", "_episode_num")
    budget: Budget | None = None
    after_step: Callable[[dict[str, Any], dict[str, Any]], bool] | None = None

    hyperparameters: Any
    policy: Any
    slots: list[BoardSlot]
    slot: BoardSlot
    batch_size: Any
    replay_buffer: Any
    train_freq: Any
    _last_obs: Any
    _last_episode_starts: Any
    max_grad_norm: float
    gamma: float

    def __init__(self, policy: Any, env: MinesweeperVecEnv, hyperparameters: Any, **kwargs: Any) -> None:
        """Makes a model, and starts its games on one board; `play_on` starts others."""
        super().__init__(policy, env, **kwargs)
        # Returns can be the safety of cells only under these conditions; `make_model` also checks the reward.
        may_be_safety = self.policy.probability and self.gamma == 0
        self.hyperparameters = hyperparameters if may_be_safety else without_safety(hyperparameters)
        self.play_on([env], [self.batch_size])

    def play_on(self, envs: Sequence[MinesweeperVecEnv], batch_sizes: Sequence[int]) -> None:
        """Starts games on each board, with its minibatch size, and activates the slot of the first board."""
        self.slots = []
        for env, batch_size in zip(envs, batch_sizes, strict=True):
            buffer = ThinnedReplayBuffer(self.hyperparameters.buffer_size, env.observation_space, device=self.device)
            starts, games = np.ones(env.num_envs, np.bool_), np.arange(env.num_envs)
            self.slots.append(BoardSlot(env, batch_size, buffer, env.reset(), starts, games))
        self.activate(self.slots[0])

    def _play_and_learn(self, callback: BaseCallback) -> int:
        """Plays a rollout and learns; returns the cost in forward passes of one board, without `learn_from_buffer`."""
        raise NotImplementedError

    def current_network(self) -> BoardNetwork:
        """Returns the network that plays; it shares its weights with the training, except for PPO's merged head."""
        extractor = next(module for module in self.policy.modules() if isinstance(module, BoardExtractor))
        return BoardNetwork(extractor.trunk, self.policy.click_head())

    def activate(self, slot: BoardSlot) -> None:
        """Switches the algorithm to a slot; call it between rollouts."""
        self.slot, self.replay_buffer = slot, slot.buffer
        self.env, self.n_envs, self.batch_size = slot.env, slot.env.num_envs, slot.batch_size
        self.observation_space, self.action_space = slot.env.observation_space, slot.env.action_space
        self._last_obs, self._last_episode_starts = slot.observations, slot.episode_starts
        # The policy and its networks check their inputs against their own spaces, so these change too.
        for module in self.policy.modules():
            if isinstance(module, BoardExtractor):
                module.mines = slot.env.config.mines
            if hasattr(module, "observation_space"):
                module.observation_space, module.action_space = self.observation_space, self.action_space

    def learn_from_buffer(self, loss_of: Callable[[Transitions], Tensor]) -> list[float]:
        """Takes gradient steps until each stored board was drawn `replay_ratio` times on average; returns losses."""
        slot, losses = self.slot, []
        while slot.drawn + self.batch_size <= self.hyperparameters.replay_ratio * slot.buffer.added:
            loss = loss_of(slot.buffer.sample(self.batch_size))
            self.policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append(loss.item())
            slot.drawn += self.batch_size
        return losses

    def hindsight_losses(self, outputs: Tensor, sample: Transitions) -> Tensor:
        """Returns the hindsight losses of sampled boards, (N, 1), for logits of safety, (N, rows * cols)."""
        return hindsight_losses(outputs, sample.observations, sample.safe, self.hyperparameters.isolated_weight_cap)

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        if self.budget is None:
            super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        else:
            self._current_progress_remaining = 1.0 - self.budget.progress(num_timesteps)

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end; yields before each rollout, when no update is in progress."""
        self.set_logger(logger)
        self.budget = budget
        callback = self._setup_learn(0, self.after_step, reset_num_timesteps=False)[1]
        while True:
            yield
            slot = min(self.slots, key=lambda slot: slot.work)
            self.activate(slot)
            drawn_before, cost = slot.drawn, self._play_and_learn(callback)
            slot.work += (cost + LEARNING_COST * (slot.drawn - drawn_before)) * slot.env.config.cells
            slot.observations, slot.episode_starts = self._last_obs, self._last_episode_starts

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a `BoardNetwork` with as many channels as this one; see `Learner.begin_with`."""
        if not isinstance(network, BoardNetwork):
            raise ValueError("it is of another kind")
        tensor_files.check_weights(self.current_network(), network.state_dict())
        self.current_network().trunk.load_state_dict(network.trunk.state_dict())
        self.policy.begin_with(network.head)

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns the whole state between two rollouts: the tensors, and the counters and other JSON-able values."""
        tensors = prefixed(self.policy.state_dict(), "policy") | tensor_files.optimiser_tensors(self.policy.optimizer)
        for number, slot in enumerate(self.slots):
            tensors |= prefixed(slot.tensors(), f"slot{number}")
        generators, random_state = tensor_files.random_tensors()
        state = {name: getattr(self, name) for name in self.counters} | {"random": random_state}
        state["slots"] = [{"work": slot.work, "drawn": slot.drawn} for slot in self.slots]
        return tensors | generators, state | {"slot": self.slots.index(self.slot)}

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Restores a snapshot of a model with the same settings; raises ValueError if the settings were others."""
        tensor_files.load_weights(self.policy, unprefixed(tensors, "policy"))
        try:
            tensor_files.restore_optimiser(self.policy.optimizer, tensors)
            for number, (slot, counters) in enumerate(zip(self.slots, state["slots"], strict=True)):
                slot.restore(unprefixed(tensors, f"slot{number}"))
                slot.work, slot.drawn = int(counters["work"]), int(counters["drawn"])
            self.activate(self.slots[state["slot"]])
            for name in self.counters:
                setattr(self, name, type(getattr(self, name))(state[name]))
            tensor_files.restore_random(tensors, state["random"])
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"it does not fit this training: {str(error).splitlines()[0]}") from error


Model = TypeVar("Model", bound=MultiBoardMixin)


def without_safety(hyperparameters: Any) -> Any:
    """Returns hyperparameters with those of `OF_SAFETY` set to 0, for outputs that are not the safety of cells."""
    return replace(hyperparameters, **{name: 0.0 for name in OF_SAFETY if hasattr(hyperparameters, name)})


def make_model(algorithm: type[Model], policy: type, settings: TrainingSettings, **arguments: Any) -> Model:
    """Returns a model with games in progress; this seeds the global generators of Python, NumPy and PyTorch.

    The constructor of `algorithm` gets the object with all hyperparameters. It also gets by keyword those that its
    Stable-Baselines3 base takes, and `arguments`.
    """
    hyperparameters, (_mixin, base) = settings.hyperparameters, algorithm.__bases__
    if not settings.rates_safety:
        hyperparameters = without_safety(hyperparameters)
    batch_sizes = [scaled(hyperparameters.batch_size, config.cells) for config in settings.configs]
    reward = load_reward(settings.reward)
    envs = [MinesweeperVecEnv(config, scaled(settings.envs, config.cells), reward) for config in settings.configs]
    keywords = {name: value for name, value in asdict(hyperparameters).items() if name in signature(base).parameters}
    keywords |= {"batch_size": batch_sizes[0], "learning_rate": hyperparameters.learning_rate_at}
    keywords |= {name: getattr(settings, name) for name in ("gamma", "seed", "device")}
    keywords["policy_kwargs"] = {
        "probability": settings.has_probabilities,
        "optimizer_class": OPTIMIZER_CLASSES[settings.optimizer],
        "optimizer_kwargs": {"weight_decay": hyperparameters.weight_decay},
        "features_extractor_kwargs": settings.network_size._asdict(),
    }
    constructor: Any = algorithm
    model: Model = constructor(policy, envs[0], hyperparameters, **keywords, **arguments)
    # The constructor seeded the games with the seed of the training, which is no seed of games.
    for index, env in enumerate(envs):
        env.seed(settings.first_training_seed(index))
    model.play_on(envs, batch_sizes)
    set_precision(model.policy, settings.precision)
    return model
