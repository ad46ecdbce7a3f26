"""Definitions of the suites: their boards, policies, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from baselines.evaluation.protocol import PROTOCOL, Protocol
from baselines.evaluation.seeds import check_test_seeds
from minesweeper_env.config import BoardConfig


@dataclass(frozen=True)
class Entry:
    """A policy of a suite.

    Attributes:
        policy: specification of the policy; see `baselines.registry.find_policy`.
        cap: maximum number of games per board, for a slow policy; None for all games.
        batch_size: number of games to play side by side; None for the policy's own choice.
        start: "module:function" that gives each game its start, or None for the first-click rule. The function takes
            a `BoardConfig` and a seed and returns a `baselines.evaluation.games.Start`. Games with such starts differ
            from the games of the other policies.
    """

    policy: str
    cap: int | None = None
    batch_size: int | None = None
    start: str | None = None


@dataclass(frozen=True)
class Suite:
    """An experiment that one command repeats.

    Attributes:
        name: value of `--suite`.
        title: subject, in one line.
        boards: boards and first-click rules; each policy brings its own moves.
        entries: policies, weakest first.
        games: default number of games of each policy on each board.
        paired: comparisons to make. "next" compares each policy with the next stronger one on the board; "all" compares
            every pair; the name of a policy compares all others with it.
        columns: columns of the tables, by their names in `baselines.suites.tables.COLUMNS`.
        plot: name of the plot in `baselines.suites.plots.PLOTS`.
        scored: whether the rows hold the score of Sun, Chen & Yang: see `baselines.suites.measures`.
        notes: notes below the tables, one line each.
        protocol: the protocol that fixes the seeds, for a suite whose games are recorded action by action; None for
            a suite that plays any test seeds.
    """

    name: str
    title: str
    boards: tuple[BoardConfig, ...]
    entries: tuple[Entry, ...]
    games: int
    paired: str
    columns: tuple[str, ...]
    plot: str
    scored: bool = False
    notes: tuple[str, ...] = ()
    protocol: Protocol | None = None

    def with_policies(self, policies: Sequence[str]) -> Suite:
        """Returns the suite with further policies, which come last in its tables.

        Args:
            policies: their specifications.

        Raises:
            ValueError: the suite has one of the policies already, or one is given twice.
        """
        names = [entry.policy for entry in self.entries]
        for policy in policies:
            if policy in names:
                raise ValueError(f"the suite {self.name} has the policy {policy} already; name each policy once")
            names.append(policy)
        return replace(self, entries=(*self.entries, *_entries(*policies)))

    def added_policies(self) -> list[str]:
        """Returns the policies that the suite of this name does not have by itself."""
        own = {entry.policy for entry in SUITES[self.name].entries} if self.name in SUITES else set()
        return [entry.policy for entry in self.entries if entry.policy not in own]

    def seeds_of(self, first: int | None, games: int) -> range:
        """Returns the seeds of the games.

        Args:
            first: seed of game 0; None for the first of the protocol, or 0.
            games: number of games.

        Raises:
            ValueError: these are no test seeds, or the protocol has others.
        """
        if self.protocol is not None:
            return self.protocol.seeds_of(first, games)
        return check_test_seeds(first or 0, games)


def find_suite(name: str) -> Suite:
    """Returns the suite of this name.

    Raises:
        ValueError: there is no such suite; the message lists the suites.
    """
    if name not in SUITES:
        raise ValueError(f"unknown suite {name!r}; there are {', '.join(SUITES)}")
    return SUITES[name]


def _boards(first_click: str, *boards: tuple[int | tuple[int, int], Sequence[int]]) -> tuple[BoardConfig, ...]:
    return tuple(
        BoardConfig.of_size(size, mines, first_click=first_click, moves=("click",))
        for size, numbers in boards
        for mines in numbers
    )


def _entries(*policies: str) -> tuple[Entry, ...]:
    return tuple(Entry(policy) for policy in policies)


_ONE_FIT = (
    "marginal: one fit, which is one order of clicks for all games, so that it differs from random by some points on "
    "easy boards; over 60 fits no difference is left (docs/policies/marginal.md)."
)

_BAYES = Suite(
    name="bayes",
    title="The Bayesian network and its rivals, on the boards of Antolín & de la Torre (2018)",
    boards=_boards("opening", (5, (5, 6, 7)), (8, (13, 14, 15, 25)), (10, (20, 22, 23, 24, 25))),
    entries=(
        Entry("bayes_source", start="baselines.scripted.replicas.bayes_start:source_start"),
        *_entries("subset", "bayes", "bayes:prior=count"),
        Entry("bayes:inference=pgmpy", cap=10, batch_size=1),
        Entry("exact"),
    ),
    games=1000,
    paired="next",
    columns=("games", "wins", "win_rate", "interval", "marked", "clicks", "queries", "ms", "p"),
    plot="rates_and_times",
    notes=(
        "win rate: games with every safe cell open; flags on the mines: games whose flags were at some moment, or "
        "would be with its next flags, exactly the mines, which Antolín & de la Torre count as won.",
    ),
)

_AGENTS = Suite(
    name="agents",
    title="The agents of Antimatroid (2012): win rate over the number of mines, first click unprotected",
    boards=_boards("any", (9, range(1, 11))),
    entries=_entries("random", "marginal", "graphical_source", "conditional", "graphical", "semi_deterministic"),
    games=1000,
    paired="next",
    columns=("games", "wins", "win_rate", "interval", "clicks", "ms", "p"),
    plot="rates_over_mines",
    notes=(_ONE_FIT,),
)

_EXPECTED_VALUE = Suite(
    name="expected-value",
    title="Does the guess by expected value help? First click unprotected, as in Sun, Chen & Yang",
    boards=_boards("any", (16, (40,))),
    entries=_entries(
        "subset:deduction=source",
        "expected_value_source:deduction=source",
        "subset",
        "expected_value_source",
        "expected_value",
    ),
    games=10_000,
    paired="all",
    columns=(
        "games",
        "wins",
        "win_rate",
        "interval",
        "first_click_losses",
        "survived",
        "score",
        "score_lost",
        "guesses",
        "ms",
        "p",
    ),
    plot="rates_and_scores",
    scored=True,
    notes=(
        "first-click losses: games that the first click lost; survived: win rate of the other games.",
        "deduction=source: the deduction of Sun, Chen & Yang's program, which misses some of what follows.",
        "score: cells opened, doubled on a win, over all games; score if lost: over the lost games, those that the "
        "first click lost apart.",
    ),
)

_LADDER = Suite(
    name="ladder",
    title="Every policy on the classic boards",
    boards=_boards("opening", (5, (5,)), (8, (14,)), (9, (10,)), (16, (40,)), ((16, 30), (99,))),
    entries=_entries(
        "random",
        "marginal",
        "graphical_source",
        "conditional",
        "graphical",
        "semi_deterministic",
        "straightforward",
        "subset",
        "expected_value_source",
        "expected_value",
        "bayes_source",
        "bayes",
        "exact",
        "lookahead",
        "optimal",
    ),
    games=1000,
    paired="next",
    columns=("games", "wins", "win_rate", "interval", "clicks", "ms", "p"),
    plot="rates_by_board",
    notes=(_ONE_FIT,),
)

_LEARNED_COLUMNS = ("games", "wins", "win_rate", "interval", "clicks", "ms", "p")

_LEARNED = Suite(
    name="learned",
    title="The trained agents beside exact play, on boards that they were trained on and on others",
    boards=_boards(
        "opening", (5, (5,)), (8, (14,)), (9, (10,)), (10, (20,)), ((12, 20), (45,)), (16, (40,)), ((16, 30), (99,))
    ),
    entries=(Entry("ppo", cap=1000), Entry("dqn", cap=1000), *_entries("any-size", "exact", "value", "lookahead")),
    games=1000,
    paired="exact",
    columns=_LEARNED_COLUMNS,
    plot="rates_by_board",
    notes=("ppo, dqn and value were trained on 8x8/14 alone; no agent was trained on 10x10/20 and 12x20/45.",),
)

_LEARNED_SAFE = Suite(
    name="learned-safe",
    title="The trained agents that play every board, on games whose first click only is safe",
    boards=_boards("safe", (8, (14,)), (9, (10,)), (16, (40,)), ((16, 30), (99,))),
    entries=_entries("any-size", "exact", "value", "lookahead"),
    games=1000,
    paired="exact",
    columns=_LEARNED_COLUMNS,
    plot="rates_by_board",
    notes=("The agents were trained on games whose first click opens an area.",),
)

_BENCHMARK = Suite(
    name="benchmark",
    title=f"Benchmark {PROTOCOL.version}",
    boards=PROTOCOL.boards,
    entries=(*_LADDER.entries, *_entries("plain-dqn", "any-size", "dqn", "ppo", "value")),
    games=PROTOCOL.least_games,
    paired=PROTOCOL.reference,
    columns=_LEARNED_COLUMNS,
    plot="rates_by_board",
    notes=("docs/benchmark.md states the protocol; `python -m baselines benchmark` makes and checks result files.",),
    protocol=PROTOCOL,
)

SUITES: dict[str, Suite] = {
    suite.name: suite for suite in (_BAYES, _AGENTS, _EXPECTED_VALUE, _LADDER, _LEARNED, _LEARNED_SAFE, _BENCHMARK)
}
"""The suites by name."""
