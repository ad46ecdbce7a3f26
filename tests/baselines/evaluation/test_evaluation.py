"""Seeded games: fair, repeatable, strict with policies that break the protocol; and the known wins of `exact`."""

import json
import time
from contextlib import closing
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from numba import njit
from support import ROOT

from baselines.evaluation.evaluate import BATCH_SIZE, evaluate_policy
from baselines.evaluation.games import GameRecord, play_games
from baselines.evaluation.results import known_wins
from baselines.evaluation.seeds import (
    DEVELOPMENT_SEEDS,
    SELECTION_SEEDS,
    TEST_SEEDS,
    TRAINING_SEEDS,
    check_seeds,
    derived_seed,
)
from baselines.policy import PolicyError
from baselines.registry import find_policy
from baselines.workers import KilledWorkerError, ProcessPool, WorkerError, Workers
from minesweeper_env import BoardConfig, MinesweeperEnv

CONFIG = BoardConfig(6, 6, 5, "safe", ("click",))


class Scanner:
    """Clicks the first legal cell, or answers as told."""

    def __init__(self, answer=lambda masks: masks.argmax(axis=1)) -> None:
        self.answer = answer

    def reset(self, seed: int) -> None:
        pass

    def act(self, _observations, action_masks):
        return self.answer(action_masks)


def play_alone(config: BoardConfig, seed: int) -> GameRecord:
    env = MinesweeperEnv(**config.arguments())
    _, info = env.reset(seed=seed)
    clicks, ended, truncated = 0, False, False
    while not (ended or truncated):
        board, _, ended, truncated, info = env.step(int(info["action_mask"].argmax()))
        clicks += 1
    return GameRecord(seed, info["is_success"], clicks, truncated, int((board <= 8).sum()))


def test_games_equal_those_of_single_environments():
    config = BoardConfig(5, 5, 3, "opening", ("click",))
    seeds = [7, 3, 1 << 31, *range(100, 140)]
    records = play_games(Scanner(), config, seeds)
    assert records == [play_alone(config, seed) for seed in seeds]
    assert 0 < sum(record.won for record in records) < len(records)
    assert {record.opened for record in records if record.won} == {22}
    assert len({record.opened for record in records if not record.won}) > 3


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda masks: masks.argmax(axis=1).tolist(), "must return an int64 array of shape .4,., not list"),
        (lambda masks: masks.argmax(axis=1)[:-1], "not int64 .3,."),
        (lambda masks: masks.argmax(axis=1).astype(float), "not float64"),
        (lambda masks: masks.argmax(axis=1) - 1, "chose -1, but actions are 0 to 35"),
        (lambda masks: masks.argmax(axis=1) + 36, "chose 36, but actions are 0 to 35"),
        (lambda masks: np.zeros(len(masks), np.int64), "of seed 0, action 0, .*: row 0, column 0 shows the code 1"),
    ],
)
def test_protocol_errors_are_reported(answer, complaint):
    with pytest.raises(PolicyError, match=f"Scanner.act .*{complaint}"):
        play_games(Scanner(answer), CONFIG, range(4))


def test_results_depend_neither_on_the_number_of_workers_nor_on_diagnoses():
    play, games = partial(evaluate_policy, partial(find_policy("straightforward"), CONFIG), CONFIG), 3 * BATCH_SIZE + 5
    alone = play(range(games), policy_seed=2)
    one, two = (play(range(games), policy_seed=2, workers=workers, diagnose=True) for workers in (1, 2))
    assert one.records == two.records
    assert any(record.diagnosis.past_safe for record in one.records)
    assert alone.records == [record._replace(diagnosis=None) for record in one.records]
    assert [record.seed for record in alone.records] == list(range(games))
    assert play(range(games), policy_seed=3).records != alone.records
    # A game in a batch of its own is played like in a large batch; the number of games does not matter either.
    assert play(range(BATCH_SIZE), policy_seed=2).records == alone.records[:BATCH_SIZE]


def test_compiling_does_not_count_as_time_of_a_game():
    def answer(masks):
        begin = time.perf_counter()
        njit(lambda x: x + 1)(np.ones(3))
        compiling.append(time.perf_counter() - begin)
        return masks.argmax(axis=1)

    compiling: list[float] = []
    result = evaluate_policy(partial(Scanner, answer), CONFIG, range(2))
    assert 0 < result.playing_seconds < 0.2 * sum(compiling)


def test_interruption_keeps_what_is_finished_here_and_in_a_worker_process():
    def interrupt(games: int) -> None:
        seen.append(games)
        if len(seen) == 3:
            raise KeyboardInterrupt

    build = partial(find_policy("random"), CONFIG)
    with closing(ProcessPool(1)) as pool:
        for workers in (1, pool):
            seen: list[int] = []
            found = evaluate_policy(build, CONFIG, range(400 * BATCH_SIZE), workers=workers, on_finished=interrupt)
            assert found.interrupted
            assert [record.seed for record in found.records] == list(range(sum(seen)))


class KilledWorkers(Workers):
    """Workers that every call kills."""

    def run(self, _work, calls, _on_look=None):
        raise KilledWorkerError(next(calls), 2)


def test_a_unit_that_kills_its_workers_again_and_again_is_named():
    line = r"mine on 6x6/5 safe, seeds 1\d\d to 1\d9: killed its worker 2 times"
    with pytest.raises(WorkerError, match=line):
        evaluate_policy(Scanner, CONFIG, range(100, 160), workers=KilledWorkers(), policy="mine")


def test_seed_ranges_do_not_meet_and_derived_seeds_differ():
    ranges = (TEST_SEEDS, SELECTION_SEEDS, DEVELOPMENT_SEEDS, TRAINING_SEEDS)
    assert all(a.stop <= b.start for a, b in pairwise(ranges))
    assert check_seeds(5, 3) == range(5, 8)
    assert check_seeds(DEVELOPMENT_SEEDS[-3], 3) == DEVELOPMENT_SEEDS[-3:]
    refused = [(-1, 5), (TEST_SEEDS.stop - 1, 2), (0, 0), (SELECTION_SEEDS[-1], 2), (DEVELOPMENT_SEEDS[-1], 2)]
    for first, games in [*refused, (0, DEVELOPMENT_SEEDS.stop)]:
        with pytest.raises(ValueError, match=r"seeds of test games|games must be"):
            check_seeds(first, games)
    assert len({derived_seed(seed, batch) for seed in range(50) for batch in range(50)}) == 2500


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
        config = BoardConfig.of_size(**board["config"], moves=("click",))
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
        (BoardConfig(8, 8, 14, moves=("click",), luck=False), 0, 10),
        (BoardConfig(8, 8, 14, max_steps=5), 0, 10),
    ],
)
def test_nothing_is_claimed_about_other_games(config, seed, games):
    assert known_wins(config, seed, games) is None
