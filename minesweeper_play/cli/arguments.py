"""Arguments of `play.py`, checked and turned into `PlayOptions` before anything heavy is imported."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from baselines.cli.arguments import Parser, parse_path, parse_size, whole_number_from
from baselines.cli.start import typed_command
from baselines.support.figures import SUFFIXES
from minesweeper_env.config import FIRST_CLICKS, BoardConfig, default_mines_text
from minesweeper_play.cli.company import check_company
from minesweeper_play.cli.modes import MODES
from minesweeper_play.game.boards import BOARDS, preset_board, sized_board
from minesweeper_play.language.catalogue import language_of
from minesweeper_play.options import ICONS, LANGUAGES, PALETTES, PlayOptions

DESCRIPTION = "Play Minesweeper in the terminal."

EXAMPLES = ("--preset expert", "--size 12x20 --mines 45 --seed 7", "--classic --lang es")
"""Arguments of the examples in the help."""

LAST_PORT = 65535


def read_options(arguments: Sequence[str] | None, program: str) -> tuple[str, PlayOptions]:
    """Returns the mode, a key of `MODES`, and the options; bad arguments end the process with status 2.

    Args:
        arguments: the words of the command line; None takes them from `sys.argv`.
        program: the command as the user typed it.
    """
    parser = make_parser(program)
    options, given = parser.parse_given(arguments)
    modes = [name for name in MODES if name in given]
    try:
        if len(modes) > 1:
            raise ValueError(f"choose one of {' and '.join(f'--{mode}' for mode in modes)}")
        check_company(options, given, modes[0] if modes else "terminal")
        return (modes[0] if modes else "terminal"), _options(options, frozenset(given), program)
    except ValueError as error:
        parser.error(str(error))


def make_parser(program: str) -> Parser:
    """Returns the parser; it offers what is installed.

    Args:
        program: the command as the user typed it.
    """
    lines = "\n".join(f"  {typed_command(program, line.split())}" for line in EXAMPLES)
    parser = Parser(prog=program, description=DESCRIPTION, epilog=f"examples:\n{lines}\n")
    _add_board(parser.add_argument_group("board"))
    _add_look(parser.add_argument_group("look"))
    _add_modes(parser.add_argument_group("instead of a game in the full terminal"))
    return parser


def _add_board(group: argparse._ArgumentGroup) -> None:
    names, rules = ", ".join(BOARDS), ", ".join(FIRST_CLICKS)
    group.add_argument("--preset", choices=tuple(BOARDS), metavar="NAME", help=f"play on a classic board: {names}")
    group.add_argument(
        "--size",
        type=parse_size,
        metavar="SIZE",
        help="play on a square board of this side, or on ROWSxCOLS such as 16x30",
    )
    group.add_argument(
        "--mines",
        type=whole_number_from(1),
        metavar="N",
        help=f"hide N mines (default {default_mines_text()}; on other sizes a fifth of the cells and one more)",
    )
    group.add_argument(
        "--first-click",
        choices=FIRST_CLICKS,
        metavar="RULE",
        help=f"protect the first click by this rule: {rules} "
        f"(default {BoardConfig.first_click}, or safe where it has no room)",
    )
    group.add_argument(
        "--no-guess",
        choices=("subset", "exact"),
        metavar="LEVEL",
        help="play on boards that logic alone wins: subset (differences of clues), exact (all that can be inferred)",
    )
    seed_help = "give game i the seed SEED + i (default: random seeds)"
    group.add_argument("--seed", type=whole_number_from(0), metavar="SEED", help=seed_help)
    group.add_argument("--load", type=parse_path, metavar="FILE", help="continue the saved game in this file")


def _add_look(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--lang",
        dest="language",
        choices=LANGUAGES,
        metavar="LANGUAGE",
        help=f"show the game in this language: {', '.join(LANGUAGES)} (default: the one of the locale)",
    )
    group.add_argument(
        "--icons",
        choices=ICONS,
        default=PlayOptions.icons,
        metavar="SET",
        help="draw cells with characters that every terminal has, or with those of a Nerd Font: "
        f"{', '.join(ICONS)} (default {PlayOptions.icons})",
    )
    group.add_argument(
        "--palette",
        choices=PALETTES,
        default=PlayOptions.palette,
        metavar="PALETTE",
        help=f"show cells in these colours: {', '.join(PALETTES)} (default {PlayOptions.palette})",
    )
    group.add_argument(
        "--animation",
        action=argparse.BooleanOptionalAction,
        default=PlayOptions.animation,
        help="show openings layer by layer; --no-animation shows them at once (default layer by layer)",
    )
    group.add_argument(
        "--no-settings",
        action="store_true",
        help="play without the settings that earlier games in the full terminal kept, and keep none",
    )


def _add_modes(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--classic", action="store_true", help="play line by line, as where stdin or stdout is no terminal")
    if MODES["terminal"].is_there:
        add("--policy", metavar="POLICY", help="watch this policy play")
        add("--versus", nargs=2, metavar="POLICY", help="watch two policies play the same seeds from one first cell")
    if MODES["serve"].is_there:
        add("--serve", action="store_true", help="show the game in a web page")
        add("--host", metavar="ADDRESS", help=f"serve the page at this address (default {PlayOptions.host})")
        add("--port", type=parse_port, metavar="PORT", help="serve the page at this port (default 8000)")
    if MODES["window"].is_there:
        add("--window", action="store_true", help="play in a window")
    if MODES["analyse"].is_there:
        add(
            "--analyse",
            type=parse_source,
            metavar="FILE",
            help="judge the position or the game in this file, or on stdin (-)",
        )
        add("--json", action="store_true", help="write the analysis as JSON")
        add("--quick", action="store_true", help="judge a game in about half the time, with larger errors")
        add("--plot", type=parse_path, metavar="FILE", help=f"draw the review of a game: {', '.join(SUFFIXES)}")
    add("--stats", action="store_true", help="show the statistics of finished games")


def parse_source(text: str) -> str:
    """Returns a path, or "-" for stdin."""
    return str(parse_path(text))


def parse_port(text: str) -> int:
    """Returns a number of a port, 1 to 65535."""
    port = whole_number_from(1)(text)
    if port > LAST_PORT:
        raise argparse.ArgumentTypeError(f"must be 1 to {LAST_PORT}, not {port}")
    return port


def _options(given: argparse.Namespace, stated: frozenset[str], program: str) -> PlayOptions:
    """Returns the options; raises a ValueError if the board is not allowed."""
    rule = given.first_click or PlayOptions.first_click
    config = None
    if given.preset:
        config = preset_board(given.preset, rule)
    elif given.size:
        rows, cols = given.size
        config = sized_board(rows, cols, given.mines, given.first_click)
    return PlayOptions(
        program=program,
        language=given.language or language_of(),
        config=config,
        first_click=rule,
        seed=given.seed,
        no_guess=given.no_guess or False,
        icons=given.icons,
        palette=given.palette,
        animation=given.animation,
        saved=given.load,
        policy=getattr(given, "policy", None),
        versus=None if getattr(given, "versus", None) is None else tuple(given.versus),
        host=getattr(given, "host", None) or PlayOptions.host,
        port=getattr(given, "port", None),
        analyse=getattr(given, "analyse", None),
        mines=given.mines,
        as_json=getattr(given, "json", False),
        quick=getattr(given, "quick", False),
        plot=_picture(getattr(given, "plot", None)),
        keeps_settings=not given.no_settings,
        given=stated,
    )


def _picture(path: Path | None) -> Path | None:
    """Returns the path of a picture; raises a ValueError if it has another ending."""
    if path is not None and path.suffix not in SUFFIXES:
        raise ValueError(f"--plot takes a file that ends in {', '.join(SUFFIXES)}, not {path}")
    return path
