"""DQN with action masks, on the base of Stable-Baselines3.

Differences from textbook DQN:

1. Masks. The Q-network gives illegal clicks the value `ILLEGAL`, below every return. So neither the greedy argmax
   nor the maximum in the target chooses one. Exploration draws legal clicks only.
2. Exploration is drawn for each game of the batch, not once for all games.
3. If returns are probabilities (see `make_model`), Q is the sigmoid of the head and the loss is the cross-entropy.
   By default the reward is 1 for a safe click and gamma is 0. Then Q(s, a) is the probability that cell a is safe.
4. With gamma 0 the target is the reward, and the target network is not evaluated.
5. A random symmetry of the board turns and mirrors each minibatch.
6. The first click of a game is drawn uniformly. Most first-click rules make every first click safe, so its values
   carry no information, and a fixed first cell would leave the other openings unseen. With gamma 0 the first click
   is not stored.
7. The replay buffer keeps only a sample of the clicks that were almost certainly safe (`replay_buffer.py`). So most of
   the learning time goes to uncertain clicks.
8. The last board of a finished game shows where the mines were, to any player. With gamma 0 the agent learns from it,
   for every covered cell of every stored board, whether the cell was safe. `hindsight` weighs this second loss. It uses
   observations only, yet is closer to supervised learning than to reinforcement learning. With weight 0 the agent
   learns from its clicks alone.
9. With `hindsight_games` "won", hindsight uses what a player sees of a win alone: its covered cells are the mines.
   Boards up to the last guess are left out, because games are won only where the guesses went well.
10. `consistency` weighs a third loss, from the visible board alone: the risks around a clue sum to it.
11. With `teacher`, the oracle gives the target of every cell. That is distillation, not learning by playing.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.common.multi_board import BoardExtractor, MultiBoardMixin, check_clicks_alone, make_model
from baselines.learned.common.optimisation import consistency_losses, safety_of
from baselines.learned.common.replay_buffer import ThinnedReplayBuffer, Transitions, keep_probabilities
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.networks import cell_head, click_masks, random_clicks, turn_at_random, unopened
from baselines.learned.settings import DQNHyperparameters, TrainingSettings
from minesweeper_env.config import BoardConfig

GUESS = 0.9
"""A click of a lower Q is a guess, for `hindsight_games`."""

ILLEGAL = -1e8
"""Q-value of an illegal click, below every return."""


class MinesweeperQNetwork(QNetwork):
    """Q-network with the shared trunk and one Q-value per click; `MinesweeperQPolicy` makes it."""

    probability = True

    def forward(self, obs: PyTorchObs) -> Tensor:
        """Returns the Q-values, (N, rows * cols); `ILLEGAL` where a click does nothing."""
        assert isinstance(obs, Tensor)
        outputs = super().forward(obs)
        values = torch.sigmoid(outputs) if self.probability else outputs
        return values.masked_fill(~click_masks(obs), ILLEGAL)


class MinesweeperQPolicy(DQNPolicy):
    """Policy for `MaskedDQN`. Stable-Baselines3's own `DQN` accepts it too, but explores without the masks.

    It takes the arguments of `DQNPolicy`, with the sizes of the network as features_extractor_kwargs, and
    `probability`, True if returns are probabilities.
    """

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        self.probability = probability
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "net_arch": [], **kwargs})

    def make_q_net(self) -> MinesweeperQNetwork:
        """Returns a new Q-network."""
        check_clicks_alone(self.observation_space, self.action_space)
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        network = MinesweeperQNetwork(**arguments)
        network.q_net, network.probability = cell_head(network.features_dim), self.probability
        return network.to(self.device)

    def click_head(self) -> nn.Sequential:
        """Returns the head of the Q-network."""
        return self.q_net.q_net

    def begin_with(self, head: nn.Sequential) -> None:
        """Copies a click head into the Q-network, then the Q-network, with its trunk, into the target network."""
        self.q_net.q_net.load_state_dict(head.state_dict())
        self.q_net_target.load_state_dict(self.q_net.state_dict())


def distillation_loss(outputs: Tensor, codes: Tensor, config: BoardConfig) -> Tensor:
    """Returns the cross-entropy of a network's safety against the oracle's, (N, 1), a mean over the legal clicks.

    Args:
        outputs: (N, rows * cols), logits of the probability that a cell is safe.
        codes: (N, rows, cols), boards of games in progress.
        config: the board and the rules.
    """
    legal, safe = click_masks(codes), safety_of(codes, config.mines)
    losses = functional.binary_cross_entropy_with_logits(outputs, safe, reduction="none")
    return (losses * legal).sum(dim=1, keepdim=True) / legal.sum(dim=1, keepdim=True)


class MaskedDQN(MultiBoardMixin, DQN):
    """DQN for click-only boards of cell codes; the module docstring lists the differences from textbook DQN.

    Args:
        policy: `MinesweeperQPolicy`.
        env: a `MinesweeperVecEnv`.
        teacher: True to fit the oracle's probabilities of all cells instead of the returns.
        hyperparameters: `keep_scale`, `hindsight` and `consistency` have an effect if gamma is 0 and returns are
            probabilities. `replay_ratio` replaces `gradient_steps`.
        **kwargs: arguments of `DQN`, with its own hyperparameters among them.
    """

    counters = (*MultiBoardMixin.counters, "_n_calls", "exploration_rate")
    policy: MinesweeperQPolicy

    def __init__(
        self,
        policy: type[MinesweeperQPolicy],
        env: MinesweeperVecEnv,
        hyperparameters: DQNHyperparameters,
        teacher: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(policy, env, hyperparameters, replay_buffer_class=ThinnedReplayBuffer, **kwargs)
        self.teacher = teacher

    def choose_clicks(self, boards: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Returns epsilon-greedy clicks (N,), all random on unopened boards, and their Q-values (N,)."""
        epsilon = 1.0 if self.num_timesteps < self.learning_starts else self.exploration_rate
        with torch.no_grad():
            values = self.q_net(torch.as_tensor(boards, device=self.device)).cpu().numpy()
        explores = (torch.rand(len(boards)).numpy() < epsilon) | unopened(boards)
        clicks = np.where(explores, random_clicks(boards), values.argmax(axis=1))
        return clicks, np.take_along_axis(values, clicks[:, None], axis=1)[:, 0]

    def _sample_action(self, *_: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        clicks, self._q_of_clicks = self.choose_clicks(self._last_obs)
        return clicks, clicks  # The actions to play, and those to store.

    def _store_transition(
        self, _buffer: Any, clicks: NDArray[np.int64], new_obs: Any, rewards: Any, dones: Any, infos: Any
    ) -> None:
        """Stores a sample of the transitions of a step, and the outcomes of the games that ended."""
        boards, q_of_clicks = self._last_obs, self._q_of_clicks
        next_boards = np.array(new_obs)
        terminated = dones.copy()
        for index in np.flatnonzero(dones):
            next_boards[index] = infos[index]["terminal_observation"]
            terminated[index] = not infos[index]["TimeLimit.truncated"]
        chances = keep_probabilities(1 - q_of_clicks, self.hyperparameters.keep_scale, self.hyperparameters.keep_min)
        kept = torch.rand(len(boards)).numpy() < chances
        if self.gamma == 0:
            kept &= ~unopened(boards)
        self.slot.store(
            kept, observations=boards, next_observations=next_boards, actions=clicks, rewards=rewards, dones=terminated
        )
        wins_only = self.hyperparameters.hindsight_games == "won"
        self.slot.forget(wins_only & (q_of_clicks < GUESS))  # A guess biases the label of the boards up to it.
        self.slot.record_ends(dones, infos, losses=not wins_only)
        self._last_obs = new_obs

    def _play_and_learn(self, callback: BaseCallback) -> int:
        rollout = self.collect_rollouts(self.slot.env, callback, self.train_freq, self.replay_buffer)
        if self.num_timesteps > self.learning_starts:
            self.train(gradient_steps=1)
        return rollout.episode_timesteps

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:  # noqa: ARG002
        """Learns from the replay buffer, and logs "train/loss"; `replay_ratio` alone sets the number of steps."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        ready = self.slot.buffer.size >= min(self.learning_starts, self.buffer_size)
        losses = self.learn_from_buffer(self._loss) if ready else []
        self._n_updates += len(losses)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        if losses:
            self.logger.record_mean("train/loss", float(np.mean(losses)))

    def _loss(self, sample: Transitions) -> Tensor:
        """Returns the loss of a minibatch: of the clicks and the weighted auxiliary ones, or that of distillation."""
        boards, new_cells = turn_at_random(sample.observations)
        outputs = QNetwork.forward(self.q_net, boards)  # logits of illegal clicks, too
        if self.teacher:
            return distillation_loss(outputs, boards, self.slot.env.config).mean()
        # Undo the symmetry: actions and hindsight refer to the original cells.
        outputs = outputs[:, new_cells]
        targets, outputs_of_clicks = self._targets(sample), outputs.gather(1, sample.actions)
        # Probabilities take the cross-entropy: its gradient survives a saturated sigmoid. Other values take DQN's loss.
        probability = self.policy.probability
        loss = functional.binary_cross_entropy_with_logits if probability else functional.smooth_l1_loss
        losses = loss(outputs_of_clicks, targets, reduction="none")
        if self.hyperparameters.hindsight > 0:
            losses = losses + self.hyperparameters.hindsight * self.hindsight_losses(outputs, sample)
        if self.hyperparameters.consistency > 0:
            consistency = consistency_losses(outputs, sample.observations, self.slot.env.config.mines)
            losses = losses + self.hyperparameters.consistency * consistency
        return losses.mean()

    def _targets(self, sample: Transitions) -> Tensor:
        """Returns the one-step targets, (N, 1)."""
        if self.gamma == 0:
            return sample.rewards
        with torch.no_grad():
            next_values = self.q_net_target(sample.next_observations).amax(dim=1, keepdim=True)
        return sample.rewards + (1 - sample.dones) * self.gamma * next_values


def make_dqn(settings: TrainingSettings) -> MaskedDQN:
    """Returns a new model with games in progress."""
    return make_model(MaskedDQN, MinesweeperQPolicy, settings, teacher=settings.teacher == "exact")
