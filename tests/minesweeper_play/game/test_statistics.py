"""Statistics: what is recorded, streaks and best times, damaged files, and several programs at once."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import asdict, replace
from support.processes import started

from minesweeper_env.config import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import explain_ending
from minesweeper_play.game.saved import decode, encode
from minesweeper_play.game.session import Session
from minesweeper_play.game.statistics import FILE, GameRecord, Statistics, Summary, summarise, user_folder

RECORD = GameRecord(
    when="2026-01-01T00:00:00+00:00",
    rows=9,
    cols=9,
    mines=10,
    first_click="opening",
    radius=1,
    no_guess="",
    seed=3,
    won=True,
    seconds=12.5,
    value=10,
    solved=10,
    clicks=20,
    aids="",
    identity="00112233",
)


class Clock:
    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def game(seconds=1.0, *, wins=True, **settings):
    """Returns a finished game of two clicks on a board of 1 x 6."""
    clock = Clock()
    mines = np.array([[True, False, False, True, False, False]])
    session = Session(BoardConfig(1, 6, 2, first_click="any"), layout=mines, seed=0, now=clock, **settings)
    session.practice = False
    session.open(0, 5)
    clock.seconds = seconds
    for col in (1, 2) if wins else (0,):
        session.open(0, col)
    return session


def test_a_finished_game_is_recorded(tmp_path):
    statistics = Statistics(tmp_path / "new" / "folder")
    finish = statistics.finish(GameRecord.of(game(2.25)))
    assert (finish.is_best, finish.best_before, finish.problem.key) == (True, None, "")
    (record,) = statistics.read()
    assert record.seconds == 2.25
    assert (record.rows, record.cols, record.mines, record.won, record.value, record.clicks) == (1, 6, 2, True, 3, 3)


def test_a_best_time_is_a_faster_game_won_without_help(tmp_path):
    statistics = Statistics(tmp_path)
    helped = game(0.5)
    helped.aids.add("hint")
    found = [
        statistics.finish(GameRecord.of(each)) for each in (game(3), game(5), helped, game(1, wins=False), game(2))
    ]
    assert [(finish.is_best, finish.best_before) for finish in found] == [
        (True, None),
        (False, 3.0),
        (False, 3.0),
        (False, 3.0),
        (True, 3.0),
    ]
    assert [record.aids for record in statistics.read()] == ["", "", "hint", "", ""]


def test_a_game_that_is_loaded_and_finished_again_counts_once(tmp_path):
    statistics = Statistics(tmp_path)
    session = game(wins=False)
    statistics.finish(GameRecord.of(session))
    loaded = decode(encode(session))
    assert statistics.finish(GameRecord.of(loaded)).problem.key == ""
    assert len(statistics.read()) == 1


def test_practice_is_not_recorded(tmp_path):
    session = game(wins=False)
    session.undo()
    session.open(0, 0)
    statistics = Statistics(tmp_path)
    explain_ending(session, statistics, Catalogue("en"))
    assert statistics.read() == []
    assert not (tmp_path / FILE).exists()


def test_streaks_and_best_times():
    wins = [True, True, False, True, True, True]
    records = [replace(RECORD, won=won, seconds=float(9 - i), clicks=20 - i) for i, won in enumerate(wins)]
    summary = Summary.of(records)
    assert (summary.played, summary.won, summary.streak, summary.longest_streak) == (6, 5, 3, 3)
    assert summary.best == 4.0
    assert summary.most_efficient == 10 / 15
    lost = Summary.of([replace(RECORD, won=False)])
    assert (lost.streak, lost.best, lost.most_efficient) == (0, None, 0.0)


def test_boards_are_compared_with_their_like():
    others = [{"rows": 16}, {"mines": 11}, {"first_click": "safe"}, {"radius": 2}, {"no_guess": "exact"}]
    summaries = summarise([RECORD, RECORD, *(replace(RECORD, **other) for other in others)])
    assert [summary.played for kind, summary in summaries.items() if kind == RECORD.kind] == [2]
    assert len(summaries) == 6
    assert list(summaries)[-1].rows == 16


DAMAGED = [
    b"\xff\xfe\x00",
    b"[]",
    b"[" * 100_000,
    *(
        json.dumps({**asdict(RECORD), **changes}).encode()
        for changes in ({"won": 1}, {"seconds": -1.0}, {"first_click": "openinh"}, {"no_guess": "exakt"})
    ),
    json.dumps(asdict(RECORD)).encode()[:-9],
]


@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_left_out_and_no_game_is_lost(tmp_path, line):
    good = json.dumps(asdict(RECORD)).encode()
    (tmp_path / FILE).write_bytes(b"\n".join([good, line]))
    statistics = Statistics(tmp_path)
    assert statistics.read() == [RECORD]
    assert (statistics.problem.key, statistics.problem.values["count"]) == ("statistics_damaged", 1)
    statistics.add(RECORD)
    assert statistics.read() == [RECORD, RECORD]


def test_a_file_of_a_later_version_with_more_fields_is_read(tmp_path):
    (tmp_path / FILE).write_text(json.dumps({**asdict(RECORD), "mood": "good"}) + "\n")
    statistics = Statistics(tmp_path)
    assert statistics.read() == [RECORD]
    assert statistics.problem.key == ""


@pytest.mark.skipif(sys.platform == "win32", reason="the folder is locked where the system can")
def test_a_folder_that_cannot_be_written_is_one_message(tmp_path):
    (tmp_path / "file").write_text("")
    finish = Statistics(tmp_path / "file" / "folder").finish(GameRecord.of(game()))
    assert finish.problem.key == "statistics_failed"
    assert set(finish.problem.values) == {"path", "reason"}


def test_programs_that_finish_games_at_once_lose_none(tmp_path):
    code = (
        "import sys; from pathlib import Path\n"
        "from minesweeper_play.game.statistics import GameRecord\n"
        "from minesweeper_play.game.statistics import Statistics\n"
        f"record = {RECORD!r}\n"
        "for _ in range(40): Statistics(Path(sys.argv[1])).add(record)\n"
    )
    with ExitStack() as all_ended:
        programs = [all_ended.enter_context(started([sys.executable, "-c", code, str(tmp_path)])) for _ in range(3)]
        assert [program.wait() for program in programs] == [0, 0, 0]
    assert len(Statistics(tmp_path).read()) == 120


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")
@pytest.mark.parametrize(("kind", "folder"), [("data", ".local/share"), ("config", ".config")])
def test_the_folders_follow_the_platform(monkeypatch, tmp_path, kind, folder):
    monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path))
    assert user_folder(kind) == tmp_path / "minesweeper-env"
    monkeypatch.delenv(f"XDG_{kind.upper()}_HOME")
    assert user_folder(kind) == Path.home() / folder / "minesweeper-env"
