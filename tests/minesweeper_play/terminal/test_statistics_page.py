"""The page of the statistics: boards, games and best times in words, in both languages."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import Statistics
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.terminal.statistics import statistics_text


def won(*mines):
    layout = np.array([mines], bool)
    session = Session(BoardConfig(1, len(mines), sum(mines), first_click="safe"), layout=layout, seed=0)
    session.practice = False
    for col in np.flatnonzero(~layout[0]).tolist():
        session.open(0, col)
    return session


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            [
                "1\u00d72, 1 mine, first click is no mine",
                "  1 of 1 games won (100%)",
                "1\u00d73, 2 mines, first click is no mine",
            ],
        ),
        (
            "es",
            [
                "1\u00d72, 1 mina, primer clic: no es una mina",
                "  1 de 1",
                "1\u00d73, 2 minas, primer clic: no es una mina",
            ],
        ),
    ],
)
def test_each_board_has_its_games(tmp_path, language, lines):
    statistics = Statistics(tmp_path)
    assert str(tmp_path) in statistics_text(statistics, Catalogue(language))
    statistics.finish(won(1, 0))
    statistics.finish(won(1, 0, 1))
    text = statistics_text(statistics, Catalogue(language))
    assert [line for line in lines if f"{line}" not in text] == []
