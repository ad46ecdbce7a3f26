"""`python play.py`: the command line, checked before anything heavy is imported, and the mode that it chooses."""

import argparse
import os
import sys
from collections.abc import Callable, Container, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from baselines.checks import MissingExtraError, missing_extra
from baselines.cli.command import Parser, parse_size, whole_number_from
from baselines.files import check_writable
from baselines.process import BAD_ARGUMENTS, FAILED, INTERRUPTED, explain, typed_command
from minesweeper_env.config import DEFAULT_MINES_TEXT, FIRST_CLICKS, BoardConfig
from minesweeper_env.console import is_live, say, show_compilations
from minesweeper_play.catalogue import Catalogue, language_of
from minesweeper_play.options import BOARDS, PRACTICE, Language, Palette, PlayOptions, preset_board, sized_board

PROGRAM = "play.py"

MODES = {
    "terminal": "minesweeper_play.terminal.app:run",
    "serve": "minesweeper_play.web:serve",
    "classic": "minesweeper_play.line_mode:run",
    "window": "minesweeper_play.window:run",
    "analyse": "minesweeper_play.coach.command:analyse",
    "practice": "minesweeper_play.practice:run",
    "stats": "minesweeper_play.line_mode:show_statistics",
}
"""The function of each mode, by the option that chooses the mode; "terminal" needs none."""


def main(arguments: Sequence[str] | None = None, program: str = PROGRAM) -> int:
    """Runs the command `program` with its arguments, by default those of `sys.argv`; returns the exit status.

    The status is 0 when the player has left, 1 after a failure, 2 after a bad argument, 130 after Ctrl-C.
    """
    mode, options = read_options(arguments, program)
    catalogue, in_page = Catalogue(options.language), "TEXTUAL_DRIVER" in os.environ
    # One message announces all compilations, so only the first of them shows it.
    announce = cache(partial(say, catalogue.text("compiling"), replaces=True))
    show_compilations(lambda _: announce())
    if mode == "serve" and in_page:
        # textual-serve has started this process for a visitor, whose page is the terminal.
        mode = "terminal"
    if mode == "terminal" and not in_page and not (sys.stdin.isatty() and is_live(sys.stdout)):
        if options.policy is not None or options.versus is not None:
            say(f"{program}: {catalogue.text('needs_screen')}")
            return BAD_ARGUMENTS
        mode = "classic"
    return _run(mode, options)


def _run(mode: str, options: PlayOptions) -> int:
    """Runs a mode; returns its exit status. Errors become one line and a status; the caller handles a broken pipe."""
    try:
        from minesweeper_play.game.records import SavedGameError

        module, function = MODES[mode].split(":")
        status: int = getattr(import_module(module), function)(options)
        return status
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        # Imports and the first question of a practice take time before a mode can catch it.
        return INTERRUPTED
    except ModuleNotFoundError as error:
        say(f"{options.program}: {missing_extra(str(error.name), 'web' if mode == 'serve' else 'play')}")
        return FAILED
    except (SavedGameError, MissingExtraError, OSError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS if isinstance(error, SavedGameError) else FAILED


BOARD = ("preset", "size", "mines", "first_click", "no_guess", "luck", "seed")
"""The options of a board, by their names in the parser."""

SURPLUS = {
    "analyse": (
        "preset size seed saved",
        "--analyse takes the board from the file; leave out --preset, --size, --seed and --load",
    ),
    "practice": ("first_click no_guess luck saved", "--practice takes --preset or --size, --mines and --seed alone"),
    "stats": ("preset size mines first_click no_guess luck seed saved", "--stats shows finished games of all boards"),
}
"""For each mode, the options of a board that it does not take, by their names in the parser, and the message then."""

NEEDED = {
    "record": ("analyse", "--record needs --analyse with a saved game; without it, the key g draws a finished game"),
    "as_json": ("analyse", "--json needs --analyse"),
    "level": ("practice", "--level needs --practice"),
    "host": ("serve", "--host and --port need --serve"),
    "port": ("serve", "--host and --port need --serve"),
}
"""For each option, by its name in the parser, the mode that it needs, and the message in any other mode."""

EXAMPLES = ("--preset expert", "--size 12x20 --mines 45 --seed 7", "--classic --lang es")


def read_options(arguments: Sequence[str] | None, program: str) -> tuple[str, PlayOptions]:
    """Returns the mode, a key of `MODES`, and the options; bad arguments end the process with status 2."""
    parser, words = make_parser(program), sys.argv[1:] if arguments is None else arguments
    options = parser.parse_args(words)
    # With None as each default, every other value stands on the command line.
    without_defaults = parser.parse_args(words, argparse.Namespace(**dict.fromkeys(vars(options))))
    given = [name for name, value in vars(without_defaults).items() if value is not None]
    mode = next((name for name in MODES if name in given), "terminal")
    try:
        # An explicit --no-guess none goes with every other option.
        check_combination([name for name in given if (name, without_defaults.no_guess) != ("no_guess", "none")], mode)
        return mode, _options(options, frozenset(given), program, tuple(words))
    except ValueError as error:
        parser.error(str(error))


def make_parser(program: str) -> Parser:
    """Returns the parser; `program` is the command as the user typed it."""
    lines = "\n".join(f"  {typed_command(program, line.split())}" for line in EXAMPLES)
    parser = Parser(prog=program, description="Play Minesweeper in the terminal.", epilog=f"examples:\n{lines}\n")
    _add_board(parser.add_argument_group("board").add_argument)
    _add_look(parser.add_argument_group("look").add_argument)
    _add_modes(parser)
    return parser


def _add_board(add: Callable[..., object]) -> None:
    add("--preset", choices=tuple(BOARDS), metavar="NAME", help=f"play on a classic board: {', '.join(BOARDS)}")
    size = "play on a square board of this side, or on ROWSxCOLS such as 16x30"
    add("--size", type=parse_size, metavar="SIZE", help=size)
    mines = f"hide N mines (default {DEFAULT_MINES_TEXT}; on other sizes a fifth of the cells and one more)"
    add("--mines", type=whole_number_from(1), metavar="N", help=mines)
    usual = f"(default {BoardConfig.first_click}, or safe where it has no room)"
    rule = f"protect the first click by this rule: {', '.join(FIRST_CLICKS)} {usual}"
    add("--first-click", choices=FIRST_CLICKS, metavar="RULE", help=rule)
    level = "play on boards that logic alone wins: subset (clues combined), exact (all that can be inferred)"
    add("--no-guess", choices=("none", "subset", "exact"), default="none", metavar="LEVEL", help=level)
    rule = "a guess survives where no cell is certainly safe, and loses where one is"
    add("--no-luck", dest="luck", action="store_false", help=f"play games in which {rule} (default: with luck)")
    seed = "give game i the seed SEED + i (default: random seeds)"
    add("--seed", type=whole_number_from(0), metavar="SEED", help=seed)
    add("--load", dest="saved", type=Path, metavar="FILE", help="continue the saved game in this file")


def _add_look(add: Callable[..., object]) -> None:
    def add_choice(flag: str, choices: tuple[str, ...], default: str | None, text: str, **settings: str) -> None:
        default_text = f"(default {default})" if default else "(default: the one of the locale)"
        add(flag, choices=choices, default=default, help=f"{text}: {', '.join(choices)} {default_text}", **settings)

    languages = "show the game in this language"
    add_choice("--lang", get_args(Language), None, languages, dest="language", metavar="LANGUAGE")
    add_choice("--palette", get_args(Palette), PlayOptions.palette, "show cells in these colours", metavar="PALETTE")
    layers = "show openings layer by layer; --no-animation shows them at once (default layer by layer)"
    add("--animation", action=argparse.BooleanOptionalAction, default=PlayOptions.animation, help=layers)
    kept = "play without the settings that earlier games in the full terminal kept, and keep none"
    add("--no-settings", action="store_true", help=kept)


def _add_modes(parser: Parser) -> None:
    group = parser.add_argument_group("instead of a game in the full terminal")
    choose, watch = group.add_mutually_exclusive_group().add_argument, group.add_mutually_exclusive_group().add_argument
    add = group.add_argument
    # The options that `choose` adds exclude each other, and so do those of `watch`.
    choose("--classic", action="store_true", help="play line by line, as where stdin or stdout is no terminal")
    watched = "watch this policy play; with --analyse, let it play the analysed game, for comparison"
    watch("--policy", metavar="POLICY", help=watched)
    watch("--versus", nargs=2, metavar="POLICY", help="watch two policies play the same seeds from one first cell")
    choose("--serve", action="store_true", help="show the game in a web page")
    host, port = PlayOptions.host, PlayOptions.port
    add("--host", metavar="ADDRESS", default=host, help=f"serve the page at this address (default {host})")
    served = f"serve the page at this port (default {port})"
    add("--port", type=whole_number_from(1, 65535), metavar="PORT", default=port, help=served)
    choose("--window", action="store_true", help="play in a window")
    choose("--analyse", metavar="FILE", help="judge the position or the game in this file, or on stdin (-)")
    add("--json", dest="as_json", action="store_true", help="write the analysis as JSON")
    add("--record", type=Path, metavar="FILE", help="draw the analysed game with its risks into this .gif or .svg")
    asked = f"answer questions about positions: {', '.join(PRACTICE)}"
    choose("--practice", choices=PRACTICE, metavar="KIND", help=asked)
    reasoning = "practise what needs this reasoning: single (one number at a time), subset (several), exact"
    add("--level", choices=("single", "subset", "exact"), metavar="LEVEL", help=reasoning)
    choose("--stats", action="store_true", help="show the statistics of finished games")


def _options(parsed: argparse.Namespace, stated: frozenset[str], program: str, words: tuple[str, ...]) -> PlayOptions:
    """Returns the options from the parsed ones and the `stated` names; ValueError for a board that is not allowed."""
    rule, config = parsed.first_click or PlayOptions.first_click, None
    if parsed.preset:
        config = preset_board(parsed.preset, rule, parsed.luck)
    elif parsed.size:
        rows, cols = parsed.size
        config = sized_board(rows, cols, parsed.mines, parsed.first_click, parsed.luck)
    else:
        # A board that the player chooses later has these rules; building one refuses rules that exclude each other.
        preset_board("beginner", rule, parsed.luck)
    if parsed.record is not None:
        check_writable(parsed.record)
        if parsed.record.suffix.lower() not in (".gif", ".svg"):
            raise ValueError(f"the file of --record must end in .gif or .svg, unlike {parsed.record}")
    values: dict[str, Any] = {
        **{name: value for name, value in vars(parsed).items() if name in PlayOptions.__dataclass_fields__},
        "language": parsed.language or language_of(),
        "first_click": rule,
        "no_guess": False if parsed.no_guess == "none" else parsed.no_guess,
        "versus": parsed.versus and tuple(parsed.versus),
        # Visitors of a web page must not change the settings of each other.
        "keeps_settings": not (parsed.no_settings or parsed.serve),
    }
    return PlayOptions(program=program, config=config, given=stated, words=words, **values)


def check_combination(given: Container[str], mode: str) -> None:
    """Raises a ValueError where two options exclude each other, or an option lacks the one that it needs."""
    modes = ("terminal", "serve") if "versus" in given else ("terminal", "serve", "analyse")
    if ("policy" in given or "versus" in given) and mode not in modes:
        raise ValueError(f"--policy and --versus need the full terminal or --serve; leave out --{mode}")
    if "saved" in given and ("policy" in given or "versus" in given):
        raise ValueError("--load continues a game of yours; leave it out, or --policy and --versus")
    if "preset" in given and ("size" in given or "mines" in given):
        raise ValueError("--preset has its own size and mines; leave out --size and --mines, or --preset")
    if "mines" in given and "size" not in given and mode != "analyse":
        raise ValueError("--mines needs --size")
    for name, (needed, message) in NEEDED.items():
        if name in given and mode != needed:
            raise ValueError(message)
    surplus, message = SURPLUS.get(mode, ("", ""))
    if any(name in given for name in surplus.split()):
        raise ValueError(message)
    if "luck" in given and "no_guess" in given:
        raise ValueError("a board without guesses needs no luck; leave out --no-luck or --no-guess")
    if "saved" in given and any(name in given for name in BOARD):
        raise ValueError("--load takes board and seed from the file; leave out the options of the board")
