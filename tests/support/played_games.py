"""Games as sessions: those of policies, and those on a drawn layout with a clock of the test."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.evaluation.games import GameDiagnosis, play_games
from baselines.evaluation.judge import Judge
from baselines.registry import find_policy
from minesweeper_env import BoardConfig
from minesweeper_play.game.session import Session


def play_judged(name: str, config: BoardConfig, seeds: Sequence[int]) -> list[tuple[Session, GameDiagnosis]]:
    """Returns games of a policy, each with the figures of `--diagnose`; `config` allows clicks alone."""
    judge = Judge(config, len(seeds))
    records = play_games(find_policy(name)(config, 7), config, seeds, observers=[judge], record=True)
    sessions = []
    for record in records:
        sessions.append(Session(config, seed=record.seed, now=lambda: 0.0))
        for action in np.frombuffer(record.actions, "<u2").tolist():
            assert sessions[-1].open(*divmod(action, config.cols)).accepted
    return list(zip(sessions, judge.diagnoses(), strict=True))


class Clock:
    """A clock that goes on by `step` seconds whenever it is read."""

    def __init__(self, step: float = 0.0) -> None:
        self.seconds, self.step = 0.0, step

    def __call__(self) -> float:
        self.seconds += self.step
        return self.seconds


def session_on(*rows: str, opened=(), flags=(), questions=(), first_click="any", **settings: Any) -> Session:
    """Returns a game on a layout whose mines are drawn as "*", with open cells and marks."""
    layout = np.array([[character == "*" for character in row] for row in rows])
    config = BoardConfig(*layout.shape, int(layout.sum()), first_click=first_click)
    session = Session(config, layout=layout, seed=0, **settings)
    for move, cells in ((session.open, opened), (session.flag, flags), (session.question, questions)):
        assert all(move(*cell).accepted for cell in cells)
    return session
