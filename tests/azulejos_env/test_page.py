"""The page of the game: its code runs."""

from __future__ import annotations

import re

import pytest
from support import ROOT

PAGE = (ROOT / "docs" / "azulejos.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(capsys):
    pytest.importorskip("pettingzoo")
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(code, "docs/azulejos.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_boards_of_the_figures_are_those_of_their_seed():
    from azulejos_env.config import GameConfig
    from azulejos_env.files import write_game_text
    from azulejos_env.position import Position, random_board

    for path in sorted((ROOT / "benchmarks" / "boards").glob("*.txt")):
        side = int(path.stem.partition("x")[0])
        config = GameConfig(side, side, 3)
        assert path.read_text() == write_game_text(Position(config, random_board(config, 0)))
