"""Checks of a result file: its form, its hashes, the protocol, and a replay of the sampled games on the engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from baselines.benchmark.blocks import Games, digest_of, read_block, sha256_of, title_of
from baselines.benchmark.cards import Card
from baselines.benchmark.replay import replay_actions
from baselines.benchmark.result_files import FORMAT, ResultFile, canonical, content_sha256
from baselines.benchmark.timing import check_times
from baselines.evaluation.protocol import PROTOCOL
from baselines.support.board_names import name_of
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig

_FIELDS = {"format", "protocol", "protocol_sha256", "card", "versions", "boards", "sha256", "times"}


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
    except ValueError as error:
        raise RefusedFileError(f"{path}: {error}") from error


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
    found = _parse(content)
    _check_protocol(found)
    card = Card.of(found["card"])
    if not isinstance(found["versions"], dict) or not isinstance(found["boards"], list) or not found["boards"]:
        raise ValueError("`versions` must be an object, and `boards` a list of at least one board")
    boards = tuple(_read_board(block, number) for number, block in enumerate(found["boards"]))
    order = [title_of(board) for board in PROTOCOL.boards]
    places = [order.index(games.name) for games in boards]
    if places != sorted(set(places)):
        raise ValueError("`boards` must hold each board once, in the order of the protocol")
    if content_sha256(found) != found["sha256"]:
        raise ValueError(
            "the card, the versions or the list of boards was changed: `sha256` is that of another content"
        )
    check_times(found["times"], boards)
    return ResultFile(card, found["versions"], boards, found["times"])


def _parse(content: bytes) -> dict[str, Any]:
    """Returns the JSON object in the file, if the file has its canonical form."""
    try:
        found = json.loads(content)
        same = canonical(found) == content
    except (ValueError, RecursionError) as error:
        raise ValueError("this is no JSON file") from error
    if not isinstance(found, dict) or set(found) != _FIELDS:
        raise ValueError(f"a result file is an object with the fields {', '.join(sorted(_FIELDS))}")
    if not same:
        raise ValueError(
            "the file is not as `python -m baselines benchmark run` wrote it; its spaces or its order of fields changed"
        )
    return found


def _check_protocol(found: dict[str, Any]) -> None:
    if found["format"] != FORMAT:
        raise ValueError(f"the format must be {FORMAT}, not {found['format']!r}")
    if found["protocol"] != PROTOCOL.version:
        raise ValueError(f"the protocol must be {PROTOCOL.version}, not {found['protocol']!r}")
    if found["protocol_sha256"] != PROTOCOL.digest():
        raise ValueError(f"`protocol_sha256` is not the hash of protocol {PROTOCOL.version}")


def _read_board(block: Any, number: int) -> Games:
    games, checks = read_block(block, _config_of(block, number))
    _check_numbers(games, block)
    for game, (found, stated) in enumerate(zip(games.checks(), checks, strict=True)):
        if found != stated:
            seed = games.seed + game
            raise ValueError(f"{games.name}, game {game} (seed {seed}): its outcome or digest was changed")
    _check_sample(games)
    if set(block) != set(games.to_json()):
        raise ValueError(f"{games.name}: a board has exactly the fields {', '.join(sorted(games.to_json()))}")
    if sha256_of({name: value for name, value in block.items() if name != "sha256"}) != block["sha256"]:
        raise ValueError(f"{games.name}: the block was changed: its `sha256` is that of another content")
    return games


def _config_of(block: Any, number: int) -> BoardConfig:
    try:
        names = (block["board"], block["first_click"])
        moves = tuple(block["moves"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"board {number} must be an object with `board`, `first_click` and `moves`") from error
    for config in PROTOCOL.boards:
        if names == (name_of(config), config.first_click):
            if not all(isinstance(move, str) and move in MOVE_NAMES for move in moves):
                raise ValueError(f"{title_of(config)}: `moves` must be some of {', '.join(MOVE_NAMES)}")
            return replace(config, moves=moves)
    raise ValueError(
        f"board {number}: protocol {PROTOCOL.version} has no board {names[0]!r} with first click {names[1]!r}"
    )


def _check_numbers(games: Games, block: Any) -> None:
    try:
        PROTOCOL.seeds_of(games.seed, games.games)
    except ValueError as error:
        raise ValueError(f"{games.name}: {error}") from error
    if games.games < PROTOCOL.least_games:
        raise ValueError(f"{games.name}: an entry plays at least {PROTOCOL.least_games} games, not {games.games}")
    if games.wins != block["wins"]:
        raise ValueError(f"{games.name}: `wins` is {block['wins']}, and `won` has {games.wins} wins")


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
    sampled = list(games.sample)
    found = replay_actions(games.config, [games.seed + game for game in sampled], list(games.sample.values()))
    for game, won in zip(sampled, found, strict=True):
        where = f"{games.name}, game {game} (seed {games.seed + game})"
        if isinstance(won, str):
            return f"{where}: the game {won}"
        if won != games.won[game]:
            return f"{where}: the recorded actions {'win' if won else 'lose'} it, and `won` says otherwise"
    return None
