"""Calls as the workers of a cluster carry them out: after a check of the installation, with copies of files."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from baselines.cluster.parcels import open_parcel
from baselines.executors.errors import WorkerError
from baselines.support.threads import use_one_thread

DONE, FAILED, FOREIGN = "done", "failed", "foreign"
"""What an answer holds: the result, the exception, or how the installation of the node differs."""


class Slot(NamedTuple):
    """Stands for a shared value in the arguments of a call."""

    number: int


def make_remote() -> Callable[..., tuple[str, str, Any]]:
    """Returns the function that Ray runs. It travels by value, so that a node without this package can answer, too."""

    def remote_call(identity: tuple[str, ...], content: bytes, parcels: list[Any]) -> tuple[str, str, Any]:
        import ray

        node = ray.get_runtime_context().get_node_id()
        try:
            from baselines.support.reuse import Identity, own_identity

            differences = Identity(*identity).differences(own_identity())
            from baselines.cluster.remote import answer
        except (ImportError, TypeError) as error:
            return "foreign", node, f"the package is missing, or another one: {error}"
        if differences:
            return "foreign", node, differences
        return (*answer(content, parcels, node),)

    return remote_call


def answer(content: bytes, parcels: list[Any], node: str) -> tuple[str, str, Any]:
    """Carries out a call.

    Args:
        content: the pickled function and its arguments; a `Slot` stands for a shared value.
        parcels: references to the shared values.
        node: the id of this node.

    Returns:
        What the answer holds, the id of the node, and the result or the exception.
    """
    try:
        use_one_thread()
        work, arguments = pickle.loads(content)
        opened = [open_parcel(parcels[each.number]) if isinstance(each, Slot) else each for each in arguments]
        return DONE, node, work(*opened)
    except Exception as error:
        error.add_note(f"On a node of the cluster:\n{traceback.format_exc()}")
        return FAILED, node, _sendable(error)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return WorkerError(f"{type(error).__name__}: {error}")
    return error
