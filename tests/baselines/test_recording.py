"""Recorded games: what is replayed, and the pictures of it as GIF, MP4 and PNG."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from functools import cache, partial

import imageio.v3 as imageio
import numpy as np
import pytest
from support.commands import complaint
from support.policies import click_config

from baselines.cli import evaluate
from baselines.evaluation.evaluate import evaluate_policy
from baselines.recording import (
    END_SECONDS,
    FATAL,
    MARGIN,
    MOST_LINES,
    OUTLINE,
    Recording,
    draw_board,
    draw_slide,
    fixed_lines,
    format_risk,
    frame_lines,
    frame_size,
    gif,
    mp4,
    png,
    replay,
    side_for,
)
from baselines.registry import build_policy, config_for
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.rendering import TILE

SMALL = ("--size", "5x6", "--mines", "6", "--games", "12")


@cache
def recorded(policy="exact", first_click="opening", games=12):
    """Returns games of a policy with the records that they are replayed from."""
    config = config_for(policy, click_config(5, 6, 6, first_click))
    played = evaluate_policy(partial(build_policy, policy, config), config, range(games), record=True)
    return [
        (record, replay(policy, config, record.seed, np.frombuffer(record.actions, "<u2").tolist()))
        for record in played.records
    ]


def game_that(result, policy="exact"):
    return next(game for _, game in recorded(policy) if game.result == result)


def nothing(_):
    pass


@pytest.mark.parametrize("policy", ["exact", "bayes", "random"])
def test_replayed_games_are_those_that_were_played(policy):
    results = set()
    for record, game in recorded(policy):
        assert game.result == ("won" if record.won else "lost")
        assert len(game.turns) == record.clicks
        assert game.frames == record.clicks + 1
        opened = int((game.end <= 8).sum())
        assert opened == record.opened
        results.add(game.result)
    assert "lost" in results


def test_risks_are_the_exact_probabilities_of_the_cells():
    for _, game in recorded("random"):
        first, *later = game.turns
        assert first.risk == 0.0
        for turn in later:
            expected = mine_probabilities(turn.board, 6)
            assert turn.risk == pytest.approx(expected[turn.row, turn.col], abs=1e-12)
            assert turn.least == pytest.approx(expected[turn.board > 8].min(), abs=1e-12)


def test_a_first_click_without_protection_has_the_risk_of_the_density():
    assert all(game.turns[0].risk == pytest.approx(6 / 30) for _, game in recorded("exact", "any"))


@pytest.mark.slow
def test_games_on_boards_without_guesses_are_replayed_on_the_same_boards():
    config = replace(click_config(6, 6, 6, "any"), no_guess="exact")
    played = evaluate_policy(partial(build_policy, "exact", config), config, range(5), record=True)
    for record in played.records:
        game = replay("exact", config, record.seed, np.frombuffer(record.actions, "<u2").tolist())
        assert record.won
        assert game.result == "won"
        assert all(turn.risk == 0.0 for turn in game.turns)
    assert "no guess" in dict(fixed_lines(game))["board"]


def test_risks_of_a_rule_that_prefers_some_layouts_are_unknown():
    for _, game in recorded("straightforward", "corners"):
        assert game.turns[0].risk == 0.0
        assert all(np.isnan(turn.risk) for turn in game.turns[1:])
    assert dict(frame_lines(game, game.frames - 1))["risk"] == "unknown"


def test_the_last_board_marks_the_mines():
    won, lost = game_that("won"), game_that("lost")
    assert ((won.end == 9) == won.mines).all()
    assert not won.exploded.any()
    last = lost.turns[-1]
    assert np.argwhere(lost.exploded).tolist() == [[last.row, last.col]]


@pytest.mark.parametrize(
    ("risk", "text"),
    [(0.0, "0 %"), (1e-9, "< 0.1 %"), (0.3125, "31.2 %"), (0.5, "50.0 %"), (1 - 1e-9, "> 99.9 %"), (1.0, "100 %")],
)
def test_only_certain_risks_are_0_or_100_per_cent(risk, text):
    assert format_risk(risk) == text


def test_the_panel_names_policy_board_seed_move_and_risk():
    game = game_that("lost", "random")
    lines = dict([*fixed_lines(game), *frame_lines(game, game.frames - 1)])
    count = len(game.turns)
    assert lines["policy"] == "random"
    assert lines["board"] == "5x6, 6 mines"
    assert lines["game"] == f"seed {game.seed}"
    assert lines["move"] == f"{count} of {count}"
    assert lines["risk"] == format_risk(game.turns[-1].risk)
    assert lines["result"] == "lost"
    for _, each in recorded("random"):
        for frame in range(each.frames):
            assert len(fixed_lines(each)) + len(frame_lines(each, frame)) <= MOST_LINES


@pytest.mark.parametrize("result", ["won", "lost"])
def test_each_frame_outlines_the_cell_of_its_move(result):
    game = game_that(result)
    for frame in range(game.frames):
        turn = game.turns[min(frame, len(game.turns) - 1)]
        picture = np.asarray(draw_board(game, frame, TILE, overlay=False))
        assert picture.shape == (5 * TILE, 6 * TILE, 3)
        at_end = frame == game.frames - 1
        colour = FATAL if at_end and result == "lost" else OUTLINE
        cell = picture[turn.row * TILE : (turn.row + 1) * TILE, turn.col * TILE : (turn.col + 1) * TILE]
        for edge in (cell[0], cell[-1], cell[:, 0], cell[:, -1]):
            assert (edge == colour).all()
        found = (picture == colour).all(axis=2)
        found[turn.row * TILE : (turn.row + 1) * TILE, turn.col * TILE : (turn.col + 1) * TILE] = False
        assert found.reshape(5, TILE, 6, TILE).sum(axis=(1, 3)).max() < TILE


def test_a_slide_holds_the_boards_side_by_side():
    first, second = game_that("won"), game_that("lost", "random")
    recording = Recording([[first, second]], 0.5, False)
    slides = list(recording.slides())
    assert len(slides) == len(recording) == max(first.frames, second.frames)
    width, height = frame_size(first, TILE)
    assert width % 2 == height % 2 == 0
    picture = np.asarray(draw_slide(slides[-1], TILE, False))
    assert picture.shape == (height, 2 * width, 3)
    for left, game in ((MARGIN, first), (width + MARGIN, second)):
        board = picture[MARGIN : MARGIN + 5 * TILE, left : left + 6 * TILE]
        assert np.array_equal(board, draw_board(game, game.frames - 1, TILE, overlay=False))


def test_the_overlay_changes_covered_cells_before_the_end_alone():
    game = game_that("won")
    assert not np.array_equal(*(draw_board(game, 1, TILE, overlay) for overlay in (True, False)))
    assert np.array_equal(*(draw_board(game, game.frames - 1, TILE, overlay) for overlay in (True, False)))
    assert np.array_equal(*(draw_board(game, 0, TILE, overlay) for overlay in (True, False)))


def test_a_gif_has_a_frame_per_move_and_one_more():
    game = game_that("won")
    recording = Recording([[game]], 0.5, True)
    drawn = []
    content = gif(recording, drawn.append)
    frames = imageio.imread(content, index=None, extension=".gif")
    assert len(frames) == len(game.turns) + 1 == sum(drawn)
    assert frames.shape[1:] == (*frame_size(game, TILE)[::-1], 3)
    exact = np.asarray(draw_slide(list(recording.slides())[1], TILE, True)).astype(int)
    assert abs(frames[1].astype(int) - exact).mean() < 3
    times = [imageio.immeta(content, index=i, extension=".gif")["duration"] for i in (0, len(frames) - 1)]
    assert times == [500, 1000 * END_SECONDS]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # imageio leaves pipes of ffmpeg open
def test_a_video_shows_every_slide_for_its_time():
    game = game_that("lost", "random")
    content = mp4(Recording([[game]], 0.5, False), nothing)
    frames = imageio.imread(content, index=None, extension=".mp4")
    seconds = 0.5 * len(game.turns) + END_SECONDS
    assert len(frames) == round(seconds * 10)
    assert frames.shape[1:] == (*frame_size(game, TILE)[::-1], 3)
    last = np.asarray(draw_slide(list(Recording([[game]], 0.5, False).slides())[-1], TILE, False))
    assert abs(frames[-1].astype(int) - last).mean() < 6


def test_a_png_is_the_last_slide():
    game = game_that("won")
    recording = Recording([[game], [game_that("lost")]], 0.5, False)
    picture = imageio.imread(io.BytesIO(png(recording, nothing)))
    assert np.array_equal(picture, draw_slide(list(recording.slides())[-1], TILE, False))


def test_the_command_draws_what_it_played(tmp_path, capsys):
    record = tmp_path / "games.gif"
    command = ("--policy", "exact", "random", *SMALL, "--record-all", "--record-games", "2")
    assert evaluate.main([*command, "--record", str(record)]) == 0
    assert imageio.imread(record, index=0).shape[1] == 2 * frame_size(game_that("won"), side_for(5, 6))[0]
    captured = capsys.readouterr()
    assert "games.gif: " in captured.err
    assert "exact" in captured.out
    assert {path.name for path in tmp_path.iterdir()} == {"games.gif"}


def test_pictures_change_no_result(tmp_path, capsys):
    assert evaluate.main(["--policy", "exact", *SMALL]) == 0
    plain = capsys.readouterr().out.split()
    assert evaluate.main(["--policy", "exact", *SMALL, "--record", str(tmp_path / "a.png")]) == 0
    assert [word for word in plain if "%" in word] == [word for word in capsys.readouterr().out.split() if "%" in word]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--record", "a.avi"], "--record takes a file that ends in .gif or .mp4 or .png, not a.avi"),
        (["--record", "no/such/a.gif"], "the folder of no/such/a.gif does not exist"),
        (["--record", "a.gif", "--record-speed", "0"], "a number above 0"),
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
