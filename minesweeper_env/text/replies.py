"""Reader of the moves in replies of language models; its tables hold every word and form that it knows."""

import json
import re
from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN

VERBS = {
    **dict.fromkeys(("open", "reveal", "click", "uncover", "dig", "choose", "select", "pick"), "open"),
    **dict.fromkeys(("flag", "mark"), "flag"),
}
"""The move that each verb means; a verb may also be a tool's name, such as open_cell."""

LABELS = ("move:", "action:", "answer:")
"""Words that stand before a cell to open, in place of a verb."""

_MOVES = VERBS | dict.fromkeys(LABELS, "open")

AXES = {"row": 0, "r": 0, "column": 1, "col": 1, "c": 1}
"""The axis of each name of a coordinate. x and y are not read, because people disagree which of them is the row."""

FILLERS = (
    *("the", "cell", "square", "tile", "field", "at", "in", "on", "and", "of", "position", "coordinate", "coordinates"),
    *("location", "index", "number", "boxed", "arguments", "args", "parameters", "parameter", "action"),
    *("input", "text", "name", "arg_key", "arg_value", "json", "message", "constrain"),
    *("safe", "covered", "hidden", "unopened", "remaining", "next"),
)
"""Words that may stand around the numbers of a cell."""

TAGS = ("move", "answer", "action", "tool_call")
"""The tags of a reply that hold its move."""

THINKING = (
    *(("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>")),
    *(("<thoughts>", "</thoughts>"), ("<scratchpad>", "</scratchpad>"), ("<analysis>", "</analysis>")),
    *(("<reflection>", "</reflection>"), ("<rationale>", "</rationale>")),
    *(("<reasoning>", "</reasoning>"), ("[think]", "[/think]"), ("◁think▷", "◁/think▷")),
    *(("<seed:think>", "</seed:think>"), ("<|begin_of_thought|>", "<|end_of_thought|>")),
    *(("<|start_thinking|>", "<|end_thinking|>"), ("<|channel|>analysis", "<|channel|>final")),
    *(("<|channel|>analysis", "<|channel|>commentary"), ("<|channel>thought", "<channel|>")),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
)
"""The marks around thinking in the replies of several families of models, in any case."""

MARKED_FORMS = (
    *("<move>{verb} {row} {col}</move>", "<answer>{row} {col}</answer>", "<action>({row}, {col})</action>"),
    *("[{verb} {row} {col}]", r"\boxed{{{row}, {col}}}", r"$\boxed{{\text{{{verb} }} ({row}, {col})}}$"),
    r"\boxed{{\text{{{verb}}}~{row}~{col}}}",
    *("{verb}({row}, {col})", "{verb}_cell({row}, {col})", "{verb}_cell(row={row}, col={col})"),
    '{{"name": "{verb}", "arguments": {{"row": {row}, "col": {col}}}}}',
    '{{"name": "{verb}_cell", "arguments": "{{\\"col\\": {col}, \\"row\\": {row}}}"}}',
    '{{"type": "{verb}", "row": {row}, "col": {col}}}',
    '{{"col": {col}, "action": "{verb}", "row": "{row}"}}',
    "{{'move': '{verb}', 'cell': [{row}, {col}]}}",
    '<tool_call>{{"arguments": {{"row": {row}, "col": {col}}}, "name": "{verb}"}}</tool_call>',
    "<tool_call>{verb}<arg_key>row</arg_key><arg_value>{row}</arg_value><arg_key>col</arg_key><arg_value>{col}</arg_value></tool_call>",
)
"""Forms of a move that count before prose; the first one is what the prompt asks for."""

PROSE_FORMS = (
    *("{verb} {row} {col}", "{verb} ({row}, {col})", "{verb} cell ({row}, {col})", "**{verb} r{row}c{col}**"),
    *("{verb} row {row}, column {col}", "{verb} column {col}, row {row}", "{verb} row, col: {row}, {col}"),
    *("{verb} the cell in row {row} and column {col}", "{verb} ROW COL {row} {col}", "{verb} [{row}][{col}]"),
    *("{verb} {row} (row), {col} (column)", "{verb} ({col} col, {row} row)", "| {verb} | {row} | {col} |"),
    "<function={verb}><parameter=row>{row}</parameter><parameter=col>{col}</parameter></function>",
    '<invoke name="{verb}"><parameter name="row">{row}</parameter><parameter name="col">{col}</parameter></invoke>',
    'functions.{verb}:2{{"row": {row}, "col": {col}}}',
)
"""Forms of a move in prose; the last move in prose counts."""

BARE_FORMS = ("({row}, {col})", "[{row} {col}]", "Row {row}, column {col}.", '{{"col": {col}, "row": {row}}}')
"""Forms of a cell to open that count when they are the whole reply."""

PLACEHOLDER = "row col"
"""What the prompt writes in place of a cell, in lower case; a tag that repeats it holds no move."""


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))


# Every repetition is possessive or bounded, so that a reply is read in linear time. Patterns read lower case, and begin
# with characters that are rare in a text, which `re` finds quickly.
_GAP = rf"(?:\s++|[:=,;()\[\]{{}}<>/\"'`*\\$|~]|(?:{_any_of((*FILLERS, *AXES))})(?![a-z]))"
_NUMBER = r"-?[0-9]++(?!\.[0-9])"
_PAIR = rf"(?P<first>{_NUMBER})(?P<between>{_GAP}{{1,20}}+)(?P<second>{_NUMBER})"
# A number that follows the name of a tool directly counts its calls.
_TOOL = r"(?:_?(?:cell|square|tile))?+(?![a-z])(?::[0-9]++(?=\s*+\{))?+"
_PROSE = re.compile(rf"(?P<verb>{_any_of(_MOVES)}){_TOOL}(?P<call>(?=\())?(?P<before>{_GAP}{{1,24}}+){_PAIR}")
_BARE = re.compile(rf"(?P<before>{_GAP}{{0,24}}+){_PAIR}(?:{_GAP}|\.){{0,24}}+")
_BLANK = r"[ \t*_\"'`(]++"
_DENIED = r"not|never|cannot|than|if|avoid|mistake|wrong|unsafe|(?:should|shall) i|(?:wo|do|ca|should|must)nt"
_DENIAL = re.compile(
    rf"(?:\b(?:{_DENIED})|n['\u2019]t)(?:{_BLANK}(?!(?:so|but|then|and|thus|hence)\b)[a-z]++){{0,3}}{_BLANK}\Z"
)
"""The end of a text after which a move is denied, or asked for."""
_NOUN = re.compile(r"\b(?:the|an?|every|each|any)[ \t*_\"'`]++\Z")
"""The end of a text after which "open" or "flag" describes a cell."""
_NUMBERED = re.compile(r"[ \t)]*+=\s*+[0-9]")
"""What follows a cell of a list with its number."""
_OBJECT = r"[^{}]*+(?:\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}[^{}]*+)*+"
_MARKS = re.compile(
    rf"[<\\\[{{](?:(?<=<)(?:{_any_of(TAGS)})>(?P<tag>(?:[^<]|<(?=/?[a-z_]++>)(?!/?(?:{_any_of(TAGS)})>)){{0,4000}}+)"
    r"|(?<=\\)boxed\s*+\{(?P<box>(?:[^{}]|\{[^{}]{0,200}+\}){0,400}+)\}"
    rf"|(?<=\[)(?P<bracket>\s*+(?:{_any_of(VERBS)})[^\[\]<\n]{{1,200}}+)\]|(?<={{)(?P<object>{_OBJECT})\}})"
)
_AXIS = re.compile(rf"(?<![a-z])(?:{_any_of(AXES)})(?![a-z])")
_BEHIND = re.compile(rf"[ \t(*_]*+({_any_of(AXES)})(?![a-z])")
_LISTED = re.compile(
    rf"(?P<before>(?:{_AXIS.pattern}[\s:=\"'`]{{0,4}}+)?)(?<![0-9.-])(?P<first>[0-9]++)"
    rf"(?P<between>\]\[|(?:[\s,;:=\"'`]|and(?![a-z])|{_any_of(AXES)}(?![a-z])){{1,16}}+|c)(?P<second>[0-9]++)"
)
# The quotes of an object, which are escaped where it stands in a text.
_QUOTE = r"\\{0,3}+[\"']"
_NAME = re.compile(rf"{_QUOTE}name{_QUOTE}\s*+:")
_KEY = rf"{_QUOTE}(?P<axis>{_any_of(AXES)}){_QUOTE}\s*+:\s*+(?:{_QUOTE})?+(?P<number>-?[0-9]++)(?:\.0++)?+(?!\.?[0-9])"
_CELL = rf"{_QUOTE}(?:{_any_of(FILLERS)}){_QUOTE}\s*+:\s*+\[\s*+(?P<row>{_NUMBER})\s*+,\s*+(?P<col>{_NUMBER})\s*+\]"
_VALUE = rf":\s*+{_QUOTE}(?P<verb>{_any_of(VERBS)}){_TOOL}{_QUOTE}"
_INNER = rf"(?:(?P<known>{_QUOTE}(?:{_any_of((*FILLERS, *TAGS))}){_QUOTE}\s*+:\s*+(?:{_QUOTE})?+))?\{{"
_PART = re.compile(rf"{_KEY}|{_CELL}|{_VALUE}|{_INNER}|(?P<end>\}})")
"""The parts of an object that say which move it holds."""
_BEGIN_OF = {end: begin for begin, end in THINKING}
_THOUGHTS = re.compile(_any_of(sorted({mark for marks in THINKING for mark in marks}, key=len, reverse=True)))
_MOST = 500
"""The number of tags and objects, and of moves in prose, at the end of a reply among which its move is sought."""

_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3001: ","}
"""The ASCII form of full-width characters."""


class Reply(NamedTuple):
    """The move in a reply.

    Attributes:
        action: the move as `MinesweeperEnv` numbers it, row * cols + column to open; None for an illegal reply.
        error: what is wrong with the reply, one sentence; "" for a legal one.
        cell: (row, column) that the reply names; None if it names none.
    """

    action: int | None
    error: str
    cell: tuple[int, int] | None = None


class Move(NamedTuple):
    """A move as a reply states it, on any board."""

    verb: str
    row: int
    col: int


def tool_call(name: str, arguments: Any) -> str:
    """Returns the text of a tool call, as `parse_reply` reads it; the arguments are JSON in a text, or an object."""
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return f"<tool_call>{json.dumps({'name': name, 'arguments': given})}</tool_call>"


def asked_form(verb: str = "open") -> str:
    """Returns the form of a move that the prompt asks for."""
    return MARKED_FORMS[0].format(verb=verb, row="ROW", col="COL")


def parse_reply(reply: str | None, codes: NDArray[np.int8], moves: tuple[str, ...] = ("open",)) -> Reply:
    """Returns the move in a reply, which may be any text or None; never raises.

    The last move in a tag, a box or a tool call counts. Without any, the last move in prose counts; "I do not open 3 4"
    is none. Thinking does not count.

    Args:
        reply: the text, such as `<move>open 3 4</move>`.
        codes: (rows, cols) cell codes, the board before the move.
        moves: the moves of the game, "open" or "open" and "flag".
    """
    move = read_move(reply)
    if move is None:
        thought = "ends with its thinking" if reply and not answer_of(reply).strip() else "has no move"
        return Reply(None, f"The reply {thought}: write {asked_form()}.")
    (rows, cols), cell = codes.shape, (move.row, move.col)
    error = ""
    if move.verb not in moves:
        error = "This game has no flags: the only move is open."
    elif not (0 <= move.row < rows and 0 <= move.col < cols):
        error = f"{cell} is outside the board: rows are 0 to {rows - 1}, columns 0 to {cols - 1}."
    elif codes[cell] < FLAGGED:
        error = f"Cell {cell} is open already: choose a covered cell."
    elif move.verb == "open" and codes[cell] < HIDDEN:
        error = f"Cell {cell} has a flag: remove it by another flag move first."
    action = (move.verb == "flag") * rows * cols + move.row * cols + move.col
    return Reply(None if error else action, error, cell)


def answer_of(reply: str) -> str:
    """Returns a reply without its thinking: the last text outside of it.

    A mark that ends no thought that began, ends one that began before the reply. A thought without an end ends it.
    """
    low = reply.lower()
    if len(low) != len(reply):  # A few letters have two in lower case.
        low = "".join(each.lower()[:1] for each in reply)
    texts: list[str] = []
    start, begun = 0, list[str]()
    for mark in _THOUGHTS.finditer(low):
        begin = _BEGIN_OF.get(mark[0])
        if begin is None:
            texts += [reply[start : mark.start()]] * (not begun)
            begun += [mark[0]] * (mark[0] not in begun)
            continue
        # Another family's marks may stand within a thought.
        texts, begun = (texts, begun[: begun.index(begin)]) if begin in begun else ([], [])
        start = mark.end()
    texts += [reply[start:]] * (not begun)
    return next((text for text in reversed(texts) if text.strip()), "")


def plain(text: str) -> str:
    """Returns a text in lower case, with ASCII for full-width characters."""
    low = text.lower()
    return low if low.isascii() else low.translate(_ASCII)


def read_move(reply: str | None) -> Move | None:
    """Returns the move that a reply states, or None; see `parse_reply`."""
    text = plain(answer_of(reply or ""))
    mark, move, is_marked = _marked(text)
    said = deque(_PROSE.finditer(text), _MOST)
    call = _last(match for match in reversed(said) if match["call"] is not None)
    # A call in passing, such as "open(1, 1) loses", is no answer beside a tag or a box.
    if call and not (mark and (mark.lastgroup in ("tag", "box") or mark.end() >= call.start())):
        return _from_match(call)
    if is_marked:
        return move
    last = _last(reversed(said))
    return _from_match(last) if last else _whole(text)


def _marked(text: str) -> tuple[re.Match[str] | None, Move | None, bool]:
    """Returns the last mark with a move, that move, and whether a mark should hold a move."""
    is_marked = False
    for mark in reversed(deque(_MARKS.finditer(text), _MOST)):
        kind = str(mark.lastgroup)
        move = _from_object(mark[0], True) if kind == "object" else _from_body(mark[kind])
        if move is not None:
            return mark, move, True
        is_marked |= kind in ("tag", "box") and bool(mark[kind].strip()) and PLACEHOLDER not in mark[kind]
    return None, None, is_marked


def _last(said: Iterable[re.Match[str]]) -> re.Match[str] | None:
    """Returns the first of the matches, in reverse order, that begins with a whole word and is not denied.

    "The open cell (1, 1)" and "open: (1, 1) = 2" describe a cell.
    """
    for match in said:
        before = match.string[max(0, match.start() - 40) : match.start()]
        describes = (match["verb"] in VERBS and _NOUN.search(before)) or _NUMBERED.match(match.string, match.end())
        if not (before[-1:].isalpha() or _DENIAL.search(before) or describes):
            return match
    return None


def _whole(text: str) -> Move | None:
    """Returns the cell to open that a whole reply names; two numbers alone are none."""
    body = text[:500].strip("` \t\r\n").removeprefix("json").strip()
    return None if len(text) > 500 or body[:1].isdigit() else _from_body(body)


def _from_body(body: str) -> Move | None:
    """Returns the move in a tag, in a box, or in a whole reply, where the verb may be missing."""
    match = _last(reversed([*_PROSE.finditer(body)])) or _BARE.fullmatch(body)
    return _from_object(body, False) or (match and _from_match(match))


def _from_match(match: re.Match[str]) -> Move | None:
    """Returns the move of a match; a name of a coordinate belongs to the number that follows it.

    Two names before both numbers are a heading, and two names each behind its number belong to them, as in "3 (row), 4
    (column)". Names that contradict each other make no move.
    """
    before, between = ([AXES[name] for name in _AXIS.findall(match[gap])] for gap in ("before", "between"))
    behind = _BEHIND.match(match.string, match.end())
    if len(between) == 1 and not before and behind and _BEHIND.match(match["between"]):
        axes = [between[0], AXES[behind[1]]]
    elif between:
        axes = [before[-1] if before else 1 - between[-1], between[-1]]
    else:
        axes = before[-2:] if len(before) > 1 else [before[0], 1 - before[0]] if before else [0, 1]
    if axes[0] == axes[1]:
        return None
    # Numbers of many digits are outside of every board, and int() refuses them.
    numbers = dict(zip(axes, (int(match[name][:9]) for name in ("first", "second")), strict=True))
    return Move(_MOVES[match.groupdict().get("verb", "open")], numbers[0], numbers[1])


def read_cells(text: str) -> list[tuple[int, int]]:
    """Returns the cells (row, column) that a text lists, in lower case, such as "0 1, 2 3" or "row 0, column 1"."""
    moves = map(_from_match, _LISTED.finditer(text))
    return [(move.row, move.col) for move in moves if move is not None]


class _Object:
    """An object in a reply while its parts are read: its cell by axis, its first verb, and what it lies in."""

    def __init__(self, outer: "_Object | None", is_known: bool) -> None:
        self.outer, self.is_known, self.verb = outer, is_known, ""
        self.cell: dict[int, int] = {}
        self.depth: int = outer.depth + 1 if outer else 0

    def verb_in_force(self) -> str:
        """Returns its verb, or that of the closest object around it."""
        return self.verb or (self.outer.verb_in_force() if self.outer else "")


def _from_object(text: str, needs_verb: bool) -> Move | None:
    """Returns the move of an object of JSON or Python, with its keys in any order; None for any other text.

    An object may hold other cells, such as those of known mines. The outermost one is the move, and of two at one depth
    the one under a key that names a cell or arguments.
    """
    objects = [_Object(None, False)]
    current = objects[0]
    for part in _PART.finditer(text):
        if part["axis"]:
            current.cell.setdefault(AXES[part["axis"]], int(part["number"][:9]))
        elif part["row"]:
            current.cell |= {0: int(part["row"][:9]), 1: int(part["col"][:9])}
        elif part["verb"]:
            current.verb = current.verb or VERBS[part["verb"]]
        elif part["end"]:
            current = current.outer or current
        else:
            current = _Object(current, bool(part["known"]))
            objects.append(current)
    whole = [each for each in objects if len(each.cell) == 2]
    if not whole:
        return None
    best = min(whole, key=lambda each: (each.depth, not each.is_known))
    verb = best.verb_in_force()
    if not verb and (needs_verb or _NAME.search(text)):
        return None
    return Move(verb or "open", best.cell[0], best.cell[1])
