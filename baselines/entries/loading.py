"""Specifications of policies, parsed, and the classes and functions that they name, loaded from a module or a file."""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from baselines.entries.policy import own_code
from baselines.hub import PREFIX, malformed
from baselines.support.checks import number_or_text
from baselines.support.files import local_path

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_IN_FILE = re.compile(rf"(?P<base>.+?\.py):(?P<attribute>{_NAME})(?::(?P<options>.*))?")
_IN_MODULE = re.compile(rf"(?P<base>{_NAME}):(?P<attribute>{_NAME})(?::(?P<options>.*))?")
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
            return Specification(text, text[:end], None, _parse_options(text, text[end + 1 :], end < len(text)))
    if text.startswith(PREFIX):
        raise ValueError(malformed(text))
    match = _IN_FILE.fullmatch(text) or _IN_MODULE.fullmatch(text)
    if match is not None:
        given = match["options"]
        return Specification(
            text, match["base"], match["attribute"], _parse_options(text, given or "", given is not None)
        )
    if _NAMES_FILE.search(text):
        raise ValueError(
            "write a policy of a file as path/file.py:NAME, perhaps with :option=value,option=value after the name of "
            f"its class or function, not {text!r}"
        )
    return Specification(text, text.partition(":")[0], None, {})


def _parse_options(text: str, given: str, any_given: bool) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in given.split(",") if any_given else ():
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"write a policy with options as name:option=value,option=value, not {text!r}")
        if option in options:
            raise ValueError(f"option {option} of policy {text!r} is given twice")
        options[option] = _parse_value(value)
    return options


def _parse_value(text: str) -> int | float | bool | str | None:
    words: dict[str, bool | None] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    return number_or_text(text)


def load(specification: Specification) -> Callable[..., Any]:
    """Returns the class, function or other callable that a specification names.

    A file is loaded once per content. The working folder, and the folder of the file, become importable.

    Raises:
        ValueError: there is no such file, module or name, or it cannot be called; the message is one line.
        OwnCodeError: the user's code fails while it is loaded.
    """
    base, attribute = specification.base, specification.attribute or ""
    module = _load_file(specification) if specification.in_file else _load_module(specification)
    target: Any = module
    for part in attribute.split("."):
        if not hasattr(target, part):
            raise ValueError(f"{base} has no {attribute}; {_offers(module)}")
        target = getattr(target, part)
    if not callable(target):
        raise ValueError(
            f"{specification.base}:{attribute} is of type {type(target).__name__}, and must be a class or a function "
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


def source_file(specification: Specification) -> Path | None:
    """Returns the file of a loaded module or file, or None for a module without source."""
    if specification.in_file:
        return existing_file(specification)
    found = getattr(sys.modules.get(specification.base), "__file__", None)
    return None if found is None else Path(found)


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
        module = _new_module(name, path)
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


def _new_module(name: str, path: Path) -> ModuleType:
    found = ModuleSpec(name, None, origin=str(path))
    module = module_from_spec(found)
    module.__file__ = str(path)
    return module


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
