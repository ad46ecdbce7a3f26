"""Policies of users: classes and functions in modules and files, loaded, called and wrapped."""

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
from baselines.hub import PREFIX, parse_hub_name
from baselines.policy import DEFAULT_MOVES, PolicyError
from baselines.support.act_inputs import checked_act
from baselines.support.checks import number_or_text
from baselines.support.files import local_path
from minesweeper_env.config import BoardConfig, whole_number

TRACEBACK = "MINESWEEPER_TRACEBACK"
"""The environment variable that prints, if it is set and not empty, the traceback of an error in a user's code."""

MAX_LENGTH = 300
"""Maximum number of characters of an error message that are repeated."""

_OURS = (Path(__file__).parent, Path(minesweeper_env.__file__).parent)
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


_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_IN_FILE = re.compile(rf"(?P<base>.+?\.py):(?P<attribute>{_NAME})(?::(?P<options>.*))?")
_IN_MODULE = re.compile(rf"(?P<base>{_NAME}):(?P<attribute>{_NAME})(?::(?P<options>.*))?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None}
_NAMES_FILE = re.compile(r"\.py(?::|$)")


class Specification(NamedTuple):
    """A policy as the user writes it.

    Attributes:
        text: the whole specification.
        base: the name, the run folder, the agent of the hub, the module or the file.
        attribute: the class or function in the module or file; None for a name, a run folder or an agent of the hub.
        options: the options after it.
    """

    text: str
    base: str
    attribute: str | None
    options: dict[str, Any]

    @property
    def in_file(self) -> bool:
        """True for a class or function in a file; False for one in a module, a name or a run folder."""
        return self.attribute is not None and self.base.endswith(".py")


def parse_specification(text: str, is_known: Callable[[str], bool]) -> Specification:
    """Parses ``NAME``, ``RUN_FOLDER``, ``hf:user/repo@revision``, ``package.module:NAME`` or ``path/file.py:NAME``.

    Options may follow a further colon, as ``option=value,option=value``. A value is parsed as an int, a float, true,
    false or none; anything else is a string. What `is_known` accepts is a name, a run folder or an agent of the hub,
    whatever it looks like.

    Args:
        text: the specification.
        is_known: tells whether a text is the name of a policy or of an agent of the hub, or the path of a run folder.

    Raises:
        ValueError: the text is none, its options have another form or one is given twice, or it names a file without
            its class or function.
    """
    if not isinstance(text, str):
        raise ValueError(f"the name of a policy must be a text, such as 'exact' or 'path/file.py:NAME', not {text!r}")
    for end in (len(text), *(match.start() for match in re.finditer(":", text))):
        if end > 0 and is_known(text[:end]):
            return Specification(
                text, text[:end], None, _parse_options(text, text[end + 1 :] if end < len(text) else None)
            )
    if text.startswith(PREFIX):
        parse_hub_name(text)  # raises, since no beginning of the text is a name
    if match := _IN_FILE.fullmatch(text) or _IN_MODULE.fullmatch(text):
        return Specification(text, match["base"], match["attribute"], _parse_options(text, match["options"]))
    if _NAMES_FILE.search(text):
        raise ValueError(
            "write a policy of a file as path/file.py:NAME, perhaps with :option=value,option=value after the name of "
            f"its class or function, not {text!r}"
        )
    return Specification(text, text.partition(":")[0], None, {})


def _parse_options(text: str, given: str | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in () if given is None else given.split(","):
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"write a policy with options as name:option=value,option=value, not {text!r}")
        if option in options:
            raise ValueError(f"option {option} of policy {text!r} is given twice")
        options[option] = _WORDS.get(value.lower(), number_or_text(value))
    return options


def load(specification: Specification) -> Callable[..., Any]:
    """Returns the class, function or other callable that a specification names.

    A file is loaded once per content. The working folder, and the folder of the file, become importable.

    Raises:
        ValueError: there is no such file, module or name, or it cannot be called; the message is one line.
        OwnCodeError: the user's code fails while it is loaded.
    """
    base, attribute = specification.base, specification.attribute or ""
    target: Any = _load_file(specification) if specification.in_file else _load_module(specification)
    module = target
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise ValueError(f"{base} has no {attribute}; {_offers(module)}")
        target = getattr(target, part)
    if not callable(target):
        raise ValueError(
            f"{base}:{attribute} is of type {type(target).__name__}, and must be a class or a function "
            f"that returns a policy; {_offers(module)}"
        )
    return target


def existing_file(specification: Specification) -> Path:
    """Returns the path of the file that a specification names.

    Raises:
        ValueError: there is no such file.
    """
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
    except Exception as error:
        cause = error.__cause__
        missing = cause.name if isinstance(cause, ModuleNotFoundError) else None
        if missing is None or not f"{name}.".startswith(f"{missing}."):
            raise
        raise ValueError(
            f"there is no module {missing} for the policy {specification.text!r}; a module lies in the working folder "
            f"({Path.cwd()}) or is installed, and a file is named as path/file.py:NAME"
        ) from None


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


def _offers(module: ModuleType) -> str:
    """Returns the classes and functions that a module defines, for an error message."""
    own = [
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return f"it defines {', '.join(own)}" if own else "it defines no class or function"


BOARD = ("size", "mines", "first_click")
"""The keyword arguments that every class or function of a user is called with."""


_MOVES: dict[tuple[Any, ...], Any] = {}
"""The moves of the policies that functions return, by function, board and options."""


class EntryFactory:
    """Calls a class or function of the user with a board and options."""

    def __init__(self, specification: Specification, options: Mapping[str, Any]) -> None:
        """Loads the class or function, and checks its arguments.

        Args:
            specification: names it.
            options: the options to call it with.

        Raises:
            ValueError: it cannot be loaded, or does not take the board or an option; the message is one line.
            OwnCodeError: the user's code fails while it is loaded.
        """
        self._name = specification.text
        self._target = load(specification)
        check_arguments(f"{specification.base}:{specification.attribute}", self._target, options)

    def moves_on(self, config: BoardConfig, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the moves that games must offer: the attribute `moves` of the class or function, or of its policy.

        A class says so itself. A function without the attribute is called once per board to find out.
        """
        moves = getattr(self._target, "moves", None)
        if moves is None and not isinstance(self._target, type):
            moves = self._moves_of_result(config, options)
        if moves is None:
            return DEFAULT_MOVES
        return self._checked_moves(moves, config)

    def __call__(self, config: BoardConfig, **options: Any) -> EntryPolicy:
        """Makes the policy.

        Raises:
            ValueError: the user's code raised it, which means that the policy does not play this board.
            PolicyError: the result is no policy, or the code raised another exception.
        """
        policy = call_with_board(self._name, self._target, config, options)
        moves = getattr(policy, "moves", None)
        if moves is not None and self._checked_moves(moves, config) != config.moves:
            raise PolicyError(
                f"{self._name}: the policy plays with the moves {', '.join(moves)}, but its class or function does not "
                "say so; give that the attribute moves"
            )
        return EntryPolicy(policy, self._name, config)

    def _checked_moves(self, moves: Any, config: BoardConfig) -> tuple[str, ...]:
        try:
            return tuple(replace(config, moves=moves).moves)
        except ValueError as error:
            raise PolicyError(f"{self._name}: {error}") from error

    def _moves_of_result(self, config: BoardConfig, options: Mapping[str, Any]) -> Any:
        key = (self._target, replace(config, moves=DEFAULT_MOVES), repr(sorted(options.items())))
        if key not in _MOVES:
            _MOVES[key] = getattr(call_with_board(self._name, self._target, config, options), "moves", None)
        return _MOVES[key]


def call_with_board(name: str, target: Callable[..., Any], config: BoardConfig, options: Mapping[str, Any]) -> Any:
    """Returns what a class or function of the user returns for a board, an object with `act`.

    Raises:
        ValueError: the user's code raised it, which means that the policy does not play this board.
        PolicyError: the result is no policy, or the code raised another exception.
    """
    with own_code(name, target, may_refuse=True):
        policy = target(size=(config.rows, config.cols), mines=config.mines, first_click=config.first_click, **options)
        plays = hasattr(policy, "act")
    if type(policy) is target and not plays:
        raise PolicyError(
            f"{name} needs a method act(observations, action_masks); docs/how-to/own-policy.md shows one, and adapters "
            "for other methods"
        )
    if isinstance(policy, type) or not plays:
        found = f"the class {policy.__name__}" if isinstance(policy, type) else f"{type(policy).__name__}"
        raise PolicyError(f"{name} must return an object with the method act(observations, action_masks), not {found}")
    return policy


def check_arguments(name: str, target: Any, options: Mapping[str, Any]) -> None:
    """Raises a ValueError unless a callable takes the board and the options as keyword arguments."""
    for option in options.keys() & set(BOARD):
        raise ValueError(f"policy {name!r} gets {option} from its games; it is no option")
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        # Some callables written in C have no signature; the call itself shows what is wrong.
        return
    keywords = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    names = [each.name for each in keywords]
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
    lacking = [each for each in BOARD if each not in names]
    if lacking and not takes_any:
        raise ValueError(
            f"{name} takes ({', '.join(map(str, parameters))}) and lacks {', '.join(lacking)}; it must take "
            "size=(rows, cols), mines=, first_click= and its options, or **kwargs (adapters.FunctionPolicy wraps "
            "a function of one board)"
        )
    allowed = [each for each in names if each not in BOARD]
    unknown = [option for option in options if option not in allowed]
    if unknown and not takes_any:
        raise ValueError(
            f"policy {name!r} has no option {', '.join(unknown)}; its options: {', '.join(allowed) or 'none'}"
        )
    needed = [each.name for each in keywords if each.default is each.empty and each.name in allowed]
    missing = [each for each in needed if each not in options]
    if missing:
        raise ValueError(f"policy {name!r} needs {', '.join(missing)}: write {name}:{missing[0]}=VALUE")
