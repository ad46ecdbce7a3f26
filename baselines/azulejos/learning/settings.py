"""Settings of a training of Azulejos, checked once, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from azulejos_env.config import MAX_COLOURS, GameConfig
from azulejos_env.registration import ENV_ID
from baselines.azulejos.learning.opponents import check_opponents
from baselines.azulejos.learning.rewards import REWARDS
from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.learned.networks.size import MAX_CHANNELS, MAX_DEPTH, NetworkSize
from baselines.learned.settings.budget import BudgetedSettings
from baselines.learned.settings.hyperparameters import MAX_BATCH, Hyperparameters
from baselines.learned.settings.options import check_options, option
from baselines.learned.settings.training import MAX_ENVS, MAX_SEED, scaled
from baselines.support.board_names import parse_size_name, size_name

MIN_GAMES, MIN_BATCH = 16, 32
"""Lower bounds on large boards, where fewer games and smaller minibatches hold as many cells."""


@dataclass(frozen=True)
class AzulejosHyperparameters(Hyperparameters):
    """Hyperparameters of PPO; Stable-Baselines3 documents those that have its names."""

    learning_rate_flat: float = option(0.3, "fraction of the training before the learning rate falls linearly", 0, 0.99)
    learning_rate_final: float = option(0.05, "final learning rate as a fraction of the initial one", 0, 1)
    batch_size: int = option(
        512, "positions on 64 cells per minibatch; fewer positions if boards are larger", 1, MAX_BATCH
    )
    max_grad_norm: float = option(1.0, "norm to which larger gradients are clipped", 1e-6, 1e6)
    weight_decay: float = option(0.0, "weight decay as a fraction of the learning rate", 0, 1)
    n_steps: int = option(16, "steps of each game per rollout", 1, 1 << 16)
    n_epochs: int = option(2, "passes over each rollout", 1, 1_000)
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation", 0, 1)
    clip_range: float = option(0.2, "clipping range of the probability ratio", 1e-3, 10)
    vf_coef: float = option(0.5, "weight of the value loss", 0, 1e6)
    ent_coef: float = option(0.01, "weight of the entropy", 0, 1e6)
    version_interval: float = option(
        0.02, "fraction of the training after which a past version of the agent is replaced", 1e-4, 1
    )


@dataclass(frozen=True)
class AzulejosSettings(BudgetedSettings):
    """Settings of a reproducible training: on a CPU, a budget in steps gives the same agent each time.

    Each field declares its meaning and its allowed values. Exactly one of `minutes` and `steps` is None.

    Attributes:
        size: the board, "ROWSxCOLS".
        opponents: see `check_opponents`.
        hyperparameters: None or an incomplete dict is completed by the defaults.

    Raises:
        ValueError: a setting is not allowed; the message names the allowed values.
    """

    size: str = "8x8"
    colours: int = option(3, "play boards of COLOURS colours", 1, MAX_COLOURS)
    opponents: tuple[str, ...] = ("random", "greedy", "minimax:depth=2", "self")
    reward: str = option(
        "win_loss",
        "reward steps by this scheme: lead, the change of tanh(lead / 8); win_loss, 1 or -1 at the end; difference, "
        "points won minus points lost",
        choices=REWARDS,
    )
    gamma: float = option(1.0, "discount returns by this factor per step", 0, 1)
    seed: int = option(0, "seed all random choices with SEED", 0, MAX_SEED - 1)
    minutes: float | None = option(30.0, "train for MINUTES minutes of the clock, over all sessions", 0, 1e6)
    steps: int | None = option(None, "train for STEPS steps of all games together, instead of --minutes", 1, 1 << 53)
    start: str | None = option(None, "start from the weights of this run folder, shipped agent or agent of the hub")
    optimizer: str = option("muon", "take learning steps with this optimiser", choices=("muon", "adam"))
    envs: int = option(256, "play ENVS games on 64 cells side by side; on larger boards, fewer", 1, MAX_ENVS)
    channels: int = option(16, "give the network CHANNELS features per cell", 1, MAX_CHANNELS)
    depth: int = option(3, "apply the block of the network DEPTH times", 1, MAX_DEPTH)
    eval_games: int = option(400, "play EVAL_GAMES games per evaluation and opponent during training", 1, 100_000)
    device: str = option("auto", "learn on this device", choices=("auto", "cpu", "cuda"))
    threads: int = option(1, "use THREADS processor threads of PyTorch", 1, 1024)
    hyperparameters: AzulejosHyperparameters = field(default=None)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Checks all settings, and completes the hyperparameters."""
        check_options(self)
        self.check_budget()
        given: Any = self.hyperparameters
        if not isinstance(given, AzulejosHyperparameters):
            object.__setattr__(self, "hyperparameters", AzulejosHyperparameters.of(given or {}))
        object.__setattr__(self, "opponents", check_opponents(self.opponents))
        object.__setattr__(self, "size", size_name(*parse_size_name(self.size)))
        _ = self.config

    @property
    def config(self) -> GameConfig:
        """The board, under the usual rules."""
        return GameConfig(*parse_size_name(self.size), self.colours)

    @property
    def network(self) -> NetworkSize:
        """The size of the network."""
        return NetworkSize(self.channels, self.depth)

    @property
    def board(self) -> str:
        """The board in words, such as "8x8 with 3 colours"."""
        return f"{self.size} with {self.colours} colour{'s' if self.colours > 1 else ''}"

    @property
    def title(self) -> str:
        """Algorithm, game and board, in words."""
        return f"ppo on Azulejos, {self.board}"

    @property
    def games(self) -> int:
        """Number of games side by side."""
        return scaled(self.envs, self.config.cells, MIN_GAMES)

    @property
    def batch_size(self) -> int:
        """Positions in a minibatch."""
        return scaled(self.hyperparameters.batch_size, self.config.cells, MIN_BATCH)

    @property
    def first_training_seed(self) -> int:
        """Seed of the first game; trainings with different seeds share no games."""
        return TRAINING_SEEDS.start + self.seed * MAX_ENVS

    def to_json(self) -> dict[str, Any]:
        """Returns the settings as a JSON object."""
        return {"env": ENV_ID, **asdict(self), "opponents": list(self.opponents)}

    @classmethod
    def from_json(cls, content: Any) -> AzulejosSettings:
        """Returns the settings of a JSON object from `to_json`.

        Raises:
            ValueError: a setting is missing, unknown or not allowed, or the training is one of another game.
        """
        if not isinstance(content, Mapping) or content.get("env") != ENV_ID:
            raise ValueError(f"the run is no training of {ENV_ID}; resume it without --env")
        names = {entry.name for entry in fields(cls)}
        if set(content) != names | {"env"}:
            raise ValueError(f"the settings of a run must be exactly {', '.join(sorted(names))}")
        return cls(**{name: value for name, value in content.items() if name != "env"})
