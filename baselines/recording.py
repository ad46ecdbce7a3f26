"""Pictures of recorded games, replayed move by move: the board, and beside it the move and its risk."""

import argparse
import io
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from baselines import files, progress
from baselines.animated_svg import BoardFrame, TileSheet, animated_svg, hex_of
from baselines.evaluation.games import GameRecord
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.console import say
from minesweeper_env.engine.state import LOST, TRUNCATED, WON
from minesweeper_env.escape import counted
from minesweeper_env.inference import Oracle
from minesweeper_env.inference.kernels import TIE
from minesweeper_env.rendering import TILE, Colour, Scene, exploded_cells, level_face, levels_of, with_mines_flagged
from minesweeper_env.vector_env import MinesweeperVectorEnv

END_SECONDS = 3.0
"""Seconds for which the end of a game is shown."""

LONGEST_BOARD = 576
"""The longest side of a board in pixels; larger only if its tiles would have fewer than 12 pixels."""

PAPER: Colour = (247, 248, 250)
TEXT: Colour = (38, 42, 48)
LABEL: Colour = (104, 110, 120)
OUTLINE: Colour = (0, 86, 224)
FATAL: Colour = (0, 0, 0)
TRACK: Colour = (221, 224, 229)

MARGIN, PANEL = 12, 196
"""Space around a board, and the width of the panel beside it, in pixels."""

LABEL_HEIGHT, LINE_HEIGHT, BAR_HEIGHT = 15, 21, 8
LABEL_SIZE, TEXT_SIZE = 12, 15
MOST_LINES = 8
"""The largest number of lines of a panel."""

LEAST_FPS = 10
"""The lowest number of frames per second of a video; video players handle fewer badly."""

COLOURS, SAMPLES = 255, 24
"""Number of colours of a GIF, and number of frames from which its palette is taken."""


class Turn(NamedTuple):
    """A move and its risk.

    Attributes:
        move: name of the move, such as "click".
        row: row of the cell, from 0.
        col: column of the cell, from 0.
        risk: mine probability of the cell; 0.0 for a first click that the first-click rule protects; NaN if unknown.
        least: the least mine probability of a covered cell; NaN if unknown.
    """

    move: str
    row: int
    col: int
    risk: float
    least: float


class RecordedGame(NamedTuple):
    """A game of at least one move.

    `scenes` are the boards before each of the `turns`, with mine probabilities, and then the last board; `result` is
    "won", "lost", "out of steps" or "given up".
    """

    policy: str
    seed: int
    config: BoardConfig
    turns: list[Turn]
    scenes: list[Scene]
    result: str

    def turn(self, frame: int) -> Turn:
        """Returns the move that is played on the board of a frame; for the last frame, the move that led to it."""
        return self.turns[min(frame, len(self.turns) - 1)]


def replay(policy: str, config: BoardConfig, seed: int, actions: Sequence[int]) -> RecordedGame:
    """Plays the actions of a game again; `policy` is the specification of the policy that chose them."""
    env = MinesweeperVectorEnv(1, **config.arguments(), autoreset_mode="Disabled")
    board, _ = env.reset(seed=[seed])
    boards = []
    for action in actions:
        boards.append(board[0])
        board, *_ = env.step(np.array([action]))
    state = env.get_state()
    env.close()
    result = {WON: "won", LOST: "lost", TRUNCATED: "out of steps"}.get(int(state["status"][0]), "given up")
    scenes = scenes_of(config, [*boards, board[0]], state["mines"][0], actions[-1], result)
    turns = [_turn(config, scene, action) for scene, action in zip(scenes, actions, strict=False)]
    return RecordedGame(policy, seed, config, turns, scenes, result)


def scenes_of(
    config: BoardConfig, boards: Sequence[NDArray[np.int8]], mines: NDArray[np.bool_], last_action: int, result: str
) -> list[Scene]:
    """Returns a scene for each board, (rows, cols) int8: all but the last with mine probabilities.

    `mines` is (rows, cols) bool; the last scene shows them if the game was won or lost.
    """
    *earlier, end = boards
    no_cells = np.zeros(mines.shape, np.bool_)
    probabilities = _probabilities(config, np.stack(earlier))
    last = Scene(
        with_mines_flagged(end, config.codes, mines) if result == "won" else end,
        config.codes,
        mines if result in ("won", "lost") else no_cells,
        exploded_cells(end, config, last_action) if result == "lost" else no_cells,
    )
    pairs = zip(earlier, probabilities, strict=True)
    return [*(Scene(board, config.codes, no_cells, no_cells, risks) for board, risks in pairs), last]


def _turn(config: BoardConfig, scene: Scene, action: int) -> Turn:
    move, cell = divmod(int(action), config.cells)
    row, col = divmod(cell, config.cols)
    board, probabilities = scene.codes, scene.probabilities
    assert probabilities is not None
    risks = probabilities[board > config.codes.max_count]  # of covered cells: all counts are lower codes
    risk, least = float(probabilities[row, col]), float(risks.min()) if len(risks) else math.nan
    if _is_protected(config, board):
        risk, least = (0.0, 0.0) if config.moves[move] == "click" else (math.nan, math.nan)
    return Turn(config.moves[move], row, col, risk, least)


def _probabilities(config: BoardConfig, boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """Returns the mine probabilities of boards, (N, rows, cols); NaN if unknown, or if the first click is protected."""
    unknown = np.full(boards.shape, math.nan)
    if config.first_click not in UNIFORM_FIRST_CLICKS:
        return unknown
    protected = np.array([_is_protected(config, board) for board in boards])
    return np.where(protected[:, None, None], unknown, Oracle(config).ask(boards).probabilities)


def _is_protected(config: BoardConfig, board: NDArray[np.int8]) -> bool:
    """Returns whether the next click is the first one of the game, and cannot hit a mine."""
    protects_first = config.first_click != "any" or bool(config.no_guess)
    return protects_first and bool((board > config.codes.max_count).all())


class Slide(NamedTuple):
    """A picture that is shown for some seconds: games from left to right, each with the index of its scene."""

    frames: list[tuple[RecordedGame, int]]
    seconds: float


def slides_of(rounds: Sequence[Sequence[RecordedGame]], seconds_per_move: float) -> list[Slide]:
    """Returns the slides of all rounds in turn; the games of a round stand side by side until the longest has ended."""
    slides = []
    for games in rounds:
        count = max(len(game.scenes) for game in games)
        for frame in range(count):
            frames = [(game, min(frame, len(game.scenes) - 1)) for game in games]
            slides.append(Slide(frames, END_SECONDS if frame == count - 1 else seconds_per_move))
    return slides


def format_risk(risk: float) -> str:
    """Returns a mine probability in per cent; it is never rounded to 0 % or 100 %."""
    if math.isnan(risk):
        return "unknown"
    if 0.0 < risk < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= risk < 1.0:
        return "> 99.9 %"
    return f"{100 * risk:.0f} %" if risk in (0.0, 1.0) else f"{100 * risk:.1f} %"


def lines_of(game: RecordedGame, frame: int) -> list[tuple[str, str]]:
    """Returns (label, text) of each line beside the board of a frame; the last frame also has the result."""
    config, turn = game.config, game.turn(frame)
    rules = ", no guess" if config.no_guess else "" if config.luck else ", no luck"
    lines = [
        ("policy", game.policy),
        ("board", f"{config.rows}x{config.cols}, {counted(config.mines, 'mine')}{rules}"),
        ("game", f"seed {game.seed}"),
        ("move", f"{min(frame + 1, len(game.turns))} of {len(game.turns)}"),
        (turn.move, f"row {turn.row}, column {turn.col}"),
        ("risk", format_risk(turn.risk)),
    ]
    if turn.move == "click" and turn.risk - turn.least > TIE:
        lines.append(("least risk", format_risk(turn.least)))
    if frame == len(game.turns):
        lines.append(("result", game.result))
    return lines


def side_for(config: BoardConfig) -> int:
    """Returns the side of a tile in pixels, from 12 to `TILE`."""
    return max(12, min(TILE, LONGEST_BOARD // max(config.rows, config.cols)))


def frame_size(config: BoardConfig) -> tuple[int, int]:
    """Returns the width and height of one game on a slide, in pixels; both are even, as H.264 requires."""
    side = side_for(config)
    panel_height = MOST_LINES * (LABEL_HEIGHT + LINE_HEIGHT) + BAR_HEIGHT
    width, height = config.cols * side + PANEL + 3 * MARGIN, max(config.rows * side, panel_height) + 2 * MARGIN
    return width + width % 2, height + height % 2


def draw_slide(slide: Slide, overlay: bool) -> Image.Image:
    """Returns the picture of a slide; with `overlay`, covered cells show their mine probabilities."""
    config = slide.frames[0][0].config
    width, height = frame_size(config)
    picture = Image.new("RGB", (width * len(slide.frames), height), PAPER)
    for column, (game, frame) in enumerate(slide.frames):
        left = column * width + MARGIN
        picture.paste(draw_board(game, frame, overlay), (left, MARGIN))
        _draw_panel(picture, left + config.cols * side_for(config) + MARGIN, game, frame)
    return picture


def draw_board(game: RecordedGame, frame: int, overlay: bool) -> Image.Image:
    """Returns the picture of the board of a frame, with the cell of its move outlined."""
    side = side_for(game.config)
    pixels, row, col, outline = _board_frame(game, frame, overlay, side)
    picture, left, top = Image.fromarray(pixels), col * side, row * side
    corners = (left, top, left + side - 1, top + side - 1)
    ImageDraw.Draw(picture).rectangle(corners, outline=outline, width=max(1, round(side / 10)))
    return picture


def _board_frame(game: RecordedGame, frame: int, overlay: bool, side: int) -> BoardFrame:
    """Returns the board of a frame, with tiles whose side is `side` pixels."""
    turn, scene = game.turn(frame), game.scenes[frame]
    is_lost = frame == len(game.turns) and game.result == "lost"
    scene = scene if overlay else scene._replace(probabilities=None)
    return BoardFrame(scene.picture(side), turn.row, turn.col, FATAL if is_lost else OUTLINE)


def _draw_panel(picture: Image.Image, left: int, game: RecordedGame, frame: int) -> None:
    pen = ImageDraw.Draw(picture)
    for top, width, height, colour, text in panel_of(game, frame):
        if text:
            pen.text((left, MARGIN + top), text, colour, font=ImageFont.load_default(height))
        else:
            pen.rectangle((left, MARGIN + top, left + width - 1, MARGIN + top + height - 1), colour)


class Mark(NamedTuple):
    """A text of font size `height` at the left of a panel, or, without text, a filled rectangle; in pixels."""

    top: int
    width: int
    height: int
    colour: Colour
    text: str = ""


def panel_of(game: RecordedGame, frame: int) -> list[Mark]:
    """Returns the marks beside the board of a frame, from the top."""
    marks, top = [], 0
    for label, text in lines_of(game, frame):
        marks.append(Mark(top, PANEL, LABEL_SIZE, LABEL, label))
        marks.append(Mark(top + LABEL_HEIGHT - 1, PANEL, TEXT_SIZE, TEXT, _truncated(text)))
        top += LABEL_HEIGHT + LINE_HEIGHT
        if label == "risk":
            marks += _bar(top - 2, game.turn(frame).risk)
            top += BAR_HEIGHT
    return marks


def _bar(top: int, risk: float) -> list[Mark]:
    """Returns a bar filled in proportion to the risk, in the colour of that risk in the overlay."""
    track = Mark(top, PANEL, BAR_HEIGHT - 2, TRACK)
    if math.isnan(risk) or risk == 0:
        return [track]
    width = max(1, round(risk * (PANEL - 1))) + 1  # at least 2 pixels, to be seen
    return [track, Mark(top, width, BAR_HEIGHT - 2, level_face(int(levels_of(np.array(risk)))))]


def _truncated(text: str) -> str:
    """Returns the text, cut and ended with dots if it is wider than the panel."""
    font = ImageFont.load_default(TEXT_SIZE)
    if font.getlength(text) <= PANEL:
        return text
    while text and font.getlength(text + "...") > PANEL:
        text = text[:-1]
    return text + "..."


def gif(slides: Sequence[Slide], overlay: bool) -> bytes:
    """Returns an animated GIF that repeats for ever, one frame per slide."""
    return animated_gif(lambda frame: draw_slide(slides[frame], overlay), [slide.seconds for slide in slides])


def animated_gif(draw: Callable[[int], Image.Image], seconds: Sequence[float]) -> bytes:
    """Returns a GIF that repeats for ever; `draw(frame)` makes the picture that is shown for `seconds[frame]`."""
    # One palette for all frames, from evenly spaced ones; MAXCOVERAGE also keeps the rare colours of edges.
    sampled = sorted({round(frame) for frame in np.linspace(0, len(seconds) - 1, SAMPLES)})
    samples = np.concatenate([np.asarray(draw(frame)) for frame in sampled])
    palette = Image.fromarray(samples).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
    frames = (draw(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in range(len(seconds)))
    buffer = io.BytesIO()
    milliseconds = [round(1000 * duration) for duration in seconds]
    next(frames).save(buffer, "GIF", save_all=True, append_images=frames, duration=milliseconds, loop=0, optimize=True)
    return buffer.getvalue()


def mp4(slides: Sequence[Slide], overlay: bool) -> bytes:
    """Returns an H.264 video; a slide is repeated for as many frames as its seconds need, at least one."""
    import imageio.v2 as imageio

    # The rate is at least `LEAST_FPS`, and such that a move lasts a whole number of frames.
    fps = math.ceil(LEAST_FPS * slides[0].seconds) / slides[0].seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recording.mp4")
        writer: Any
        with imageio.get_writer(path, fps=fps, codec="libx264", quality=8, macro_block_size=2) as writer:
            for slide in slides:
                picture = np.asarray(draw_slide(slide, overlay))
                for _ in range(max(1, round(slide.seconds * fps))):
                    writer.append_data(picture)
        return path.read_bytes()


def png(slides: Sequence[Slide], overlay: bool) -> bytes:
    """Returns the last slide as a PNG."""
    buffer = io.BytesIO()
    draw_slide(slides[-1], overlay).save(buffer, "PNG")
    return buffer.getvalue()


def svg(slides: Sequence[Slide], overlay: bool, *, panel: bool = True) -> bytes:
    """Returns an animated SVG that repeats for ever; without `panel` it has the boards alone."""
    config = slides[0].frames[0][0].config
    side, margin = side_for(config), MARGIN if panel else 0
    width, height = frame_size(config) if panel else (config.cols * side, config.rows * side)
    sheet, layers = TileSheet(TILE), []
    for column in range(len(slides[0].frames)):
        frames, left = [slide.frames[column] for slide in slides], column * width + margin
        boards = (_board_frame(game, frame, overlay, TILE) for game, frame in frames)
        layers.append((f"translate({left} {margin}) scale({side})", sheet.draw_frames(boards)))
        if panel:
            layers.append((f"translate({left + config.cols * side + margin} {margin})", _panel_frames(frames)))
    background = f'<rect width="100%" height="100%" fill="{hex_of(PAPER)}"/>'
    seconds = [slide.seconds for slide in slides]
    return animated_svg((width * len(slides[0].frames), height), sheet.patterns() + background, layers, seconds)


def _panel_frames(frames: Sequence[tuple[RecordedGame, int]]) -> list[str]:
    """Returns, for each frame, the SVG elements to paint over the panel before: paper over old marks, and new marks."""
    elements, previous = [], dict[int, list[Mark]]()
    for game, frame in frames:
        # Marks with the same top, such as a bar on its track, change together.
        marks = {top: list(group) for top, group in groupby(panel_of(game, frame), lambda mark: mark.top)}
        changed_tops = sorted(top for top in marks | previous if marks.get(top) != previous.get(top))
        old = (previous[top][0] for top in changed_tops if top in previous)
        paper = [Mark(mark.top, PANEL + MARGIN, mark.height + 4, PAPER) for mark in old]
        new = [mark for top in changed_tops for mark in marks.get(top, [])]
        elements.append("".join(map(_svg_mark, [*paper, *new])))
        previous = marks
    return elements


def _svg_mark(mark: Mark) -> str:
    colour = hex_of(mark.colour)
    if mark.text:
        baseline = mark.top + mark.height
        return f'<text y="{baseline}" font-size="{mark.height}" fill="{colour}">{escape(mark.text)}</text>'
    return f'<rect y="{mark.top}" width="{mark.width}" height="{mark.height}" fill="{colour}"/>'


def write_picture(options: argparse.Namespace, played: Mapping[str, tuple[BoardConfig, Sequence[GameRecord]]]) -> None:
    """Writes the file of --record; `played` holds the board and the games, with actions, by policy.

    A game in which one of the policies made no move is left out, and the next game takes its place.
    """
    encoders = {".gif": gif, ".svg": svg, ".mp4": mp4, ".png": png}
    policies = list(played) if options.record_all else list(played)[:1]
    rounds = zip(*(played[name][1] for name in policies), strict=True)
    recorded = [records for records in rounds if all(record.actions for record in records)][: options.record_games]
    if not recorded:
        say(f"{options.record} is not written: there is no game in which {' and '.join(policies)} made a move")
        return
    columns: list[list[RecordedGame]] = []
    for name, records in zip(policies, zip(*recorded, strict=True), strict=True):
        with progress.game_bar("replaying", name, len(records)) as on_finished:
            columns.append([])
            for record in records:
                actions = np.frombuffer(record.actions, "<u2").tolist()  # as `GameRecord` stores them
                columns[-1].append(replay(name, played[name][0], record.seed, actions))
                on_finished(1)
    slides = slides_of(list(zip(*columns, strict=True)), 1 / options.record_speed)
    say(f"Draw {len(slides)} frames")
    content = encoders[options.record.suffix](slides, options.record_overlay)
    files.replace_file(options.record, content, follow=True)
    say(f"{options.record}: {len(slides)} frames of {', '.join(policies)}, {len(content) / 1000:.0f} KB")
