"""Specifications of policies, parsed: a name, a run folder, an agent of the hub, a class or function of the user."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from baselines.hub.names import PREFIX, malformed
from baselines.support.checks import number_or_text

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
