"""Galleries of final boards, and the options of `evaluate.py` for pictures of games."""

from __future__ import annotations

import io
import sys
from functools import cache, partial

import imageio.v3 as imageio
import numpy as np
import pytest
from support.commands import complaint
from support.policies import click_config

from baselines.cli import evaluate
from baselines.evaluation.evaluate import evaluate_policy
from baselines.recording import gallery
from baselines.recording.captions import gallery_title
from baselines.recording.frames import draw_board, font, frame_size, side_for
from baselines.recording.gallery import GAP, TITLE_SIZE, Grid, ordered
from baselines.recording.replay import replay
from baselines.registry import build_policy

SMALL = ("--size", "5x6", "--mines", "6", "--games", "12")


@cache
def games(count=9):
    config = click_config(5, 6, 6)
    played = evaluate_policy(partial(build_policy, "exact", config), config, range(count), record=True)
    return [
        replay("exact", config, record.seed, np.frombuffer(record.actions, "<u2").tolist()) for record in played.records
    ]


def test_games_are_sorted_by_the_risk_taken():
    risks = [game.risk_taken for game in ordered(games())]
    assert risks == sorted(risks)
    assert {game.seed for game in ordered(games())} == set(range(9))


def test_a_png_shows_every_final_board():
    picture = imageio.imread(io.BytesIO(gallery.png(games())))
    grid = Grid.of(games())
    assert picture.shape == (*grid.size[::-1], 3)
    for index, game in enumerate(ordered(games())):
        left, top = grid.place(index)
        board = picture[top : top + 5 * grid.side, left : left + 6 * grid.side]
        assert np.array_equal(board, draw_board(game, game.frames - 1, grid.side, overlay=False))


def test_the_title_of_a_small_gallery_is_not_cut_off():
    grid = Grid.of(games()[:1])
    assert grid.size[0] >= font(TITLE_SIZE).getlength(gallery_title(games()[:1])) + 2 * GAP
    assert grid.size[0] > grid.columns * (grid.width + GAP) + GAP


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_boards_and_captions_of_a_gallery_do_not_overlap(count):
    grid = Grid.of(games()[:count])
    assert grid.columns * grid.rows >= count
    for index in range(count):
        left, top = grid.place(index)
        assert left + grid.width <= grid.size[0]
        assert top + grid.height + gallery.CAPTION <= grid.size[1]


def test_the_command_draws_what_it_played(tmp_path, capsys):
    record, picture = tmp_path / "games.gif", tmp_path / "games.png"
    command = ("--policy", "exact", "random", *SMALL, "--record-all", "--record-games", "2")
    assert evaluate.main([*command, "--record", str(record), "--gallery", str(picture)]) == 0
    assert imageio.imread(record, index=0).shape[1] == 2 * frame_size(games()[0], side_for(5, 6))[0]
    assert imageio.imread(picture).ndim == 3
    captured = capsys.readouterr()
    assert "games.gif: " in captured.err
    assert "12 games of exact" in captured.err
    assert "exact" in captured.out
    assert {path.name for path in tmp_path.iterdir()} == {"games.gif", "games.png"}


def test_pictures_change_no_result(tmp_path, capsys):
    assert evaluate.main(["--policy", "exact", *SMALL]) == 0
    plain = capsys.readouterr().out.split()
    assert evaluate.main(["--policy", "exact", *SMALL, "--record", str(tmp_path / "a.png")]) == 0
    assert [word for word in plain if "%" in word] == [word for word in capsys.readouterr().out.split() if "%" in word]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--record", "a.avi"], "--record takes a file that ends in .gif or .mp4 or .png, not a.avi"),
        (["--gallery", "a.gif"], "--gallery takes a file that ends in .png, not a.gif"),
        (["--record", "no/such/a.gif"], "the folder of no/such/a.gif does not exist"),
        (["--record-games", "2"], "--record-games needs --record FILE"),
        (["--record-all"], "--record-all needs --record FILE"),
        (["--gallery-games", "2"], "--gallery-games needs --gallery FILE"),
        (["--record", "a.gif", "--record-games", "13"], "--record-games must be at most 12, the number of --games"),
        (["--record", "a.gif", "--record-speed", "0"], "a number above 0"),
        (["--record", "a.gif", "--size", "150", "--mines", "99"], "at most 13107 cells, and this one has 22500"),
    ],
)
def test_bad_arguments_are_refused_before_the_first_game(capsys, arguments, words):
    with pytest.raises(SystemExit) as stopped:
        evaluate.main(["--policy", "exact", *SMALL, *arguments])
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert words in complaint(captured.err)
    assert captured.out == ""


@pytest.mark.parametrize(("name", "suffix"), [("PIL", "gif"), ("imageio_ffmpeg", "mp4")])
def test_a_missing_package_is_named_with_its_extra(capsys, monkeypatch, name, suffix):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit):
        evaluate.main(["--policy", "exact", *SMALL, "--record", f"a.{suffix}"])
    line = capsys.readouterr().err
    assert f"{name} is not installed; install it with: pip install 'minesweeper-env[video]'" in line


@pytest.mark.parametrize("found", ["/no/such/ffmpeg", None])
def test_a_video_without_an_encoder_is_refused_before_the_first_game(capsys, monkeypatch, found):
    encoder = pytest.importorskip("imageio_ffmpeg")

    def find():
        if found is None:
            raise RuntimeError("No ffmpeg exe could be found.")
        return found

    monkeypatch.setattr(encoder, "get_ffmpeg_exe", find)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit):
        evaluate.main(["--policy", "exact", *SMALL, "--record", "a.mp4"])
    line = complaint(capsys.readouterr().err)
    assert f"an .mp4 file needs FFmpeg, and {found or 'ffmpeg'} is no program" in line
