"""What a training is asked to do, checked once, and what it starts from by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.learned.networks.board import NetworkSize
from baselines.learned.networks.precision import PRECISIONS
from baselines.learned.settings.hyperparameters import ALGORITHMS, Hyperparameters
from baselines.learned.settings.retired import updated
from baselines.support.board_names import parse_board
from baselines.support.checks import number_within, one_of, whole_number_within
from minesweeper_env.config import BoardConfig
from minesweeper_env.rewards import REWARDS

MAX_SEED = 1 << 12
MAX_ENVS = 1 << 14
MAX_BOARDS = 32
TEACHERS = ("none", "exact")
OPTIMIZERS = ("muon", "adam")
USUAL_CELLS = 64
"""Numbers of games and of samples are meant for boards of so many cells; see `TrainingSettings.scaled`."""


@dataclass(frozen=True)
class TrainingSettings:
    """A training that can be repeated: a budget in steps gives the same agent each time on a CPU.

    Attributes:
        algo: one of `ALGORITHMS`.
        boards: what it plays in turn, each "ROWSxCOLS/MINES", such as "16x30/99".
        first_click: the first-click rule.
        seed: 0 to `MAX_SEED` - 1, of all random choices.
        minutes: the time to train, or None.
        steps: the steps to train, or None; one of the two is given.
        reward: the name of a reward scheme.
        gamma: the discount factor, 0 to 1.
        teacher: "none", or "exact" for learning the oracle's probabilities in place of the rewards (DQN alone).
        start: a run folder, or the name of an agent, whose weights the network begins with, or None.
        optimizer: "muon" (see `muon.py`), or "adam".
        envs: the games that are played at once on a board of `USUAL_CELLS` cells; on others they have as many cells.
        channels: of the network, as `NetworkSize` has them.
        depth: of the network, as `NetworkSize` has it.
        precision: number format of the convolutions, "float32" or "bfloat16".
        eval_games: the games of each evaluation during training, on each board.
        device: "auto", "cpu" or "cuda".
        threads: the threads that PyTorch may use on the CPU.
        hyperparameters: of the algorithm; None, or a dict of some of them, is completed by the defaults.

    Raises:
        ValueError: a setting is not allowed; the message says what is.
    """

    algo: str = "ppo"
    boards: Sequence[str] = ("8x8/14",)
    first_click: str = "opening"
    seed: int = 0
    minutes: float | None = 10.0
    steps: int | None = None
    reward: str = "safe_click"
    gamma: float = 0.0
    teacher: str = "none"
    start: str | None = None
    optimizer: str = "muon"
    envs: int = 256
    channels: int = NetworkSize.channels
    depth: int = NetworkSize.depth
    precision: str = "float32"
    eval_games: int = 300
    device: str = "auto"
    threads: int = 1
    hyperparameters: Hyperparameters = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Checks the settings, which may come from a file."""
        one_of("algo", self.algo, ALGORITHMS)
        one_of("reward", self.reward, REWARDS)
        one_of("teacher", self.teacher, TEACHERS)
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        one_of("precision", self.precision, PRECISIONS)
        one_of("device", self.device, ("auto", "cpu", "cuda"))
        number_within("gamma", self.gamma, 0, 1)
        for name, most in (("envs", MAX_ENVS), ("eval_games", 100_000), ("threads", 1024)):
            whole_number_within(name, getattr(self, name), 1, most)
        whole_number_within("seed", self.seed, 0, MAX_SEED - 1)
        self._check_budget()
        if self.teacher != "none" and (self.algo, self.gamma, self.reward) != ("dqn", 0, "safe_click"):
            raise ValueError("a teacher needs algo dqn, reward safe_click and gamma 0: it gives the chance to be safe")
        if self.algo == "value" and (self.gamma, self.reward) != (0, "safe_click"):
            raise ValueError("algo value learns the chance to win: it takes no reward and no gamma")
        if self.start is not None and not isinstance(self.start, str):
            raise ValueError(f"start must be a run folder or the name of an agent, not {self.start!r}")
        given: Any = self.hyperparameters
        if not isinstance(given, Hyperparameters):
            object.__setattr__(self, "hyperparameters", ALGORITHMS[self.algo].of(given or {}))
        object.__setattr__(self, "boards", _distinct(self.boards))
        _ = self.configs, self.network

    def _check_budget(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise ValueError("give either minutes or steps")
        if self.steps is not None:
            whole_number_within("steps", self.steps, 1, 1 << 53)
        if self.minutes is not None and number_within("minutes", self.minutes, 0, 1e6) == 0:
            raise ValueError("minutes must be more than 0")

    @property
    def configs(self) -> list[BoardConfig]:
        """The boards and the rules, with clicks alone."""
        return [parse_board(text, self.first_click) for text in self.boards]

    @property
    def network(self) -> NetworkSize:
        """The size of the network."""
        return NetworkSize(self.channels, self.depth)

    def scaled(self, number: int, cells: int, least: int = 1) -> int:
        """Returns how many boards of `cells` cells have together as many cells as `number` usual ones."""
        return scaled(number, cells, least)

    def first_training_seed(self, board: int) -> int:
        """Returns the seed of the first of the games on a board, given by its place in `boards`.

        Trainings of different seeds share no sequence of games, and neither do the boards of one training.
        """
        return TRAINING_SEEDS.start + (self.seed * MAX_BOARDS + board) * MAX_ENVS

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as a JSON object."""
        return asdict(self) | {"boards": list(self.boards)}

    @classmethod
    def from_some(cls, content: Mapping[str, Any]) -> TrainingSettings:
        """Returns the settings that `content` gives, and the defaults of all others.

        Raises:
            ValueError: a setting is unknown or not allowed.
        """
        names = [entry.name for entry in fields(cls)]
        unknown = [name for name in content if name not in names]
        if unknown:
            raise ValueError(f"there is no setting {', '.join(unknown)}; there are {', '.join(names)}")
        if content.get("steps") is not None:
            content = {"minutes": None, **content}
        return cls(**content)

    @classmethod
    def from_json(cls, content: Any) -> TrainingSettings:
        """Returns the settings that `to_json` gave.

        Raises:
            ValueError: a setting is missing, unknown or not allowed.
        """
        names = {entry.name for entry in fields(cls)}
        if not isinstance(content, Mapping) or set(content) != names:
            raise ValueError(f"the settings of a run must be exactly {', '.join(sorted(names))}")
        return cls(**updated(content))


def scaled(number: int, cells: int, least: int = 1) -> int:
    """Scales a count of boards that was chosen for boards of `USUAL_CELLS` cells.

    Larger boards are fewer, so that all of them together have the same number of cells.

    Args:
        number: of usual boards.
        cells: of a board.
        least: lower bound of the result, unless `number` is smaller.
    """
    return max(min(number, least), number * USUAL_CELLS // cells) if cells > USUAL_CELLS else number


def _distinct(boards: Any) -> tuple[str, ...]:
    if not isinstance(boards, (tuple, list)) or not 1 <= len(boards) <= MAX_BOARDS:
        raise ValueError(f"boards must be 1 to {MAX_BOARDS} texts such as 8x8/14, not {boards!r}")
    if len(set(map(str, boards))) < len(boards):
        raise ValueError(f"each board may be given once, not {', '.join(map(str, boards))}")
    return tuple(boards)
