"""Boards as text: as `play.py --analyse` reads and writes them, and with numbers of rows and columns for people.

A board has one line per row, with or without borders or blanks between the cells; a `/` separates rows, too. Text
before and after it is left out, and so are the numbers of rows and columns. docs/how-to/coach.md shows the usual signs.

Some signs mean open cells in one program, and covered ones in another. All readings of a text are made, and those that
no game shows are left out. Where several remain, the text is refused.

A lost game has a covered cell without a mine. So `*` is hidden, as in papers, where it is the only sign of such cells.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION
from minesweeper_env.config import MAX_CELLS
from minesweeper_env.rendering import TEXT
from minesweeper_play.game.moves import Cell, TextError, neighbours
from minesweeper_play.game.session import Session

WRITTEN = {**{count: str(count) for count in range(9)}, FLAGGED: "F", QUESTION: "?", HIDDEN: "#", MINE: "*"}
"""The character of each code."""

EXPLODED = "!"
_EXPLODED_CODE = MINE + 1  # its code while a text is read


class Glyphs(NamedTuple):
    """The character of each kind of cell; counts other than 0 are digits."""

    blank: str
    hidden: str
    flag: str
    question: str
    mine: str
    exploded: str
    wrong: str


ASCII = Glyphs(
    TEXT["zero"], TEXT["hidden"], TEXT["flagged"], TEXT["question"], TEXT["mine"], EXPLODED, TEXT["wrong_flag"]
)
"""The characters of `render_mode="ansi"`, which `read_board` reads."""

PLAIN = ASCII._replace(blank="\u00b7", hidden="\u25a0", flag="\u2691")

READ: dict[str, int] = {
    **{character: code for code, character in WRITTEN.items()},
    **dict.fromkeys("\u25a0\u2588\u2593H\U0001f7e6\U0001f7e9", HIDDEN),
    **dict.fromkeys("X\u2717\u2691\U0001f6a9", FLAGGED),
    "\U0001f4a3": MINE,
    **dict.fromkeys((EXPLODED, "\U0001f4a5"), _EXPLODED_CODE),
    **dict.fromkeys(("-1", "null", "None"), HIDDEN),
}
"""The code of each sign."""

EMPTY = ".\u00b7-_ \u25a1\u2b1c\u2b1b"
"""Signs of open cells with no mine around them, or of covered cells on boards without another sign for these."""

LONE = "xX"
"""Signs of covered cells on boards without another sign for these."""

CODES = {str(code): code for code in range(MINE + 1)}
"""The signs of a printed observation, which has one of the last three."""

_BORDER = re.compile(r"[|\u2502\u2503\u2551,;]")
_WORD = re.compile(r"(?![FHXx]+(?![^\W\d_]))[^\W\d_]{2,}")
_HEADER = re.compile(r"(\d{1,9})x(\d{1,9})x(\d{1,9})")
_MINES = re.compile(r"\b(\d{1,9}) (?:mines?|minas?)\b(?! left| rest)", re.IGNORECASE)
_MINES_LEFT = re.compile(r"\b(?:mines left|minas restantes): *(-?\d{1,9})(?!\d)", re.IGNORECASE)

Line = tuple[int, str]
"""A line of a text, and its number from 1."""


class Position(NamedTuple):
    """What a text says of a position."""

    board: NDArray[np.int8]  # (rows, cols), codes of radius 1
    mine_counts: set[int]  # the numbers of mines that the text states: none, one or several
    exploded: Cell | None  # that a lost board marks


# These two functions take linear time; regular expressions would not, on a long line of "|" or of blanks.
def _is_rule(line: str) -> bool:
    """Returns whether a line is a rule of a table, such as "+---+---+", without cells."""
    signs = set(line)
    box_signs = {sign for sign in signs if "\u2500" <= sign <= "\u257f"}
    is_drawn = all(sign in "-+=|:" or sign.isspace() for sign in signs - box_signs)
    return is_drawn and bool(box_signs or "+" in signs or ("|" in signs and ("--" in line or ":" in signs)))


def _split_rows(line: str) -> Iterator[str]:
    """Yields the rows of a line, which have a "/" between them, without the blanks around it."""
    *others, last = line.split("/")
    for number, row in enumerate(others):
        yield row.strip(" ") if number else row.rstrip(" ")
    yield last.lstrip(" ") if others else last


def read_board(text: str) -> NDArray[np.int8]:
    """Returns the board that a text shows, as (rows, cols) int8 codes of radius 1; raises a TextError."""
    return read_position(text).board


def read_position(text: str) -> Position:
    """Returns the board as `read_board` does, and what else the text states."""
    # The signs of NumPy's `repr`, invisible marks of emoji, and brackets.
    text = re.sub(r"array\(|(?:,|(?<! )) *dtype=\w+|[\ufeff\ufe0f\u20e3()]", "", text.replace("\u00a0", " "))
    # The style "json" of text games.
    text = re.sub(r'\{"mines": *(\d{1,9})[^\[{]*"board": *\[\s*(\[[^{}]*?\])\s*\]\s*\}', r"\1 mines\n\2", text)
    text = re.sub(r"\], *\[", "],\n[", text)
    lines, prose = _split_prose(text)
    # A heading such as "16x30x99" states the sides in either order, and the mines.
    if (header := _HEADER.fullmatch(lines[0][1].strip())) is not None:
        sides, mines = sorted(map(int, header.groups()[:2])), int(header[3])
        with suppress(TextError):
            board = _board_of(lines[1:])
            if sorted(board.shape) == sides:
                return _position(board, {mines})
    board, remarks = _board_of(lines), "\n".join(line for _, line in prose)
    flags = int((board == FLAGGED).sum())
    counts = {*map(int, _MINES.findall(remarks)), *(int(left) + flags for left in _MINES_LEFT.findall(remarks))}
    return _position(board, counts)


def _position(board: NDArray[np.int8], mine_counts: set[int]) -> Position:
    """Returns the position of a board on which opened mines have a code of their own."""
    opened = [(row, col) for row, col in np.argwhere(board == _EXPLODED_CODE).tolist()]
    return Position(np.minimum(board, np.int8(MINE)), mine_counts, opened[0] if len(opened) == 1 else None)


def _split_prose(text: str) -> tuple[list[Line], list[Line]]:
    """Returns the lines that can be rows of a board, and those of prose; a TextError unless the rows are one block."""
    numbered = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip() and not _is_rule(line)]
    prose = [(n, line) for n, line in numbered if _WORD.search(line) and not set(line) & set("[#\u25a0|\u2502")]
    lines = [(n, row) for n, line in numbered if (n, line) not in prose for row in _split_rows(line) if row.strip()]
    if not lines:
        raise TextError("coach_empty")
    for number, _ in prose:
        if lines[0][0] < number < lines[-1][0]:
            raise TextError("coach_between", line=number)
    blank_numbers = {n for n, line in enumerate(text.splitlines(), 1) if not line.strip()}
    rows_above = [count for count, (number, _) in enumerate(lines[:-1], 1) if number + 1 in blank_numbers]
    # A blank line divides two boards, unless blank lines stand between all rows, or it sets off a single row.
    if len(rows_above) < len(lines) - 1 and any(2 <= count <= len(lines) - 2 for count in rows_above):
        raise TextError("coach_between", line=lines[rows_above[-1]][0])
    return lines, prose


def _board_of(lines: list[Line]) -> NDArray[np.int8]:
    """Returns the one board that lines can mean; raises a TextError if they mean none, or several."""
    boards, errors = [], []
    for rows in _grids(lines):
        try:
            boards += _readings(rows)
        except TextError as error:
            errors.append(error)
    if not boards:
        raise errors[0]
    distinct = {(board.shape, board.tobytes()): board for board in boards}
    if len(distinct) > 1:
        distinct = {key: board for key, board in distinct.items() if _is_plausible(board)}
    if len(distinct) != 1:
        raise TextError("coach_ambiguous")
    return next(iter(distinct.values()))


Row = tuple[int, list[str]]
"""The signs of a row, and the number of its line."""


def _grids(lines: list[Line]) -> Iterator[list[Row]]:
    """Yields the ways to divide lines into signs: at borders, else each character or each word, or blanks as cells."""
    text = "".join(line for _, line in lines)
    if _BORDER.search(text) or "[" in text:
        unquoted = [(n, re.sub(r"[\[\]'\"]", "", line).strip()) for n, line in lines]
        if _BORDER.search(text):
            unquoted = [(n, re.sub(r"^[|\u2502\u2503\u2551]|[|\u2502\u2503\u2551]$", "", line)) for n, line in unquoted]
            for ending in (",", "") if "[" not in text else (",",):
                split = [(n, _BORDER.split(line.removesuffix(ending))) for n, line in unquoted]
                yield from _without_labels([(n, [sign.strip() or " " for sign in row]) for n, row in split])
        else:
            yield [(n, line.split()) for n, line in unquoted]
        return
    words = [(n, re.sub(r"^\s*(\d+) *:", r"\1 ", line).split()) for n, line in lines]
    for rows in _without_labels(words):
        yield [(n, list("".join(row))) for n, row in rows]
        lengths = {len(row) for _, row in rows}
        # Longer words are cells only in rows of one length, of two words or more.
        if len(lengths) == 1 < max(lengths) and any(len(word) > 1 for _, row in rows for word in row):
            yield rows
    # Blanks are cells only where no other sign means an open cell without a number.
    if not set(text) & set(EMPTY.replace(" ", "") + "0\t"):
        width = max(len(line) for _, line in lines)
        padded = [(n, line.ljust(width)) for n, line in lines]
        step = 1 if any(line[1::2].strip() for _, line in padded) else 2  # a blank may follow each cell
        if any(" " in line[::step] for _, line in lines):
            yield [(n, list(line[::step])) for n, line in padded]


def _readings(rows: list[Row]) -> list[NDArray[np.int8]]:
    """Returns the boards that rows of signs can mean; a TextError if a sign, a row's length or the size is wrong."""
    if (cells := sum(len(row) for _, row in rows)) > MAX_CELLS:
        raise TextError("new_too_many_cells", most=MAX_CELLS, given=cells)
    signs = {sign for _, row in rows for sign in row}
    codes, empty_signs = dict(READ), [sign for sign in EMPTY if sign in signs]
    lone_signs = [sign for sign in LONE if sign in signs]
    if signs <= set(CODES) and signs & {"10", "11", "12"}:
        codes = dict(CODES)
    elif {"-", "?"} <= signs:
        # Tatham's Mines: a star is a flag.
        codes |= {"?": HIDDEN, "*": FLAGGED}
    is_covered = any(codes.get(sign) == HIDDEN for sign in signs)
    if lone_signs and not is_covered and not any(codes.get(sign) == MINE for sign in signs):
        codes[lone_signs[0]] = HIDDEN
    # All `empty_signs` are open cells; or one of them, in turn, stands for the covered cells.
    meanings = [dict.fromkeys(empty_signs, 0)] if is_covered or not empty_signs or "0" not in signs else []
    if not is_covered:
        meanings += [{**dict.fromkeys(empty_signs, 0), sign: HIDDEN} for sign in empty_signs]
    return [_board_from_signs(rows, codes | meaning) for meaning in meanings]


def _board_from_signs(rows: list[Row], codes: dict[str, int]) -> NDArray[np.int8]:
    """Returns the codes of the signs, (rows, cols); raises a TextError for a sign without one, or unequal rows."""
    for line, row in rows:
        if unknown := [sign for sign in row if sign not in codes]:
            raise TextError("coach_cell", line=line, found=unknown[0])
    for line, row in rows:
        if len(row) != len(rows[0][1]):
            raise TextError("coach_row", line=line, found=len(row), expected=len(rows[0][1]))
    board = np.array([[codes[sign] for sign in row] for _, row in rows], np.int8)
    # Where `*` is the only sign of covered cells, it does not show mines.
    shows_mines = any(EXPLODED in row for _, row in rows) or np.isin(board, (HIDDEN, FLAGGED, QUESTION)).any()
    return board if shows_mines else np.where(board == MINE, np.int8(HIDDEN), board)


def _is_plausible(board: NDArray[np.int8]) -> bool:
    """Returns whether numbers have enough covered cells around them, zeros only marked ones, and a cell is covered."""
    covered = board >= FLAGGED
    near = [[neighbours((row, col), board.shape) for col in range(board.shape[1])] for row in range(board.shape[0])]
    return bool(covered.any()) and all(
        sum(covered[cell] for cell in near[row][col]) >= board[row, col]
        and (board[row, col] > 0 or all(board[cell] <= QUESTION for cell in near[row][col]))
        for row, col in np.argwhere(~covered).tolist()
    )


def write_board(board: NDArray[np.int8], exploded: Cell | None = None) -> str:
    """Returns the text of int8 codes (rows, cols) of radius 1 and an opened mine, which `read_board` reads back."""
    cells = [[WRITTEN[code] for code in row] for row in board.tolist()]
    if exploded is not None:
        cells[exploded[0]][exploded[1]] = EXPLODED
    return "\n".join("".join(row) for row in cells)


def _without_labels(lines: list[Row]) -> Iterator[list[Row]]:
    """Yields rows without the numbers of columns and rows; where only one of them may be there, with them as well."""
    words = [line for _, line in lines]
    # The numbers of columns take up to three lines, a digit below the other.
    for heads in range(1, min(4, len(lines))):
        if _are_labelled(words[:heads], words[heads:]):
            yield [(number, line[1:]) for number, line in lines[heads:]]
            return
    yield lines
    if len(words[0]) > 1 and not all(word.isdecimal() for line in words[1:] for word in line):
        if _are_labels(words[0]):
            yield lines[1:]
        if _are_labels([line[0] for line in words]):
            yield [(number, line[1:]) for number, line in lines]


def _are_labels(numbers: list[str]) -> bool:
    """Returns whether words are the numbers from 0 or 1 on."""
    return numbers in [[str(number) for number in range(first, first + len(numbers))] for first in (0, 1)]


def _are_labelled(heads: list[list[str]], rows: list[list[str]]) -> bool:
    """Returns whether lines number the columns of rows that begin with their own numbers, from 0 or 1.

    Where columns are narrow, the digits of a number stand below each other, so the last digits alone are compared.
    """
    first = rows[0][0]
    if first not in ("0", "1") or not all(word.isdecimal() for head in heads for word in head):
        return False
    digits = [str((int(first) + col) % 10) for col in range(len(heads[-1]))]
    return [word[-1] for word in heads[-1]] == digits and all(
        len(row) == len(digits) + 1 and row[0] == str(number) for number, row in enumerate(rows, int(first))
    )


class Drawn(NamedTuple):
    """A cell as text, and what kind of cell it is, for its colour."""

    text: str
    kind: str = ""


def draw_codes(board: NDArray[np.int8], glyphs: Glyphs, risks: NDArray[np.float64] | None = None) -> list[list[Drawn]]:
    """Returns the cells of (rows, cols) int8 codes, covered ones with risks in per cent: 0 and 100 only if certain."""
    by_code = [Drawn(glyphs.blank, "blank"), *(Drawn(str(count), "count") for count in range(1, FLAGGED))]
    by_code += [Drawn(getattr(glyphs, kind), kind) for kind in ("flag", "question", "hidden", "mine")]
    cells = [[by_code[code] for code in row] for row in board.tolist()]
    if risks is not None:
        for row, col in np.argwhere((board >= FLAGGED) & (board != MINE)).tolist():
            risk, per_cent = float(risks[row, col]), round(100 * float(risks[row, col]))
            cells[row][col] = Drawn(f"{per_cent if risk in (0.0, 1.0) else min(max(per_cent, 1), 99)}%", "risk")
    return cells


def draw_session(session: Session, glyphs: Glyphs, risks: NDArray[np.float64] | None = None) -> list[list[Drawn]]:
    """Returns the cells of a game; mines, wrong flags and the explosion are shown once it is over."""
    mines, cells, flags = session.placed_mines, draw_codes(session.board, glyphs, risks), session.board == FLAGGED
    if session.is_over:
        for chosen, kind in ((mines & ~flags, "mine"), (flags & ~mines, "wrong")):
            for row, col in np.argwhere(chosen).tolist():
                cells[row][col] = Drawn(getattr(glyphs, kind), kind)
    return with_exploded(cells, session.exploded, glyphs)


def with_exploded(cells: list[list[Drawn]], exploded: Cell | None, glyphs: Glyphs) -> list[list[Drawn]]:
    """Puts the sign of the opened mine, if there is one, into the cells of a board; returns the cells."""
    if exploded is not None:
        cells[exploded[0]][exploded[1]] = Drawn(glyphs.exploded, "exploded")
    return cells


def board_lines(
    cells: Sequence[Sequence[Drawn]], width: int | None, paint: Callable[[str, str], str] = lambda text, _: text
) -> list[str]:
    """Returns a board with its numbers of rows and columns, in blocks of columns that fit the width; None is no limit.

    `paint` colours the text of a cell of a kind.
    """
    rows, cols = len(cells), len(cells[0])
    margin = len(str(rows))
    cell_width = max(len(cell.text) for row in cells for cell in row)
    number_width = max(cell_width, len(str(cols)))
    if width is None or margin + cols * (number_width + 1) < width:
        cell_width = number_width
    block_cols = cols if width is None else max((width - margin - 1) // (cell_width + 1), 1)
    lines: list[str] = []
    for begin in range(0, cols, block_cols):
        end = min(begin + block_cols, cols)
        lines += [""] if lines else []
        lines += [" " * margin + line for line in _column_numbers(begin, end, cell_width)]
        for number, row in enumerate(cells, 1):
            painted = (" " * (cell_width + 1 - len(cell.text)) + paint(cell.text, cell.kind) for cell in row[begin:end])
            lines.append(f"{number:>{margin}}" + "".join(painted))
    return lines


def _column_numbers(begin: int, end: int, cell_width: int) -> list[str]:
    """Returns the lines with the column numbers; in narrow columns the digits of a number stand below each other."""
    numbers = [str(col + 1) for col in range(begin, end)]
    longest = max(map(len, numbers))
    if longest <= cell_width:
        return ["".join(f" {number:>{cell_width}}" for number in numbers)]
    digits = (number.rjust(longest) for number in numbers)
    return ["".join(f" {digit:>{cell_width}}" for digit in line).rstrip() for line in zip(*digits, strict=True)]
