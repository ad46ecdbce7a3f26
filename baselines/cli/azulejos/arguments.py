"""Parser of the commands of Azulejos."""

from __future__ import annotations

from typing import NoReturn

from baselines.cli.arguments import Parser
from baselines.cli.environments import AZULEJOS


class AzulejosParser(Parser):
    """A parser that says which options this game takes, where it is given one of the other game."""

    def error(self, message: str) -> NoReturn:
        """Prints the message as one line on stderr, and exits with status 2."""
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown != message and unknown.startswith("-"):
            names = [each for action in self._actions for each in action.option_strings if each.startswith("--")]
            message = f"{AZULEJOS} takes no {unknown.partition(' ')[0]}; its options are {', '.join(names)}"
        super().error(message)
