"""Transcripts of games in the line mode; `python tests/support/classic_games.py` writes the golden ones."""

import contextlib
import io
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "minesweeper_play" / "golden"

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from minesweeper_env.config import BoardConfig  # noqa: E402
from minesweeper_play import line_mode  # noqa: E402
from minesweeper_play.game.session import Session  # noqa: E402
from minesweeper_play.options import PlayOptions  # noqa: E402
from support.played_games import Clock  # noqa: E402

GAMES: dict[str, tuple[BoardConfig | None, str]] = {
    "won": (
        BoardConfig(5, 6, 5),
        "man|hint 2 2|1 1|hint|hint 1 3|hint 1 1|hint 6 5|hint 9 9|flag 1 3|expand 6 2|flag 3 4|expand 2 3|flag 4 4|"
        "chord 5 3|hint|try 1 5|try 2 5|try 4 5|try 6 5|try 5 5|no",
    ),
    "lost": (
        BoardConfig(5, 6, 5),
        "|foo|FLAG 9 9|1|7 1|flag 1 x|help now|review|share|save|expand 1 1|undo|help|hint|try 1 1|try 1 1|flag 1 1|"
        "expand 4 1|expand 3 3|chord 3 3|help|probabilities|flag 1 3|try 1 3|expand 1 2|expand 6 2|question 1 5|"
        "question 1 5|flag 2 4|expand 2 3|save|undo|flag 2 4|try 3 4|sí|quit",
    ),
    "no_guess": (BoardConfig(5, 5, 5), "flag 1 1|1 1|3 3|hint|undo|3 3|quit"),
    "setup": (None, "eight|2|11|3.5||3|0|9|8||2 2||10|21|y|5 5|help|assist|new|4|4|n|r|pause||again|quit"),
}
"""The board of each game, None to choose one, and the lines that are typed, with a | between them."""


def transcript(name: str, language: str) -> str:
    """Returns what a game prints, the typed lines included."""
    (config, lines), level = GAMES[name], "exact" if name == "no_guess" else False
    options = PlayOptions(language=language, config=config, seed=0, no_guess=level, given=frozenset({"classic"}))
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()) as stdout,
        mock.patch.object(sys, "stdin", io.StringIO(lines.replace("|", "\n") + "\n")),
        mock.patch.object(line_mode, "Session", partial(Session, now=Clock(0.25))),
        mock.patch.dict(os.environ, {"XDG_DATA_HOME": folder}),
    ):
        status = line_mode.run(options)
    return f"{stdout.getvalue()}exit status {status}\n"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in GAMES:
        for language in ("en", "es"):
            (GOLDEN / f"{name}.{language}.txt").write_text(transcript(name, language), encoding="utf-8")
