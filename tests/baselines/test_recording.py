"""Recorded games: what is replayed, and the pictures of it as GIF, MP4, PNG and animated SVG."""

import io
import re
from dataclasses import replace
from xml.etree import ElementTree

import imageio.v3 as imageio
import numpy as np
import pytest
from support.policies import click_config
from support.recordings import CONFIG, game_that, recorded

from baselines import recording
from baselines.cli import evaluate
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.rendering import TILE


@pytest.mark.parametrize("policy", ["exact", "random"])
def test_replayed_games_are_those_that_were_played(policy):
    results = set()
    for record, game in recorded(policy):
        assert game.result == ("won" if record.won else "lost")
        assert len(game.turns) == len(game.scenes) - 1 == record.clicks
        assert int((game.scenes[-1].codes <= 8).sum()) == record.opened
        assert all(len(recording.lines_of(game, frame)) <= recording.MOST_LINES for frame in range(len(game.scenes)))
        results.add(game.result)
    assert "lost" in results
    assert recording.replay(policy, CONFIG, 0, [14]).result == "given up"


def test_risks_are_the_exact_probabilities_of_the_cells():
    for _, game in recorded("random"):
        first, *later = game.turns
        assert first.risk == 0.0
        for turn, scene in zip(later, game.scenes[1:], strict=False):
            expected = mine_probabilities(scene.codes, 6)
            assert turn.risk == pytest.approx(expected[turn.row, turn.col], abs=1e-12)
            assert turn.least == pytest.approx(expected[scene.codes > 8].min(), abs=1e-12)
    # A first click without protection has the risk of the density; a rule that prefers some layouts hides the rest.
    for _, game in recorded("exact", click_config(5, 6, 6, "any")):
        assert game.turns[0].risk == pytest.approx(6 / 30)
    for _, game in recorded("straightforward", click_config(5, 6, 6, "corners")):
        assert game.turns[0].risk == 0.0
        assert all(np.isnan(turn.risk) for turn in game.turns[1:])
    assert dict(recording.lines_of(game, len(game.turns)))["risk"] == "unknown"


@pytest.mark.slow
def test_games_on_boards_without_guesses_are_replayed_on_the_same_boards():
    for record, game in recorded("exact", replace(click_config(6, 6, 6, "any"), no_guess="exact"), 5):
        assert record.won
        assert game.result == "won"
        assert all(turn.risk == 0.0 for turn in game.turns)
    assert "no guess" in dict(recording.lines_of(game, 0))["board"]


@pytest.mark.parametrize(
    ("risk", "text"),
    [(0.0, "0 %"), (1e-9, "< 0.1 %"), (0.3125, "31.2 %"), (0.5, "50.0 %"), (1 - 1e-9, "> 99.9 %"), (1.0, "100 %")],
)
def test_only_certain_risks_are_0_or_100_per_cent(risk, text):
    assert recording.format_risk(risk) == text


@pytest.mark.parametrize("result", ["won", "lost"])
def test_each_frame_outlines_the_cell_of_its_move_and_the_last_one_marks_the_mines(result):
    game = game_that(result)
    for frame in range(len(game.scenes)):
        turn = game.turn(frame)
        picture = np.asarray(recording.draw_board(game, frame, overlay=False))
        assert picture.shape == (5 * TILE, 6 * TILE, 3)
        at_end = frame == len(game.turns)
        colour = recording.FATAL if at_end and result == "lost" else recording.OUTLINE
        cell = picture[turn.row * TILE : (turn.row + 1) * TILE, turn.col * TILE : (turn.col + 1) * TILE]
        for edge in (cell[0], cell[-1], cell[:, 0], cell[:, -1]):
            assert (edge == colour).all()
        found = (picture == colour).all(axis=2)
        found[turn.row * TILE : (turn.row + 1) * TILE, turn.col * TILE : (turn.col + 1) * TILE] = False
        assert found.reshape(5, TILE, 6, TILE).sum(axis=(1, 3)).max() < TILE
    end = game.scenes[-1]
    assert result == "lost" or ((end.codes == 9) == end.mines).all()
    assert np.argwhere(end.exploded).tolist() == ([[turn.row, turn.col]] if result == "lost" else [])


def test_a_slide_holds_the_boards_side_by_side():
    first, second = game_that("won"), game_that("lost", "random")
    slides = recording.slides_of([[first, second]], 0.5)
    assert len(slides) == max(len(first.scenes), len(second.scenes))
    width, height = recording.frame_size(CONFIG)
    assert width % 2 == height % 2 == 0
    picture = np.asarray(recording.draw_slide(slides[-1], False))
    assert picture.shape == (height, 2 * width, 3)
    for left, game in ((recording.MARGIN, first), (width + recording.MARGIN, second)):
        board = picture[recording.MARGIN : recording.MARGIN + 5 * TILE, left : left + 6 * TILE]
        assert np.array_equal(board, recording.draw_board(game, len(game.turns), overlay=False))


def test_the_overlay_changes_covered_cells_before_the_end_alone():
    game = game_that("won")
    for frame, same in ((1, False), (len(game.turns), True), (0, True)):
        assert np.array_equal(*(recording.draw_board(game, frame, overlay) for overlay in (True, False))) == same


def test_a_gif_has_a_frame_per_move_and_one_more_and_a_png_is_the_last_one():
    game = game_that("won")
    slides = recording.slides_of([[game]], 0.5)
    content = recording.gif(slides, True)
    frames = imageio.imread(content, index=None, extension=".gif")
    assert len(frames) == len(game.turns) + 1
    assert frames.shape[1:] == (*recording.frame_size(CONFIG)[::-1], 3)
    exact = np.asarray(recording.draw_slide(slides[1], True)).astype(int)
    assert abs(frames[1].astype(int) - exact).mean() < 3
    times = [imageio.immeta(content, index=i, extension=".gif")["duration"] for i in (0, len(frames) - 1)]
    assert times == [500, 1000 * recording.END_SECONDS]
    last = imageio.imread(io.BytesIO(recording.png(slides, False)))
    assert np.array_equal(last, recording.draw_slide(slides[-1], False))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # imageio leaves pipes of ffmpeg open
def test_a_video_shows_every_slide_for_its_time():
    game = game_that("lost", "random")
    slides = recording.slides_of([[game]], 0.5)
    frames = imageio.imread(recording.mp4(slides, False), index=None, extension=".mp4")
    assert len(frames) == round((0.5 * len(game.turns) + recording.END_SECONDS) * 10)
    assert frames.shape[1:] == (*recording.frame_size(CONFIG)[::-1], 3)
    assert abs(frames[-1].astype(int) - np.asarray(recording.draw_slide(slides[-1], False))).mean() < 6


def test_the_command_draws_what_it_played_and_changes_no_result(tmp_path, capsys):
    record = tmp_path / "games.gif"
    command = ("--policy", "exact", "random", "--size", "5x6", "--mines", "6", "--games", "12")
    outputs = []
    for more in ((), ("--record-all", "--record-games", "2", "--record", str(record))):
        assert evaluate.main([*command, *more]) == 0
        captured = capsys.readouterr()
        outputs.append([word for word in captured.out.split() if "%" in word])
    assert outputs[0] == outputs[1]
    assert imageio.imread(record, index=0).shape[1] == 2 * recording.frame_size(CONFIG)[0]
    assert "games.gif: " in captured.err
    assert [path.name for path in tmp_path.iterdir()] == ["games.gif"]


# The animated SVG: what a viewer paints, frame upon frame, is every picture of the game

SVG = "{http://www.w3.org/2000/svg}"


def paint(picture, path, value):
    """Fills the rectangles of a path."""
    for corners in re.findall(r"M(\d+) (\d+)H(\d+)V(\d+)H\1(?=M|$)", path):
        left, top, right, bottom = map(int, corners)
        picture[top:bottom, left:right] = value


def colour_of(text):
    return tuple(bytes.fromhex(text.removeprefix("#")))


@pytest.mark.parametrize(("result", "overlay"), [("won", True), ("lost", True), ("lost", False)])
def test_every_frame_paints_the_picture_of_its_step_and_outlines_its_cell(result, overlay):
    game = game_that(result)
    root = ElementTree.fromstring(recording.svg(recording.slides_of([[game]], 0.5), overlay))
    tiles = {}
    for pattern in root.iter(f"{SVG}pattern"):
        tile = tiles[f"url(#{pattern.get('id')})"] = np.zeros((TILE, TILE, 3), np.uint8)
        for path in pattern:
            paint(tile, path.get("d"), colour_of(path.get("fill")))
    board, panel = root.findall(f"{SVG}g")
    assert board.get("transform").endswith(f"scale({recording.side_for(CONFIG)})")
    assert [group.get("class") for group in board] == [f"f{frame}" for frame in range(len(game.scenes))]
    shown = np.zeros((CONFIG.rows * TILE, CONFIG.cols * TILE, 3), np.uint8)
    for frame, (group, scene) in enumerate(zip(board, game.scenes, strict=True)):
        *paths, outline = group
        for path in paths:
            cells = np.zeros((CONFIG.rows, CONFIG.cols), bool)
            paint(cells, path.get("d"), True)
            for row, col in np.argwhere(cells):
                shown[row * TILE : (row + 1) * TILE, col * TILE : (col + 1) * TILE] = tiles[path.get("fill")]
        assert (shown == (scene if overlay else scene._replace(probabilities=None)).picture(TILE)).all()
        turn, is_fatal = game.turn(frame), result == "lost" and frame == len(game.turns)
        assert outline.get("d").startswith(f"M{turn.col}.05 {turn.row}.05")
        assert colour_of(outline.get("stroke")) == (recording.FATAL if is_fatal else recording.OUTLINE)
    texts = [{text.text for text in group.iter(f"{SVG}text")} for group in panel]
    assert texts[0] == {part for line in recording.lines_of(game, 0) for part in line}
    assert {"result", game.result} <= texts[-1]


def test_a_frame_appears_at_its_time_and_the_whole_runs_no_code():
    slides = recording.slides_of([[game_that("won"), game_that("lost", "random")]], 0.5)
    text = recording.svg(slides, True).decode()
    total = 0.5 * (len(slides) - 1) + recording.END_SECONDS
    assert f"g{{animation:{total:.3f}s step-end infinite}}" in text
    found = re.findall(r"@keyframes f(\d+)\{0%\{visibility:hidden\}([\d.]+)%\{visibility:visible\}\}", text)
    assert [int(frame) for frame, _ in found] == list(range(1, len(slides)))
    starts = [50 * frame / total for frame in range(1, len(slides))]
    np.testing.assert_allclose([float(start) for _, start in found], starts, atol=1e-3)
    kinds = {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(text).iter()}
    assert kinds == {"svg", "style", "pattern", "path", "rect", "g", "text"}
    assert "href" not in text
    assert re.search(r"\son\w+=", text) is None


def test_names_cannot_leave_their_text():
    game = game_that("won")._replace(policy="<script>&")
    root = ElementTree.fromstring(recording.svg(recording.slides_of([[game]], 0.5), False))
    assert "<script>&" in [each.text for each in root.iter(f"{SVG}text")]
