"""Entries of the benchmark: their cards, their games from the folders of the suite, replays, and times per game."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from baselines import provenance, tables, user_policy
from baselines.benchmark import result_files
from baselines.benchmark.cards import AUTHOR, Card, of_package
from baselines.benchmark.protocol import PROTOCOL, Protocol
from baselines.benchmark.result_files import Games, RefusedFileError, ResultFile, Time, Times
from baselines.benchmark.run import Refusal, SuiteRun, Task, plan
from baselines.benchmark.suites import Entry, Group, Suite
from baselines.evaluation import columns, results, units
from baselines.evaluation.games import GameRecord
from baselines.learned.configurations import lineage, training_of
from baselines.registry import Specification, agent_folder, find_policy, policy_of_file
from minesweeper_env.console import say
from minesweeper_env.escape import counted, printable

MOST_GAMES = 1000
"""Maximum number of games that are timed on a board."""


def card_for(policy: str, **stated: Any) -> Card:
    """Returns the card of a policy: the stated fields, and for a policy of the package also those that are known."""
    fields = {"name": policy, **_card_fields(policy), **{k: v for k, v in stated.items() if v is not None}}
    if unstated := [f"--{name}" for name in ("track", "author") if name not in fields]:
        raise ValueError(f"{policy} is no policy of the package, so its entry needs {' and '.join(unstated)}")
    specification = Specification.of(policy)
    card = msgspec.convert({"policy": policy, "sha256": specification.digest(), **fields}, Card)
    if card.track == "board" and of_package(policy)[0] is None and (mines_seen := _mines_seen(specification.base)):
        raise ValueError(f"the track of {policy} is reveal, or search, not board: a player does not see {mines_seen}")
    return msgspec.structs.replace(card, inference=card.inference_at_play)


def _card_fields(policy: str) -> dict[str, Any]:
    """Returns the card's track, author and links for a policy of the package, and the training fields of an agent."""
    base, (track, _) = Specification.of(policy).base, of_package(policy)
    fields: dict[str, Any] = {"track": track, "author": AUTHOR} if track else {}
    folder = agent_folder(base)
    # The trainings of the agents whose weights this agent began with count, too.
    trainings = list(lineage(training_of(folder) if folder else None))
    if not trainings or any(None in training.values() for training in trainings):
        return fields
    if fields:
        fields["links"] = [f"baselines/learned/weights/{base}"]
    settings = [training["run"]["settings"] for training in trainings]
    core_minutes = [each["minutes"] and each["minutes"] * each.get("threads", 1) for each in settings]
    threads = settings[0].get("threads", 1)
    cores = "one core" if threads == 1 else f"{threads} cores"
    sessions = [session for training in trainings for session in training["run"]["sessions"]]
    gpu = next((session["gpu"] for session in sessions if "gpu" in session), "no GPU")
    return fields | {
        "training_steps": sum(training["steps"] for training in trainings),
        # Budgets count the hours of cores, which say nothing about those of a GPU.
        "training_hours": None if None in core_minutes or gpu != "no GPU" else sum(core_minutes) / 60,
        "hardware": f"{cores} of {trainings[0]['run']['sessions'][-1]['processor']}, {gpu}",
    }


def _mines_seen(base: str) -> str:
    """Returns in words what a training of a run folder saw that a player does not see; "" if there is nothing."""
    folder = agent_folder(base)
    for training in lineage(training_of(folder) if folder else None):
        settings = (training["run"] or {"settings": {}})["settings"]
        hyperparameters = settings.get("hyperparameters", {})
        if settings.get("algo") == "afterstate":
            return "the layouts that algo afterstate learns from"
        if settings.get("teacher", "none") != "none":
            return f"the risks of teacher {settings['teacher']}"
        if hyperparameters.get("hindsight", 0) and hyperparameters.get("hindsight_games", "all") == "all":
            return "the mines that hindsight learns from"
    return ""


def suite_of(
    policies: Sequence[str],
    boards: Sequence[str] | None = None,
    first_clicks: Sequence[str] | None = None,
    protocol: Protocol = PROTOCOL,
) -> Suite:
    """Returns a suite of these policies on the protocol's boards, or on some; raises ValueError for unknown names."""
    names, rules = dict.fromkeys(config.name for config in protocol.boards), protocol.first_clicks
    # "8x8/14" stands for "8x8/14 no-luck" where the protocol has no ordinary board of this size.
    full_names = {short: name for name in names if (short := name.partition(" ")[0]) not in names}
    boards = boards and [full_names.get(board, board) for board in boards]
    for asked, allowed in ((boards, names), (first_clicks, rules)):
        if unknown := set(asked or ()) - set(allowed):
            raise ValueError(f"benchmark {protocol.version} has {', '.join(allowed)}, not {', '.join(sorted(unknown))}")
    configs = [config for config in protocol.boards if config.name in (boards or names)]
    configs = [config for config in configs if config.first_click in (first_clicks or rules)]
    group = Group("benchmark", tuple(configs), tuple(map(Entry, policies)), protocol.reference)
    return Suite("benchmark", f"Benchmark {protocol.version}", (group,), protocol=protocol)


def collect(card: Card, run: SuiteRun, protocol: Protocol) -> tuple[ResultFile, list[str]]:
    """Returns the result file of a policy, and a line for each reason why the file leaves out boards.

    The file also has the boards of earlier runs into the folder. Raises a ValueError if no board has enough games.
    """
    boards, titles_left_out = [], dict[str, list[str]]()
    asked = {task.board for task in run.planned}
    for task in plan(suite_of([card.policy], protocol=protocol), run.seeds, run.planned):
        reason = f"fewer than {protocol.least_games} games are played" if task.board in asked else "not asked for"
        if isinstance(task, Refusal):
            reason = task.reason
        elif len(records := _records(task, run.folder)) >= protocol.least_games:
            boards.append(Games.of_records(task.games.config, task.games.batch_size, records))
            continue
        titles_left_out.setdefault(reason, []).append(result_files.title_of(task.board))
    if not boards:
        raise ValueError(f"{card.policy} has no board with {protocol.least_games} games in {run.folder}")
    lines = [f"{card.name} leaves out {', '.join(titles)}: {reason}" for reason, titles in titles_left_out.items()]
    return ResultFile.of(card, provenance.versions(), boards, protocol=protocol), lines


def _records(task: Task, folder: Path) -> list[GameRecord]:
    """Returns the games of a task from the first one up to a gap."""
    records: list[GameRecord] = []
    for part in task.read(folder, actions=True):
        if part.first != len(records):
            break
        records += part.records
    return records


def earlier_file(card: Card, folder: Path) -> ResultFile | None:
    """Returns a card's earlier result file in a folder, or None; raises ValueError if the file has another entry."""
    path = folder / card.file_name
    if not path.exists():
        return None
    try:
        earlier = result_files.read_result_file(path)
    except RefusedFileError as error:
        raise ValueError(f"{error}; no other file is replaced") from error
    if (earlier.card.name, earlier.card.author) != (card.name, card.author):
        raise ValueError(f"{path} is the entry {earlier.card.name!r} by {earlier.card.author!r}; choose another name")
    return earlier


def write_entry(card: Card, run: SuiteRun, protocol: Protocol) -> None:
    """Writes the result file of a policy and prints its win rates; raises as `collect` and `earlier_file` do."""
    result, reasons = collect(card, run, protocol)
    if (earlier := earlier_file(card, run.folder)) is not None:
        result = with_times_of(earlier, result)
    result.write(run.folder / card.file_name)
    for line in reasons:
        say(line)
    rows = [{"board": games.name, **results.rate_row(games.games, games.wins)} for games in result.boards]
    page = tables.Page.for_stdout()
    title = f"{card.name}, track {card.track}, inference at play: {card.inference_at_play}"
    page.table(columns.table_of(title, ("board", "games", "wins", "win_rate", "interval"), rows))
    page.print()
    say(f"wrote {run.folder / card.file_name}")


def with_times_of(earlier: ResultFile, result: ResultFile) -> ResultFile:
    """Returns a file with the times of an earlier one, for the boards whose games are the same or continue it."""
    if earlier.times is None or earlier.card.policy != result.card.policy:
        return result
    earlier_digests = {games.name: games.digests for games in earlier.boards}
    same = {each.name for each in result.boards if each.digests.startswith(earlier_digests.get(each.name, b"no games"))}
    times = {title: measured for title, measured in earlier.times.boards.items() if title in same}
    return msgspec.structs.replace(result, times=Times(earlier.times.processor, times) if times else None)


def check_entry(path: Path, replayed: int, typed: str | None) -> ResultFile:
    """Checks a file, prints what was checked, and returns its content; a ValueError says why it is refused.

    The policy also plays at least `replayed` games of each board again: the user's `typed` one if it may run code.
    """
    result, sampled = result_files.check_result_file(path)
    total, boards = sum(games.games for games in result.boards), counted(len(result.boards), "board")
    line = f"{path}: passed; {boards}, {total} games, {sampled} replayed ({sampled / total:.1%})"
    if replayed:
        policy = _player_of(result.card, path, typed)
        played = sum(replay_policy(policy, games, replayed, path) for games in result.boards)
        line += f", {played} more played by the policy itself"
    print(printable(line))
    return result


def _player_of(card: Card, path: Path, typed: str | None) -> str:
    """Returns the specification that plays for a card; raises RefusedFileError if it is not the policy of the card."""
    policy = policy_of_file(card.policy, path, typed)
    specification = Specification.of(policy)
    if specification.digest() != card.sha256:
        raise RefusedFileError(f"{path}: {policy} has other files here than those that played")
    if policy == typed and user_policy.USER_CODE.fullmatch(card.policy):
        of_card = Specification.of(card.policy)
        if (of_card.attribute, of_card.options) != (specification.attribute, specification.options):
            raise RefusedFileError(f"{path}: the policy that played is {card.policy}, not {policy}")
    return policy


def replay_policy(policy: str, games: Games, least: int, path: Path) -> int:
    """Plays whole batches again, at least `least` games, and compares every action; returns the number of games.

    The order of the batches is unknown before the last game. A RefusedFileError names the first game that differs.
    """
    task = _assignment(policy, games, record=True)
    player, played = task.build(), 0
    for batch in dict.fromkeys(game // games.batch_size for game in games.shuffled_games()):
        if played >= least:
            break
        begin = batch * games.batch_size
        part = task.play(player, begin, min(games.batch_size, games.games - begin))
        for game, record in zip(part.games, part.records, strict=True):
            outcome = (record.won, record.clicks, result_files.digest_of(record.actions))
            if outcome != (games.outcomes[game], games.action_counts[game], games.digest(game)):
                raise RefusedFileError(f"{path}: {games.place(game)}: the policy plays it differently")
        played += len(part.records)
    return played


def _assignment(policy: str, games: Games, record: bool = False) -> units.Assignment:
    build, seeds = partial(find_policy(policy), games.config), range(games.seed, games.seed + games.games)
    return units.Assignment(policy, build, games.config, seeds, games.seed, games.batch_size, record=record)


def time_entry(path: Path, typed: str | None, seconds: float) -> None:
    """Measures the time per game on each board, and writes it to the file at once; raises as `check_entry` does."""
    result, processor = result_files.read_result_file(path), provenance.processor_name()
    policy = _player_of(result.card, path, typed)
    boards = result.times.boards if result.times is not None and result.times.processor == processor else {}
    for games in result.boards:
        boards = boards | {games.name: time_games(policy, games, seconds)}
        if result_files.read_result_file(path).sha256 != result.sha256:
            raise ValueError(f"{path} has other games than at the start of the timing; time it again")
        msgspec.structs.replace(result, times=Times(processor, boards)).write(path)
        print(f"{result.card.name} on {games.name}: {boards[games.name].ms_per_game:.3g} ms/game", flush=True)


def time_games(policy: str, games: Games, seconds: float) -> Time:
    """Returns the time per game over the first whole batches, played for some `seconds` after one warm-up batch."""
    task = _assignment(policy, games)
    player, played, spent = task.build(), 0, 0.0
    task.play(player, 0, min(games.batch_size, games.games))
    deadline = time.perf_counter() + seconds
    while played < min(MOST_GAMES, games.games) and (not played or time.perf_counter() < deadline):
        part = task.play(player, played, min(games.batch_size, games.games - played))
        spent, played = spent + part.seconds, part.games.stop
    return Time(played, round(1000.0 * spent / played, 4))
