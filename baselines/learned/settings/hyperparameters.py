"""The hyperparameters of each algorithm, by the names that Stable-Baselines3 gives them where it has them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from baselines.learned.settings.retired import present_names
from baselines.support.checks import number_within, whole_number_within

MAX_BATCH = 1 << 20
MAX_BUFFER = 1 << 26


def _number(default: float, least: float, most: float) -> Any:
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True)
class Hyperparameters:
    """What all algorithms share.

    Attributes:
        learning_rate: of Adam, at first; `muon.py` says what Muon makes of it.
        learning_rate_flat: the share of the training, 0 to 0.99, in which it stays; from then on it falls linearly.
        learning_rate_final: the share of it that is left in the end, 0 to 1.
        batch_size: the samples of a minibatch on a board of 64 cells; on others it has as many cells.
        max_grad_norm: the norm of the gradient above which it is scaled down.
        weight_decay: how fast weights shrink by themselves, as a share of the learning rate: in Muon its matrices,
            in Adam (which makes it AdamW) all.

    Raises:
        ValueError: a value is not allowed; the message says what is.
    """

    learning_rate: float = _number(1e-3, 1e-8, 1)
    learning_rate_flat: float = _number(0.1, 0, 0.99)
    learning_rate_final: float = _number(0.02, 0, 1)
    batch_size: int = _number(64, 1, MAX_BATCH)
    max_grad_norm: float = _number(10.0, 1e-6, 1e6)
    weight_decay: float = _number(0.1, 0, 1)

    def __post_init__(self) -> None:
        """Checks all fields by the bounds that they are declared with."""
        for entry in fields(self):
            check = whole_number_within if entry.type == "int" else number_within
            value = check(entry.name, getattr(self, entry.name), entry.metadata["least"], entry.metadata["most"])
            object.__setattr__(self, entry.name, value)

    def to_json(self) -> dict[str, Any]:
        """Returns them as a JSON object."""
        return asdict(self)

    @classmethod
    def of(cls, content: Any) -> Hyperparameters:
        """Returns the hyperparameters in `content`, a dict, and the defaults of all others; retired names are read.

        Raises:
            ValueError: one is unknown or not allowed; the message says what is.
        """
        names = [entry.name for entry in fields(cls)]
        if not isinstance(content, dict):
            raise ValueError(f"hyperparameters must be a table, not {content!r}")
        content = present_names(content)
        unknown = [str(name) for name in content if name not in names]
        if unknown:
            raise ValueError(f"there is no hyperparameter {', '.join(unknown)}; there are {', '.join(names)}")
        return cls(**content)


@dataclass(frozen=True)
class DQNHyperparameters(Hyperparameters):
    """Those of DQN; `dqn.py` and `replay.py` say what they do.

    Attributes:
        buffer_size: the transitions that the replay buffer of a board holds.
        learning_starts: the transitions that it must hold before a minibatch is drawn.
        train_freq: the steps of all games between two rounds of training.
        replay_ratio: mean number of draws per stored transition.
        keep_scale: a transition is stored with a chance of `keep_scale` times the error of its prediction; with 0, all
            are stored.
        keep_min: lower bound of this probability.
        hindsight: the weight of the loss on what all covered cells proved to be, beside that on the clicked one; with
            0, learning is from the clicks alone.
        isolated_weight_cap: cap on the total weight, in cells, of covered cells without an open neighbour in this loss.
        target_update_interval: the steps between two updates of the target network.
        exploration_fraction: the share of the training in which exploration falls to its final rate.
        exploration_initial_eps: the share of random clicks at first.
        exploration_final_eps: the share of random clicks in the end.
    """

    buffer_size: int = _number(50_000, 1, MAX_BUFFER)
    learning_starts: int = _number(1_000, 1, MAX_BUFFER)
    train_freq: int = _number(8, 1, 10_000)
    replay_ratio: float = _number(4.0, 1e-3, 1e3)
    keep_scale: float = _number(5.0, 0, 1e6)
    keep_min: float = _number(0.1, 1e-3, 1)
    hindsight: float = _number(1.0, 0, 1e3)
    isolated_weight_cap: float = _number(64.0, 0, 1e6)
    target_update_interval: int = _number(10_000, 1, 1 << 40)
    exploration_fraction: float = _number(0.02, 0, 1)
    exploration_initial_eps: float = _number(1.0, 0, 1)
    exploration_final_eps: float = _number(0.0, 0, 1)

    def __post_init__(self) -> None:
        """Checks all fields."""
        super().__post_init__()
        if self.learning_starts > self.buffer_size:
            raise ValueError(f"learning_starts, {self.learning_starts}, is above buffer_size, {self.buffer_size}")


@dataclass(frozen=True)
class PPOHyperparameters(Hyperparameters):
    """Those of PPO, as Stable-Baselines3 documents them.

    Attributes:
        n_steps: the steps of each game in a rollout.
        n_epochs: how often each rollout is learned from.
        gae_lambda: of generalised advantage estimation.
        clip_range: of the probability ratio.
        vf_coef: the weight of the value loss.
        ent_coef: the weight of the entropy.
        hindsight: the weight of the auxiliary loss on what covered cells proved to be; with 0, there is none.
        isolated_weight_cap: cap on the total weight, in cells, of covered cells without an open neighbour in this loss.
        buffer_size: how many boards are kept for it, of each size.
        replay_ratio: mean number of draws per stored board.
        keep_scale: a step is learned from, and its board kept, with a chance of `keep_scale` times 1 - V; with 0, all.
        keep_min: lower bound of this probability.
    """

    max_grad_norm: float = _number(5.0, 1e-6, 1e6)
    n_steps: int = _number(8, 1, 1 << 16)
    n_epochs: int = _number(1, 1, 1_000)
    gae_lambda: float = _number(0.95, 0, 1)
    clip_range: float = _number(0.2, 1e-3, 10)
    vf_coef: float = _number(1.0, 0, 1e6)
    ent_coef: float = _number(0.0, 0, 1e6)
    hindsight: float = _number(1.0, 0, 1e3)
    isolated_weight_cap: float = _number(64.0, 0, 1e6)
    buffer_size: int = _number(50_000, 1, MAX_BUFFER)
    replay_ratio: float = _number(4.0, 1e-3, 1e3)
    keep_scale: float = _number(5.0, 0, 1e6)
    keep_min: float = _number(0.1, 1e-3, 1)


@dataclass(frozen=True)
class PlainPPOHyperparameters(PPOHyperparameters):
    """Those of PPO without anything of ours: no hindsight, no thinning, the usual weight of the value loss."""

    learning_rate: float = _number(1e-3, 1e-8, 1)
    batch_size: int = _number(512, 1, MAX_BATCH)
    max_grad_norm: float = _number(0.5, 1e-6, 1e6)
    weight_decay: float = _number(0.0, 0, 1)
    n_steps: int = _number(32, 1, 1 << 16)
    n_epochs: int = _number(4, 1, 1_000)
    vf_coef: float = _number(0.5, 0, 1e6)
    ent_coef: float = _number(0.01, 0, 1e6)
    hindsight: float = _number(0.0, 0, 0)
    keep_scale: float = _number(0.0, 0, 0)


@dataclass(frozen=True)
class ValueHyperparameters(Hyperparameters):
    """Those of value; `value/practice.py` and `value/learner.py` say what they do.

    Attributes:
        exploration: the chance that a guess is any of the clicks that are considered, and not the best.
        slack: how much more than the least risk a click may have to be considered.
        breadth: how many clicks are considered at most, those of least risk.
        decay: the lambda of the returns.
        replay_ratio: number of draws per board.
        waiting_batches: minibatches that wait at least, so that each one is drawn from boards of many games.
        layouts: how many layouts, at most, are valued exactly, which ends a game.
        nodes: the sets of layouts that are examined for this, at most.
    """

    max_grad_norm: float = _number(5.0, 1e-6, 1e6)
    exploration: float = _number(0.3, 0, 1)
    slack: float = _number(0.12, 0, 1)
    breadth: int = _number(8, 1, 1_000)
    decay: float = _number(0.7, 0, 1)
    replay_ratio: int = _number(4, 1, 1_000)
    waiting_batches: int = _number(64, 0, 1_000_000)
    layouts: int = _number(250, 0, 1_000_000)
    nodes: int = _number(20_000, 1, 1 << 40)


ALGORITHMS: dict[str, type[Hyperparameters]] = {
    "ppo": PPOHyperparameters,
    "plain-ppo": PlainPPOHyperparameters,
    "dqn": DQNHyperparameters,
    "value": ValueHyperparameters,
}
"""The algorithms by name, and what sets their hyperparameters."""
