"""Watching: policies step by step, their ratings, two next to each other, and the keys."""

from dataclasses import replace

import numpy as np
import pytest
from support.terminal_games import drive, settled, shown

from baselines.evaluation.games import play_games
from baselines.policy import RESIGN
from baselines.registry import find_policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.watched_policy import WatchedPolicy, load_policies
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.app import title_of
from minesweeper_play.terminal.board import BoardCanvas

SMALL = BoardConfig(5, 5, 4, moves=("click",))


class Rated:
    """A policy of a user that clicks the first legal cell, and says what it thinks of the cells."""

    def __init__(self, size, **_board):
        self.cells = size[0] * size[1]

    def act(self, _observations, action_masks):
        return action_masks.argmax(axis=1)

    def scores(self, boards):
        return np.tile(np.arange(self.cells, dtype=np.float64), (len(boards), 1))


class Resigning(Rated):
    may_resign = True

    def act(self, _observations, action_masks):
        return np.full(len(action_masks), RESIGN)


class Broken(Rated):
    def act(self, observations, action_masks):
        if (observations <= 8).any():
            raise RuntimeError("out of ideas")
        return action_masks.argmax(axis=1)


class Overrated(Rated):
    def scores(self, _boards):
        raise RuntimeError("no scores today")


def player(name):
    return WatchedPolicy(find_policy(name), SMALL)


@pytest.mark.parametrize("name", ["straightforward", "exact"])
def test_a_watched_game_is_the_game_that_is_evaluated(name):
    watched = player(name)
    for seed in range(5):
        watched.begin(seed)
        while not watched.is_over:
            watched.play(watched.choose(rated=False))
        assert watched.status != "lost" or watched.board[watched.exploded] == 12
        policy = find_policy(name)(SMALL)
        policy.reset(seed)
        (record,) = play_games(policy, SMALL, [seed])
        assert (record.won, record.clicks) == (watched.status == "won", watched.moves)
    assert watched.games == 5


@pytest.mark.slow
def test_a_network_is_shown_with_its_own_ratings():
    pytest.importorskip("torch")
    config = BoardConfig.of_size(8, moves=("click",))
    watched = WatchedPolicy(find_policy("dqn"), config)
    watched.play(watched.choose(rated=False))
    choice = watched.choose(rated=True)
    assert choice.ratings.source == "network"
    covered = watched.board > 8
    assert choice.ratings.risks[choice.cell] == choice.ratings.risks[covered].min()


def test_scores_of_a_users_policy_are_shown_as_preferences():
    ratings = player(f"{__file__}:Rated").choose(rated=True).ratings
    assert (ratings.source, ratings.risks[0, 0], ratings.risks[4, 4]) == ("preference", 1.0, 0.0)


def test_a_policy_that_guesses_at_random_has_no_numbers_of_its_own():
    assert player("semi_deterministic").choose(rated=True).ratings.source == "exact"
    assert player("semi_deterministic:alternative=marginal").choose(rated=True).ratings.source != "exact"


@pytest.mark.parametrize("name", ["bayes", "expected_value", "exact"])
@pytest.mark.parametrize("rule", ["opening", "corners"])
def test_the_own_numbers_of_a_policy_stand_beside_those_of_the_oracle(name, rule):
    watched = WatchedPolicy(find_policy(name), replace(SMALL, first_click=rule))
    watched.begin(3)
    watched.play(watched.choose(rated=False))
    choice = watched.choose(rated=True)
    found, kind = choice.ratings, "exact" if rule == "opening" else "uniform"
    oracle, covered = found.oracle or found, watched.board > 8
    assert (found.source, oracle.source) == (kind if name == "exact" else "own", kind)
    assert oracle.risks[covered].tolist() == mine_probabilities(watched.board, 4)[covered].tolist()
    assert found.risks[choice.cell] == pytest.approx(found.risks[covered].min())
    assert ("click: " in title_of(watched, choice, True, Catalogue("en"))) == (name != "exact")


def watch(script, folder, *names, size=(80, 24), **options):
    drive(script, folder, players=[player(name) for name in names], size=size, **options)


def test_one_step_after_the_other(tmp_path):
    async def script(app, pilot):
        screen = app.screen
        await pilot.press("space")
        await settled(pilot, lambda: any(screen._choices))
        assert screen.paused
        moves = screen.players[0].moves
        await pilot.press("full_stop")
        await settled(pilot, lambda: any(screen._choices) or screen.players[0].is_over)
        assert screen.players[0].moves == moves + 1
        assert "en pausa" in shown(app)
        assert "espacio pausa" in shown(app)

    watch(script, tmp_path, "exact", language="es")


def test_two_policies_play_the_same_seeds_side_by_side_and_games_follow_each_other_and_are_counted(tmp_path):
    async def script(app, pilot):
        screen = app.screen
        await pilot.press("space")
        await settled(pilot, lambda: all(screen._choices))
        left, right = screen.query(BoardCanvas)
        assert left.region.x < right.region.x
        assert left.region.y == right.region.y
        assert "straightforward" in shown(app)
        assert "exact" in shown(app)
        await pilot.press("n")
        await settled(pilot, lambda: all(screen._choices))
        assert screen.seed == 8
        await pilot.press("space", *["plus"] * 5)
        await settled(pilot, lambda: screen.players[0].games >= 2)
        assert screen.seed >= 9
        assert "won" in shown(app)

    watch(script, tmp_path, "straightforward", "exact", seed=7)


@pytest.mark.parametrize(("name", "error"), [("Broken", "out of ideas"), ("Overrated", "no scores today")])
def test_a_policy_that_fails_ends_the_program_with_its_error(tmp_path, name, error):
    async def script(app, pilot):
        await settled(pilot, lambda: app.services.failure)
        assert error in app.services.failure
        assert app.return_value == 1

    watch(script, tmp_path, f"{__file__}:{name}")


def test_a_policy_that_gives_a_game_up_ends_it():
    watched = player(f"{__file__}:Resigning")
    watched.play(watched.choose(rated=True))
    assert (watched.status, watched.games, watched.wins) == ("truncated", 1, 0)


def test_policies_play_boards_that_need_no_guess():
    (watched,) = load_policies(PlayOptions(policy="exact", no_guess="exact"))
    for seed in range(10):
        watched.begin(seed)
        while not watched.is_over:
            watched.play(watched.choose(rated=False))
    assert (watched.games, watched.wins) == (10, 10)


@pytest.mark.parametrize(("rival", "same"), [("lookahead", True), ("lookahead:first=3", False)])
def test_the_second_policy_begins_on_the_cell_of_the_first_unless_it_names_its_own(rival, same):
    first, second = load_policies(PlayOptions(versus=("exact:first=18", rival)))
    opening = first.choose(rated=False)
    assert (second.choose(rated=False, rival=opening).cell == opening.cell) is same
