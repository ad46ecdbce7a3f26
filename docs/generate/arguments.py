"""Tables of all arguments, from the docstrings of classes and the parsers of the commands."""

import argparse
import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

from baselines.__main__ import COMMANDS, PLAY_MODULE
from baselines.benchmark.leaderboard import markdown_table
from baselines.cli.command import Command


def of_class(path: str) -> str:
    """Returns the docstring of a class of this path: its headings lowered by one, and its `Args` as a table."""
    found = pkgutil.resolve_name(path)
    text, made = inspect.getdoc(found) or "", inspect.getdoc(found.__init__) or ""
    if "\nArgs:\n" not in text:
        text += "\n" + "".join(made.partition("\nArgs:\n")[1:])
    head, _, rest = re.sub(r"^## (.*)$", r"### \1\n", text, flags=re.MULTILINE).partition("\nArgs:\n")
    given, *others = rest.split("\n\n")
    pairs = re.findall(r"^    (\w+): (.*(?:\n {6,}.*)*)", given, re.MULTILINE)
    rows = [[f"`{name}`", " ".join(meaning.split())] for name, meaning in pairs]
    table = [markdown_table(["argument", "meaning"], rows)] if rows else []
    return "\n\n".join([head.strip(), *table, *(each for each in others if not each.lstrip().startswith("Raises:"))])


def of_command(name: str) -> str:
    """Returns the options of a command of `minesweeper`, a table for each of its parts."""
    if name == "play":
        parser = import_module(PLAY_MODULE).make_parser("minesweeper play")
    else:
        module = import_module(f"baselines.cli.{name.replace('-', '_')}")
        command: Command = getattr(module, "COMMAND", None) or module.main.__self__
        parser = command.parser(f"minesweeper {name}")
    return "\n\n".join([f"{COMMANDS[name].capitalize()}.", *_tables(parser)])


def _tables(parser: argparse.ArgumentParser) -> Iterator[str]:
    formatter, rows = parser._get_formatter(), []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from (f"`{each.prog}`: {each.description}.", *_tables(each))
        elif not isinstance(action, argparse._HelpAction) and action.help not in (None, argparse.SUPPRESS):
            words = formatter._format_action_invocation(action).replace("|", "\\|")
            rows.append([f"`{words}`", formatter._expand_help(action).replace("|", "\\|")])
    if rows:
        yield markdown_table(["option", "effect"], rows)
