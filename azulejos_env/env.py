"""Gymnasium environment of one game, `AzulejosEnv`, and the game in progress that both environments play."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from numpy.typing import NDArray

from azulejos_env.config import BONUS, POINTS, GameConfig
from azulejos_env.policies import Policy, find_policy
from azulejos_env.position import Position, check_board
from azulejos_env.rendering import View, render_picture, render_text
from azulejos_env.window import show_game
from minesweeper_env.checks import (
    check_action,
    check_option_names,
    generator_state,
    metadata_of,
    names_arguments,
    warn_without_mode,
)
from minesweeper_env.compiled import kernel
from minesweeper_env.config import one_of, parse_size, whole_number
from minesweeper_env.engine.rules import random_below
from minesweeper_env.rendering import METADATA
from minesweeper_env.splitmix import next_stream
from minesweeper_env.window import Window

__all__ = ["AzulejosEnv", "Game", "draw"]


@kernel
def draw(rng: NDArray[np.uint64], begins: bool, bound: int, numbers: NDArray[np.int64]) -> None:
    """Fills `numbers` with draws of 0..bound-1, all equally likely, from the SplitMix64 generator rng[0].

    `rng`, (2,), holds the states of this game and of the next one. With `begins`, the next game first becomes this one.
    """
    if begins:
        rng[0] = rng[1]
        rng[1] = next_stream(rng[0])
    row = np.int64(0)
    for k in range(numbers.shape[0]):
        numbers[k] = random_below(rng, row, bound)


class Game:
    """Games of one or two players, one after another: seeded boards, moves, observations, rewards and pictures."""

    def __init__(
        self, config: GameConfig, reward: str, observation: str, max_steps: int | None, alone: bool = False
    ) -> None:
        """Prepares games, which `begin` starts; `alone` says whether the first player makes all moves."""
        one_of("reward", reward, ("difference", "win_loss"))
        one_of("observation", observation, ("codes", "planes"))
        self._config, self._reward, self._alone = config, reward, alone
        self._max_steps = 10 * config.cells if max_steps is None else whole_number("max_steps", max_steps, 1, 1 << 62)
        shape = (config.rows, config.cols)
        self.space: Box[Any] = Box(0, config.colours, shape, np.int8)
        if observation == "planes":
            low = np.zeros((config.colours + 2, *shape), np.float32)
            low[-1] = -1.0
            self.space = Box(low, np.ones_like(low), dtype=np.float32)
        self.window = Window()
        self._rng = np.zeros(2, np.uint64)
        self._position: Position | None = None
        self._steps = self._paid_lead = 0

    @property
    def position(self) -> Position:
        """The position; raises a gymnasium.error.ResetNeeded before the first game."""
        if self._position is None:
            raise ResetNeeded("no game has begun: call reset() first")
        return self._position

    def below(self, bound: int) -> int:
        """Returns a number of 0..bound-1, drawn from the generator of the game."""
        return int(self._draw(bound, 1)[0])

    def _draw(self, bound: int, count: int, begins: bool = False) -> NDArray[np.int64]:
        numbers = np.empty(count, np.int64)
        draw(self._rng, begins, bound, numbers)
        return numbers

    def begin(self, seed: int | None, options: Mapping[str, Any] | None, draws_seat: bool = False) -> int:
        """Begins the first game of a seed or, without a seed, the next game, on the board in `options` or a random one.

        Returns the seat of the agent: 0, or 0 or 1 if the game `draws_seat`. Raises a ValueError for a wrong board.
        """
        board = check_board(options["board"], self._config) if options and "board" in options else None
        if seed is not None or not self._rng.any():  # zeros: never seeded
            self._rng = np.array([0, generator_state(seeding.np_random(seed)[0])], np.uint64)
        seats = self._draw(2, int(draws_seat), begins=True)  # one draw, or none
        self._position = self._deal() if board is None else Position(self._config, board)
        # (rows, cols): the cells that the last move emptied before tiles fell.
        self._emptied = np.zeros(self.position.board.shape, np.bool_)
        self._steps = self._paid_lead = 0
        return int(seats[0]) if draws_seat else 0

    def _deal(self) -> Position:
        """Draws a full board of independent uniform colours, again while it has no group, up to 64 times."""
        for _ in range(64):
            board = 1 + self._draw(self._config.colours, self._config.cells).astype(np.int8)
            position = Position(self._config, board.reshape(self._config.rows, self._config.cols))
            if not position.over:
                break
        return position

    @property
    def over(self) -> bool:
        """Whether no group is left; a game that has none when it begins ends with its first step."""
        return self._steps > 0 and self.position.over

    @property
    def truncated(self) -> bool:
        """Whether the step limit has ended the game."""
        return self._steps >= self._max_steps and not self.over

    def play(self, row: int, col: int) -> None:
        """Removes the group of a cell for the player to move; raises a ValueError if there is none."""
        next_position = self.position.play(row, col)
        self._emptied = self.position.group_at(row, col)
        self._position = replace(next_position, player=0) if self._alone else next_position

    def act(self, action: int) -> bool:
        """Takes a step and returns whether it was illegal; an illegal step, or one after the end, keeps the board."""
        illegal = not self.mask()[action]
        if not illegal and not self.position.over:
            self.play(*divmod(action, self._config.cols))
        self._steps += 1
        return illegal

    def mask(self) -> NDArray[np.int8]:
        """Returns (actions,) int8, 1 for the first cell of each group; all 1 if no group is left."""
        groups = self.position.groups
        mask = np.full(self._config.cells, 0 if groups else 1, np.int8)
        mask[[group.row * self._config.cols + group.col for group in groups]] = 1
        return mask

    def lead(self, player: int) -> int:
        """Returns the score of a player minus that of the other."""
        return self.position.scores[player] - self.position.scores[1 - player]

    def _result(self, player: int) -> int:
        """Returns 1 if a player has won the finished game, -1 if lost, 0 for a tie; alone, a cleared board wins."""
        if self._alone:
            return -1 if self.position.board.any() else 1
        return int(np.sign(self.lead(player)))

    def earn(self, player: int) -> float:
        """Returns the reward of a player for all moves since the last call."""
        lead_gain, self._paid_lead = self.lead(0) - self._paid_lead, self.lead(0)  # of the first player
        if self._reward == "win_loss":
            return float(self._result(player)) if self.over else 0.0
        return float(-lead_gain if player else lead_gain)

    def info(self, player: int, illegal: bool) -> dict[str, Any]:
        """Returns the info of a player without the action mask."""
        scores = np.array([self.position.scores[player], self.position.scores[1 - player]])
        won = self.over and self._result(player) > 0
        return {"invalid_action": illegal, "is_success": won, "scores": scores}

    def observe(self, player: int) -> NDArray[Any]:
        """Returns the observation of a player, in a fresh array of `space`."""
        board = self.position.board
        if self.space.dtype == np.int8:
            return board.copy()
        planes = np.empty(self.space.shape, np.float32)
        planes[:-1] = board == np.arange(self._config.colours + 1, dtype=np.int8)[:, None, None]
        planes[-1] = np.tanh(self.lead(player) / self._config.cells)
        return planes

    def render(self, names: tuple[str, ...], mode: str | None, fps: float) -> str | NDArray[np.uint8] | None:
        """Returns the position as text or a picture, or shows it in the window; a game alone has one name."""
        position = self.position
        turn = None if position.over or self.truncated else position.player
        view = View(position.board, self._emptied, names, position.scores[: len(names)], turn)
        if mode == "human":
            show_game(self.window, view, fps)
        return render_text(view) if mode == "ansi" else render_picture(view) if mode == "rgb_array" else None


class AzulejosEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """Azulejos against an opponent, or alone, as a Gymnasium environment.

    ## Description
    Two players take turns on one board of coloured tiles. A move removes a group: two or more tiles of one
    colour that touch along edges. The tiles above fall down; when a column is empty, the columns to its right
    move left. A group of 2, 3, 4 or 5 tiles earns 1, 2, 4 or 8 points, and a larger one two points a tile. A
    player who clears the board has the whole score multiplied by 1.3, rounded down. The game ends when no group
    is left; the player with more points wins. Alone, the game is SameGame: the agent makes all moves.

    ## Action Space
    `Discrete(rows * cols)`: action = row * cols + col, the first cell of a group in reading order.
    Any other cell changes nothing and never ends the game. An integer outside the space raises.

    ## Observation Space
    "codes" (the default): int8 `Box` of shape (rows, cols), 0 for an empty cell and 1 to `colours` for a tile.
    "planes": float32 (colours + 2, rows, cols). Plane c is 1 where a cell has code c. The last plane is
    tanh(d / cells) in every cell, where d is the score of the agent minus the opponent's.

    ## Rewards
    "difference" (the default): the change of the agent's score minus the opponent's since the last step. The
    opponent's first move counts in the first step. "win_loss": +1 for a win, -1 for a loss, 0 for a tie and
    before the end. Alone, "difference" is the points of the move, and a win is a cleared board.

    ## Starting State
    A full board of independent uniform colours, both scores 0. A board without a group is dealt again, up to
    64 times. If the opponent moves first, its move has been made. `reset(seed=s)` starts game 1 of seed s,
    and each later `reset()` the next game. Game k of seed s depends on s and k alone; k counts resets.
    `reset(options={"board": board})`, whole numbers (rows, cols), plays a given board; its tiles fall first.

    ## Episode End
    Terminated: no group is left. Truncated: `max_steps` steps were taken. Later steps change nothing and earn
    nothing. A game that has no group when it begins ends with its first step.

    ## Information
    | key | |
    |---|---|
    | action_mask | int8 (actions,), 1 for the first cell of each group; all 1 once no group is left |
    | invalid_action | bool, whether the action was illegal |
    | is_success | bool, whether the game is won |
    | scores | int64 (2,), the scores of the agent and of the opponent |

    ## Arguments
    | argument | default | values |
    |---|---|---|
    | size | 8 | side of a square board, or (rows, cols); each 1 to 100 |
    | colours | 3 | 1 to 9 |
    | opponent | "greedy" | "random", "greedy", "minimax", "minimax:depth=2", a `Policy`, or None: alone |
    | seat | "first" | "first", "second", "random": who makes the first move; drawn for each game |
    | reward | "difference" | "difference", "win_loss" |
    | observation | "codes" | "codes", "planes" |
    | points | (1, 2, 4, 8) | points for groups of 2, 3, ... tiles |
    | per_tile | 2 | points per tile of a larger group |
    | bonus | 1.3 | factor of the score of the player who clears the board, 1 to 1000 |
    | side | "left" | "left", "right": where empty columns close to |
    | max_steps | None | steps after which the game is truncated; None means ten per cell |
    | render_mode | None | None, "ansi" (text), "rgb_array" (a picture), "human" (a window) |

    "random" draws a group uniformly, "greedy" takes the one that earns most, and "minimax" looks 4 moves ahead;
    its options are depth, seconds and nodes. The seed of a game determines the moves of an opponent, too. A
    `Policy` is reset before each of its moves, with a seed from the game's generator.

    A window needs `pip install '.[window]'` and a display, or `SDL_VIDEODRIVER=dummy`; every reset
    and step shows the board, four frames per second (`metadata["render_fps"]`). An outline shows the cells that
    the last move emptied before tiles fell.
    """

    metadata: dict[str, Any] = METADATA

    @names_arguments
    def __init__(
        self,
        size: int | Sequence[int] = 8,
        colours: int = 3,
        opponent: str | Policy | None = "greedy",
        seat: str = "first",
        reward: str = "difference",
        observation: str = "codes",
        max_steps: int | None = None,
        render_mode: str | None = None,
        points: Sequence[int] = POINTS,
        per_tile: int = 2,
        bonus: float | str | Fraction = BONUS,
        side: str = "left",
    ) -> None:
        """Checks the arguments, which the class describes.

        Raises:
            ValueError: the value of an argument is not allowed; the message lists the allowed ones.
        """
        self.config = GameConfig(*parse_size(size), colours, points, per_tile, bonus, side)
        one_of("seat", seat, ("first", "second", "random"))
        self._opponent = None if opponent is None else find_policy(opponent)
        # The named opponent needs no generator of its own: it draws from that of the game.
        self._opponent_is_random = isinstance(opponent, str) and opponent == "random"
        self._seat_option, self._seat = "first" if opponent is None else seat, 0
        self._game = Game(self.config, reward, observation, max_steps, alone=opponent is None)
        self.render_mode = render_mode
        self.metadata = metadata_of(METADATA, render_mode)
        self.observation_space = self._game.space
        self.action_space = gymnasium.spaces.Discrete(self.config.cells)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Starts the first game of a seed or, without one, the next game, and returns the observation and the info.

        Raises:
            ValueError: an option is unknown, the board is wrong, or the opponent's move is illegal.
        """
        check_option_names(options, ("board",))
        super().reset(seed=seed)
        drawn_seat = self._game.begin(seed, options, self._seat_option == "random")
        self._seat = 1 if self._seat_option == "second" else drawn_seat
        self._play_opponent()
        return self._observe(False)

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Makes a move, which the opponent answers; an illegal move, or any move after the end, changes nothing.

        Returns the observation, the reward, whether no group is left, whether the step limit ended the game, and the
        info.

        Raises:
            gymnasium.error.ResetNeeded: no game has begun.
            ValueError: the action is outside the action space, or the opponent's move is illegal.
        """
        index, game = check_action(action, self.config.cells), self._game
        illegal, reward = False, 0.0
        if not (game.over or game.truncated):
            illegal = game.act(index)
            self._play_opponent()
            reward = game.earn(self._seat)
        observation, info = self._observe(illegal)
        return observation, reward, game.over, game.truncated, info

    def _play_opponent(self) -> None:
        """Makes the move of the opponent if it is to move and a group is left."""
        game, position = self._game, self._game.position
        if self._opponent is None or position.over or position.player == self._seat:
            return
        if self._opponent_is_random:
            cell = position.groups[game.below(len(position.groups))][:2]
        else:
            self._opponent.reset(game.below(1 << 31))
            cell = self._opponent.choose(position)
        try:
            row, col = cell
            game.play(row, col)
        except (IndexError, TypeError, ValueError) as error:
            raise ValueError(f"an opponent must choose the (row, col) of a group, not {cell!r}: {error}") from error

    def _observe(self, illegal: bool) -> tuple[NDArray[Any], dict[str, Any]]:
        """Returns the observation and the info; with a window, shows the position too."""
        if self.render_mode == "human":
            self.render()
        game, seat = self._game, self._seat
        return game.observe(seat), {"action_mask": game.mask(), **game.info(seat, illegal)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action, as sb3-contrib expects."""
        return self._game.mask().astype(np.bool_)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Returns the position as text ("ansi") or as a (height, width, 3) uint8 picture ("rgb_array").

        With "human" it shows the position in the window, and returns None. Without a render mode it warns. A missing
        pygame or display raises a gymnasium.error.Error.
        """
        warn_without_mode(self.render_mode, self.spec, "Azulejos-v0")
        names = ("agent", "opponent") if self._seat == 0 else ("opponent", "agent")
        alone = self._opponent is None
        return self._game.render(names[:1] if alone else names, self.render_mode, self.metadata["render_fps"])

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._game.window.close()
