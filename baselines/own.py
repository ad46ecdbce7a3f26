"""Policies and rewards of users: classes and functions in modules and files, loaded, called and wrapped."""

from __future__ import annotations

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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import minesweeper_env
from baselines.policy import DEFAULT_MOVES, PolicyError
from baselines.support.act_inputs import checked_act
from baselines.support.checks import did_you_mean
from baselines.support.files import local_path
from minesweeper_env.config import BoardConfig, whole_number

TRACEBACK = "MINESWEEPER_TRACEBACK"
"""The environment variable that prints, if it is set and not empty, the traceback of an error in a user's code."""

MAX_LENGTH = 300
"""Maximum number of characters of an error message that are repeated."""

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
OWN = re.compile(rf"(?P<base>.+?\.py|{_NAME}):(?P<attribute>{_NAME})(?::(?P<options>.*))?")
"""A class or function in a file, or in a module, perhaps with options."""

_INSTALLED = (
    *(Path(path).parent for path in (__file__, minesweeper_env.__file__)),
    *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
)
"""Folders whose code is not the user's."""


class OwnCodeError(PolicyError):
    """Code of the user raised an exception; the message is one line with the file and the line."""


@contextmanager
def own_code(name: str, may_refuse: bool = False) -> Generator[None]:
    """Turns an exception in the block into an `OwnCodeError`, or a ValueError of a policy that `may_refuse` a board."""
    try:
        yield
    except OwnCodeError:
        raise
    except (Exception, SystemExit) as error:
        if os.environ.get(TRACEBACK):
            traceback.print_exception(error)
        text = " ".join(str(error).split())
        text = f"{text[:MAX_LENGTH]}..." if len(text) > MAX_LENGTH else text
        line = f"{name}: {type(error).__name__}{': ' if text else ''}{text}{_place(error)}"
        raise (ValueError if may_refuse and isinstance(error, ValueError) else OwnCodeError)(line) from error


def _place(error: BaseException) -> str:
    """Returns the file and the line of the user's innermost frame in brackets; "" if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if not frame.filename.startswith("<") and not any(path.is_relative_to(folder) for folder in _INSTALLED):
            path = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
            where = "" if frame.name == "<module>" else f", in {frame.name}"
            return f" ({path}, line {frame.lineno}{where}; {TRACEBACK}=1 shows all)"
    return ""


class EntryPolicy:
    """Plays as an object of the user does, its `policy`; `batch_size` and `finishes` exist if the object has them."""

    def __init__(self, policy: Any, name: str, config: BoardConfig) -> None:
        """Wraps an object that has `act`; raises PolicyError if its `batch_size` is no number of games."""
        self.policy, self.name, self.config = policy, name, config
        with own_code(name):
            self.may_resign = bool(getattr(policy, "may_resign", False))
            self.judged = bool(getattr(policy, "judged", False))
            size = getattr(policy, "batch_size", None)
            if size is not None:
                self.batch_size = whole_number("batch_size", size, 1)
            if hasattr(policy, "finishes"):
                self.finishes = self._finishes

    @property
    def counters(self) -> dict[str, int]:
        """The counters of the object; empty if it has none."""
        with own_code(self.name):
            return {str(name): operator.index(total) for name, total in getattr(self.policy, "counters", {}).items()}

    def reset(self, seed: int) -> None:
        """Resets the object if it has `reset`."""
        with own_code(self.name):
            if hasattr(self.policy, "reset"):
                self.policy.reset(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns the actions of the object, N whole numbers of any type, as (N,) int64."""
        with own_code(self.name):
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
        with own_code(self.name):
            return bool(self.policy.finishes(board))


class Specification(NamedTuple):
    """A policy as the user writes it: the whole text, and its parts.

    `base` is a name, a run folder or an agent of the hub; or a module or, `in_file`, a file, with the class or function
    in it as `attribute`.
    """

    text: str
    base: str
    attribute: str | None
    options: dict[str, Any]
    in_file: bool = False


def load(specification: Specification) -> Callable[..., Any]:
    """Returns the class, function or other callable that a specification names; a file is loaded once per content.

    The working folder, and the folder of the file, become importable. A ValueError says what is not there, and an
    OwnCodeError what fails in the user's code.
    """
    base, attribute = specification.base, specification.attribute or ""
    target: Any = _load_file(specification) if specification.in_file else _load_module(specification)
    own = [
        name
        for name, value in vars(target).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == target.__name__
    ]
    offers = f"it defines {', '.join(own) or 'no class or function'}"
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise ValueError(f"{base} has no {attribute}; {offers}{did_you_mean(attribute, own)}")
        target = getattr(target, part)
    if not callable(target):
        kind = type(target).__name__
        raise ValueError(f"{base}:{attribute} must be a class or a function, not {kind}; {offers}")
    return target


def existing_file(specification: Specification) -> Path:
    """Returns the path of the file that a specification names; raises ValueError if there is none."""
    path = local_path(specification.base).expanduser()
    if not path.is_file():
        within = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise ValueError(f"there is no file {specification.base}{within}")
    return path


def _load_module(specification: Specification) -> ModuleType:
    name = specification.base
    _make_importable(Path.cwd())
    importlib.invalidate_caches()
    try:
        with own_code(specification.text):
            return importlib.import_module(name)
    except OwnCodeError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and f"{name}.".startswith(f"{cause.name}."):
            raise ValueError(
                f"there is no module {cause.name} for {specification.text!r}; a module lies in the working "
                f"folder ({Path.cwd()}) or is installed, and a file is named as path/file.py:NAME"
            ) from None
        raise


def _load_file(specification: Specification) -> ModuleType:
    path = existing_file(specification).resolve()
    content = path.read_bytes()
    digest = hashlib.sha256(str(path).encode() + b"\0" + content).hexdigest()[:16]
    name = f"{re.sub(r'[^0-9A-Za-z]', '_', path.stem)}_{digest}"
    if name not in sys.modules:
        _make_importable(path.parent)
        module = module_from_spec(ModuleSpec(name, None, origin=str(path)))
        module.__file__ = str(path)
        # Dataclasses and pickles look for the module of a class by its name.
        sys.modules[name] = module
        try:
            with own_code(specification.text):
                # The loader of Python would keep compiled code whose size and second of change are the same.
                exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


def _make_importable(folder: Path) -> None:
    """Puts a folder first on the path of imports, as Python does with the folder of a script."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def load_reward(text: str) -> str | Callable[[Any], Any]:
    """Returns a reward: a name of the environment as it is, or a function of the user, whose errors name it.

    Raises as `load` does.
    """
    if (match := OWN.fullmatch(text)) is None:
        return text
    base = match["base"]
    function = load(Specification(text, base, match["attribute"], {}, base.endswith(".py")))

    def reward(transition: Any) -> Any:
        with own_code(text):
            return function(transition)

    return reward


def check_reward(text: str, config: BoardConfig) -> None:
    """Raises a ValueError unless a reward of the user gives a finite number for a step of each of two games."""
    from minesweeper_env.vector_env import MinesweeperVectorEnv

    games = MinesweeperVectorEnv(2, **config.arguments(), reward=load_reward(text))
    games.reset(seed=0)
    try:
        rewards = games.step(games.sample_actions())[1]
    except (TypeError, PolicyError) as error:
        rule = "a reward gets the Transition of N games, with arrays (N,), and returns N numbers"
        raise ValueError(f"the reward {text} cannot be used: {error}; {rule}") from error
    if not np.isfinite(rewards).all():
        raise ValueError(f"the reward {text} must be finite, not {rewards.tolist()}")


class EntryFactory:
    """Calls a class or function of the user with a board and options."""

    def __init__(self, specification: Specification, options: Mapping[str, Any]) -> None:
        """Loads the class or function as `load` does; raises ValueError if it does not take the board or an option."""
        self._name = specification.text
        self._target = load(specification)
        check_arguments(f"{specification.base}:{specification.attribute}", self._target, options)
        self._made: tuple[BoardConfig, Any] | None = None

    def moves(self, config: BoardConfig, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the moves that games must offer: the attribute `moves` of a class, or of what a function returns.

        The next call for this board returns what the function has made here.
        """
        moves = getattr(self._target, "moves", None)
        if moves is None and not isinstance(self._target, type):
            self._made = replace(config, moves=DEFAULT_MOVES), self._new(config, options)
            moves = getattr(self._made[1], "moves", None)
        with own_code(self._name):
            return tuple(replace(config, moves=DEFAULT_MOVES if moves is None else moves).moves)

    def _new(self, config: BoardConfig, options: Mapping[str, Any]) -> Any:
        return call_with_board(self._name, self._target, config, options)

    def __call__(self, config: BoardConfig, **options: Any) -> EntryPolicy:
        """Makes the policy; raises as `call_with_board` does."""
        board, made = self._made or (None, None)
        self._made = None
        if board != replace(config, moves=DEFAULT_MOVES):
            made = self._new(config, options)
        return EntryPolicy(made, self._name, config)


def call_with_board(name: str, target: Callable[..., Any], config: BoardConfig, options: Mapping[str, Any]) -> Any:
    """Returns the object with `act` that a class or function of the user makes; a ValueError refuses the board."""
    with own_code(name, may_refuse=True):
        policy = target(size=(config.rows, config.cols), mines=config.mines, first_click=config.first_click, **options)
    if isinstance(policy, type) or not callable(getattr(policy, "act", None)):
        found = f"the class {policy.__name__}" if isinstance(policy, type) else type(policy).__name__
        raise PolicyError(
            f"{name} must return an object with the method act(observations, action_masks), not {found}; "
            "docs/how-to/own-policy.md shows one, and adapters for other methods"
        )
    return policy


def check_arguments(name: str, target: Any, options: Mapping[str, Any]) -> None:
    """Raises a ValueError unless a callable takes the board and the options as keyword arguments."""
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        # Some callables written in C have no signature; the call itself shows what is wrong.
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
