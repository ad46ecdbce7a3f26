"""The command behind the screen: what is checked and loaded before, and the exit status after it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from baselines.cli.arguments import BAD_ARGUMENTS, FAILED
from baselines.cli.failures import explain
from baselines.policy import PolicyError
from baselines.registry import find_policy
from baselines.support.extras import MissingExtraError, import_extra
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import compile_step
from minesweeper_env.notices import say, show_compilations
from minesweeper_play.folders import NoHomeError
from minesweeper_play.game.saved import SavedGameError, load_game
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.watching.player import Player


def run(options: PlayOptions) -> int:
    """Plays on the whole screen, or watches policies, until the user leaves.

    Returns:
        The exit status: 0 when the user left, 1 after a failure, 2 where a policy or a saved game cannot be used,
        130 after Ctrl-C.
    """
    try:
        import_extra("textual", "play")
        compile_step()
        players = load_players(options)
        session = load_game(Path(options.saved)) if options.saved is not None else None
    except (ValueError, PolicyError, SavedGameError, MissingExtraError) as error:
        say(f"{options.program}: {explain(error)}")
        return BAD_ARGUMENTS
    from minesweeper_play.terminal.app import MinesweeperApp
    from minesweeper_play.terminal.kept_settings import KeptSettings

    kept = None
    # The screen warns of a user without a home, who has no statistics either.
    with suppress(NoHomeError):
        kept = KeptSettings() if options.keeps_settings else None
    app = MinesweeperApp(options, players, session, kept_settings=kept)
    show_compilations(lambda _: app.notice(app.text("compiling")))
    status = app.run()
    show_compilations(None)
    if app.problem:
        say(f"{options.program}: {app.problem}")
    return FAILED if status is None else status


def load_players(options: PlayOptions) -> list[Player]:
    """Returns the policies to watch; none where the user plays.

    Raises:
        ValueError: a policy is unknown, or it cannot play the board.
        PolicyError: the code of a user's policy fails.
        MissingExtraError: a policy needs a package that is not installed.
    """
    names = options.versus or ((options.policy,) if options.policy is not None else ())
    config = options.config or BoardConfig.of_size(8, first_click=options.first_click)
    config = replace(config, no_guess=options.no_guess)
    return [Player(find_policy(name), config) for name in names]
