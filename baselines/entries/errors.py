"""Errors in the code of users, reported in one line that names their file and line."""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import minesweeper_env
from baselines.policy import PolicyError

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
