"""A shared game: its picture has the boards and risks that the player met, and nothing that was there is lost."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.played_games import session_on

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities
from minesweeper_play import command
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach.review import review_game
from minesweeper_play.coach.sharing import describe_game, draw_review, recorded_game, share
from minesweeper_play.game.records import save_game
from minesweeper_play.game.session import Session


def ended_game(won=True):
    """Returns a game of least risk on 5x6 with 6 mines, or one that ends on its first known mine."""
    session = Session(BoardConfig(5, 6, 6), seed=2)
    session.open(2, 2)
    while not session.is_over:
        risks = np.where(session.board > 8, mine_probabilities(session.board, 6), np.nan)
        session.open(*divmod(int(np.nanargmin(risks) if won else np.nanargmax(risks)), 6))
    return session


@pytest.mark.parametrize("won", [True, False])
def test_a_picture_has_a_frame_for_each_turn_with_its_risks_and_mines_at_the_end_alone(won):
    session = ended_game(won)
    review = review_game(session)
    game = recorded_game(review)
    picture = Image.open(io.BytesIO(draw_review(review)))
    assert session.status == game.result == ("won" if won else "lost")
    assert picture.n_frames == len(game.scenes) == len(session.moves) + 1
    for turn, scene, before in zip(review.turns[1:], game.scenes[1:-1], game.turns[1:], strict=True):
        assert not scene.mines.any()
        np.testing.assert_allclose(scene.probabilities, mine_probabilities(turn.board, 6))
        assert before.risk == pytest.approx(scene.probabilities[turn.move.cell])
    assert (game.scenes[-1].mines == session.placed_mines).all()
    assert list(zip(*np.nonzero(game.scenes[-1].exploded), strict=True)) == ([] if won else [session.exploded])


def test_the_mines_that_a_chord_opened_are_shown():
    session = session_on(".*.", "...", ".*.", opened=[(1, 1)], flags=[(0, 0), (0, 2)])
    assert session.chord(1, 1).key == "lost"
    assert (recorded_game(review_game(session)).scenes[-1].exploded == session.placed_mines).all()


def test_a_game_that_is_shared_again_keeps_the_earlier_picture(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    session, catalogue = Session(BoardConfig(8, 8, 14), seed=2), Catalogue("en")
    session.open(4, 4), session.open(*np.argwhere(session.placed_mines)[0].tolist())
    Path("minesweeper-2.gif").write_bytes(b"another picture")
    shared = [share(session, catalogue).values for _ in range(2)]
    assert [values["path"].name for values in shared] == ["minesweeper-2-2.gif", "minesweeper-2-3.gif"]
    assert Path("minesweeper-2.gif").read_bytes() == b"another picture"
    assert shared[0]["line"] == describe_game(review_game(session), catalogue), "the skill of the review"


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_line_has_the_board_and_the_skill(language):
    line = describe_game(review_game(ended_game(won=False)), Catalogue(language))
    assert line.startswith("5x6/6 ")
    assert "-" in line.split()[-1]
    clean = describe_game(review_game(ended_game()), Catalogue(language))
    assert not re.search(r"0[.,]0", clean), "0.0 would read as the least skill"


def test_an_analysis_draws_a_saved_game_that_is_over(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    save_game(ended_game(), Path("ended.json"))
    session = Session(BoardConfig(5, 6, 6), seed=2)
    session.open(2, 2)
    save_game(session, Path("begun.json"))
    Path("board.txt").write_text("1.\n..")
    assert command.main(["--analyse", "ended.json", "--record", "game.gif"]) == 0
    assert command.main(["--analyse", "ended.json", "--record", "game.svg"]) == 0
    assert Path("game.gif").stat().st_size > 1000
    assert Path("game.svg").read_text().startswith("<svg ")
    assert command.main(["--analyse", "begun.json", "--record", "begun.gif"]) == 2
    assert command.main(["--analyse", "board.txt", "--mines", "1", "--record", "board.gif"]) == 2
    for arguments in (["--record", "a.gif"], ["--analyse", "ended.json", "--record", "a.png"]):
        with pytest.raises(SystemExit, match="2"):
            command.main(arguments)
    assert sorted(path.name for path in tmp_path.glob("*.gif")) == ["game.gif"]
