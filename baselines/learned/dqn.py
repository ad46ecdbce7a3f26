"""DQN with action masks: Stable-Baselines3's, with what it lacks for Minesweeper.

What differs from textbook DQN:

1. Masks. The Q-network gives illegal clicks the value `ILLEGAL`, below every return, so the greedy argmax
   and the target's maximum over the next state never choose one; exploration draws legal clicks alone.
2. Exploration is drawn for each game of the batch, not once for all of them.
3. If returns are probabilities (see `returns.py`), Q is the sigmoid of the head and the loss is the
   cross-entropy. By default the reward is 1 for a safe click and gamma is 0, which makes Q(s, a) the
   probability that cell a is safe, learned from the agent's own clicks.
4. With gamma 0 the target is the reward, and the target network is not asked.
5. Each minibatch is turned and mirrored by one random symmetry of the board.
6. The first click of a game is drawn uniformly: under most first-click rules it is always safe, so values
   could not tell the cells apart, and games that always start in one place teach nothing of the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import DQN
from stable_baselines3.common.type_aliases import PyTorchObs
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

from baselines.learned.features import BoardExtractor
from baselines.learned.masks import click_masks, untouched
from baselines.learned.network import BoardNetwork, CellHead
from baselines.learned.pacing import Paced
from baselines.learned.returns import to_return, value_loss
from baselines.learned.symmetry import symmetries, transform, transform_cells

ILLEGAL = -1e8


class MinesweeperQNetwork(QNetwork):
    """Q-values of all clicks by the shared trunk and one number a cell."""

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Takes the arguments of `QNetwork`, and whether returns are probabilities."""
        super().__init__(*args, **kwargs)
        self.q_net = CellHead(self.features_dim)  # type: ignore[assignment]
        self.probability = probability

    def outputs(self, obs: PyTorchObs) -> Tensor:
        """Returns what the head says of every cell, (N, rows * cols), before the sigmoid if there is one."""
        outputs: Tensor = self.q_net(self.extract_features(obs, self.features_extractor))
        return outputs

    def forward(self, obs: PyTorchObs) -> Tensor:
        """Returns the Q-values, (N, rows * cols), with `ILLEGAL` where a click does nothing."""
        assert isinstance(obs, Tensor)
        return to_return(self.outputs(obs), self.probability).masked_fill(~click_masks(obs), ILLEGAL)


class MinesweeperQPolicy(DQNPolicy):
    """The policy to give to `MaskedDQN`, or to Stable-Baselines3's own `DQN`, whose draws are then unmasked.

    Args:
        args: as `DQNPolicy` takes them.
        probability: whether returns are probabilities.
        kwargs: as `DQNPolicy` takes them; features_extractor_kwargs holds the sizes of the network.
    """

    def __init__(self, *args: Any, probability: bool = True, **kwargs: Any) -> None:
        """Builds the network and its target."""
        self.probability = probability
        super().__init__(*args, **{"features_extractor_class": BoardExtractor, "net_arch": [], **kwargs})

    def make_q_net(self) -> MinesweeperQNetwork:
        """Returns a new Q-network."""
        arguments = self._update_features_extractor(self.net_args, features_extractor=None)
        return MinesweeperQNetwork(**arguments, probability=self.probability).to(self.device)


class MaskedDQN(Paced, DQN):
    """DQN for click-only boards of codes; the module says how it differs from Stable-Baselines3's."""

    policy: MinesweeperQPolicy

    def predict(
        self,
        observation: NDArray[np.int8] | dict[str, Any],
        state: tuple[NDArray[Any], ...] | None = None,
        episode_start: NDArray[np.bool_] | None = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[np.int64], tuple[NDArray[Any], ...] | None]:
        """Returns the greedy clicks, some of them replaced by random legal ones unless `deterministic`."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic=True)
        if deterministic:
            return actions, state
        boards = np.asarray(observation).reshape(-1, *self.observation_space.shape)  # type: ignore[misc]
        explores = (torch.rand(len(boards)).numpy() < self.exploration_rate) | untouched(boards)
        return np.where(explores, random_clicks(boards), actions.reshape(-1)).reshape(actions.shape), state

    def _sample_action(
        self,
        learning_starts: int,
        action_noise: Any = None,  # noqa: ARG002 - the signature is Stable-Baselines3's
        n_envs: int = 1,  # noqa: ARG002
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        assert isinstance(self._last_obs, np.ndarray)
        if self.num_timesteps < learning_starts:
            actions = random_clicks(self._last_obs)
        else:
            actions, _ = self.predict(self._last_obs)
        return actions, actions

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Takes gradient steps on minibatches of the replay buffer, and logs "train/loss"."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses = [self._gradient_step(batch_size) for _ in range(gradient_steps)]
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", np.mean(losses))

    def _gradient_step(self, batch_size: int) -> float:
        assert self.replay_buffer is not None
        assert isinstance(self.q_net, MinesweeperQNetwork)
        sample = self.replay_buffer.sample(batch_size)
        targets = self._targets(sample.next_observations, sample.rewards, sample.dones)
        boards, actions = self._turned(sample.observations, sample.actions.long())
        chosen = self.q_net.outputs(boards).gather(1, actions)
        loss = value_loss(chosen, targets, self.policy.probability)
        self.policy.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.q_net.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        return loss.item()

    def _targets(self, next_observations: Tensor, rewards: Tensor, dones: Tensor) -> Tensor:
        """Returns the one-step targets, (N, 1), from rewards and dones of that shape."""
        if self.gamma == 0:
            return rewards
        with torch.no_grad():
            best = self.q_net_target(next_observations).amax(dim=1, keepdim=True)
        return rewards + (1 - dones) * self.gamma * best

    def _turned(self, boards: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        rows, cols = boards.shape[1:]
        choices = symmetries(rows, cols)
        symmetry = choices[int(torch.randint(len(choices), ()))]
        return transform(boards, symmetry), transform_cells(actions, rows, cols, symmetry)

    def network(self) -> BoardNetwork:
        """Returns the network that plays, whose weights training goes on changing."""
        extractor, head = self.q_net.features_extractor, self.q_net.q_net
        assert isinstance(extractor, BoardExtractor)
        assert isinstance(head, CellHead)
        return BoardNetwork(extractor.trunk, head)


def random_clicks(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Draws for each of the boards, codes (N, rows, cols), one of its legal clicks, all equally likely.

    It draws from PyTorch's global generator, which Stable-Baselines3 seeds.
    """
    masks = click_masks(boards)
    return np.argmax(np.where(masks, torch.rand(masks.shape).numpy(), -1.0), axis=1)
