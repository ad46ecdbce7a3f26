"""What commands print on stderr."""

from collections.abc import Callable

import pytest

ANNOUNCEMENTS = (
    *("Play ", "Train ", "Draw ", "Compare ", "Write ", "Check ", "Benchmark "),
    *("Load ", "Compiling ", "Prepare ", "Connect ", "Record ", "playing ", "List ", "Ask ", "hf:"),
)
"""The beginnings of the lines in which a command says what it is about to do, or which commit a name means."""


def complaint(stderr: str) -> str:
    """Returns the only line on stderr that is no announcement; a command prints those once the cheap checks passed."""
    (line,) = (line for line in stderr.splitlines() if not line.startswith(ANNOUNCEMENTS))
    return line


def refused(capsys: pytest.CaptureFixture[str], main: Callable[[list[str]], int], *arguments: object) -> str:
    """Returns the complaint of a command that prints no result and exits with status 2."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as leaving:
        main([*map(str, arguments)])
    captured = capsys.readouterr()
    assert (leaving.value.code, captured.out) == (2, "")
    return complaint(captured.err)
