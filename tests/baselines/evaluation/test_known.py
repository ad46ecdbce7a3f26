"""The known wins of `exact`: the file agrees with the games, and nothing is claimed beyond it."""

import json

import pytest
from support import ROOT

from baselines.evaluation.games import play_games
from baselines.evaluation.results import known_wins
from baselines.registry import find_policy
from minesweeper_env import BoardConfig

USUAL = BoardConfig(8, 8, 14, moves=("click",))


@pytest.mark.parametrize("first_click", ["opening", "safe"])
@pytest.mark.parametrize("board", [(8, 8, 14), (9, 9, 10), (5, 5, 5)])
def test_the_known_wins_are_those_of_the_games(board, first_click):
    config = BoardConfig(*board, first_click, ("click",))
    won = [record.won for record in play_games(find_policy("exact")(config), config, range(40, 90))]
    assert known_wins(config, 40, 50) == sum(won)
    assert [known_wins(config, 40 + index, 1) for index in range(50)] == won


def test_the_known_wins_agree_with_the_published_results():
    results = json.loads((ROOT / "docs" / "results" / "bayes.json").read_text(encoding="utf-8"))
    compared = 0
    for board in results["boards"]:
        (row,) = [row for row in board["results"] if row["policy"] == "exact"]
        rows, cols = board["config"]["size"]
        config = BoardConfig(rows, cols, board["config"]["mines"], board["config"]["first_click"], ("click",))
        known = known_wins(config, results["seed"], row["games"])
        if known is not None:
            assert known == row["wins"]
            compared += 1
    assert compared == 2


@pytest.mark.parametrize(
    ("config", "seed", "games"),
    [
        (USUAL, 600_000, 10),
        (USUAL, 9_995, 10),
        (BoardConfig(8, 8, 13, moves=("click",)), 0, 10),
        (BoardConfig(8, 8, 14, "any", ("click",)), 0, 10),
        (BoardConfig(8, 8, 14, radius=2), 0, 10),
        (BoardConfig(8, 8, 14, moves=("click",), no_guess="exact"), 0, 10),
        (BoardConfig(8, 8, 14, max_steps=5), 0, 10),
    ],
)
def test_nothing_is_claimed_about_other_games(config, seed, games):
    assert known_wins(config, seed, games) is None
