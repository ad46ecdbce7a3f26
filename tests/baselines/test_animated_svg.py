"""Animated SVG: what a viewer paints, frame upon frame, is every picture of the game."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays
from support.recordings import CONFIG, game_that

from baselines.animated_svg import path_of
from baselines.recording import END_SECONDS, FATAL, OUTLINE, lines_of, side_for, slides_of, svg
from minesweeper_env.rendering import TILE

SVG = "{http://www.w3.org/2000/svg}"


def paint(picture, path, value):
    """Fills the rectangles of a path, and returns the number of their cells."""
    rectangles = [tuple(map(int, each)) for each in re.findall(r"M(\d+) (\d+)H(\d+)V(\d+)H\1(?=M|$)", path)]
    for left, top, right, bottom in rectangles:
        picture[top:bottom, left:right] = value
    return sum((right - left) * (bottom - top) for left, top, right, bottom in rectangles)


def colour_of(text):
    return tuple(bytes.fromhex(text.removeprefix("#")))


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=12)))
def test_a_path_covers_its_cells_alone_and_each_once(cells):
    painted = np.zeros_like(cells)
    assert paint(painted, path_of(cells), True) == cells.sum()
    assert (painted == cells).all()


@pytest.mark.parametrize(("result", "overlay"), [("won", True), ("lost", True), ("lost", False)])
def test_every_frame_paints_the_picture_of_its_step_and_outlines_its_cell(result, overlay):
    game = game_that(result)
    root = ElementTree.fromstring(svg(slides_of([[game]], 0.5), overlay))
    tiles = {}
    for pattern in root.iter(f"{SVG}pattern"):
        tile = tiles[f"url(#{pattern.get('id')})"] = np.zeros((TILE, TILE, 3), np.uint8)
        for path in pattern:
            paint(tile, path.get("d"), colour_of(path.get("fill")))
    board, panel = root.findall(f"{SVG}g")
    assert board.get("transform").endswith(f"scale({side_for(CONFIG)})")
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
        turn, ended = game.turn(frame), frame == len(game.turns)
        assert outline.get("d").startswith(f"M{turn.col}.05 {turn.row}.05")
        assert colour_of(outline.get("stroke")) == (FATAL if ended and result == "lost" else OUTLINE)
    texts = [{text.text for text in group.iter(f"{SVG}text")} for group in panel]
    assert texts[0] == {part for line in lines_of(game, 0) for part in line}
    assert {"result", game.result} <= texts[-1]


def test_a_frame_appears_at_its_time_and_the_whole_runs_no_code():
    slides = slides_of([[game_that("won"), game_that("lost", "random")]], 0.5)
    text = svg(slides, True).decode()
    total = 0.5 * (len(slides) - 1) + END_SECONDS
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
    texts = [each.text for each in ElementTree.fromstring(svg(slides_of([[game]], 0.5), False)).iter(f"{SVG}text")]
    assert "<script>&" in texts
