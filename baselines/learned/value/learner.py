"""How the network of `value` learns: from games that it plays itself, with the oracle beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from baselines.learned.common.budget import Clock, FlatThenFalling
from baselines.learned.common.multi_board import LEARNING_COST
from baselines.learned.common.muon import Muon
from baselines.learned.common.state import optimiser_tensors, restore_optimiser, unprefixed
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.networks.board import NetworkSize
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.symmetry import symmetries, transform
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.self_play import SelfPlay, SelfPlayCounters, SelfPlayOptions
from baselines.learned.value.trajectories import ValueSamples
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig


@dataclass(frozen=True)
class LearningOptions:
    """How the network learns from the games.

    Attributes:
        learning_rate: of Adam, by the share of the training that remains.
        cells_at_once: a minibatch has so many boards that they have this many cells together, within `batch`.
        batch: the fewest and the most boards of a minibatch.
        waiting: how many minibatches wait at least, so that each is drawn from among the boards of many games.
        max_grad_norm: gradients are made no longer than this.
        weight_decay: of the optimiser.
    """

    learning_rate: FlatThenFalling = field(default_factory=lambda: FlatThenFalling(2e-3))
    cells_at_once: int = 1 << 14
    batch: tuple[int, int] = (32, 256)
    waiting: int = 64
    max_grad_norm: float = 5.0
    weight_decay: float = 0.0


class ValueLearner:
    """Trains a network to say how likely a game is won, on several boards in turn.

    On each board games are played in which every click proves safe (`SafeGames`). At a guess the click is the best by
    the network, or any that is considered; what the games come to is what the network learns of the boards before and
    after, by cross-entropy (`Trajectories`). Games end where the exact search takes over. Each board is learned from
    several times, turned and mirrored with its minibatch. The board with the least work for its size is next, so that
    each gets about an equal part of the time; all that happens depends on the seed and the schedule alone, and not on
    the time.

    What is logged, after each round of learning on a board:
        train/loss: the mean cross-entropy of the chances to win, in nats.
        train/squared_error: their mean squared error, by the returns.
        train/learning_rate: that of the last step.
        train/explored/8x8-14: the share of the guesses on this board that were not the best by the network.
        train/win_rate/8x8-14: the share of games on this board that play as it was, exploring, would have won.

    Attributes:
        network: what learns.
        steps: the boards learned from so far.
        log: called with a name and a value; set by the caller.
        progress: called with `steps`; returns which share of the training is over, 0 to 1; set by the caller.
        clock: what the time was spent on: "environment" (the games, with the oracle and the exact search),
            "inference" (what clicks can show, and the network) and "update".
    """

    def __init__(
        self,
        boards: Sequence[BoardConfig],
        size: NetworkSize,
        seed: int,
        *,
        device: str = "cpu",
        precision: str = "float32",
        practice: SelfPlayOptions | None = None,
        learning: LearningOptions | None = None,
        optimizer: type[torch.optim.Optimizer] | None = None,
    ) -> None:
        """Begins the games, with a new network.

        Args:
            boards: the boards, of radius 1.
            size: of the network.
            seed: of all randomness, at least 0.
            device: where the network is.
            precision: what convolutions compute with, "float32" or "bfloat16".
            practice: how the games are played.
            learning: how the network learns.
            optimizer: of which class the optimiser is; None for `Muon`.

        Raises:
            ValueError: there is no board, or one that learned agents cannot play or learn nothing on.
        """
        if not boards:
            raise ValueError("there must be a board to train on")
        for config in boards:
            if config.radius != 1:
                raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
        self.steps = 0
        self.log: Callable[[str, float], None] = _ignore
        self.progress: Callable[[int], float] = _not_begun
        self.clock = Clock()
        self._options = learning or LearningOptions()
        self._rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = ValueNetwork(size).to(device)
        set_precision(self.network, precision)
        self._device = device
        self._optimizer = (optimizer or Muon)(self.network.parameters(), weight_decay=self._options.weight_decay)  # type: ignore[call-arg]
        self._practices = [SelfPlay(config, practice or SelfPlayOptions(), self._rng) for config in boards]

    def learn(self, between: Callable[[], None]) -> NoReturn:
        """Trains for ever.

        Args:
            between: called where a snapshot loses nothing; the training ends by what it raises.
        """
        while True:
            between()
            # What happens between rounds is no part of learning.
            self.clock.lap("between")
            practice = min(self._practices, key=lambda practice: practice.work)
            practice.step(self.network, self.clock)
            batch = self._batch_size(practice.config)
            if len(practice.trajectories.ready) >= (self._options.waiting + 1) * batch:
                self._learn_from(practice, batch)

    def _batch_size(self, config: BoardConfig) -> int:
        return int(np.clip(self._options.cells_at_once // config.cells, *self._options.batch))

    def _learn_from(self, practice: SelfPlay, batch: int) -> None:
        """Takes a step for each minibatch that is ready."""
        losses, errors = [], []
        while len(practice.trajectories.ready) >= (self._options.waiting + 1) * batch:
            loss, error = self._take_step(self._turned(practice.draw(batch)))
            losses.append(loss)
            errors.append(error)
            self.steps += batch
            practice.work += LEARNING_COST * batch * practice.config.cells
        self.clock.lap("update")
        self.log("train/loss", float(np.mean(losses)))
        self.log("train/squared_error", float(np.mean(errors)))
        self.log("train/learning_rate", self._optimizer.param_groups[0]["lr"])
        self._log_tally(practice)

    def _log_tally(self, practice: SelfPlay) -> None:
        board, counters = _name(practice.config), practice.counters
        self.log(f"train/explored/{board}", counters.explored / counters.guesses)
        if counters.games > 0:
            self.log(f"train/win_rate/{board}", counters.wins / counters.games)
        practice.counters = SelfPlayCounters()

    def _turned(self, samples: ValueSamples) -> list[Tensor]:
        """Returns the fields of a minibatch on the device, turned and mirrored by one random symmetry of the board."""
        codes, probabilities, log_layouts, targets = (torch.from_numpy(array).to(self._device) for array in samples)
        choices = symmetries(*codes.shape[1:])
        symmetry = choices[int(self._rng.integers(len(choices)))]
        return [transform(codes, symmetry), transform(probabilities, symmetry), log_layouts, targets]

    def _take_step(self, minibatch: list[Tensor]) -> tuple[float, float]:
        """Returns the loss and the squared error before the step."""
        codes, probabilities, log_layouts, targets = minibatch
        for group in self._optimizer.param_groups:
            group["lr"] = self._options.learning_rate(1.0 - self.progress(self.steps))
        logits = self.network(codes, probabilities, log_layouts)
        loss = functional.binary_cross_entropy_with_logits(logits, targets)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._options.max_grad_norm)
        self._optimizer.step()
        error = functional.mse_loss(torch.sigmoid(logits.detach()), targets)
        return loss.item(), error.item()

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns copies of all that the learner needs to go on exactly where it is, while `between` is called.

        Returns:
            Tensors, and JSON-able values.
        """
        weights = {f"network/{name}": tensor for name, tensor in self.network.state_dict().items()}
        learned = weights | optimiser_tensors(self._optimizer)
        tensors = {name: tensor.detach().clone() for name, tensor in learned.items()}
        states = []
        for number, practice in enumerate(self._practices):
            arrays, state = practice.save()
            tensors |= {f"board{number}/{name}": torch.from_numpy(array) for name, array in arrays.items()}
            states.append(state)
        random = self._rng.bit_generator.state
        return tensors, {"steps": self.steps, "random": random, "boards": self._boards(), "practices": states}

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Goes on from the snapshot of a learner that was made with the same arguments.

        Raises:
            ValueError: the snapshot is that of another one; the message is one line.
        """
        try:
            if state["boards"] != self._boards():
                raise ValueError(f"it is of the boards {state['boards']}, not {self._boards()}")
            self.network.load_state_dict(unprefixed(tensors, "network"))
            # The optimiser would go on in the tensors that it is given.
            restore_optimiser(self._optimizer, {name: tensor.clone() for name, tensor in tensors.items()})
            for number, (practice, practised) in enumerate(zip(self._practices, state["practices"], strict=True)):
                arrays = {name: tensor.numpy() for name, tensor in unprefixed(tensors, f"board{number}").items()}
                practice.restore(arrays, practised)
            self.steps = int(state["steps"])
            self._rng.bit_generator.state = state["random"]
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"the snapshot does not fit this training: {str(error).splitlines()[0]}") from error

    def _boards(self) -> list[str]:
        return [_name(practice.config) for practice in self._practices]


def _name(config: BoardConfig) -> str:
    return file_name(name_of(config))


def _ignore(name: str, value: float) -> None:
    """Logs nothing."""


def _not_begun(steps: int) -> float:  # noqa: ARG001
    """Has the learning rate stay as it is at first."""
    return 0.0
