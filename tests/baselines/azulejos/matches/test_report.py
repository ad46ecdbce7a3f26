"""Report of a tournament: the order of the policies, notes, and what few games allow to say."""

from __future__ import annotations

import json

import numpy as np
import pytest

from azulejos_env.config import GameConfig
from baselines.azulejos.matches.report import Report
from baselines.azulejos.matches.tournament import Block, Games, Tournament


def report(names, boards, played, *scores):
    """Returns a report of pairs that have played the first boards, each of them with the same scores."""
    tournament = Tournament(GameConfig(8, 8, 3), names, 5, boards)
    games = Games(tournament)
    for pair, board in enumerate(scores):
        games.add(Block(pair, 0, played), np.array([board] * played))
    return Report(tournament, games, "command")


WON, LOST, TIED = [[9, 2], [8, 3]], [[2, 9], [3, 8]], [[9, 2], [2, 9]]


def test_a_policy_that_wins_the_only_board_stands_first():
    found = report(("a", "b"), 1, 1, LOST)
    assert [rating.policy for rating in found.ranked] == ["b", "a"]
    # The 95 % interval of a win rate of 1 on one board begins at 20.7 %, which is -234 Elo points.
    assert "> b       > -234  -234 to no limit      2    100.0%" in found.text()
    assert "seed 5" in found.text()


def test_pairs_are_shown_from_the_side_of_the_stronger_policy():
    text = report(("a", "b", "c"), 9, 9, LOST, [[9, 2], [5, 5]], WON).text()
    _, pairs = text.split("Pairs, stronger policy first\n")
    assert [line.split()[:5] for line in pairs.splitlines()[2:5]] == [
        ["b", "a", "18", "0", "0"], ["b", "c", "18", "0", "0"], ["a", "c", "9", "9", "0"],
    ]  # fmt: skip


def test_notes_say_what_is_missing_and_which_rating_is_given():
    notes = report(("a", "b"), 10, 4, TIED).notes()
    assert notes[0] == "Only the first 4 of 10 boards are complete."
    assert "Elo: a = 0; intervals by a bootstrap over boards." in notes
    assert not [note for note in notes if note.startswith(">")]
    assert report(("a", "random"), 2, 2, WON).notes()[-2:] == [
        "Elo: random = 0; intervals by a bootstrap over boards.",
        "> and <: the policy won or lost every game that would limit its rating; the limit is given.",
    ]


def test_the_file_has_no_infinite_numbers(tmp_path):
    report(("random", "b"), 20, 20, LOST).write_json(tmp_path / "results.json")
    strongest = json.loads((tmp_path / "results.json").read_text(), parse_constant=pytest.fail)["elo"][0]
    assert (strongest["policy"], strongest["bound"], strongest["ci95"][1]) == ("b", "lower", None)
    assert strongest["elo"] == strongest["ci95"][0] < strongest["estimate"]


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_plot_is_drawn_for_bounds_too(tmp_path, suffix):
    from baselines.azulejos.matches.plot import write_plot

    path = tmp_path / f"elo{suffix}"
    write_plot(report(("a", "random", "c"), 4, 4, WON, TIED, LOST), path)
    assert path.stat().st_size > 5000
