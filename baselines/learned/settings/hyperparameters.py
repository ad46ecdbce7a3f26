"""Hyperparameters of each algorithm, named as in Stable-Baselines3 where it has them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from baselines.learned.settings.options import check_options, option

GUESS_SLACK = 0.3
"""Excess over the least risk up to which `afterstate` weighs a click, on boards of at most 64 cells."""

GUESS_BREADTH = 20
"""Maximum number of clicks that `afterstate` weighs."""

SURE = 0.95
"""Safety from which `afterstate` clicks a cell without weighing others."""


MAX_BATCH = 1 << 20
MAX_BUFFER = 1 << 26
VALUE_POOLINGS = ("mean", "mean_max", "attention")

_ISOLATED = "cap on the total loss weight, in cells, of covered cells without an open neighbour"


@dataclass(frozen=True)
class Hyperparameters:
    """Hyperparameters of all algorithms; each field declares its meaning and its bounds.

    Raises:
        ValueError: a value is not allowed; the message names the allowed values.
    """

    learning_rate: float = option(1e-3, "initial learning rate of Adam; Muon multiplies it by 10", 1e-8, 1)
    learning_rate_flat: float = option(0.1, "fraction of the training before the learning rate falls linearly", 0, 0.99)
    learning_rate_final: float = option(0.02, "final learning rate as a fraction of the initial one", 0, 1)
    batch_size: int = option(64, "boards of 64 cells per minibatch; fewer boards if they are larger", 1, MAX_BATCH)
    max_grad_norm: float = option(10.0, "norm to which larger gradients are clipped", 1e-6, 1e6)
    weight_decay: float = option(0.1, "weight decay as a fraction of the learning rate", 0, 1)

    def __post_init__(self) -> None:
        """Checks all fields."""
        check_options(self)

    def to_json(self) -> dict[str, Any]:
        """Returns the hyperparameters as a JSON object."""
        return asdict(self)

    @classmethod
    def of(cls, content: Any) -> Hyperparameters:
        """Returns the hyperparameters in `content`, a dict, completed by the defaults.

        Raises:
            ValueError: a name or a value is not allowed; the message names the allowed ones.
        """
        names = [entry.name for entry in fields(cls)]
        if not isinstance(content, dict):
            raise ValueError(f"hyperparameters must be a table, not {content!r}")
        unknown = [str(name) for name in content if name not in names]
        if unknown:
            raise ValueError(f"unknown hyperparameter {', '.join(unknown)}; the hyperparameters are {', '.join(names)}")
        return cls(**content)


@dataclass(frozen=True)
class DQNHyperparameters(Hyperparameters):
    """Hyperparameters of DQN; `dqn/algorithm.py` explains them."""

    buffer_size: int = option(50_000, "transitions in the replay buffer of a board", 1, MAX_BUFFER)
    learning_starts: int = option(1_000, "stored transitions before the first minibatch", 1, MAX_BUFFER)
    train_freq: int = option(8, "steps of every game between two rounds of updates", 1, 10_000)
    replay_ratio: float = option(4.0, "mean number of draws per stored transition", 1e-3, 1e3)
    keep_scale: float = option(
        5.0, "probability of storing a transition, as a multiple of its error; 0 stores all", 0, 1e6
    )
    keep_min: float = option(0.1, "minimum probability of storing", 1e-3, 1)
    hindsight: float = option(1.0, "weight of the loss on all covered cells; 0 learns from clicks alone", 0, 1e3)
    isolated_weight_cap: float = option(64.0, _ISOLATED, 0, 1e6)
    target_update_interval: int = option(10_000, "steps between two updates of the target network", 1, 1 << 40)
    exploration_fraction: float = option(0.02, "fraction of the training in which exploration falls to its end", 0, 1)
    exploration_initial_eps: float = option(1.0, "initial fraction of random clicks", 0, 1)
    exploration_final_eps: float = option(0.0, "final fraction of random clicks", 0, 1)

    def __post_init__(self) -> None:
        """Checks all fields."""
        super().__post_init__()
        if self.learning_starts > self.buffer_size:
            raise ValueError(f"learning_starts, {self.learning_starts}, is above buffer_size, {self.buffer_size}")


@dataclass(frozen=True)
class PPOHyperparameters(Hyperparameters):
    """Hyperparameters of PPO; Stable-Baselines3 documents the first six of its own."""

    max_grad_norm: float = option(5.0, "norm to which larger gradients are clipped", 1e-6, 1e6)
    n_steps: int = option(8, "steps of each game per rollout", 1, 1 << 16)
    n_epochs: int = option(1, "passes over each rollout", 1, 1_000)
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation", 0, 1)
    clip_range: float = option(0.2, "clipping range of the probability ratio", 1e-3, 10)
    policy_coef: float = option(1.0, "weight of the policy gradient; 0 turns it off", 0, 1e6)
    vf_coef: float = option(1.0, "weight of the value loss", 0, 1e6)
    ent_coef: float = option(0.0, "weight of the entropy", 0, 1e6)
    hindsight: float = option(1.0, "weight of the auxiliary loss on all covered cells; 0 for none", 0, 1e3)
    isolated_weight_cap: float = option(64.0, _ISOLATED, 0, 1e6)
    buffer_size: int = option(50_000, "boards stored for the auxiliary loss, per board size", 1, MAX_BUFFER)
    replay_ratio: float = option(4.0, "mean number of draws per stored board", 1e-3, 1e3)
    keep_scale: float = option(5.0, "probability of learning from a step, as a multiple of 1 - V; 0 keeps all", 0, 1e6)
    keep_min: float = option(0.1, "minimum probability of learning from a step", 1e-3, 1)


@dataclass(frozen=True)
class PlainPPOHyperparameters(PPOHyperparameters):
    """Hyperparameters of unmodified PPO: no hindsight, no thinning, the usual weight of the value loss."""

    batch_size: int = option(512, "boards of 64 cells per minibatch; fewer boards if they are larger", 1, MAX_BATCH)
    max_grad_norm: float = option(0.5, "norm to which larger gradients are clipped", 1e-6, 1e6)
    weight_decay: float = option(0.0, "weight decay as a fraction of the learning rate", 0, 1)
    n_steps: int = option(32, "steps of each game per rollout", 1, 1 << 16)
    n_epochs: int = option(4, "passes over each rollout", 1, 1_000)
    policy_coef: float = option(1.0, "always 1", 1, 1)
    vf_coef: float = option(0.5, "weight of the value loss", 0, 1e6)
    ent_coef: float = option(0.01, "weight of the entropy", 0, 1e6)
    hindsight: float = option(0.0, "always 0", 0, 0)
    keep_scale: float = option(0.0, "always 0", 0, 0)
    value_pooling: str = option("mean", "how the value pools the cells of the board", choices=VALUE_POOLINGS)
    share_features_extractor: int = option(1, "1: policy and value share one trunk; 0: each has its own", 0, 1)


@dataclass(frozen=True)
class AfterstateHyperparameters(Hyperparameters):
    """Hyperparameters of afterstate; `afterstate/self_play.py` and `afterstate/learner.py` explain them."""

    learning_rate_flat: float = option(0.4, "fraction of the training before the learning rate falls linearly", 0, 0.99)
    batch_size: int = option(256, "boards of 64 cells per minibatch; fewer boards if they are larger", 1, MAX_BATCH)
    buffer_size: int = option(100_000, "boards in each replay buffer", 1, MAX_BUFFER)
    replay_ratio: float = option(4.0, "mean number of draws per stored afterstate", 1e-3, 1e3)
    keep_scale: float = option(
        2.0, "probability of storing a board, as a multiple of the error of its safest cell", 0, 1e6
    )
    keep_min: float = option(0.05, "minimum probability of storing", 0, 1)
    isolated_weight_cap: float = option(64.0, _ISOLATED, 0, 1e6)
    counts: float = option(0.5, "weight of the loss of the counts", 0, 1e3)
    mixing: float = option(
        0.3, "weight of the outcome in the targets after the first click; the rest is bootstrapped", 0, 1
    )
    exploration: float = option(0.3, "probability that a guess explores; one guess per game does, at most", 1e-3, 1)
    exploration_slack: float = option(0.12, "maximum risk of an exploring click above the least risk", 0, 1)
    slack: float = option(0.05, "maximum risk of a weighed click above the least, on up to 64 cells", 0, 1)
    breadth: int = option(8, "upper bound on the clicks weighed at a guess", 1, 1_000)
    sure: float = option(0.99, "safety at which a training game clicks a cell without weighing others", 0, 1)
    search_starts: int = option(60_000, "boards to learn from before training games weigh clicks", 0, MAX_BUFFER)
    depth_spread: int = option(2, "training leaves out up to this many applications of the block, at random", 0, 63)
    recall: int = option(1, "1: the input planes enter every application of the block; 0: the first alone", 0, 1)
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
"""Classes of hyperparameters by the name of the algorithm."""
