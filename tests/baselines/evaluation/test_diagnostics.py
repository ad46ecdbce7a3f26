"""Diagnoses: they expose policies with known faults, and every counter agrees with a naive judge."""

import json
from functools import partial
from operator import add

import numpy as np
import pytest
from support import naive_inference as naive

import minesweeper_env.inference.oracle
from baselines.cli import evaluate
from baselines.evaluation.evaluate import evaluate_policy
from baselines.evaluation.games import GameDiagnosis, GameRecord, Loss, play_games
from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.judge import Judge, add_up, diagnostic_lines
from baselines.evaluation.results import PolicyResult, Results
from baselines.registry import find_policy
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import PositionTooHardError

CONFIG = BoardConfig(4, 5, 5, "safe", ("click",))


class NaiveJudge:
    """Judges as `Judge` does, one click at a time, by the slow reference."""

    def __init__(self, config, games):
        self.config, self.diagnoses = config, [GameDiagnosis(0, 0, 0, 0, 0, 0.0, None)] * games

    def __call__(self, games, observations, actions, lost):
        for game, board, action, ended in zip(games, observations, actions, lost, strict=True):
            begun = (board <= self.config.codes.max_count).any()
            found = self.judged(board, action) if begun else GameDiagnosis(0, 0, 0, 0, 0, 0.0, None)
            loss = Loss.FORCED if found.excess_risk < 1e-9 else Loss.AVOIDABLE
            sums = map(add, self.diagnoses[game][:-1], found[:-1])
            self.diagnoses[game] = GameDiagnosis(*sums, loss if ended else None)

    def judged(self, board, action):
        """Returns the diagnosis of one click."""
        position = (board, self.config.mines)
        risks = naive.mine_probabilities(*position, radius=self.config.radius)
        safe, mine = naive.certain_cells(*position, radius=self.config.radius)
        least, is_safe = risks[board > self.config.codes.max_count].min(), safe.ravel()[action]
        excess = risks.ravel()[action] - least
        return GameDiagnosis(1, 0, mine.ravel()[action], safe.any() and not is_safe, not is_safe, excess, None)


@pytest.mark.parametrize(
    "config",
    [
        CONFIG,
        BoardConfig(3, 4, 4, "any", ("click",)),
        BoardConfig(5, 5, 5, "opening", ("click",)),
        BoardConfig(4, 5, 4, "safe", ("click",), radius=2),
        BoardConfig(4, 4, 3, "safe", ("click",), max_steps=3),
    ],
    ids=str,
)
def test_every_counter_is_the_naive_one(config):
    games = 60
    judge, reference = Judge(config, games), NaiveJudge(config, games)
    records = play_games(find_policy("random")(config, seed=1), config, range(games), observers=[judge, reference])
    for record, diagnosis, naively in zip(records, judge.diagnoses(), reference.diagnoses, strict=True):
        assert diagnosis == naively._replace(excess_risk=pytest.approx(naively.excess_risk, abs=1e-9))
        assert (diagnosis.loss is None) == (record.won or record.truncated)
        assert diagnosis.judged == record.clicks - 1


def test_boards_that_are_too_hard_are_counted_and_not_judged(monkeypatch):
    """The oracle refuses every board with an odd number of covered cells."""
    exact = minesweeper_env.inference.oracle.mine_probabilities_batch

    def refuse(boards, *arguments, **settings):
        if ((boards == HIDDEN).sum(axis=(1, 2)) % 2).any():
            raise PositionTooHardError("too hard")
        return exact(boards, *arguments, **settings)

    monkeypatch.setattr(minesweeper_env.inference.oracle, "mine_probabilities_batch", refuse)
    seen, judge = [], Judge(CONFIG, 50)

    def note(games, observations, _, lost):
        covered = (observations == HIDDEN).sum(axis=(1, 2))
        seen.extend(zip(games.tolist(), covered.tolist(), lost.tolist(), strict=True))

    play_games(find_policy("random")(CONFIG, seed=2), CONFIG, range(50), observers=[judge, note])
    diagnoses = judge.diagnoses()
    for game, diagnosis in enumerate(diagnoses):
        later = [(covered, lost) for number, covered, lost in seen if number == game and covered < CONFIG.cells]
        assert diagnosis.judged == sum(covered % 2 == 0 for covered, _ in later)
        assert diagnosis.not_judged == sum(covered % 2 for covered, _ in later)
        ends = [covered for covered, lost in later if lost]
        assert (diagnosis.loss is Loss.NOT_JUDGED) == bool(ends and ends[0] % 2)
    total = add_up(diagnoses)
    assert total["lost_not_judged"] > 5
    assert total["lost"] == total["lost_not_judged"] + total["lost_avoidable"]["of"]
    records = [GameRecord(0, False, 2, False, diagnosis=each) for each in diagnoses]
    line = str(Results(CONFIG, 0, 50, [PolicyResult("scanner", records)], "scanner")).replace("\n", " ")
    assert f"{total['clicks_not_judged']} clicks" in line
    assert f"{total['lost_not_judged']} of them lost" in line


def test_adding_up():
    games = [
        GameDiagnosis(5, 0, 1, 2, 3, 0.5, Loss.AVOIDABLE),
        GameDiagnosis(4, 1, 0, 0, 1, 0.0, Loss.FORCED),
        GameDiagnosis(6, 0, 0, 0, 1, 0.1, None),
        GameDiagnosis(0, 2, 0, 0, 0, 0.0, Loss.NOT_JUDGED),
    ]
    half = {"count": 1, "of": 2, "share": 0.5, "ci95": wilson_interval(1, 2)}
    quarter = {"count": 1, "of": 4, "share": 0.25, "ci95": wilson_interval(1, 4)}
    total = add_up(games)
    assert total.pop("excess_risk_per_guess") == pytest.approx(0.12)
    assert total.pop("excess_risk_per_game") == pytest.approx(0.15)
    assert total == {
        "clicks_judged": 15,
        "clicks_not_judged": 3,
        "clicks_on_mines": 1,
        "clicks_past_safe": 2,
        "guesses": 5,
        "guesses_per_game": 1.25,
        "excess_risk_per_game_ci95": mean_interval([0.5, 0.0, 0.1, 0.0]),
        "games_on_mines": quarter,
        "games_past_safe": quarter,
        "lost": 3,
        "lost_not_judged": 1,
        "lost_avoidable": half,
        "lost_forced": half,
    }
    lines = dict(diagnostic_lines({"diagnostics": add_up(games[:1])}))
    assert lines["past safe"] == "2, in 100.0% (20.7% to 100.0%) of the games"
    assert (lines["avoidable"], lines["forced"]) == ("100.0% (20.7% to 100.0%)", "0.0% (0.0% to 79.3%)")


def test_nothing_to_share():
    total = add_up([GameDiagnosis(3, 0, 0, 0, 0, 0.0, None)])
    assert total["excess_risk_per_guess"] is None
    assert total["excess_risk_per_game_ci95"] is None
    assert total["lost_avoidable"] == {"count": 0, "of": 0, "share": None, "ci95": None}
    assert [value for _, value in diagnostic_lines({"diagnostics": total})[-2:]] == ["none", "none"]


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        (BoardConfig(8, 8, 14, "corners", ("click",)), "any, safe, opening, .* not 'corners'"),
        (BoardConfig(8, 8, 14, "safe", ("click", "flag")), r"moves=\(\"click\",\)"),
    ],
)
def test_games_that_cannot_be_judged_are_refused(config, complaint):
    with pytest.raises(ValueError, match=complaint):
        Judge(config, 1)
    with pytest.raises(ValueError, match=complaint):
        evaluate_policy(partial(find_policy("random"), config), config, range(3), workers=2, diagnose=True)


def test_the_command_writes_and_prints_the_figures(tmp_path, capsys):
    path, command = tmp_path / "results.json", ["--size", "5x6", "--mines", "7", "--games", "45", "--seed", "9"]
    assert evaluate.main([*command, "--policy", "random", "subset", "--diagnose", "--json", str(path)]) == 0
    config = BoardConfig(5, 6, 7, moves=("click",))
    printed = capsys.readouterr().out
    for row in json.loads(path.read_text())["results"]:
        build = partial(find_policy(row["policy"]), config)
        records = evaluate_policy(build, config, range(9, 54), policy_seed=9, diagnose=True).records
        total = add_up([record.diagnosis for record in records])
        assert row["diagnostics"] == json.loads(json.dumps(total))
        assert total["lost"] == row["games"] - row["wins"]
        lines = [f"  {label:13}  {value}" for label, value in diagnostic_lines({"diagnostics": total})]
        assert "\n".join([row["policy"], *lines]) in printed
    assert "forced if the last click had the least risk" in printed
    assert "too hard" not in printed


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        # A click beside the 8 is judged against the covered cells alone.
        (3, (1, 0, 0, 0, 1, 0.0, Loss.FORCED)),
        # A click on a certain mine has the risk beyond the least one.
        (0, (1, 0, 1, 0, 1, pytest.approx(2 / 3), Loss.AVOIDABLE)),
    ],
)
def test_a_lost_click_beside_an_eight(cell, found):
    """The neighbours of the 8 are mines; one of the three cells at the right is the ninth mine."""
    board = np.full((1, 3, 4), HIDDEN, np.int8)
    board[0, 1, 1] = 8
    judge = Judge(BoardConfig(3, 4, 9, "any", ("click",)), 1)
    judge(np.array([0]), board, np.array([cell]), np.array([True]))
    assert judge.diagnoses() == [GameDiagnosis(*found)]
