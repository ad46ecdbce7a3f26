"""`play.py --analyse`: what it prints, and its exit statuses."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from support.played_games import play_judged

from baselines.files import MOST_BYTES
from baselines.registry import find_policy
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.text import board_text
from minesweeper_play.coach.board_text import write_board
from minesweeper_play.coach.command import analyse, position_content
from minesweeper_play.coach.review import analyse_position
from minesweeper_play.game.records import save_game
from minesweeper_play.game.session import Session
from minesweeper_play.game.watched_policy import replay_with
from minesweeper_play.options import PlayOptions

CONFIG = BoardConfig(8, 8, 14, moves=("click",))
HUGE = "9" * 5000


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Runs the command on a text or a session, and returns the status, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("minesweeper_play.coach.review.POSITIONS", 24)
    monkeypatch.setattr("minesweeper_play.coach.review.GAMES", 1000)

    def run(content, from_stdin=False, **options):
        path = tmp_path / "input"
        path.unlink(missing_ok=True)
        if isinstance(content, Session):
            save_game(content, path)
        elif content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if from_stdin:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        status = analyse(PlayOptions(analyse="-" if from_stdin else str(path), **options))
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("from_stdin", "language", "begin", "text"),
    [
        (False, "en", "Analyse ", "No cell is certainly safe. The best guess is"),
        (True, "es", "Analizar stdin\n", "Ninguna celda es segura con certeza."),
    ],
)
def test_a_position_is_analysed(run, from_stdin, language, begin, text):
    status, out, err = run("2 # #\n# # #\n# # #", from_stdin, mines=4, language=language)
    assert status == 0
    assert text in out
    assert err.startswith(begin)


def test_in_a_game_without_luck_the_best_guess_wins_as_often_as_the_position(run):
    _, out, _ = run("1 # #\n# # #\n# # #", mines=3, luck=False)
    assert "100.0%, because this game does not depend on luck" in out
    assert "so a guess survives" in out
    content = json.loads(run("1 # #\n# # #\n# # #", mines=3, luck=False, as_json=True)[1])
    assert [choice["win"] for choice in content["choices"]] == [1.0]


def test_a_board_of_a_text_game_in_json_is_no_saved_game(run):
    status, out, _ = run(board_text(np.array([[1, HIDDEN, HIDDEN]]), 1, style="json"), language="en")
    assert (status, out.splitlines()[0]) == (0, "1x3 board, 1 mine: 1 layout fits.")


def test_json_holds_the_analysis(run):
    status, out, _ = run("1 1 1 1\n# F # #\n# # # #", mines=4, as_json=True)
    content = json.loads(out)
    assert status == 0
    assert (content["format"], content["version"], content["kind"]) == ("minesweeper-coach", 1, "position")
    assert (content["board"], content["best"], content["wrong_flags"]) == (["1111", "#F##", "####"], [1, 2], [[1, 1]])
    assert content["win"] == {"probability": 1.0, "kind": "exact", "error": 0.0}
    assert content["proof"][-1]["safe"] == [[1, 2]]
    assert (content["probabilities"][1], content["before"]) == ([1.0, 0.0, 0.0, 1.0], None)


def test_json_holds_the_logarithm_of_a_number_of_layouts_that_no_program_reads():
    analysis = replace(analyse_position(np.array([[1, HIDDEN, HIDDEN]], np.int8), 1), layouts=10**5000)
    content = json.loads(json.dumps(position_content(analysis)))
    assert (content["layouts"], content["log10_layouts"]) == (None, 5000.0)


def test_json_holds_the_review(run):
    ((session, _),) = play_judged("exact", CONFIG, [3])
    status, out, _ = run(session, as_json=True)
    content = json.loads(out)
    assert (status, content["kind"], content["position"]) == (0, "review", None)
    assert content["status"] == session.status == "lost"
    assert len(content["moves"]) == len(session.moves) == len(content["curve"]) - 1
    assert content["skill"] + content["luck"] == pytest.approx(-content["curve"][0]["probability"])
    assert content["moves"][0]["risk"] is None
    assert content["moves"][1]["cell"] == [session.moves[1].row, session.moves[1].col]


def test_a_game_that_goes_on_shows_its_position_too(run):
    session = Session(CONFIG, seed=4)
    session.open(3, 3)
    status, out, _ = run(session)
    assert status == 0
    assert "under way after 1 move" in out
    assert "The position now:" in out
    session.no_guess = "exact"
    assert "100.0%, because this game does not depend on luck" in run(session)[1]
    content = json.loads(run(session, as_json=True)[1])
    assert content["position"]["kind"] == "position"
    assert content["position"]["win"] == content["curve"][-1]


@pytest.mark.parametrize("board", [{}, {"no_guess": "exact"}, {"luck": False}])
def test_a_policy_plays_the_mines_of_a_finished_game_from_its_first_click(run, board):
    session = Session(replace(CONFIG, luck=board.get("luck", True)), seed=5, no_guess=board.get("no_guess", False))
    session.flag(0, 0)
    session.open(4, 4)
    while not session.is_over:
        session.open(*np.argwhere(session.board == HIDDEN)[0].tolist())
    status, out, _ = run(session, as_json=True, policy="exact")
    own, played = json.loads(out), json.loads(out)["policy"]
    assert status == 0
    assert played["moves"][0]["cell"] == own["moves"][0]["cell"] == [4, 4]
    again = replay_with(find_policy("exact"), session)
    assert board == {"luck": False} or (again.placed_mines == session.placed_mines).all()
    assert [list(move.cell) for move in again.moves] == [move["cell"] for move in played["moves"]]
    assert played["skill"] == pytest.approx(0, abs=0.05)
    assert (own["status"], own["skill"] < -0.2) == ("lost", True)
    assert f"You: lost at move {len(own['moves'])}" in " ".join(run(session, policy="exact")[1].split())


def test_a_policy_plays_finished_games_alone(run):
    session = Session(CONFIG, seed=4)
    session.open(3, 3)
    for status, _, err in (run(session, policy="exact"), run("##\n#1", mines=1, policy="exact")):
        assert (status, "a saved game that is over" in err) == (2, True)


def test_games_without_luck_get_one_advice_through_every_door(run):
    config, differing = BoardConfig(5, 5, 6, "safe", luck=False), 0
    for seed in range(12):
        session = Session(config, seed=seed)
        session.open(2, 2)
        while not session.is_over and (advice := session.hint()).is_safe:
            session.open(*advice.cell)
        if not session.is_over:
            content = json.loads(run(session, as_json=True)[1])["position"]
            assert (content["best"], content["win"]["probability"]) == ([*advice.cell], 1)
            text = write_board(session.board)
            content = json.loads(run(text, mines=6, luck=False, as_json=True)[1])
            assert (content["best"], content["win"]["probability"]) == ([*advice.cell], 1)
            differing += json.loads(run(text, mines=6, as_json=True)[1])["best"] != [*advice.cell]
    assert differing


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (None, {"mines": 1}, "input cannot be read: No such file or directory"),
        (None, {"mines": 1, "language": "es"}, "input: el archivo o la carpeta no existe"),
        ("##\n#x", {"mines": 1}, "line 2: 'x' is no cell; allowed are"),
        ("2 mines\n##\n#1", {"mines": 1}, "the number of mines is stated as 1 and 2"),
        ("F1.\n11.", {"mines": 1}, "the text can mean several boards"),
        ("##\n#1", {}, "a board as text needs its number of mines: --mines N"),
        ("1#\n1#", {"mines": 3}, "the number of mines, and the numbers near (1 1)"),
        ("1#", {"mines": 5}, "mines must be 0 to 2 on 1 x 2, not 5"),
        ("##\n##", {"mines": 1}, "no number of mines fits on 2 x 2 with first_click 'opening'"),
        ("##\n#1", {"mines": 1, "first_click": "corners"}, "the coach needs --first-click any, safe or opening"),
        (f"##\n#1\n{HUGE} mines", {}, "needs its number of mines"),
        (f"##\n#1\nMines left: {HUGE}", {}, "needs its number of mines"),
        (f"2x2x{HUGE}\n##\n#1", {}, "line"),
        (f"2x{HUGE}x1\n##\n#1", {}, "line"),
        (b"\xff\xfe#", {"mines": 1}, "the input is no text in UTF-8"),
        ("{}", {}, "input is no saved game: "),
        ('{"cells": [[1, -1]]}', {}, "a board as JSON is a list of rows, such as [[1, -1], [1, 1]]"),
        ('{"a":' * 100_000, {}, "input is no saved game: "),
        ("{}", {"given": frozenset({"luck"}), "luck": False}, "leave out --mines"),
        ("{}", {"mines": 3}, "leave out --mines"),
        (Session(BoardConfig(8, 8, 5, "corners"), seed=1), {}, "corners"),
    ],
)
def test_bad_input_is_one_clear_line(run, content, options, message):
    status, out, err = run(content, **options)
    assert (status, out) == (2, "")
    *before, line = err.splitlines()
    assert line.startswith("play.py: ")
    assert message in line
    assert len(before) <= 1


@pytest.mark.parametrize("from_stdin", [False, True])
def test_input_without_an_end_is_not_read_whole(run, from_stdin):
    status, out, err = run(bytes(MOST_BYTES + 1), from_stdin, mines=1)
    assert (status, out) == (2, "")
    assert "cannot be read" in err.splitlines()[-1]
