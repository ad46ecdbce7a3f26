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

SHOWN = ("Arguments", "Action Space", "Observation Space", "Rewards", "Information", "Rendering")
"""The sections of the docstring of an environment that say what its arguments mean, and what it takes and returns."""


def of_class(path: str) -> str:
    """Returns a table of the arguments of the class at a path, from its docstring or that of its `__init__`."""
    documented = pkgutil.resolve_name(path)
    class_doc, init_doc = (inspect.getdoc(each) or "" for each in (documented, documented.__init__))
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", class_doc, re.DOTALL | re.MULTILINE))
    if "Arguments" in sections:
        shown = {name: sections[name].strip() for name in SHOWN if name in sections}
        return "\n\n".join(
            f"{'' if name == SHOWN[0] else f'**{name}**'}\n\n{text}" for name, text in shown.items()
        ).strip()
    doc = class_doc + "\n" + init_doc
    pairs = re.findall(
        r"^    (\w+): (.*(?:\n {6,}.*)*)", doc.partition("\nArgs:\n")[2].partition("\n\n")[0], re.MULTILINE
    )
    return markdown_table(
        ["argument", "meaning"], [[f"`{name}`", " ".join(meaning.split())] for name, meaning in pairs]
    )


def of_commands(names: str) -> str:
    """Returns tables of the options of commands, by name; an option that an earlier command has is only named."""
    parts, first_commands = [], dict[tuple[str, str], str]()
    for name in names.split():
        parts += [f"### {name}", f"{COMMANDS[name].capitalize()}.", *_tables(_parser(name), name, first_commands)]
    return "\n\n".join(parts)


def _parser(name: str) -> argparse.ArgumentParser:
    if name == "play":
        parser: argparse.ArgumentParser = import_module(PLAY_MODULE).make_parser("minesweeper play")
        return parser
    command: Command = import_module(f"baselines.cli.{name.replace('-', '_')}").main.__self__
    return command.parser(f"minesweeper {name}")


def _tables(parser: argparse.ArgumentParser, name: str, first_commands: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yields the tables of a parser; `first_commands` gets the command that first has an (option, effect)."""
    formatter, rows, repeated = parser._get_formatter(), [], dict[str, list[str]]()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from (f"`{sub.prog}`: {sub.description}.", *_tables(sub, sub.prog, first_commands))
        elif not isinstance(action, argparse._HelpAction) and action.help not in (None, argparse.SUPPRESS):
            invocation = formatter._format_action_invocation(action).replace("|", "\\|")
            effect = formatter._expand_help(action).replace("|", "\\|")
            first_command = first_commands.setdefault((invocation, effect), name)
            if first_command == name:
                rows.append([f"`{invocation}`", effect])
            else:
                repeated.setdefault(first_command, []).append(f"`{invocation.split()[0]}`")
    if rows:
        yield markdown_table(["option", "effect"], rows)
    for first_command, options in repeated.items():
        yield f"As in {first_command}: {', '.join(options)}."
