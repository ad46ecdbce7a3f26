"""Checks of a result file: its form, its hashes, the protocol, and a replay of the sampled games on the engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.benchmark.result_files import (
    CHECK_BYTES,
    DIGEST_BYTES,
    FORMAT,
    Card,
    Games,
    ResultFile,
    Times,
    canonical,
    digest_of,
    title_of,
)
from baselines.evaluation.protocol import PROTOCOL
from baselines.support.board_names import name_of
from baselines.support.files import first_line
from baselines.support.structs import Count
from baselines.support.structs import Games as Number
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv


class _Sampled(msgspec.Struct):
    game: Count
    actions: bytes


class _Block(msgspec.Struct):
    board: str
    first_click: str
    moves: list[Literal[MOVE_NAMES]]  # type: ignore[valid-type]
    seed: Count
    games: Number
    batch_size: Number
    wins: Count
    won: bytes
    clicks: bytes
    digests: bytes
    checks: bytes
    sample: list[_Sampled]
    sha256: str


class _File(msgspec.Struct):
    """What a result file must have; its canonical form shows whether it has more."""

    format: int
    protocol: str
    protocol_sha256: str
    card: Card
    versions: dict[str, str]
    boards: Annotated[list[_Block], msgspec.Meta(min_length=1)]
    sha256: str
    times: Times | None


class RefusedFileError(ValueError):
    """A result file that the benchmark does not accept; the message says where it is wrong, in one line."""


def read_result_file(path: Path) -> ResultFile:
    """Returns a result file after all checks but the replay.

    Raises:
        RefusedFileError: the file breaks the form or the protocol, or was changed after it was made.
        OSError: the file cannot be read.
    """
    try:
        return _read(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise RefusedFileError(f"{path}: {first_line(error)}") from error


def check_result_file(path: Path) -> tuple[ResultFile, int]:
    """Checks a result file completely, and returns it with the number of games replayed on the engine.

    Raises:
        RefusedFileError: the file breaks the form or the protocol, was changed, or a replayed game ends differently.
        OSError: the file cannot be read.
    """
    result = read_result_file(path)
    for games in result.boards:
        if (fault := _replay_fault(games)) is not None:
            raise RefusedFileError(f"{path}: {fault}")
    return result, sum(len(games.sample) for games in result.boards)


def _read(content: bytes) -> ResultFile:
    found = msgspec.json.decode(content, type=_File)
    for name, right in (("format", FORMAT), ("protocol", PROTOCOL.version), ("protocol_sha256", PROTOCOL.digest())):
        if getattr(found, name) != right:
            raise ValueError(f"`{name}` must be {right}, not {getattr(found, name)!r}")
    boards = tuple(map(_games_of, found.boards))
    order = [title_of(board) for board in PROTOCOL.boards]
    places = [order.index(games.name) for games in boards]
    if places != sorted(set(places)):
        raise ValueError("`boards` must hold each board once, in the order of the protocol")
    result = ResultFile(found.card, found.versions, boards, found.times)
    if result.content_sha256() != found.sha256:
        raise ValueError(
            "the card, the versions or the list of boards was changed: `sha256` is that of another content"
        )
    if unknown := set(found.times.boards if found.times else ()) - {games.name for games in boards}:
        raise ValueError(f"`times` has {min(unknown)!r}, which is no board of the file")
    if canonical(result.to_json()) != content:
        raise ValueError("a field, a space or the order is not as `minesweeper benchmark run` wrote it")
    return result


def _games_of(block: _Block) -> Games:
    """Returns the games of a block after all checks of it."""
    games = _unpacked(block)
    _check_numbers(games, block.wins)
    for game, (found, right) in enumerate(zip(_pieces(block.checks, CHECK_BYTES), games.checks(), strict=True)):
        if found != right:
            seed = games.seed + game
            raise ValueError(f"{games.name}, game {game} (seed {seed}): its outcome or digest was changed")
    _check_sample(games)
    return games


def _unpacked(block: _Block) -> Games:
    config, count = _config_of(block), block.games
    sizes = {"won": (count + 7) // 8, "clicks": 2 * count}
    sizes |= {"digests": DIGEST_BYTES * count, "checks": CHECK_BYTES * count}
    for name, size in sizes.items():
        if len(getattr(block, name)) != size:
            found = len(getattr(block, name))
            raise ValueError(f"{title_of(config)}: `{name}` holds {found} bytes, and {count} games have {size}")
    won = np.unpackbits(np.frombuffer(block.won, np.uint8), count=count).astype(bool)
    return Games(
        config,
        block.batch_size,
        block.seed,
        tuple(won.tolist()),
        tuple(np.frombuffer(block.clicks, "<u2").tolist()),
        tuple(_pieces(block.digests, DIGEST_BYTES)),
        {each.game: each.actions for each in block.sample},
    )


def _pieces(content: bytes, size: int) -> list[bytes]:
    return [content[begin : begin + size] for begin in range(0, len(content), size)]


def _config_of(block: _Block) -> BoardConfig:
    for config in PROTOCOL.boards:
        if (block.board, block.first_click) == (name_of(config), config.first_click):
            return replace(config, moves=tuple(block.moves))
    raise ValueError(f"protocol {PROTOCOL.version} has no board {block.board!r} with first click {block.first_click!r}")


def _check_numbers(games: Games, wins: int) -> None:
    try:
        PROTOCOL.seeds_of(games.seed, games.games)
    except ValueError as error:
        raise ValueError(f"{games.name}: {error}") from error
    if games.games < PROTOCOL.least_games:
        raise ValueError(f"{games.name}: an entry plays at least {PROTOCOL.least_games} games, not {games.games}")
    if games.wins != wins:
        raise ValueError(f"{games.name}: `wins` is {wins}, and `won` has {games.wins} wins")


def _check_sample(games: Games) -> None:
    chosen = games.chosen_games()
    if sorted(games.sample) != chosen:
        odd = min(set(games.sample) ^ set(chosen))
        rule = "`sample` must hold the games that the hash of the outcomes chooses"
        raise ValueError(f"{games.name}: {rule}; game {odd} differs")
    for game, actions in games.sample.items():
        if digest_of(actions) != games.digests[game] or len(actions) != 2 * games.clicks[game]:
            seed = games.seed + game
            raise ValueError(f"{games.name}, game {game} (seed {seed}): the actions do not match their digest")


def _replay_fault(games: Games) -> str | None:
    """Plays the sampled games on the engine; returns what is wrong with the first faulty one, or None."""
    env = MinesweeperVectorEnv.of_config(games.config, 1)
    for game, actions in games.sample.items():
        won = _replayed(env, games.seed + game, np.frombuffer(actions, "<u2").astype(np.int64))
        where = f"{games.name}, game {game} (seed {games.seed + game})"
        if isinstance(won, str):
            return f"{where}: the game {won}"
        if won != games.won[game]:
            return f"{where}: the recorded actions {'win' if won else 'lose'} it, and `won` says otherwise"
    return None


def _replayed(env: MinesweeperVectorEnv, seed: int, actions: NDArray[np.int64]) -> bool | str:
    """Replays a game; returns whether it is won, or the fault, such as "does not end with the last action"."""
    _, infos = env.reset(seed=[seed])
    for number, action in enumerate(actions, 1):
        if action >= infos["action_mask"].shape[1] or not infos["action_mask"][0, action]:
            return f"has an illegal action, number {number} of {len(actions)}"
        _, _, terminations, truncations, infos = env.step(actions[number - 1 : number])
        if terminations[0] or truncations[0]:
            left = len(actions) - number
            return f"ends {left} actions before the last one recorded" if left else bool(infos["is_success"][0])
    return "does not end with the last action"
