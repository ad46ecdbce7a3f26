"""Policies of users: classes and functions in modules and files, loaded, called and wrapped."""

import hashlib
import importlib
import inspect
import operator
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import minesweeper_env
from baselines import checks, files
from baselines.policy import DEFAULT_MOVES, PolicyError, checked_act
from minesweeper_env.config import BoardConfig, whole_number

TRACEBACK = "MINESWEEPER_TRACEBACK"
"""Environment variable: unless it is empty or unset, tracebacks of errors in users' code are printed."""

MEASURED = ("clicks", "excess_risk", "ms", "opened")
"""Names that no counter may have: results already have figures per game of these names."""

MAX_LENGTH = 300
"""Number of characters after which the message of a user's error is cut."""

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
USER_CODE = re.compile(rf"(?P<base>.+?\.py|{_NAME}):(?P<attribute>{_NAME})(?P<options>:.*)?")
"""Matches a class or function in a file or module, perhaps with options after a colon."""

_INSTALLED = (
    *(Path(path).parent for path in (__file__, minesweeper_env.__file__)),
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
)
"""Folders whose code is not the user's."""


class UserCodeError(PolicyError):
    """Code of the user raised an exception; the message is one line with the file and the line."""


@contextmanager
def user_code(name: str, may_refuse: bool = False) -> Generator[None]:
    """Turns any exception of the block into a `UserCodeError`; with `may_refuse`, a ValueError remains a ValueError."""
    try:
        yield
    except UserCodeError:
        raise
    except (Exception, SystemExit) as error:
        if os.environ.get(TRACEBACK):
            traceback.print_exception(error)
        text = " ".join(str(error).split())
        text = f"{text[:MAX_LENGTH]}..." if len(text) > MAX_LENGTH else text
        message = f"{name}: {type(error).__name__}{': ' if text else ''}{text}{_location(error)}"
        kind = ValueError if may_refuse and isinstance(error, ValueError) else UserCodeError
        raise kind(message) from error


def _location(error: BaseException) -> str:
    """Returns the file and the line of the innermost frame of the user's code, in brackets; "" if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if not frame.filename.startswith("<") and not any(path.is_relative_to(folder) for folder in _INSTALLED):
            path = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
            function = "" if frame.name == "<module>" else f", in {frame.name}"
            return f" ({path}, line {frame.lineno}{function}; {TRACEBACK}=1 shows all)"
    return ""


class UserPolicy:
    """Wraps the user's object `policy`; `batch_size` and `finishes` exist if the object has them."""

    def __init__(self, name: str, policy: Any, board: BoardConfig, /, **options: Any) -> None:
        """Wraps an object that has `act`, or the object that a class or function returns for a board and options.

        `config` becomes the board with the object's `moves`. Raises ValueError if the object refuses the board;
        PolicyError if its code fails, it has no `act`, or its `moves` or `batch_size` is not allowed.
        """
        self.name = name
        if not has_act(policy):
            with user_code(name, may_refuse=True):
                size = (board.rows, board.cols)
                policy = policy(size=size, mines=board.mines, first_click=board.first_click, **options)
        if not has_act(policy):
            kind = f"the class {policy.__name__}" if isinstance(policy, type) else type(policy).__name__
            raise PolicyError(
                f"{name} must return an object with the method act(observations, action_masks), not {kind}; "
                "docs/how-to/own-policy.md shows one, and adapters for other methods"
            )
        self.policy = policy
        with user_code(name):
            moves = getattr(policy, "moves", None)
            self.config = replace(board, moves=DEFAULT_MOVES if moves is None else moves)
            self.may_resign = bool(getattr(policy, "may_resign", False))
            self.judged = bool(getattr(policy, "judged", False))
            if (batch_size := getattr(policy, "batch_size", None)) is not None:
                self.batch_size = whole_number("batch_size", batch_size, 1)
            if hasattr(policy, "finishes"):
                self.finishes = self._finishes

    @property
    def counters(self) -> dict[str, int]:
        """The counters of the object; empty if it has none."""
        with user_code(self.name):
            totals = {str(name): operator.index(total) for name, total in getattr(self.policy, "counters", {}).items()}
        if clash := [name for name in MEASURED if name in totals]:
            raise PolicyError(f"{self.name}: results have a figure {clash[0]}_per_game; give the counter another name")
        return totals

    def reset(self, seed: int) -> None:
        """Resets the object if it has the method `reset`."""
        with user_code(self.name):
            if hasattr(self.policy, "reset"):
                self.policy.reset(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns the actions of the object, N whole numbers of any type, as (N,) int64."""
        with user_code(self.name):
            returned = self.policy.act(observations, action_masks)
            actions = np.asarray(returned)
        if actions.shape != (len(observations),) or actions.dtype.kind not in "iu":
            kind = f"{actions.dtype} {actions.shape}" if actions.dtype.kind != "O" else type(returned).__name__
            raise PolicyError(
                f"{self.name}: act must return one whole number for each of {len(observations)} games, shape "
                f"({len(observations)},), not {kind}"
            )
        return actions.astype(np.int64)

    def _finishes(self, board: NDArray[np.int8]) -> bool:
        with user_code(self.name):
            return bool(self.policy.finishes(board))


def load(text: str, base: str, attribute: str) -> Callable[..., Any]:
    """Returns the class, function or other callable `attribute` of the module or file `base`.

    A file is loaded again only if its content changed. The working folder, or the folder of the file, becomes
    importable. Raises ValueError if the file, module or attribute does not exist, and UserCodeError if the user's code
    fails; the message names `text`, which the user wrote.
    """
    target: Any = _load_file(text, base) if base.endswith(".py") else _load_module(text, base)
    defined = [
        name
        for name, value in vars(target).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == target.__name__
    ]
    offers = f"it defines {', '.join(defined) or 'no class or function'}"
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise ValueError(f"{base} has no {attribute}; {offers}{checks.did_you_mean(attribute, defined)}")
        target = getattr(target, part)
    if not callable(target):
        kind = type(target).__name__
        raise ValueError(f"{base}:{attribute} must be a class or a function, not {kind}; {offers}")
    return target


def existing_file(name: str) -> Path:
    """Returns the path of a file; raises ValueError if there is none."""
    path = files.local_path(name).expanduser()
    if not path.is_file():
        folder = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise ValueError(f"there is no file {name}{folder}")
    return path


def _load_module(text: str, module: str) -> ModuleType:
    _make_importable(Path.cwd())
    importlib.invalidate_caches()
    try:
        with user_code(text):
            return importlib.import_module(module)
    except UserCodeError as error:
        cause = error.__cause__
        # Missing is the module itself, or a package above it; a missing import of its own is the user's error.
        if isinstance(cause, ModuleNotFoundError) and f"{module}.".startswith(f"{cause.name}."):
            raise ValueError(
                f"there is no module {cause.name} for {text!r}; a module lies in the working "
                f"folder ({Path.cwd()}) or is installed, and a file is named as path/file.py:NAME"
            ) from None
        raise


def _load_file(text: str, file: str) -> ModuleType:
    path = existing_file(file).resolve()
    content = path.read_bytes()
    digest = hashlib.sha256(str(path).encode() + b"\0" + content).hexdigest()[:16]
    name = f"{re.sub(r'[^0-9A-Za-z]', '_', path.stem)}_{digest}"
    if name not in sys.modules:
        _make_importable(path.parent)
        module = module_from_spec(ModuleSpec(name, None, origin=str(path)))
        module.__file__ = str(path)
        # Dataclasses and pickle look up the module of a class by its name.
        sys.modules[name] = module
        try:
            with user_code(text):
                # Python's loader would reuse stale bytecode if the file's size and second of change were the same.
                exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _make_importable(folder: Path) -> None:
    """Puts a folder first into `sys.path`, as Python does with the folder of a script."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def has_act(policy: Any) -> bool:
    """Returns whether an object has the method `act` and is no class."""
    return callable(getattr(policy, "act", None)) and not isinstance(policy, type)


def check_arguments(name: str, target: Any, options: Mapping[str, Any]) -> None:
    """Raises ValueError unless a callable takes the board and the options as keyword arguments."""
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        # Some callables written in C have no signature; a wrong argument then shows at the call.
        return
    try:
        signature.bind(size=(8, 8), mines=10, first_click="opening", **options)
    except TypeError as error:
        reason = str(error).removeprefix("inspect.Signature.bind() ")
        raise ValueError(
            f"policy {name!r} is called with size=(rows, cols), mines=, first_click= and its options, and takes "
            f"({', '.join(map(str, signature.parameters.values()))}): {reason} (adapters.FunctionPolicy wraps a "
            "function of one board)"
        ) from None
