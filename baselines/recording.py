"""Games of policies played again move by move: boards, risks, and the texts beside them."""

from __future__ import annotations

import argparse
import io
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from baselines.evaluation.games import GameRecord
from baselines.support.board_names import size_name
from baselines.support.files import replace_file
from baselines.support.progress import game_bar
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, counted
from minesweeper_env.engine.state import LOST, WON
from minesweeper_env.inference import Oracle
from minesweeper_env.notices import say
from minesweeper_env.rendering import TILE, Colour, Scene, exploded_cells, level_face, levels_of, with_mines_flagged
from minesweeper_env.vector_env import MinesweeperVectorEnv

END_SECONDS = 3.0
"""Time for which the end of a game stays."""

Line = tuple[str, str]
"""A label and its text."""


class Turn(NamedTuple):
    """A board, and the move that follows on it.

    Attributes:
        board: (rows, cols) int8, the codes before the move.
        move: name of the move, such as "click".
        row: row of the cell, from 0.
        col: column of the cell, from 0.
        probabilities: (rows, cols) float64, the mine probabilities of the board; NaN where unknown.
        risk: mine probability of the cell; 0.0 for a first click that the first-click rule protects; NaN if unknown.
        least: the least mine probability of a covered cell; NaN if unknown.
    """

    board: NDArray[np.int8]
    move: str
    row: int
    col: int
    probabilities: NDArray[np.float64]
    risk: float
    least: float


@dataclass(frozen=True)
class RecordedGame:
    """A game move by move.

    Attributes:
        policy: specification of the policy.
        seed: seed of the game.
        config: board and rules.
        turns: the moves, at least one.
        end: (rows, cols) int8, the last board; every mine of a won game has a flag.
        mines: (rows, cols) bool, the mines of a won or lost game; all False for a game out of steps.
        exploded: (rows, cols) bool, the mines that the last move opened.
        result: "won", "lost" or "out of steps".
    """

    policy: str
    seed: int
    config: BoardConfig
    turns: list[Turn]
    end: NDArray[np.int8]
    mines: NDArray[np.bool_]
    exploded: NDArray[np.bool_]
    result: str

    @property
    def frames(self) -> int:
        """Number of pictures of the game: the boards before each move, and the last one."""
        return len(self.turns) + 1

    def scene(self, frame: int, overlay: bool = False) -> Scene:
        """Returns the content of a frame's board.

        Args:
            frame: 0 to `frames` - 1.
            overlay: True to write the mine probabilities on covered cells, except on the last board.
        """
        nothing = np.zeros(self.end.shape, np.bool_)
        if frame == len(self.turns):
            return Scene(self.end, self.config.codes, self.mines, self.exploded)
        turn = self.turns[frame]
        return Scene(turn.board, self.config.codes, nothing, nothing, turn.probabilities if overlay else None)


def replay(policy: str, config: BoardConfig, seed: int, actions: Sequence[int]) -> RecordedGame:
    """Plays the actions of a game again.

    Args:
        policy: specification of the policy that chose them.
        config: board and rules of the game.
        seed: seed of the game.
        actions: the actions, up to the end of the game.
    """
    env = MinesweeperVectorEnv.of_config(config, 1, autoreset_mode="Disabled")
    board, _ = env.reset(seed=[seed])
    boards = []
    for action in actions:
        boards.append(board[0])
        board, *_ = env.step(np.array([action]))
    state = env.get_state()
    env.close()
    status, mines = int(state["status"][0]), state["mines"][0]
    result = {WON: "won", LOST: "lost"}.get(status, "out of steps")
    nothing = np.zeros(mines.shape, np.bool_)
    return RecordedGame(
        policy,
        seed,
        config,
        _turns(config, np.stack(boards), actions),
        with_mines_flagged(board[0], config.codes, mines) if result == "won" else board[0],
        mines if status in (WON, LOST) else nothing,
        exploded_cells(board[0], config, actions[-1]) if result == "lost" else nothing,
        result,
    )


def _turns(config: BoardConfig, boards: NDArray[np.int8], actions: Sequence[int]) -> list[Turn]:
    probabilities = _probabilities(config, boards)
    turns = []
    for board, known, action in zip(boards, probabilities, actions, strict=True):
        move, cell = divmod(int(action), config.cells)
        row, col = divmod(cell, config.cols)
        risks = known[board > config.codes.max_count]
        risk, least = float(known[row, col]), float(risks.min()) if len(risks) else math.nan
        if _is_protected(config, board):
            risk, least = (0.0, 0.0) if config.moves[move] == "click" else (math.nan, math.nan)
        turns.append(Turn(board, config.moves[move], row, col, known, risk, least))
    return turns


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
    """One picture of a recording.

    Attributes:
        frames: each game that is on the picture, from left to right, with the number of its frame.
        seconds: time for which it is shown.
    """

    frames: list[tuple[RecordedGame, int]]
    seconds: float


@dataclass(frozen=True)
class Recording:
    """Games one after another; games of several policies on one board stand side by side.

    Attributes:
        rounds: the games that are shown together, for each round; all rounds have as many.
        seconds_per_move: time for which a move is shown.
        overlay: True to write the mine probabilities on covered cells.
    """

    rounds: Sequence[Sequence[RecordedGame]]
    seconds_per_move: float
    overlay: bool

    def __len__(self) -> int:
        """Returns the number of slides."""
        return sum(max(game.frames for game in games) for games in self.rounds)

    def slides(self) -> Iterator[Slide]:
        """Yields the slides in order; a game that has ended keeps its last frame."""
        for games in self.rounds:
            frames = max(game.frames for game in games)
            for frame in range(frames):
                shown = [(game, min(frame, game.frames - 1)) for game in games]
                yield Slide(shown, END_SECONDS if frame == frames - 1 else self.seconds_per_move)

    def draw(self, slide: Slide) -> Image.Image:
        """Returns the picture of a slide."""
        config = slide.frames[0][0].config
        return draw_slide(slide, side_for(config.rows, config.cols), self.overlay)


def format_risk(risk: float) -> str:
    """Returns a mine probability in per cent; only what is certain is 0 % or 100 %."""
    if math.isnan(risk):
        return "unknown"
    if 0.0 < risk < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= risk < 1.0:
        return "> 99.9 %"
    return f"{100 * risk:.0f} %" if risk in (0.0, 1.0) else f"{100 * risk:.1f} %"


def fixed_lines(game: RecordedGame) -> list[Line]:
    """Returns the lines that stay the same in all frames of a game."""
    config = game.config
    logic = ", no guess" if config.no_guess else ""
    board = f"{size_name(config.rows, config.cols)}, {counted(config.mines, 'mine')}{logic}"
    return [("policy", game.policy), ("board", board), ("game", f"seed {game.seed}")]


def frame_lines(game: RecordedGame, frame: int) -> list[Line]:
    """Returns the lines of one frame: the move, its cell and its risk, and at the end the result."""
    last = min(frame, len(game.turns) - 1)
    turn = game.turns[last]
    lines = [
        ("move", f"{last + 1} of {len(game.turns)}"),
        (turn.move, f"row {turn.row}, column {turn.col}"),
        ("risk", format_risk(turn.risk)),
    ]
    if turn.move == "click" and turn.risk - turn.least > 1e-9:
        lines.append(("least risk", format_risk(turn.least)))
    if frame == len(game.turns):
        lines.append(("result", game.result))
    return lines


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
"""The number of lines of a panel, `frame_lines` with all of its lines included."""

LONGEST_BOARD = 576
"""The largest side of a board in pixels, if its tiles then have 12 pixels at least."""

LEAST_FPS = 10
"""Frames per second of a video, at least; players stumble over fewer."""

COLOURS = 255
SAMPLES = 24
"""Number of slides from which a GIF takes its colours."""

Progress = Callable[[int], object]
"""Receives the number of further slides that are drawn."""


def side_for(rows: int, cols: int) -> int:
    """Returns the side of a tile for boards of this size, in pixels, 12 to `TILE`."""
    return max(12, min(TILE, LONGEST_BOARD // max(rows, cols)))


def frame_size(game: RecordedGame, side: int) -> tuple[int, int]:
    """Returns the width and height of one game on a slide, in pixels; both are even, as videos need it."""
    board = (game.config.cols * side, game.config.rows * side)
    panel = MOST_LINES * (LABEL_HEIGHT + LINE_HEIGHT) + BAR_HEIGHT
    width, height = board[0] + PANEL + 3 * MARGIN, max(board[1], panel) + 2 * MARGIN
    return width + width % 2, height + height % 2


def draw_slide(slide: Slide, side: int, overlay: bool) -> Image.Image:
    """Returns the picture of a slide.

    Args:
        slide: the games and their frames.
        side: the side of a tile, in pixels.
        overlay: True to write the mine probabilities on covered cells.
    """
    width, height = frame_size(slide.frames[0][0], side)
    picture = Image.new("RGB", (width * len(slide.frames), height), PAPER)
    for place, (game, frame) in enumerate(slide.frames):
        left = place * width + MARGIN
        picture.paste(draw_board(game, frame, side, overlay), (left, MARGIN))
        _draw_panel(picture, left + game.config.cols * side + MARGIN, game, frame)
    return picture


def draw_board(game: RecordedGame, frame: int, side: int, overlay: bool) -> Image.Image:
    """Returns the board of a frame, side * cols wide and side * rows high, with the cell of its move outlined."""
    picture = Image.fromarray(game.scene(frame, overlay).picture(side))
    turn = game.turns[min(frame, len(game.turns) - 1)]
    lost = frame == len(game.turns) and game.result == "lost"
    left, top = turn.col * side, turn.row * side
    ImageDraw.Draw(picture).rectangle(
        (left, top, left + side - 1, top + side - 1), outline=FATAL if lost else OUTLINE, width=max(1, round(side / 10))
    )
    return picture


def _draw_panel(picture: Image.Image, left: int, game: RecordedGame, frame: int) -> None:
    pen = ImageDraw.Draw(picture)
    top = float(MARGIN)
    for line in [*fixed_lines(game), *frame_lines(game, frame)]:
        _write_line(pen, left, top, line)
        top += LABEL_HEIGHT + LINE_HEIGHT
        if line[0] == "risk":
            _draw_bar(pen, left, top - 2, game.turns[min(frame, len(game.turns) - 1)].risk)
            top += BAR_HEIGHT


def _write_line(pen: ImageDraw.ImageDraw, left: float, top: float, line: Line) -> None:
    label, text = line
    pen.text((left, top), label, LABEL, font=font(LABEL_SIZE))
    pen.text((left, top + LABEL_HEIGHT - 1), shortened(text, TEXT_SIZE, PANEL), TEXT, font=font(TEXT_SIZE))


def _draw_bar(pen: ImageDraw.ImageDraw, left: int, top: float, risk: float) -> None:
    """Draws a bar that the risk fills, in the colour of that risk on covered cells."""
    pen.rectangle((left, top, left + PANEL - 1, top + BAR_HEIGHT - 3), TRACK)
    if not math.isnan(risk) and risk > 0:
        colour = level_face(int(levels_of(np.array(risk))))
        pen.rectangle((left, top, left + max(1, round(risk * (PANEL - 1))), top + BAR_HEIGHT - 3), colour)


def font(size: int) -> ImageFont.FreeTypeFont:
    """Returns Pillow's own font in a size in pixels."""
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont)
    return found


def shortened(text: str, size: int, width: int) -> str:
    """Returns a text that is at most `width` pixels wide; dots replace the rest."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + "...") > width:
        text = text[:-1]
    return text + "..."


def gif(recording: Recording, on_drawn: Progress) -> bytes:
    """Returns an animated GIF that repeats for ever, one frame per slide."""
    slides = list(recording.slides())
    # The palette has the colours of slides from begin to end, rare ones at edges included.
    chosen = sorted({round(place) for place in np.linspace(0, len(slides) - 1, SAMPLES)})
    samples = np.concatenate([np.asarray(recording.draw(slides[place])) for place in chosen])
    palette = Image.fromarray(samples).quantize(COLOURS, Image.Quantize.MAXCOVERAGE)

    def draw() -> Iterator[Image.Image]:
        for slide in slides:
            yield recording.draw(slide).quantize(palette=palette, dither=Image.Dither.NONE)
            on_drawn(1)

    frames, buffer = draw(), io.BytesIO()
    next(frames).save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames,
        duration=[round(1000 * slide.seconds) for slide in slides],
        loop=0,
        optimize=True,
    )
    return buffer.getvalue()


def mp4(recording: Recording, on_drawn: Progress) -> bytes:
    """Returns an H.264 video; each slide takes as many frames as its time needs, at least one.

    Raises:
        OSError: the encoder fails.
    """
    import imageio.v2 as imageio

    repeats = math.ceil(LEAST_FPS * recording.seconds_per_move)
    fps = repeats / recording.seconds_per_move
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "recording.mp4")
        writer: Any
        with imageio.get_writer(path, fps=fps, codec="libx264", quality=8, macro_block_size=2) as writer:
            for slide in recording.slides():
                picture = np.asarray(recording.draw(slide))
                for _ in range(max(1, round(slide.seconds * fps))):
                    writer.append_data(picture)
                on_drawn(1)
        return path.read_bytes()


def png(recording: Recording, on_drawn: Progress) -> bytes:
    """Returns the last slide."""
    *_, last = recording.slides()
    buffer = io.BytesIO()
    recording.draw(last).save(buffer, "PNG")
    on_drawn(len(recording))
    return buffer.getvalue()


def write_picture(options: argparse.Namespace, played: Mapping[str, tuple[BoardConfig, Sequence[GameRecord]]]) -> None:
    """Writes the file of --record.

    Args:
        options: options of `evaluate.py`.
        played: the games of each policy, by its specification: records with actions; at least one of each.

    Raises:
        OSError: the file cannot be written.
    """
    recorders = {".gif": gif, ".mp4": mp4, ".png": png}
    chosen = list(played) if options.record_all else list(played)[:1]
    count = min(options.record_games, *(len(played[name][1]) for name in chosen))
    columns = [_replayed(name, *played[name], count) for name in chosen]
    recording = Recording(list(zip(*columns, strict=True)), 1 / options.record_speed, options.record_overlay)
    with game_bar("drawing", options.record.name, len(recording), "frames") as on_drawn:
        content = recorders[options.record.suffix](recording, on_drawn)
    replace_file(options.record, content)
    say(f"{options.record}: {len(recording)} frames of {', '.join(chosen)}, {len(content) / 1000:.0f} KB")


def _replayed(name: str, config: BoardConfig, records: Sequence[GameRecord], count: int) -> list[RecordedGame]:
    games = []
    with game_bar("replaying", name, count) as on_finished:
        for record in records[:count]:
            games.append(replay(name, config, record.seed, np.frombuffer(record.actions, "<u2").tolist()))
            on_finished(1)
    return games
