"""Arguments of `play.py`: what they turn into, bad ones, the help, and what is imported for it."""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys

import pytest
from support.sources import ROOT

from minesweeper_env.config import BoardConfig
from minesweeper_play.cli.arguments import make_parser, read_options
from minesweeper_play.cli.modes import MODES
from minesweeper_play.options import PlayOptions

VERBS = "continue draw give hide judge play protect serve show watch write"


def options_of(line):
    return read_options(shlex.split(line), "play.py")[1]


def test_without_arguments_the_game_asks_for_a_board():
    mode, options = read_options(["--lang", "en"], "play.py")
    assert mode == "terminal"
    assert options == PlayOptions(language="en", given=frozenset({"language"}))


@pytest.mark.parametrize(
    ("line", "config"),
    [
        ("--preset beginner", BoardConfig(9, 9, 10)),
        ("--preset expert --first-click safe", BoardConfig(16, 30, 99, first_click="safe")),
        ("--size 8", BoardConfig(8, 8, 14)),
        ("--size 9", BoardConfig(9, 9, 10)),
        ("--size 12x20", BoardConfig(12, 20, 49)),
        ("--size 12x20 --mines 45", BoardConfig(12, 20, 45)),
        ("--size 3", BoardConfig(3, 3, 2, first_click="safe")),
        ("--size 3 --mines 8 --first-click any", BoardConfig(3, 3, 8, first_click="any")),
    ],
)
def test_boards(line, config):
    assert options_of(line).config == config


def test_options_of_the_look_and_of_the_game():
    options = options_of("--size 8 --seed 7 --lang es --icons nerd --palette colour-blind --no-animation")
    assert (options.seed, options.language, options.icons) == (7, "es", "nerd")
    assert (options.palette, options.animation) == ("colour-blind", False)
    assert options.given == {"size", "seed", "language", "icons", "palette", "animation"}
    assert options.keeps_settings
    assert not options_of("--no-settings").keeps_settings


@pytest.mark.parametrize("mode", ["classic", "stats"])
def test_modes(mode):
    assert read_options([f"--{mode}"], "play.py")[0] == mode


BAD = {
    "--size 3 --first-click opening": "no number of mines fits on 3 x 3 with --first-click 'opening'",
    "--size 8 --mines 64": "--mines must be 1 to 63 on 8 x 8 with --first-click 'safe' and radius 1, not 64",
    "--size 8 --mines 0": "argument --mines: must be a whole number of at least 1, not '0'",
    "--size 0": "--size: rows must be a whole number of at least 1, not 0",
    "--size 9999999x9999999": "a board has 2 to 1048576 cells",
    "--size eight": "argument --size: a size is a side such as 8, or ROWSxCOLS such as 16x30, not 'eight'",
    "--mines 10": "--mines needs --size",
    "--preset expert --size 8": "--preset has its own size and mines",
    "--preset hard": "argument --preset: invalid choice: 'hard'",
    "--seed -1": "argument --seed: must be a whole number of at least 0, not '-1'",
    "--first-click kind": "argument --first-click: invalid choice: 'kind'",
    "--lang de": "argument --lang: invalid choice: 'de'",
    "--icons fancy": "argument --icons: invalid choice: 'fancy'",
    "--palette pink": "argument --palette: invalid choice: 'pink'",
    "--classic --stats": "choose one of --classic and --stats",
    "--load game.json --size 8": "--load takes board and seed from the file",
    "--load ''": "argument --load: must be a path, not an empty text",
    "--analyse ''": "argument --analyse: must be a path, not an empty text",
    "--window --icons nerd": "--icons means nothing with --window; leave it out",
    "--window --no-animation": "--no-animation means nothing with --window; leave it out",
    "--stats --size 8": "--size means nothing with --stats; leave it out",
    "--serve --load game.json": "--load means nothing with --serve; leave it out",
    "--analyse - --palette colour-blind": "--palette means nothing with --analyse; leave it out",
    "--policy exact --load game.json": "--load means nothing with --policy; leave it out",
    "--versus exact exact --animation": "--animation means nothing with --versus; leave it out",
    "--classi": "unrecognized arguments: --classi",
    "somewhere": "unrecognized arguments: somewhere",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_argument_is_one_line_and_status_2(line, capsys):
    with pytest.raises(SystemExit) as leaving:
        read_options(shlex.split(line), "play.py")
    assert leaving.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (message,) = printed.err.splitlines()
    assert message.startswith(f"play.py: {BAD[line]}")


ON_PARTS = {
    "serve": {
        "--port 8000": "--port needs --serve",
        "--host here": "--host needs --serve",
        "--serve --port 0": "argument --port: must be a whole number of at least 1, not '0'",
        "--serve --port 65536": "argument --port: must be 1 to 65535, not 65536",
        "--serve --classic": "choose one of --serve and --classic",
    },
    "analyse": {"--json": "--json needs --analyse", "--analyse - --stats": "choose one of --analyse and --stats"},
    "terminal": {
        "--policy exact --versus exact exact": "choose one of --policy and --versus",
        "--policy exact --classic": "--policy needs the full terminal or --serve; leave out --classic",
        "--versus exact": "argument --versus: expected 2 arguments",
    },
}


@pytest.mark.parametrize("mode", ON_PARTS)
def test_bad_arguments_of_parts(mode, capsys):
    for line, expected in ON_PARTS[mode].items():
        with pytest.raises(SystemExit) as leaving:
            read_options(shlex.split(line), "play.py")
        assert leaving.value.code == 2
        (message,) = capsys.readouterr().err.splitlines()
        assert message.startswith(f"play.py: {expected}" if MODES[mode].is_there else "play.py: ")


def given_options():
    return [action for action in make_parser("play.py")._actions if not isinstance(action, argparse._HelpAction)]


@pytest.mark.parametrize("action", given_options(), ids=lambda action: action.dest)
def test_every_help_begins_with_a_verb_and_ends_with_its_default(action):
    assert action.help.partition(" ")[0] in VERBS.split(), action.help
    if action.default not in (None, False):
        assert re.search(r"\(default [^()]+\)$", action.help), action.help


def test_the_examples_of_the_help_parse():
    _, _, examples = make_parser("play.py").epilog.partition("examples:\n")
    lines = examples.replace("\\\n", " ").splitlines()
    assert len(lines) >= 2
    for line in lines:
        words = shlex.split(line)
        assert words[:2] == ["python", "play.py"]
        read_options(words[2:], "play.py")


def test_the_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from minesweeper_play.cli.arguments import make_parser\n"
        "make_parser('play.py').format_help()\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(result.stdout.split()) & {"numba", "gymnasium", "numpy", "textual", "torch", "pygame", "scipy"}
