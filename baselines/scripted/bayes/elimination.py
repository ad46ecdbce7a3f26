"""Posteriors by pgmpy's variable elimination.

The evidence is that of a visible board: open cells are observed free, and their counts observed as they are. Of the
network of the whole board a query meets the relevant part: the counts of covered cells are barren and left out, and
so is what the evidence separates from the cell in question. Nothing else is, so the posterior is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.bayes.elimination_order import check_board, check_position, choose_order
from baselines.scripted.bayes.network import (
    Names,
    check_prior,
    check_radius,
    load_pgmpy,
    neighbours,
    part_network,
    sweep_order,
    variable_elimination,
)
from minesweeper_env.config import BoardConfig

_KEPT_PARTS = 4096


class Part(NamedTuple):
    """A part of a board that the evidence separates from the others.

    Attributes:
        counts: the cells that show a count, each with its count.
        mined: the cells beside them that are known to be mines.
        unknown: the cells whose nodes are not observed.
    """

    counts: tuple[tuple[int, int], ...]
    mined: tuple[int, ...]
    unknown: tuple[int, ...]


class NetworkPosteriors:
    """Asks the network of a board.

    Attributes:
        queries: how often variable elimination has been run.
    """

    def __init__(self, config: BoardConfig, prior: str = "binomial") -> None:
        """Prepares to ask about boards of this configuration.

        Args:
            config: the boards.
            prior: "binomial" or "count"; see `bayes_network`.

        Raises:
            ValueError: there is no such prior, or the board is too large: independent cells could need a larger
                table than `bayes_tables.MAX_ENTRIES`.
            MissingExtraError: pgmpy is not installed.
        """
        check_prior(prior)
        check_radius(config)
        check_board(config)
        load_pgmpy()
        self.queries = 0
        self._config = config
        self._prior = prior
        self._names = Names(config)
        self._solve = lru_cache(_KEPT_PARTS)(self._solve_part)

    def chances(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns (rows, cols) float64: the posterior probability of a mine in each cell of a (rows, cols) board.

        A part of the board that was met before is not asked about again. Where the counts contradict each other,
        the chances of the cells beside them are NaN.

        Raises:
            PositionTooHardError: a table would have more than `bayes_tables.MAX_ENTRIES`, which takes a known number
                of mines; no table of the query has been made then.
        """
        codes = self._config.codes
        flat = board.ravel()
        # Cells beside no count keep the prior, unless the number of mines is known.
        chances = np.where(flat <= codes.max_count, 0.0, self._config.mines / self._config.cells)
        chances[flat == codes.mine] = 1.0
        for part in self._parts(flat):
            for cell, chance in self._solve(part).items():
                chances[cell] = chance
        return chances.reshape(board.shape)

    def _parts(self, board: NDArray[np.int8]) -> Iterator[Part]:
        """Yields the parts of a board; if the number of mines is known, that is all of it."""
        codes, around = self._config.codes, neighbours(self._config)
        covered = {int(cell) for cell in np.flatnonzero((board > codes.max_count) & (board != codes.mine))}
        mined = {int(cell) for cell in np.flatnonzero(board == codes.mine)}
        beside = {int(cell): covered.intersection(around[cell]) for cell in np.flatnonzero(board <= codes.max_count)}
        useful = {cell: unknown for cell, unknown in beside.items() if unknown}
        for counts in [list(useful)] if self._prior == "count" else linked(useful):
            shown = tuple((cell, int(board[cell])) for cell in sorted(counts))
            if self._prior == "count":
                yield Part(shown, tuple(sorted(mined)), tuple(sorted(covered)))
                continue
            near = mined.intersection(chain.from_iterable(around[cell] for cell in counts))
            unknown = set(chain.from_iterable(useful[cell] for cell in counts))
            yield Part(shown, tuple(sorted(near)), tuple(sorted(unknown)))

    def _solve_part(self, part: Part) -> dict[int, float]:
        """Returns the posterior of each unknown cell of a part; one query serves all cells beside the same counts."""
        config, names = self._config, self._names
        network = part_network(config, self._prior, self._cells(part), [cell for cell, _ in part.counts])
        hidden = {names.x(cell) for cell in part.unknown}
        evidence = {names.y(cell): count for cell, count in part.counts}
        evidence.update((node, 0) for node in network.nodes() if node[0] == "X" and node not in hidden)
        evidence.update((names.x(cell), 1) for cell in part.mined)
        if self._prior == "count":
            evidence[names.t(sweep_order(config)[-1])] = config.mines
        engine = variable_elimination(network)
        chances: dict[int, float] = {}
        for cells in exchangeable(part, neighbours(config)):
            self.queries += 1
            chances.update(dict.fromkeys(cells, self._ask(engine, network, names.x(cells[0]), evidence)))
        return chances

    def _cells(self, part: Part) -> Sequence[int]:
        return range(self._config.cells) if self._prior == "count" else part.unknown

    def _ask(self, engine: Any, network: Any, node: str, evidence: dict[str, int]) -> float:
        order, entries = choose_order(self._config, network, node, evidence)
        check_position(self._config, entries)
        # pgmpy divides 0 by 0 where the evidence contradicts itself.
        with np.errstate(invalid="ignore"):
            answer = engine.query([node], evidence, elimination_order=order, show_progress=False)
        return float(answer.values[1])


def linked(beside: dict[int, set[int]]) -> list[list[int]]:
    """Returns the counts, in lists of those that are linked by unknown cells, by way of any others.

    Args:
        beside: the unknown cells beside each count; at least one.
    """
    groups: list[tuple[list[int], set[int]]] = []
    for count, cells in beside.items():
        apart, counts, reached = [], [count], set(cells)
        for group in groups:
            if group[1] & cells:
                counts, reached = group[0] + counts, group[1] | reached
            else:
                apart.append(group)
        groups = [*apart, (counts, reached)]
    return [counts for counts, _ in groups]


def exchangeable(part: Part, around: Sequence[Sequence[int]]) -> list[list[int]]:
    """Returns the unknown cells of a part, in groups that lie beside exactly the same counts."""
    shown = frozenset(cell for cell, _ in part.counts)
    groups: dict[frozenset[int], list[int]] = {}
    for cell in part.unknown:
        groups.setdefault(shown.intersection(around[cell]), []).append(cell)
    return list(groups.values())
