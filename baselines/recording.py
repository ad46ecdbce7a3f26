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
"""Time for which the end of a game stays."""

LONGEST_BOARD = 576
"""The largest side of a board in pixels, if its tiles then have 12 pixels at least."""

PAPER: Colour = (247, 248, 250)
TEXT: Colour = (38, 42, 48)
LABEL: Colour = (104, 110, 120)
OUTLINE: Colour = (0, 86, 224)
FATAL: Colour = (0, 0, 0)
TRACK: Colour = (221, 224, 229)

MARGIN, PANEL = 12, 196
"""Space around a board, and the width of its panel, in pixels."""

LABEL_HEIGHT, LINE_HEIGHT, BAR_HEIGHT = 15, 21, 8
LABEL_SIZE, TEXT_SIZE = 12, 15
MOST_LINES = 8
"""The number of lines of a panel, with all of its lines included."""

LEAST_FPS = 10
"""Frames per second of a video, at least; players stumble over fewer."""

COLOURS, SAMPLES = 255, 24
"""Number of colours of a GIF, and of the slides from which it takes them."""


class Turn(NamedTuple):
    """A move.

    Attributes:
        move: its name, such as "click".
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
    """A game move by move: its moves, at least one, and the boards before each, with mine probabilities, and the last.

    The result is "won", "lost", "out of steps" or "given up".
    """

    policy: str
    seed: int
    config: BoardConfig
    turns: list[Turn]
    scenes: list[Scene]
    result: str

    def turn(self, frame: int) -> Turn:
        """Returns the move on a board; on the last board, that which led to it."""
        return self.turns[min(frame, len(self.turns) - 1)]


def replay(policy: str, config: BoardConfig, seed: int, actions: Sequence[int]) -> RecordedGame:
    """Plays the actions of a game again, up to its end; `policy` is the specification of the policy that chose them."""
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
    turns = [_turn(config, *each) for each in zip(scenes, actions, strict=False)]
    return RecordedGame(policy, seed, config, turns, scenes, result)


def scenes_of(
    config: BoardConfig, boards: Sequence[NDArray[np.int8]], mines: NDArray[np.bool_], last_action: int, result: str
) -> list[Scene]:
    """Returns the boards of a game, (rows, cols) int8 each, with mine probabilities; the last one shows the result."""
    *before, end = boards
    nothing = np.zeros(mines.shape, np.bool_)
    known = _probabilities(config, np.stack(before))
    last = Scene(
        with_mines_flagged(end, config.codes, mines) if result == "won" else end,
        config.codes,
        mines if result in ("won", "lost") else nothing,
        exploded_cells(end, config, last_action) if result == "lost" else nothing,
    )
    scenes = [Scene(each, config.codes, nothing, nothing, risks) for each, risks in zip(before, known, strict=True)]
    return [*scenes, last]


def _turn(config: BoardConfig, scene: Scene, action: int) -> Turn:
    move, cell = divmod(int(action), config.cells)
    row, col = divmod(cell, config.cols)
    board, known = scene.codes, scene.probabilities
    assert known is not None
    risks = known[board > config.codes.max_count]
    risk, least = float(known[row, col]), float(risks.min()) if len(risks) else math.nan
    if _is_protected(config, board):
        risk, least = (0.0, 0.0) if config.moves[move] == "click" else (math.nan, math.nan)
    return Turn(config.moves[move], row, col, risk, least)


def _probabilities(config: BoardConfig, boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """Returns the mine probabilities of boards; NaN where they are unknown, or where the first click is protected."""
    unknown = np.full(boards.shape, math.nan)
    if config.first_click not in UNIFORM_FIRST_CLICKS:
        return unknown
    protected = np.array([_is_protected(config, board) for board in boards])
    return np.where(protected[:, None, None], unknown, Oracle(config).ask(boards).probabilities)


def _is_protected(config: BoardConfig, board: NDArray[np.int8]) -> bool:
    """Returns whether the next click is the first one, and cannot hit a mine."""
    is_safe = config.first_click != "any" or bool(config.no_guess)
    return is_safe and bool((board > config.codes.max_count).all())


class Slide(NamedTuple):
    """One picture: each game on it, from left to right, with the index of its scene; and the seconds it is shown."""

    frames: list[tuple[RecordedGame, int]]
    seconds: float


def slides_of(rounds: Sequence[Sequence[RecordedGame]], seconds_per_move: float) -> list[Slide]:
    """Returns the slides of games one after another; those of a round stand side by side, until the last has ended."""
    slides = []
    for games in rounds:
        count = max(len(game.scenes) for game in games)
        for frame in range(count):
            shown = [(game, min(frame, len(game.scenes) - 1)) for game in games]
            slides.append(Slide(shown, END_SECONDS if frame == count - 1 else seconds_per_move))
    return slides


def format_risk(risk: float) -> str:
    """Returns a mine probability in per cent; only what is certain is 0 % or 100 %."""
    if math.isnan(risk):
        return "unknown"
    if 0.0 < risk < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= risk < 1.0:
        return "> 99.9 %"
    return f"{100 * risk:.0f} %" if risk in (0.0, 1.0) else f"{100 * risk:.1f} %"


def lines_of(game: RecordedGame, frame: int) -> list[tuple[str, str]]:
    """Returns the labels and texts beside a board: policy, game, move and its risk, and at the end the result."""
    config, turn = game.config, game.turn(frame)
    logic = ", no guess" if config.no_guess else ", no luck" * (not config.luck)
    lines = [
        ("policy", game.policy),
        ("board", f"{config.rows}x{config.cols}, {counted(config.mines, 'mine')}{logic}"),
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
    """Returns the side of a tile, in pixels, 12 to `TILE`."""
    return max(12, min(TILE, LONGEST_BOARD // max(config.rows, config.cols)))


def frame_size(config: BoardConfig) -> tuple[int, int]:
    """Returns the width and height of one game on a slide, in pixels; both are even, as videos need it."""
    side = side_for(config)
    panel = MOST_LINES * (LABEL_HEIGHT + LINE_HEIGHT) + BAR_HEIGHT
    width, height = config.cols * side + PANEL + 3 * MARGIN, max(config.rows * side, panel) + 2 * MARGIN
    return width + width % 2, height + height % 2


def draw_slide(slide: Slide, overlay: bool) -> Image.Image:
    """Returns the picture of a slide; an overlay has the mine probabilities on covered cells."""
    config = slide.frames[0][0].config
    width, height = frame_size(config)
    picture = Image.new("RGB", (width * len(slide.frames), height), PAPER)
    for place, (game, frame) in enumerate(slide.frames):
        left = place * width + MARGIN
        picture.paste(draw_board(game, frame, overlay), (left, MARGIN))
        _draw_panel(picture, left + config.cols * side_for(config) + MARGIN, game, frame)
    return picture


def draw_board(game: RecordedGame, frame: int, overlay: bool) -> Image.Image:
    """Returns the board of a frame, with the cell of its move outlined."""
    side = side_for(game.config)
    tiles, row, col, outline = _board(game, frame, overlay, side)
    picture, left, top = Image.fromarray(tiles), col * side, row * side
    ImageDraw.Draw(picture).rectangle(
        (left, top, left + side - 1, top + side - 1), outline=outline, width=max(1, round(side / 10))
    )
    return picture


def _board(game: RecordedGame, frame: int, overlay: bool, side: int) -> BoardFrame:
    """Returns what a frame shows of the board, with tiles of a side in pixels."""
    turn, scene = game.turn(frame), game.scenes[frame]
    lost = frame == len(game.turns) and game.result == "lost"
    shown = scene if overlay else scene._replace(probabilities=None)
    return BoardFrame(shown.picture(side), turn.row, turn.col, FATAL if lost else OUTLINE)


def _draw_panel(picture: Image.Image, left: int, game: RecordedGame, frame: int) -> None:
    pen = ImageDraw.Draw(picture)
    for top, width, height, colour, text in panel_of(game, frame):
        if text:
            pen.text((left, MARGIN + top), text, colour, font=ImageFont.load_default(height))
        else:
            pen.rectangle((left, MARGIN + top, left + width - 1, MARGIN + top + height - 1), colour)


class Mark(NamedTuple):
    """A text at the left of a panel, its size the height, or without text a filled rectangle; all in pixels."""

    top: int
    width: int
    height: int
    colour: Colour
    text: str = ""


def panel_of(game: RecordedGame, frame: int) -> list[Mark]:
    """Returns what stands beside the board of a frame, from the top."""
    marks, top = [], 0
    for label, text in lines_of(game, frame):
        marks.append(Mark(top, PANEL, LABEL_SIZE, LABEL, label))
        marks.append(Mark(top + LABEL_HEIGHT - 1, PANEL, TEXT_SIZE, TEXT, _shortened(text)))
        top += LABEL_HEIGHT + LINE_HEIGHT
        if label == "risk":
            marks += _bar(top - 2, game.turn(frame).risk)
            top += BAR_HEIGHT
    return marks


def _bar(top: int, risk: float) -> list[Mark]:
    """Returns a bar that the risk fills, in the colour of that risk on covered cells."""
    track = Mark(top, PANEL, BAR_HEIGHT - 2, TRACK)
    if math.isnan(risk) or risk == 0:
        return [track]
    filled = max(1, round(risk * (PANEL - 1))) + 1
    return [track, Mark(top, filled, BAR_HEIGHT - 2, level_face(int(levels_of(np.array(risk)))))]


def _shortened(text: str) -> str:
    """Returns a text that fits into the panel; dots replace the rest."""
    font = ImageFont.load_default(TEXT_SIZE)
    if font.getlength(text) <= PANEL:
        return text
    while text and font.getlength(text + "...") > PANEL:
        text = text[:-1]
    return text + "..."


def gif(slides: Sequence[Slide], overlay: bool) -> bytes:
    """Returns an animated GIF that repeats for ever, one frame per slide."""
    return animated_gif(lambda place: draw_slide(slides[place], overlay), [slide.seconds for slide in slides])


def animated_gif(draw: Callable[[int], Image.Image], seconds: Sequence[float]) -> bytes:
    """Returns a GIF that repeats for ever; `draw` makes the picture of a frame, which is shown for its seconds."""
    # The palette has the colours of frames from begin to end, rare ones at edges included.
    chosen = sorted({round(place) for place in np.linspace(0, len(seconds) - 1, SAMPLES)})
    samples = np.concatenate([np.asarray(draw(place)) for place in chosen])
    palette = Image.fromarray(samples).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)

    frames = (draw(place).quantize(palette=palette, dither=Image.Dither.NONE) for place in range(len(seconds)))
    buffer = io.BytesIO()
    times = [round(1000 * each) for each in seconds]
    next(frames).save(buffer, "GIF", save_all=True, append_images=frames, duration=times, loop=0, optimize=True)
    return buffer.getvalue()


def mp4(slides: Sequence[Slide], overlay: bool) -> bytes:
    """Returns an H.264 video; each slide takes as many frames as its time needs, at least one."""
    import imageio.v2 as imageio

    # A move takes a whole number of frames, so that the video keeps the seconds per move.
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
    """Returns the last slide."""
    buffer = io.BytesIO()
    draw_slide(slides[-1], overlay).save(buffer, "PNG")
    return buffer.getvalue()


def svg(slides: Sequence[Slide], overlay: bool, *, panel: bool = True) -> bytes:
    """Returns an animated SVG that repeats for ever; without panels it has the boards alone."""
    config = slides[0].frames[0][0].config
    side, margin = side_for(config), MARGIN if panel else 0
    width, height = frame_size(config) if panel else (config.cols * side, config.rows * side)
    sheet, layers = TileSheet(TILE), []
    for place in range(len(slides[0].frames)):
        shown, left = [slide.frames[place] for slide in slides], place * width + margin
        boards = (_board(game, frame, overlay, TILE) for game, frame in shown)
        layers.append((f"translate({left} {margin}) scale({side})", sheet.draw_frames(boards)))
        if panel:
            layers.append((f"translate({left + config.cols * side + margin} {margin})", _panel_frames(shown)))
    ground = f'<rect width="100%" height="100%" fill="{hex_of(PAPER)}"/>'
    seconds = [slide.seconds for slide in slides]
    return animated_svg((width * len(slides[0].frames), height), sheet.patterns() + ground, layers, seconds)


def _panel_frames(shown: Sequence[tuple[RecordedGame, int]]) -> list[str]:
    """Returns the elements that the panel of each frame adds: where a mark changed, paper and the new mark."""
    frames, before = [], dict[int, list[Mark]]()
    for game, frame in shown:
        lines = {top: list(marks) for top, marks in groupby(panel_of(game, frame), lambda mark: mark.top)}
        changed = sorted(top for top in lines | before if lines.get(top) != before.get(top))
        paper = [Mark(top, PANEL + MARGIN, before[top][0].height + 4, PAPER) for top in changed if top in before]
        frames.append("".join(map(_svg_mark, [*paper, *(mark for top in changed for mark in lines.get(top, []))])))
        before = lines
    return frames


def _svg_mark(mark: Mark) -> str:
    colour = hex_of(mark.colour)
    if mark.text:
        baseline = mark.top + mark.height
        return f'<text y="{baseline}" font-size="{mark.height}" fill="{colour}">{escape(mark.text)}</text>'
    return f'<rect y="{mark.top}" width="{mark.width}" height="{mark.height}" fill="{colour}"/>'


def write_picture(options: argparse.Namespace, played: Mapping[str, tuple[BoardConfig, Sequence[GameRecord]]]) -> None:
    """Writes the picture of --record from the games of each policy, whose records hold the actions.

    A game in which one of the policies made no move is left out, and the next game takes its place.
    """
    recorders = {".gif": gif, ".svg": svg, ".mp4": mp4, ".png": png}
    chosen = list(played) if options.record_all else list(played)[:1]
    games = zip(*(played[name][1] for name in chosen), strict=True)
    shown = [game for game in games if all(record.actions for record in game)][: options.record_games]
    if not shown:
        say(f"{options.record} is not written: there is no game in which {' and '.join(chosen)} made a move")
        return
    columns: list[list[RecordedGame]] = []
    for name, records in zip(chosen, zip(*shown, strict=True), strict=True):
        with progress.game_bar("replaying", name, len(records)) as on_finished:
            columns.append([])
            for record in records:
                actions = np.frombuffer(record.actions, "<u2").tolist()
                columns[-1].append(replay(name, played[name][0], record.seed, actions))
                on_finished(1)
    slides = slides_of(list(zip(*columns, strict=True)), 1 / options.record_speed)
    say(f"Draw {len(slides)} frames")
    content = recorders[options.record.suffix](slides, options.record_overlay)
    files.replace_file(options.record, content, follow=True)
    say(f"{options.record}: {len(slides)} frames of {', '.join(chosen)}, {len(content) / 1000:.0f} KB")
