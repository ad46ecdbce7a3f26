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
    """Returns the arguments of a class of this path, as a table, from its docstring or that of its `__init__`."""
    found = pkgutil.resolve_name(path)
    own, made = (inspect.getdoc(each) or "" for each in (found, found.__init__))
    sections = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", own, re.DOTALL | re.MULTILINE))
    if "Arguments" in sections:
        kept = {name: sections[name].strip() for name in SHOWN if name in sections}
        return "\n\n".join(
            f"{'' if name == SHOWN[0] else f'**{name}**'}\n\n{text}" for name, text in kept.items()
        ).strip()
    text = own + "\n" + made
    pairs = re.findall(
        r"^    (\w+): (.*(?:\n {6,}.*)*)", text.partition("\nArgs:\n")[2].partition("\n\n")[0], re.MULTILINE
    )
    return markdown_table(
        ["argument", "meaning"], [[f"`{name}`", " ".join(meaning.split())] for name, meaning in pairs]
    )


def of_commands(names: str) -> str:
    """Returns the options of commands of `minesweeper`; an option that an earlier command has is only named."""
    parts, seen = [], dict[tuple[str, str], str]()
    for name in names.split():
        parts += [f"### {name}", f"{COMMANDS[name].capitalize()}.", *_tables(_parser(name), name, seen)]
    return "\n\n".join(parts)


def _parser(name: str) -> argparse.ArgumentParser:
    if name == "play":
        parser: argparse.ArgumentParser = import_module(PLAY_MODULE).make_parser("minesweeper play")
        return parser
    command: Command = import_module(f"baselines.cli.{name.replace('-', '_')}").main.__self__
    return command.parser(f"minesweeper {name}")


def _tables(parser: argparse.ArgumentParser, name: str, seen: dict[tuple[str, str], str]) -> Iterator[str]:
    formatter, rows, known = parser._get_formatter(), [], dict[str, list[str]]()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from (f"`{each.prog}`: {each.description}.", *_tables(each, each.prog, seen))
        elif not isinstance(action, argparse._HelpAction) and action.help not in (None, argparse.SUPPRESS):
            words = formatter._format_action_invocation(action).replace("|", "\\|")
            text = formatter._expand_help(action).replace("|", "\\|")
            owner = seen.setdefault((words, text), name)
            if owner == name:
                rows.append([f"`{words}`", text])
            else:
                known.setdefault(owner, []).append(f"`{words.split()[0]}`")
    if rows:
        yield markdown_table(["option", "effect"], rows)
    for owner, options in known.items():
        yield f"As in {owner}: {', '.join(options)}."
