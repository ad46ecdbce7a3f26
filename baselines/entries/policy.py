"""Policy of a user, and errors in the code of users, reported in one line that names their file and line."""

from __future__ import annotations

import operator
import os
import sysconfig
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import minesweeper_env
from baselines.policy import PolicyError
from baselines.support.act_inputs import checked_act
from minesweeper_env.config import BoardConfig, whole_number

TRACEBACK = "MINESWEEPER_TRACEBACK"
"""The environment variable that prints, if it is set and not empty, the traceback of an error in a user's code."""

MAX_LENGTH = 300
"""Maximum number of characters of an error message that are repeated."""

_OURS = (Path(__file__).parents[1], Path(minesweeper_env.__file__).parent)
_LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


class OwnCodeError(PolicyError):
    """Code of the user raised an exception; the message is one line with the file and the line."""


@contextmanager
def own_code(name: str, called: Any = None, may_refuse: bool = False) -> Generator[None]:
    """Turns an exception in the block into an `OwnCodeError`; see `TRACEBACK`.

    Args:
        name: specification of the policy.
        called: the function or class that the block calls; its definition is named if no line of the user's failed.
        may_refuse: whether a ValueError stays one, with the same message: a policy refuses a board so.

    Raises:
        OwnCodeError: the block raised an exception.
        ValueError: the block raised a ValueError, and `may_refuse` is true.
    """
    try:
        yield
    except OwnCodeError:
        raise
    except (Exception, SystemExit) as error:
        if os.environ.get(TRACEBACK):
            traceback.print_exception(error)
        line = f"{name}: {_summary(error)}{_place(error, called)}"
        if may_refuse and isinstance(error, ValueError):
            raise ValueError(line) from error
        raise OwnCodeError(line) from error


def _summary(error: BaseException) -> str:
    """Returns the type and the message of an error in one line."""
    text = str(error.msg if isinstance(error, SyntaxError) else error)
    text = " ".join(text.split())
    if len(text) > MAX_LENGTH:
        text = f"{text[:MAX_LENGTH]}..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _place(error: BaseException, called: Any) -> str:
    """Returns the file and line in brackets: of the user's innermost frame, or of the definition of `called`."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return _written(error.filename, error.lineno, None)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not _within(frame.filename, _OURS)]
    users = [frame for frame in frames if not _within(frame.filename, _LIBRARIES)] or frames
    if users:
        return _written(users[-1].filename, users[-1].lineno, users[-1].name)
    code = getattr(getattr(called, "__init__" if isinstance(called, type) else "__call__", None), "__code__", None)
    code = getattr(called, "__code__", code)
    return "" if code is None else _written(code.co_filename, code.co_firstlineno, code.co_name)


def _within(filename: str, folders: tuple[Path, ...]) -> bool:
    return filename.startswith("<") or any(Path(filename).is_relative_to(folder) for folder in folders)


def _written(filename: str, line: int | None, function: str | None) -> str:
    path = Path(filename)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    where = "" if function is None or function == "<module>" else f", in {function}"
    return f" ({path}, line {line}{where}; {TRACEBACK}=1 shows all)"


METHODS = ("act", "reset", "finishes")
"""The methods that an object of the user may have; `act` is required."""


class EntryPolicy:
    """Plays as an object of the user does. `batch_size` and `finishes` exist if the object has them.

    Attributes:
        name: the specification.
        config: the games.
        policy: the object of the user.
    """

    def __init__(self, policy: Any, name: str, config: BoardConfig) -> None:
        """Wraps an object that has `act`.

        Raises:
            PolicyError: an attribute of the object does not keep the protocol.
        """
        self.policy, self.name, self.config = policy, name, config
        with own_code(name):
            found = {attribute: getattr(policy, attribute, None) for attribute in (*METHODS, "batch_size")}
        for method in METHODS:
            if found[method] is not None and not callable(found[method]):
                raise PolicyError(f"{name}: {method} must be a method, not {found[method]!r}")
        if found["batch_size"] is not None:
            try:
                self.batch_size = whole_number("batch_size", found["batch_size"], 1)
            except ValueError as error:
                raise PolicyError(f"{name}: {error}") from error
        if found["finishes"] is not None:
            self.finishes = self._finishes

    @property
    def counters(self) -> dict[str, int]:
        """The counters of the object; empty if it has none."""
        with own_code(self.name):
            return {str(name): operator.index(total) for name, total in getattr(self.policy, "counters", {}).items()}

    def reset(self, seed: int) -> None:
        """Resets the object if it has `reset`."""
        reset = getattr(self.policy, "reset", None)
        if reset is not None:
            with own_code(self.name, reset):
                reset(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns the actions of the object as (N,) int64; it may return N whole numbers of any type.

        Raises:
            OwnCodeError: the object raised an exception.
            PolicyError: the object returned something else.
        """
        with own_code(self.name, self.policy.act):
            answer = self.policy.act(observations, action_masks)
            actions = np.asarray(answer)
        if actions.shape != (len(observations),) or actions.dtype.kind not in "iu":
            found = f"{actions.dtype} {actions.shape}" if actions.dtype.kind != "O" else type(answer).__name__
            raise PolicyError(
                f"{self.name}: act must return one whole number for each of {len(observations)} games, shape "
                f"({len(observations)},), not {found}"
            )
        return actions.astype(np.int64)

    def _finishes(self, board: NDArray[np.int8]) -> bool:
        with own_code(self.name, self.policy.finishes):
            return bool(self.policy.finishes(board))
