"""Hyperparameters of each algorithm; their declarations load no library of learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from baselines.learned.settings import ISOLATED, KEEP, MAX_BATCH, MAX_BUFFER, Hyperparameters, option


@dataclass(frozen=True)
class PPOHyperparameters(Hyperparameters):
    """Hyperparameters of PPO; the constructor of `MinesweeperPPO` takes them by their names."""

    learner: ClassVar[str] = "baselines.learned.ppo:make_ppo"
    max_grad_norm: float = option(5.0, "norm to which larger gradients are clipped", 1e-6, 1e6)
    n_steps: int = option(8, "steps of each game per rollout", 1, 1 << 16)
    n_epochs: int = option(1, "passes over each rollout", 1, 1_000)
    gae_lambda: float = option(0.95, "lambda of generalised advantage estimation", 0, 1)
    clip_range: float = option(0.2, "clipping range of the probability ratio", 1e-3, 10)
    policy_coef: float = option(1.0, "weight of the policy gradient; 0 turns it off", 0, 1e6)
    vf_coef: float = option(1.0, "weight of the value loss", 0, 1e6)
    ent_coef: float = option(0.0, "weight of the entropy", 0, 1e6)
    hindsight: float = option(1.0, "weight of the loss on all covered cells; 0: clicks alone", 0, 1e3)
    isolated_weight_cap: float = option(64.0, ISOLATED, 0, 1e6)
    buffer_size: int = option(50_000, "boards in each replay buffer", 1, MAX_BUFFER)
    replay_ratio: float = option(4.0, "mean number of draws per stored board", 1e-3, 1e3)
    keep_scale: float = option(5.0, KEEP, 0, 1e6)
    keep_min: float = option(0.1, "minimum probability of keeping", 1e-3, 1)


@dataclass(frozen=True)
class PlainPPOHyperparameters(PPOHyperparameters):
    """Hyperparameters of unmodified PPO: no hindsight, no thinning, the usual weight of the value loss."""

    learner: ClassVar[str] = "baselines.learned.ppo:make_plain_ppo"
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


@dataclass(frozen=True)
class DQNHyperparameters(Hyperparameters):
    """Hyperparameters of DQN; the constructor of `MaskedDQN` takes them by their names."""

    learner: ClassVar[str] = "baselines.learned.dqn:make_dqn"
    buffer_size: int = option(50_000, "boards in each replay buffer", 1, MAX_BUFFER)
    learning_starts: int = option(1_000, "stored transitions before the first minibatch", 1, MAX_BUFFER)
    train_freq: int = option(8, "steps of every game between two rounds of updates", 1, 10_000)
    replay_ratio: float = option(4.0, "mean number of draws per stored board", 1e-3, 1e3)
    keep_scale: float = option(5.0, KEEP, 0, 1e6)
    keep_min: float = option(0.1, "minimum probability of keeping", 1e-3, 1)
    hindsight: float = option(1.0, "weight of the loss on all covered cells; 0: clicks alone", 0, 1e3)
    isolated_weight_cap: float = option(64.0, ISOLATED, 0, 1e6)
    target_update_interval: int = option(10_000, "steps between two updates of the target network", 1, 1 << 40)
    exploration_fraction: float = option(0.02, "fraction of the training in which exploration falls to its end", 0, 1)
    exploration_initial_eps: float = option(1.0, "initial fraction of random clicks", 0, 1)
    exploration_final_eps: float = option(0.0, "final fraction of random clicks", 0, 1)


@dataclass(frozen=True)
class AfterstateHyperparameters(Hyperparameters):
    """Hyperparameters of afterstate; `SelfPlay` and `AfterstateLearner` explain them."""

    learner: ClassVar[str] = "baselines.learned.afterstate.learner:AfterstateLearner"
    learning_rate_flat: float = option(0.4, "fraction of the training before the learning rate falls linearly", 0, 0.99)
    batch_size: int = option(256, "boards of 64 cells per minibatch; fewer boards if they are larger", 1, MAX_BATCH)
    buffer_size: int = option(100_000, "boards in each replay buffer", 1, MAX_BUFFER)
    replay_ratio: float = option(4.0, "mean number of draws per stored board", 1e-3, 1e3)
    keep_scale: float = option(2.0, KEEP, 0, 1e6)
    keep_min: float = option(0.05, "minimum probability of keeping", 0, 1)
    isolated_weight_cap: float = option(64.0, ISOLATED, 0, 1e6)
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
