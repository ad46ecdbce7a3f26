"""What a training is asked to do, checked once, and what it starts from by default."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from baselines.learned.network import NetworkSize
from baselines.seeds import TRAINING_SEEDS
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.rewards import REWARDS

ALGORITHMS = ("ppo", "dqn")
MAX_SEED = 1 << 16
MAX_ENVS = 1 << 14


@dataclass(frozen=True)
class TrainingSettings:
    """A training that can be repeated: the same settings in steps give the same agent on a CPU.

    Attributes:
        algo: "dqn" or "ppo".
        rows: the number of rows of the board.
        cols: the number of columns.
        mines: the number of mines.
        first_click: the first-click rule.
        seed: 0 to `MAX_SEED` - 1, of all random choices.
        minutes: the time to train, or None.
        steps: the steps to train, or None; one of the two is given.
        reward: the name of a reward scheme.
        gamma: the discount factor, 0 to 1.
        envs: the number of games that are played at once.
        channels: of the network.
        blocks: of the network.
        eval_games: the games of each evaluation during training.
        device: "auto", "cpu" or "cuda".
        threads: the threads that PyTorch may use on the CPU.

    Raises:
        ValueError: a setting is not allowed; the message says what is.
    """

    algo: str = "ppo"
    rows: int = 8
    cols: int = 8
    mines: int = 14
    first_click: str = "opening"
    seed: int = 0
    minutes: float | None = 10.0
    steps: int | None = None
    reward: str = "safe_click"
    gamma: float = 0.0
    envs: int = 128
    channels: int = 32
    blocks: int = 2
    eval_games: int = 300
    device: str = "auto"
    threads: int = 1

    def __post_init__(self) -> None:
        """Checks the settings, which may come from a file."""
        _one_of("algo", self.algo, ALGORITHMS)
        _one_of("reward", self.reward, REWARDS)
        _one_of("device", self.device, ("auto", "cpu", "cuda"))
        _number("gamma", self.gamma, 0, 1)
        for name, most in (("envs", MAX_ENVS), ("eval_games", 100_000), ("threads", 1024)):
            if whole_number(name, getattr(self, name), 1) > most:
                raise ValueError(f"{name} must be 1 to {most}, not {getattr(self, name)}")
        if whole_number("seed", self.seed, 0) >= MAX_SEED:
            raise ValueError(f"seed must be 0 to {MAX_SEED - 1}, not {self.seed}")
        if (self.minutes is None) == (self.steps is None):
            raise ValueError("give either minutes or steps")
        if self.steps is not None:
            whole_number("steps", self.steps, 1)
        if self.minutes is not None and _number("minutes", self.minutes, 0, 1e6) == 0:
            raise ValueError("minutes must be more than 0")
        _ = self.board, self.network

    @property
    def board(self) -> BoardConfig:
        """The board and the rules, with clicks alone."""
        return BoardConfig(self.rows, self.cols, self.mines, first_click=self.first_click, moves=("click",))

    @property
    def network(self) -> NetworkSize:
        """The size of the network."""
        return NetworkSize(self.channels, self.blocks)

    @property
    def first_training_seed(self) -> int:
        """The seed of the first of the games; trainings of different seeds share no game sequence."""
        return TRAINING_SEEDS.start + self.seed * MAX_ENVS

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> TrainingSettings:
        """Returns the settings that `to_json` gave.

        Raises:
            ValueError: a setting is missing, unknown or not allowed.
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(content, dict) or set(content) != names:
            raise ValueError(f"the settings of a run must be exactly {', '.join(sorted(names))}")
        return cls(**content)


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")


def _number(name: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise ValueError(f"{name} must be a number of {least} to {most}, not {value!r}")
    return float(value)
