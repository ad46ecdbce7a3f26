"""Statistics and saved games: figures, streaks and best times, several programs at once, damaged and foreign files."""

import json
import os
import re
import sys
from contextlib import ExitStack

import numpy as np
import pytest
from msgspec.structs import asdict, replace
from support.played_games import Clock, session_on
from support.positions import counts_of
from support.processes import full_disk, started

from baselines.files import MOST_BYTES
from minesweeper_env import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.explanations import explain_ending
from minesweeper_play.game import records
from minesweeper_play.game.records import GameRecord, SavedGameError, Statistics, decode, encode, load_game, save_game
from minesweeper_play.game.session import Session

GAME = {"rows": 9, "cols": 9, "mines": 10, "first_click": "opening", "radius": 1, "no_guess": "", "seed": 3}
FIGURES = {"won": True, "seconds": 12.5, "value": 10, "solved": 10, "clicks": 20, "aids": ""}
RECORD = GameRecord(**GAME, **FIGURES, when="2026-01-01T00:00:00+00:00", identity="00112233")
OTHER = replace(RECORD, identity="44556677")


def game(seconds=1.0, *, wins=True):
    """Returns a finished game of two clicks on a board of 1 x 6."""
    clock = Clock()
    session = session_on("*..*..", now=clock, opened=[(0, 5)])
    session.practice = False
    clock.seconds = seconds
    for col in (1, 2) if wins else (0,):
        session.open(0, col)
    return session


@pytest.mark.parametrize(("size", "mines"), [((5, 12), 14), ((16, 16), 40)])
def test_the_clicks_that_open_zeros_first_and_then_each_cell_that_is_left_are_counted(size, mines):
    random = np.random.default_rng(3)
    for _ in range(10):
        layout = random.permutation(np.arange(size[0] * size[1]) < mines).reshape(size)
        config = BoardConfig(*size, mines, "any")
        session, clicks = Session(config, layout=layout, seed=0), 0
        counts = counts_of(layout, 1)
        for cell in sorted(np.argwhere(~layout).tolist(), key=lambda cell: counts[tuple(cell)] > 0):
            clicks += session.open(*cell).accepted
        assert records.board_value(layout) == clicks


def test_a_finished_game_has_its_figures():
    session = session_on("*....", ".....", opened=[(0, 4), (1, 0)])
    record = GameRecord.of(session)
    assert (session.status, record.value, record.solved, record.clicks, record.efficiency) == ("won", 2, 2, 2, 1.0)
    session = session_on("*..*..", opened=[(0, 5)], flags=[(0, 0)])
    session.open(0, 3)
    record = GameRecord.of(session)
    assert (session.status, record.value, record.solved, record.clicks) == ("lost", 3, 1, 3)
    ring = session_on("...", ".*.", "...", opened=[(0, 1)], flags=[(1, 1)])
    ring.chord(0, 1), ring.chord(1, 2), ring.chord(1, 0)
    assert GameRecord.of(ring).efficiency == 8 / 5


def test_a_best_time_is_a_faster_game_won_without_help(tmp_path):
    statistics = Statistics(tmp_path / "new" / "folder")
    helped = game(0.5)
    helped.aids.add("hint")
    games = (game(3), game(5), helped, game(1, wins=False), game(2))
    found = [statistics.finish(GameRecord.of(each)) for each in games]
    assert [finish.is_best for finish in found] == [True, False, False, False, True]
    assert [finish.best_before for finish in found] == [None, 3.0, 3.0, 3.0, 3.0]
    kept = [(record.aids, record.seconds) for record in statistics.read()]
    assert kept == [("", 3.0), ("", 5.0), ("hint", 0.5), ("", 1.0), ("", 2.0)]


def test_a_game_that_is_loaded_and_finished_again_counts_once_and_practice_never(tmp_path):
    statistics, session = Statistics(tmp_path), game(wins=False)
    explain_ending(session, statistics, Catalogue("en"))
    assert statistics.finish(GameRecord.of(decode(encode(session)))).problem.key == ""
    practice = game(wins=False)
    practice.undo(), practice.open(0, 0)
    explain_ending(practice, statistics, Catalogue("en"))
    statistics.add(*statistics.read())  # as two programs that finish one saved game at once do
    assert len(statistics.read()) == 1


def test_streaks_and_best_times_of_each_kind_of_board():
    wins = [True, True, False, True, True, True]
    games = [replace(RECORD, won=won, seconds=float(9 - i), clicks=20 - i) for i, won in enumerate(wins)]
    others = {"mines": 11}, {"first_click": "safe"}, {"no_guess": "exact"}, {"luck": False}, {"rows": 16, "won": False}
    summaries = records.summarise([*games, *(replace(RECORD, **other) for other in others)])
    assert summaries[RECORD.kind] == (6, 5, 3, 3, 4.0, 10 / 15)
    assert len(summaries) == 6
    assert [*summaries.values()][-1] == (1, 0, 0, 0, None, 0.0)


def line_of(**changes):
    """Returns the line of a game in the file, with other values."""
    return json.dumps({**asdict(RECORD), **changes}).encode()


DAMAGED = [
    *(line_of(rows=0), line_of(cols=-9), line_of(rows=10**9), line_of(mines=81), line_of(value=10**9)),
    *(line_of(solved=11), line_of(solved=9), line_of(clicks=10**400), line_of(seed=-1), line_of(won=1)),
    *(line_of(seconds=1e308), line_of(seconds=-1.0), line_of(first_click="openinh"), line_of(no_guess="exakt")),
    *(line_of(when="@").replace(b"@", b"\xe9"), line_of()[:-9], b"\xff\xfe\x00", b"[]", b"[" * 100_000),
]


@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize("line", DAMAGED)
def test_a_damaged_line_is_left_out_and_no_game_is_lost_not_even_of_a_later_version(tmp_path, line, is_last):
    later = line_of(mood="good")
    (tmp_path / records.FILE).write_bytes(b"\n".join([later, line] if is_last else [line, later]))
    statistics = Statistics(tmp_path)
    assert statistics.read() == [RECORD]
    assert (statistics.problem.key, statistics.problem.values["count"]) == ("statistics_damaged", 1)
    statistics.add(OTHER)
    assert statistics.read() == [RECORD, OTHER]


@pytest.mark.skipif(sys.platform == "win32", reason="the folder is locked where the system can")
def test_a_folder_that_cannot_be_written_is_one_message(tmp_path):
    (tmp_path / "file").write_text("")
    finish = Statistics(tmp_path / "file" / "folder").finish(GameRecord.of(game()))
    assert finish.problem.key == "statistics_failed"
    assert set(finish.problem.values) == {"path", "reason"}


def test_a_game_that_the_disk_cannot_hold_is_reported_and_leaves_no_part_of_a_line(tmp_path):
    statistics = Statistics(tmp_path)
    statistics.add(RECORD)
    before = statistics.path.read_bytes()
    with full_disk(len(before) + 10):
        finish = statistics.finish(OTHER)
    assert finish.problem.key == "statistics_failed"
    assert statistics.path.read_bytes() == before


def test_programs_that_finish_games_at_once_lose_none(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from msgspec.structs import replace\n"
        "from minesweeper_play.game.records import GameRecord, Statistics\n"
        f"record = {RECORD!r}\n"
        "for game in range(40): Statistics(Path(sys.argv[1])).add(replace(record, identity=f'{os.getpid()} {game}'))\n"
    )
    with ExitStack() as all_ended:
        programs = [all_ended.enter_context(started([sys.executable, "-c", code, str(tmp_path)])) for _ in range(3)]
        assert [program.wait() for program in programs] == [0, 0, 0]
    assert len(Statistics(tmp_path).read()) == 120


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")
@pytest.mark.parametrize("kind", ["data", "config"])
def test_the_folders_follow_the_platform(monkeypatch, tmp_path, kind):
    monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", str(tmp_path))
    assert records.user_folder(kind) == tmp_path / "minesweeper-env"


def played(moves=12, **settings):
    """Returns a game of several moves, of all kinds that are possible."""
    session = Session(BoardConfig(8, 8, 10, **settings), seed=4, now=Clock(0.25))
    session.flag(7, 7), session.question(7, 6)
    session.open(2, 2)
    random = np.random.default_rng(1)
    while len(session.moves) < moves and not session.is_over:
        cell = random.integers(8, size=2).tolist()
        getattr(session, random.choice(["open", "flag", "question", "chord", "expand"]))(*cell)
    return session


def assert_same(loaded, session):
    assert np.array_equal(loaded.board, session.board)
    assert loaded.config == session.config
    for name in ("seed", "status", "identity", "practice", "aids", "exploded", "mines_left", "no_guess"):
        assert getattr(loaded, name) == getattr(session, name), name
    assert [move[:3] for move in loaded.moves] == [move[:3] for move in session.moves]
    assert [move.seconds for move in loaded.moves] == pytest.approx([move.seconds for move in session.moves], abs=1e-3)


@pytest.mark.parametrize("luck", [True, False])
@pytest.mark.parametrize("moves", [3, 8, 40, 200])
def test_a_loaded_game_is_the_saved_one_and_goes_on(tmp_path, moves, luck):
    session = played(moves, luck=luck)
    session.aids.add("hint")
    save_game(session, tmp_path / "game.json")
    loaded = load_game(tmp_path / "game.json", Catalogue("en"))
    assert_same(loaded, session)
    saved = json.loads((tmp_path / "game.json").read_text())["seconds"]
    assert saved <= loaded.seconds < saved + 60
    session.undo(), loaded.undo()
    assert np.array_equal(loaded.board, session.board)


@pytest.mark.parametrize("rule", ["opening", "any"])
def test_a_game_without_an_open_cell_keeps_its_protection_and_help_is_repeated(rule):
    session = Session(BoardConfig(6, 6, 9, first_click=rule), seed=2)
    session.flag(0, 0)
    for _ in range(4 * (rule == "any")):
        session.help()
    loaded = decode(encode(session))
    assert_same(loaded, session)
    assert (rule == "any") == any(move.kind == "reveal" for move in loaded.moves)
    session.open(4, 4), loaded.open(4, 4)
    assert np.array_equal(loaded.board, session.board)


def changed(**changes):
    return json.dumps({**json.loads(encode(played(6))), **changes}).encode()


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"format": "chess"}, "format"),
        ({"version": 2}, "version"),
        ({"mines": 64}, "mines must be 1 to 55"),
        ({"first_click": "kind"}, "first_click"),
        ({"no_guess": "luck"}, "no_guess"),
        ({"layout": [".", *["........"] * 7]}, "shape"),
        ({"layout": ["........"] * 8}, "layout must have 10 mines"),
        ({"layout": None, "no_guess": "exact"}, "open cell, but no layout"),
        ({"moves": [["jump", 0, 0, 1.0]]}, "moves"),
        ({"moves": [["open", 0, 99, 1.0]]}, "lies between"),
        ({"moves": [["chord", 0, 0, 1.0]]}, "move 1"),
        ({"moves": []}, "status"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": 1e300}, "seconds"),
        ({"seconds": 0.5}, "must rise from 0 to its 0.5 seconds"),
        ({"moves": [["open", 2, 2, -1e9]]}, "must rise from 0"),
        ({"moves": [["flag", 7, 7, 2.0], ["open", 2, 2, 1.0]]}, "must rise from 0"),
        ({"moves": [["open", -1, 2, 1.0]]}, "lies between"),
        ({"rows": 10**12}, "cells"),
        ({"identity": "x" * 10**6}, "identity"),
        ({"layout": ["xxxxxxxx"] * 8}, "shape"),
        ({"layout": ["********", "**......", *["........"] * 6], "moves": [["open", 0, 0, 1.0]]}, "first click"),
        ({"layout": ["********", "**......", *["........"] * 6], "moves": [["open", 2, 0, 1.0]]}, "first click"),
    ],
)
def test_a_damaged_game_says_what_is_wrong(changes, word):
    with pytest.raises(SavedGameError, match=re.escape(word)):
        decode(changed(**changes))


def test_a_small_file_with_many_moves_on_a_large_board_cannot_fill_the_memory():
    # Of each move a session keeps the board before it.
    moves = [["flag", 0, move % 1000, 0.0] for move in range(4000)]
    size = {"rows": 1000, "cols": 1000, "mines": 1000, "layout": None}
    content = changed(**size, moves=moves, status="ready", seconds=0.0, practice=False)
    assert len(content) < 200_000
    with pytest.raises(SavedGameError, match="4000 moves"):
        decode(content)


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '"x"', "\x00", "[" * 100_000, '{"format": "chess"}'])
def test_a_foreign_file_is_one_line(tmp_path, content):
    path = tmp_path / "game.json"
    path.write_text(content)
    with pytest.raises(SavedGameError) as error:
        load_game(path, Catalogue("en"))
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_of_another_kind_is_not_replaced_and_one_that_cannot_be_read_is_named(tmp_path):
    session, notes, path = played(3), tmp_path / "notes.txt", tmp_path / "game.json"
    notes.write_text("dear diary")
    with pytest.raises(FileExistsError, match="no saved game"):
        save_game(session, notes)
    assert notes.read_text() == "dear diary"
    save_game(session, path)
    session.undo()
    save_game(session, path)
    assert_same(load_game(path, Catalogue("en")), session)
    os.truncate(path, MOST_BYTES + 1)  # such a file is not read whole
    for name, why in (("game.json", "too large"), ("no.json", "No such file"), ("", "Is a dir|Permission denied")):
        with pytest.raises(SavedGameError, match=why):
            load_game(tmp_path / name, Catalogue("en"))
