"""Settings of a training: hyperparameters of each algorithm, boards, network, and the budget."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pkgutil import resolve_name
from typing import Any, ClassVar, NamedTuple

from baselines.checks import did_you_mean
from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.learned.options import Options, option
from baselines.schemas import MAX_CHANNELS, MAX_DEPTH
from baselines.user_policy import USER_CODE
from minesweeper_env.config import FIRST_CLICKS, NO_GUESS_LEVELS, BoardConfig
from minesweeper_env.rewards import REWARDS

PRECISIONS = ("float32", "bfloat16")
"""Number formats of the convolutions."""

DEVICES = ("auto", "cpu", "cuda")
"""Where a network computes; "auto" is a GPU if PyTorch finds one."""

MAX_SEED, MAX_ENVS, MAX_BOARDS = 1 << 12, 1 << 14, 32
MAX_BATCH, MAX_BUFFER = 1 << 20, 1 << 26
USUAL_CELLS = 64
"""Board size in cells that the numbers of games and samples refer to; see `scaled`."""

LEAST_BOARDS = 32
"""Lower bound of `scaled` on large boards, where fewer games and smaller minibatches hold as many cells."""

LEARNING_COST = 3
"""Approximate time of a forward and a backward pass, in forward passes."""


@dataclass(frozen=True)
class Hyperparameters(Options):
    """Hyperparameters of all algorithms, with the names of Stable-Baselines3 where it has them.

    Attributes:
        learner: the function or class that makes a learner of `TrainingSettings`, as "module:NAME".
    """

    learner: ClassVar[str] = ""

    learning_rate: float = option(1e-3, "initial learning rate of Adam; Muon multiplies it by 10", 1e-8, 1)
    learning_rate_flat: float = option(0.1, "fraction of the training before the learning rate falls linearly", 0, 0.99)
    learning_rate_final: float = option(0.02, "final learning rate as a fraction of the initial one", 0, 1)
    batch_size: int = option(64, "boards of 64 cells per minibatch; fewer boards if they are larger", 1, MAX_BATCH)
    max_grad_norm: float = option(10.0, "norm to which larger gradients are clipped", 1e-6, 1e6)
    weight_decay: float = option(0.1, "weight decay as a fraction of the learning rate", 0, 1)
    buffer_size: int = option(50_000, "boards in each replay buffer", 1, MAX_BUFFER)
    replay_ratio: float = option(4.0, "mean number of draws per stored board", 1e-3, 1e3)
    keep_scale: float = option(
        5.0, "probability of keeping a sample, as a multiple of its expected error; in dqn and ppo, 0 keeps all", 0, 1e6
    )
    keep_min: float = option(0.1, "minimum probability of keeping", 1e-3, 1)
    isolated_weight_cap: float = option(
        64.0, "cap on the total loss weight, in cells, of covered cells without an open neighbour", 0, 1e6
    )

    def learning_rate_at(self, remaining: float) -> float:
        """Returns the learning rate when this fraction of the training, from 1 to 0, remains: flat, then linear."""
        # The last rollout may pass the end of the budget, which makes the remaining fraction negative.
        decay = min(1.0, max(0.0, remaining) / (1.0 - self.learning_rate_flat))
        return self.learning_rate * (self.learning_rate_final + (1.0 - self.learning_rate_final) * decay)


@dataclass(frozen=True)
class ClickHyperparameters(Hyperparameters):
    """Hyperparameters of the algorithms that rate clicks."""

    hindsight: float = option(
        1.0, "weight of the loss on all covered cells, with reward safe_click and gamma 0; 0: clicks alone", 0, 1e3
    )


@dataclass(frozen=True)
class PPOHyperparameters(ClickHyperparameters):
    """Hyperparameters of PPO, with defaults for `MinesweeperPPO`."""

    learner: ClassVar[str] = "baselines.learned.ppo:make_ppo"
    max_grad_norm: float = 5.0
    n_steps: int = option(8, "steps of each game per rollout", 1, 1 << 16)
    n_epochs: int = option(1, "passes over each rollout", 1, 1_000)
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation", 0, 1)
    clip_range: float = option(0.2, "clipping range of the probability ratio", 1e-3, 10)
    policy_coef: float = option(1.0, "weight of the policy gradient; 0 turns it off", 0, 1e6)
    vf_coef: float = option(1.0, "weight of the value loss", 0, 1e6)
    ent_coef: float = option(0.0, "weight of the entropy", 0, 1e6)


@dataclass(frozen=True)
class PlainPPOHyperparameters(PPOHyperparameters):
    """Hyperparameters of unmodified PPO: no hindsight, no thinning, the usual weight of the value loss."""

    learner: ClassVar[str] = "baselines.learned.ppo:make_plain_ppo"
    batch_size: int = 512
    max_grad_norm: float = 0.5
    weight_decay: float = 0.0
    n_steps: int = 32
    n_epochs: int = 4
    policy_coef: float = option(1.0, "always 1", 1, 1)
    vf_coef: float = 0.5
    ent_coef: float = 0.01
    hindsight: float = option(0.0, "always 0", 0, 0)
    keep_scale: float = option(0.0, "always 0", 0, 0)


@dataclass(frozen=True)
class DQNHyperparameters(ClickHyperparameters):
    """Hyperparameters of DQN, with defaults for `MaskedDQN`."""

    learner: ClassVar[str] = "baselines.learned.dqn:make_dqn"
    hindsight_games: str = option(
        "all",
        "games whose end labels stored boards in hindsight; won ones need no mine to be seen",
        choices=("all", "won"),
    )
    consistency: float = option(0.0, "weight of the squared errors of the risks around clues and of all risks", 0, 1e3)
    learning_starts: int = option(1_000, "stored transitions before the first minibatch", 1, MAX_BUFFER)
    train_freq: int = option(8, "steps of every game between two rounds of updates", 1, 10_000)
    target_update_interval: int = option(10_000, "steps between two updates of the target network", 1, 1 << 40)
    exploration_fraction: float = option(0.02, "fraction of the training in which exploration falls to its end", 0, 1)
    exploration_initial_eps: float = option(1.0, "initial fraction of random clicks", 0, 1)
    exploration_final_eps: float = option(0.0, "final fraction of random clicks", 0, 1)


@dataclass(frozen=True)
class AfterstateHyperparameters(Hyperparameters):
    """Hyperparameters of afterstate; `SelfPlay` and `AfterstateLearner` explain them."""

    learner: ClassVar[str] = "baselines.learned.afterstate.learner:AfterstateLearner"
    learning_rate_flat: float = 0.4
    batch_size: int = 256
    buffer_size: int = 100_000
    keep_scale: float = 2.0
    keep_min: float = option(0.05, "minimum probability of keeping", 0, 1)
    counts: float = option(0.5, "weight of the loss of the counts", 0, 1e3)
    mixing: float = option(
        0.3, "weight of the outcome in the targets after the first click; the rest is bootstrapped", 0, 1
    )
    exploration: float = option(0.3, "probability that a guess explores; one guess per game does, at most", 1e-3, 1)
    exploration_slack: float = option(0.12, "maximum risk of an exploring click above the least risk", 0, 1)
    slack: float = option(0.05, "maximum risk of a weighed click above the least, on up to 64 cells", 0, 1)
    breadth: int = option(8, "maximum number of clicks weighed at a guess", 1, 1_000)
    sure: float = option(0.99, "safety at which a training game clicks a cell without weighing others", 0, 1)
    search_starts: int = option(60_000, "boards to learn from before training games weigh clicks", 0, MAX_BUFFER)
    depth_spread: int = option(2, "training leaves out up to this many applications of the block, at random", 0, 63)
    safety_rate: float = option(1.0, "learning rate of safety, as a multiple of the rate of counts and worth", 0, 1e3)
    averaging: float = option(0.998, "decay per minibatch of the averaged weights, which play", 0, 1)
    warm_up: int = option(400, "minibatches over which the learning rate rises from 0", 1, MAX_BUFFER)
    heads_first: int = option(200, "minibatches at the start from which only the heads learn", 0, MAX_BUFFER)
    other_rule: float = option(0.25, "fraction of the games under another first-click rule: safe, or opening", 0, 1)


ALGORITHMS: dict[str, type[Hyperparameters]] = {
    "ppo": PPOHyperparameters,
    "plain-ppo": PlainPPOHyperparameters,
    "dqn": DQNHyperparameters,
    "afterstate": AfterstateHyperparameters,
}
"""Each algorithm's class of hyperparameters, which names its learner; this module imports no PyTorch."""

OF_LABELS = ("hindsight", "consistency")
"""Weights of the losses that label the safety of cells; the targets of a teacher replace them."""

OF_SAFETY = ("keep_scale", *OF_LABELS)
"""Hyperparameters that have an effect only if the network's outputs are the safety of cells."""


class NetworkSize(NamedTuple):
    """Size of a network: features per cell, and applications of its residual block."""

    channels: int = 32
    depth: int = 6


@dataclass(frozen=True)
class TrainingSettings(Options):
    """Settings of a reproducible training: on a CPU, a budget in steps gives the same agent each time.

    Each field declares its meaning and its allowed values. One of `minutes` and `steps` is None; without either, a
    training takes 10 minutes.

    Attributes:
        boards: the boards that training plays in turn, each "ROWSxCOLS/MINES", such as "16x30/99".
        hyperparameters: an instance of the algorithm's class in `ALGORITHMS`. The constructor also takes a mapping of
            those that differ from the defaults.

    Raises:
        ValueError: a setting is not allowed; the message names the allowed values.
    """

    noun: ClassVar[str] = "setting"

    algo: str = option("ppo", f"learn by {', '.join(ALGORITHMS)}", choices=tuple(ALGORITHMS))
    boards: Sequence[str] = ("8x8/14",)
    first_click: str = option(
        "opening", f"protect the first click by this rule: {', '.join(FIRST_CLICKS)}", choices=FIRST_CLICKS
    )
    no_guess: str = option(
        "none", f"train without guesses: {', '.join(NO_GUESS_LEVELS)}", choices=("none", *NO_GUESS_LEVELS)
    )
    luck: bool = option(True, "let luck decide forced guesses; without it they survive, and avoidable ones lose")
    seed: int = option(0, "seed all random choices", 0, MAX_SEED - 1)
    minutes: float | None = option(None, "train for MINUTES, over all sessions (default 10)", 0, 1e6)
    steps: int | None = option(None, "train for STEPS steps instead of --minutes", 1, 1 << 53)
    reward: str = option("safe_click", f"reward steps by {', '.join(REWARDS)}, or a function as path/file.py:NAME")
    gamma: float = option(0.0, "discount returns by this factor per step", 0, 1)
    teacher: str = option("none", "learn from the oracle, in dqn and afterstate: exact", choices=("none", "exact"))
    start: str | None = option(None, "start from the weights of this run folder or agent")
    optimizer: str = option("muon", "take learning steps with muon or adam", choices=("muon", "adam"))
    envs: int = option(256, "play ENVS games of 64 cells at once", 1, MAX_ENVS)
    channels: int = option(32, "give the network CHANNELS features", 1, MAX_CHANNELS)
    depth: int = option(6, "apply the block of the network this often", 1, MAX_DEPTH)
    precision: str = option("float32", f"compute in {' or '.join(PRECISIONS)}", choices=PRECISIONS)
    eval_games: int = option(300, "play GAMES games per evaluation", 1, 100_000)
    device: str = option("auto", f"learn on {', '.join(DEVICES)}", choices=DEVICES)
    threads: int = option(1, "use this many threads of PyTorch", 1, 1024)
    hyperparameters: Any = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks all settings, and fills in the default budget and hyperparameters."""
        super().__post_init__()
        if self.minutes is not None and self.steps is not None:
            raise ValueError("give either minutes or steps")
        if self.minutes is None and self.steps is None:
            object.__setattr__(self, "minutes", 10.0)
        if self.minutes == 0:
            raise ValueError("minutes must be more than 0")
        if self.reward not in REWARDS and not USER_CODE.fullmatch(self.reward):
            hint = did_you_mean(self.reward, REWARDS)
            raise ValueError(
                f"reward must be one of {', '.join(REWARDS)}, or a function of yours as path/file.py:NAME or "
                f"package.module:NAME, not {self.reward!r}{hint}"
            )
        is_taught = self.teacher != "none"
        if is_taught and (self.algo not in ("dqn", "afterstate") or not self.rates_safety):
            raise ValueError(
                "teacher exact needs algo dqn or afterstate, reward safe_click and gamma 0: its targets are safeties"
            )
        if self.algo == "afterstate" and (self.gamma, self.reward) != (0, "safe_click"):
            raise ValueError(f"algo {self.algo} learns win probabilities; it takes no reward and no gamma")
        if self.algo == "afterstate" and not self.luck:
            raise ValueError(f"algo {self.algo} learns from guesses that may lose; without luck choose algo dqn or ppo")
        if self.algo == "afterstate" and self.no_guess != "none":
            raise ValueError(
                f"algo {self.algo} learns from guesses, and no_guess {self.no_guess} needs none; choose algo dqn or ppo"
            )
        _ = self.configs  # The property raises ValueError for a board that is not allowed.
        object.__setattr__(self, "boards", tuple(self.boards))
        object.__setattr__(self, "hyperparameters", self._all_hyperparameters())

    def _all_hyperparameters(self) -> Hyperparameters:
        """Returns the hyperparameters of `algo`; raises ValueError if one of the given names belongs to a setting."""
        given = self.hyperparameters
        values = asdict(given) if isinstance(given, Hyperparameters) else given
        if isinstance(values, Mapping) and (
            misplaced := [entry.name for entry in fields(self) if entry.name in values]
        ):
            flag = misplaced[0].replace("_", "-")
            raise ValueError(f"{misplaced[0]} is no hyperparameter: use --{flag}, or a line of its own in a file")
        return ALGORITHMS[self.algo].of(values)

    @property
    def configs(self) -> list[BoardConfig]:
        """The configurations of all boards, with clicks as the only moves; ValueError if one is not allowed."""
        if not isinstance(self.boards, (tuple, list)) or not 1 <= len(self.boards) <= MAX_BOARDS:
            raise ValueError(f"boards must be 1 to {MAX_BOARDS} texts such as 8x8/14, not {self.boards!r}")
        if len(set(map(str, self.boards))) < len(self.boards):
            raise ValueError(f"each board may be given once, not {', '.join(map(str, self.boards))}")
        no_guess: Any = False if self.no_guess == "none" else self.no_guess
        return [BoardConfig.of_name(text, self.first_click, no_guess, self.luck) for text in self.boards]

    @property
    def rates_safety(self) -> bool:
        """Whether returns are the safety of cells: 1 for a safe click, and gamma 0."""
        return (self.reward, self.gamma) == ("safe_click", 0)

    @property
    def has_probabilities(self) -> bool:
        """Whether returns are probabilities: of a safe click (gamma 0), or of a won game (discounted by gamma)."""
        return self.reward == "win" or self.rates_safety

    @property
    def without_effect(self) -> dict[str, str]:
        """The hyperparameters that have no effect under the other settings, each with the setting that it needs."""
        if self.algo == "afterstate":
            return {}
        # `keep_min` has no effect without `keep_scale`, and `isolated_weight_cap` none without `hindsight`.
        dependent = ("keep_min", "isolated_weight_cap")
        unmet = {} if self.gamma > 0 else dict.fromkeys(("gae_lambda", "target_update_interval"), "gamma above 0")
        if not self.rates_safety:
            unmet |= dict.fromkeys((*OF_SAFETY, *dependent), "reward safe_click and gamma 0")
        elif self.teacher != "none":
            unmet |= dict.fromkeys(OF_LABELS, "no teacher")
        if self.algo == "plain-ppo":  # It has no replay, no thinning and no hindsight.
            unmet |= dict.fromkeys(("buffer_size", "replay_ratio", *dependent), "another algo than plain-ppo")
        return unmet

    @property
    def title(self) -> str:
        """The algorithm and the boards, in words."""
        return f"{self.algo} on {', '.join(self.boards)}"

    @property
    def budget_in_words(self) -> str:
        """The budget, such as "10 minutes" or "1 000 000 steps"."""
        return f"{self.minutes:g} minutes" if self.steps is None else f"{self.steps:_} steps".replace("_", " ")

    @property
    def network_size(self) -> NetworkSize:
        """The size of the network."""
        return NetworkSize(self.channels, self.depth)

    def make_learner(self) -> Any:
        """Returns a new learner; see `baselines.learned.training.state.Learner`."""
        return resolve_name(self.hyperparameters.learner)(self)

    def first_training_seed(self, board: int) -> int:
        """Returns the seed of the first game on a board, given by its index in `boards`.

        Trainings with different seeds share no games, and neither do the boards of one training.
        """
        return TRAINING_SEEDS.start + (self.seed * MAX_BOARDS + board) * MAX_ENVS

    def to_json(self) -> dict[str, Any]:
        """Returns the settings with all hyperparameters as a JSON object."""
        return asdict(self) | {"boards": list(self.boards)}


def scaled(number: int, cells: int) -> int:
    """Returns how many boards of `cells` cells hold about as many cells as `number` boards of `USUAL_CELLS`.

    Returns at most `number`, and at least `LEAST_BOARDS` unless `number` is smaller.
    """
    return max(min(number, LEAST_BOARDS), number * USUAL_CELLS // cells) if cells > USUAL_CELLS else number


@dataclass
class Budget:
    """A limit in steps, or in seconds of wall-clock time, over all sessions; exactly one of the two is given."""

    steps: int | None = None  # of the environment
    seconds: float | None = None
    seconds_before: float = 0.0  # spent by earlier sessions of a resumed training
    _start: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Returns the seconds trained so far, earlier sessions included."""
        return self.seconds_before + time.monotonic() - self._start

    def progress(self, steps: int) -> float:
        """Returns the spent fraction of the budget, 0 to 1, after `steps` steps in all; at 1 the training ends."""
        if self.steps is not None:
            return min(1.0, steps / self.steps)
        assert self.seconds is not None
        return min(1.0, self.elapsed() / self.seconds)
