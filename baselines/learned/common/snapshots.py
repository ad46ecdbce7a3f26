"""Snapshots of a model: tensors and JSON-able counters, from which training continues exactly.

A snapshot holds the weights, the optimiser, the random generators, and the games and buffer of each board. It must be
taken between two rollouts, when no update is in progress.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.learned.common.multi_board import BoardSlot, MultiBoardMixin
from baselines.learned.common.state import (
    optimiser_tensors,
    prefixed,
    random_tensors,
    restore_optimiser,
    restore_random,
    unprefixed,
)
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.common.weights import load_weights


def snapshot_of_model(model: MultiBoardMixin) -> tuple[Tensors, dict[str, Any]]:
    """Returns the tensors and the counters of a model between two rollouts."""
    tensors = prefixed(model.policy.state_dict(), "policy") | optimiser_tensors(model.policy.optimizer)
    model.deactivate()
    for number, slot in enumerate(model.slots):
        # Stored names say "place" and "memory", so that checkpoints of older versions still load.
        tensors |= prefixed(_slot_tensors(slot), f"place{number}")
    generators, random_state = random_tensors()
    tensors |= generators
    state = {_stored(name): getattr(model, name) for name in model.counters} | {"random": random_state}
    state["places"] = [{"work": slot.work, "drawn": slot.drawn} for slot in model.slots]
    state["place"] = model.slots.index(model.slot)
    return tensors, state


def restore_model(model: MultiBoardMixin, tensors: Tensors, state: dict[str, Any]) -> None:
    """Restores a snapshot into a new model with the same settings.

    Raises:
        ValueError: the snapshot belongs to another training; the message is one line.
    """
    load_weights(model.policy, unprefixed(tensors, "policy"))
    try:
        restore_optimiser(model.policy.optimizer, tensors)
        for number, (slot, counters) in enumerate(zip(model.slots, state["places"], strict=True)):
            _restore_slot(slot, unprefixed(tensors, f"place{number}"))
            slot.work, slot.drawn = int(counters["work"]), int(counters["drawn"])
        model.activate(model.slots[state["place"]])
        for name in model.counters:
            setattr(model, name, type(getattr(model, name))(state[_stored(name)]))
        restore_random(tensors, state["random"])
    except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
        raise ValueError(f"it does not fit this training: {str(error).splitlines()[0]}") from error


def _stored(counter: str) -> str:
    """Returns the stored name of a counter; "n_calls" keeps snapshots of older versions readable."""
    return {"_n_calls": "n_calls"}.get(counter, counter)


def _slot_tensors(slot: BoardSlot) -> Tensors:
    arrays: dict[str, NDArray[Any]] = {f"env/{key}": value for key, value in slot.env.get_state().items()}
    arrays |= {"episode_starts": slot.episode_starts, "games": slot.games}
    arrays |= {f"memory/{key}": value for key, value in slot.hindsight_buffer.get_state().items()}
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def _restore_slot(slot: BoardSlot, tensors: Tensors) -> None:
    def arrays(prefix: str) -> dict[str, NDArray[Any]]:
        return {name: tensor.numpy() for name, tensor in unprefixed(tensors, prefix).items()}

    slot.observations = slot.env.set_state(arrays("env"))
    slot.episode_starts = tensors["episode_starts"].numpy().astype(np.bool_)
    slot.games = tensors["games"].numpy().copy()
    slot.hindsight_buffer.set_state(arrays("memory"))
