"""Help of every command: the list of commands, examples which parse, and how counts are written."""

from __future__ import annotations

import argparse
import re
import shlex
from importlib import import_module
from types import ModuleType

import pytest

from baselines.__main__ import COMMANDS, main
from baselines.cli.arguments import whole_number_from


class ParserFoundError(Exception):
    """Carries the parser of a command out of its `main`."""


def module_of(name: str) -> ModuleType:
    path = "minesweeper_play.command" if name == "play" else f"baselines.cli.{name.replace('-', '_')}"
    return import_module(path)


def parser_of(name: str, monkeypatch: pytest.MonkeyPatch) -> argparse.ArgumentParser:
    def leave(self: argparse.ArgumentParser, *_: object) -> None:
        raise ParserFoundError(self)

    with monkeypatch.context() as patched:
        patched.setattr(argparse.ArgumentParser, "parse_args", leave)
        with pytest.raises(ParserFoundError) as found:
            module_of(name).main([])
    return found.value.args[0]


def examples(parser: argparse.ArgumentParser) -> list[list[str]]:
    """Returns the example command lines of a parser, as words; a line that ends in a backslash goes on."""
    _, heading, rest = (parser.epilog or "").replace("\\\n", " ").partition("examples:\n")
    assert heading, parser.prog
    lines = rest.split("\n\n")[0].splitlines()
    return [shlex.split(line) for line in lines if line.startswith("  ")]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "warm-up"])
def test_every_command_with_options_has_two_examples_which_parse(name, monkeypatch):
    parser = parser_of(name, monkeypatch)
    found = examples(parser)
    assert len(found) >= 2
    for words in found:
        program = shlex.split(parser.prog)
        start = words.index(program[-1])
        assert words[: start + 1][-len(program) :] == program
        parser.parse_args(words[start + 1 :])


def test_the_list_of_commands_has_one_line_for_each(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name, summary in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", shown, re.MULTILINE)


def test_counts_are_written_as_python_writes_numbers():
    parse = whole_number_from(1, 10**6)
    assert [parse(text) for text in ("7", "1e5", "100_000", "2.5E4", "1e+3", "1.0")] == [
        7,
        10**5,
        10**5,
        25_000,
        1000,
        1,
    ]
    for text in ("1e-2", "1.5", "2.55e1", "_1", "1__0", "1e", "e5", "", " 5", "0", "-1e3", "inf", "nan"):
        with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number of at least 1"):
            parse(text)
    for text in ("1e7", "1e999", "9" * 5000):
        with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number of at most 1000000"):
            parse(text)
