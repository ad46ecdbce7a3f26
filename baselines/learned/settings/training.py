"""Settings of a training, checked once, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.learned.networks.size import MAX_CHANNELS, MAX_DEPTH, PRECISIONS, NetworkSize
from baselines.learned.settings.hyperparameters import ALGORITHMS, Hyperparameters
from baselines.learned.settings.options import check_options, option
from baselines.support.board_names import parse_board
from minesweeper_env.config import FIRST_CLICKS, NO_GUESS_LEVELS, BoardConfig
from minesweeper_env.rewards import REWARDS

MAX_SEED = 1 << 12
LEAST_SEEDS = 5
"""Smallest number of seeds of a comparison; with fewer, an interval is meaningless."""

MAX_ENVS = 1 << 14
MAX_BOARDS = 32

USUAL_CELLS = 64
"""Board size in cells that the numbers of games and samples refer to; see `scaled`."""


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of a reproducible training: on a CPU, a budget in steps gives the same agent each time.

    Each field declares its meaning and its allowed values. Exactly one of `minutes` and `steps` is None.

    Attributes:
        boards: the boards that training plays in turn, each "ROWSxCOLS/MINES", such as "16x30/99".
        hyperparameters: hyperparameters of the algorithm; None or an incomplete dict is completed by the defaults.

    Raises:
        ValueError: a setting is not allowed; the message names the allowed values.
    """

    algo: str = option("ppo", "learn by this algorithm", choices=tuple(ALGORITHMS))
    boards: Sequence[str] = ("8x8/14",)
    first_click: str = option("opening", "protect the first click by this rule", choices=FIRST_CLICKS)
    no_guess: str = option(
        "none",
        "train on boards that logic of this level wins without a guess; needs --algo dqn or ppo",
        choices=("none", *NO_GUESS_LEVELS),
    )
    seed: int = option(0, "seed all random choices with SEED", 0, MAX_SEED - 1)
    minutes: float | None = option(
        10.0, "train for MINUTES minutes of the clock, over all sessions, whatever the --config says", 0, 1e6
    )
    steps: int | None = option(None, "train for STEPS steps of all games together, instead of --minutes", 1, 1 << 53)
    reward: str = option("safe_click", "reward steps by this scheme", choices=tuple(REWARDS))
    gamma: float = option(0.0, "discount returns by this factor per step", 0, 1)
    teacher: str = option(
        "none", "distil this teacher; exact, the oracle's probabilities, needs --algo dqn", choices=("none", "exact")
    )
    start: str | None = option(None, "start from the weights of this run folder, shipped agent or agent of the hub")
    optimizer: str = option("muon", "take learning steps with this optimiser", choices=("muon", "adam"))
    envs: int = option(256, "play ENVS games on 64 cells side by side; on larger boards, fewer", 1, MAX_ENVS)
    channels: int = option(NetworkSize.channels, "give the network CHANNELS features per cell", 1, MAX_CHANNELS)
    depth: int = option(NetworkSize.depth, "apply the block of the network DEPTH times", 1, MAX_DEPTH)
    precision: str = option("float32", "compute convolutions in this number format", choices=PRECISIONS)
    eval_games: int = option(300, "play EVAL_GAMES games per evaluation and board during training", 1, 100_000)
    device: str = option("auto", "learn on this device", choices=("auto", "cpu", "cuda"))
    threads: int = option(1, "use THREADS processor threads of PyTorch", 1, 1024)
    hyperparameters: Hyperparameters = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Checks all settings, and completes the hyperparameters."""
        check_options(self)
        self._check_budget()
        if self.teacher != "none" and (self.algo, self.gamma, self.reward) != ("dqn", 0, "safe_click"):
            raise ValueError(
                "teacher exact needs algo dqn, reward safe_click and gamma 0: its targets are safety probabilities"
            )
        if self.algo == "afterstate":
            self._check_own_games()
        given: Any = self.hyperparameters
        if not isinstance(given, Hyperparameters):
            object.__setattr__(self, "hyperparameters", ALGORITHMS[self.algo].of(given or {}))
        object.__setattr__(self, "boards", _distinct(self.boards))
        _ = self.configs, self.network

    def _check_budget(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise ValueError("give either minutes or steps")
        if self.minutes == 0:
            raise ValueError("minutes must be more than 0")

    def _check_own_games(self) -> None:
        if (self.gamma, self.reward) != (0, "safe_click"):
            raise ValueError(f"algo {self.algo} learns win probabilities; it takes no reward and no gamma")
        if self.no_guess != "none":
            raise ValueError(
                f"algo {self.algo} learns from guesses, and no_guess {self.no_guess} needs none; choose algo dqn or ppo"
            )

    @property
    def configs(self) -> list[BoardConfig]:
        """The configurations of all boards, with clicks as the only moves."""
        level: Any = False if self.no_guess == "none" else self.no_guess
        return [parse_board(text, self.first_click, level) for text in self.boards]

    @property
    def network(self) -> NetworkSize:
        """The size of the network."""
        return NetworkSize(self.channels, self.depth)

    @property
    def title(self) -> str:
        """The algorithm and the boards, in words."""
        return f"{self.algo} on {', '.join(self.boards)}"

    @property
    def budget_in_words(self) -> str:
        """The budget, such as "10 minutes" or "1 000 000 steps"."""
        if self.minutes is not None:
            return f"{self.minutes:g} minutes"
        return f"{self.steps:_} steps".replace("_", " ")

    def scaled(self, number: int, cells: int, least: int = 1) -> int:
        """Returns `number` scaled to boards of `cells` cells; see the function `scaled`."""
        return scaled(number, cells, least)

    def first_training_seed(self, board: int) -> int:
        """Returns the seed of the first game on a board, given by its index in `boards`.

        Trainings with different seeds share no games, and neither do the boards of one training.
        """
        return TRAINING_SEEDS.start + (self.seed * MAX_BOARDS + board) * MAX_ENVS

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as a JSON object."""
        return asdict(self) | {"boards": list(self.boards)}

    @classmethod
    def from_some(cls, content: Mapping[str, Any]) -> TrainingSettings:
        """Returns the settings in `content`, completed by the defaults.

        Raises:
            ValueError: a setting is unknown or not allowed.
        """
        names = [entry.name for entry in fields(cls)]
        unknown = [name for name in content if name not in names]
        if unknown:
            raise ValueError(f"unknown setting {', '.join(unknown)}; the settings are {', '.join(names)}")
        if content.get("steps") is not None:
            content = {"minutes": None, **content}
        return cls(**content)

    @classmethod
    def from_json(cls, content: Any) -> TrainingSettings:
        """Returns the settings of a JSON object from `to_json`.

        Raises:
            ValueError: a setting is missing, unknown or not allowed.
        """
        names = {entry.name for entry in fields(cls)}
        if not isinstance(content, Mapping) or set(content) != names:
            raise ValueError(f"the settings of a run must be exactly {', '.join(sorted(names))}")
        return cls(**content)


def scaled(number: int, cells: int, least: int = 1) -> int:
    """Scales a number of boards that was chosen for boards of `USUAL_CELLS` cells.

    A larger board gets fewer, so that the total number of cells stays the same.

    Args:
        number: the number for boards of up to `USUAL_CELLS` cells.
        cells: the number of cells of a board.
        least: lower bound of the result, unless `number` is smaller.
    """
    return max(min(number, least), number * USUAL_CELLS // cells) if cells > USUAL_CELLS else number


def _distinct(boards: Any) -> tuple[str, ...]:
    if not isinstance(boards, (tuple, list)) or not 1 <= len(boards) <= MAX_BOARDS:
        raise ValueError(f"boards must be 1 to {MAX_BOARDS} texts such as 8x8/14, not {boards!r}")
    if len(set(map(str, boards))) < len(boards):
        raise ValueError(f"each board may be given once, not {', '.join(map(str, boards))}")
    return tuple(boards)
