"""Parser of the moves in replies of language models; `reply_words` has every word and form that it knows."""

import json
import re
from collections import deque
from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from minesweeper_env.codes import FLAGGED, HIDDEN
from minesweeper_env.text import reply_words as words


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, texts))


# Every repetition is possessive or bounded, so that a reply is read in linear time. Patterns read lower case, and begin
# with characters that are rare in a text, which `re` finds quickly.
_AXES = _any_of(words.AXES)
_TOKEN = r"<\|[^<>|\s]{1,40}+\|>|\[call_id\][a-z0-9]{1,40}+"
# The Spanish "and" in "fila 3 y columna 4"; a lone y may name a coordinate.
_Y = rf"y(?=[ \t](?:{_AXES})(?![a-z]))"
_GAP = (
    rf"(?:\s++|{_Y}|{_TOKEN}|->|\\(?:(?:left|right|big|[lr]angle|bf)(?![a-z])|!)|[:=,;&→()\[\]{{}}<>/\"'`*_\\$|~]"
    rf"|(?:-(?=[ \t])[ \t*_]{{1,4}}+(?:{_AXES})|{_any_of((*words.FILLERS, *words.AXES))})(?![a-z]))"
)
_NUMBER = r"-?[0-9]++(?!\.[0-9])"
_PAIR = rf"(?P<first>{_NUMBER})(?P<between>{_GAP}{{1,20}}+)(?P<second>{_NUMBER})"
# A number that follows the name of a tool directly counts its calls.
_TOOL = rf"(?:_?(?:{_any_of(words.NOUNS)}))?+(?![a-z])(?::[0-9]++(?=\s*+[{{<]))?+"
_LABEL = rf"(?:{_any_of(words.LABELS)})[ *_`]{{0,4}}+(?:{_any_of(words.LABEL_ENDS)}|(?<=\*)\n)"
_ONE_CELL = rf"(?:1\s++(?:[a-z]++\s++)?(?:{_any_of(words.NOUNS)})(?![a-z]){_GAP}{{1,24}}+)?+"
_PROSE = re.compile(
    rf"(?P<verb>{_any_of(words.VERBS)}|{_LABEL}){_TOOL}(?P<call>(?=\())?(?P<before>{_GAP}{{1,24}}+{_ONE_CELL}){_PAIR}"
)
_GAP_OR_CLAIM = rf"(?:{_GAP}|(?:{_any_of(words.CLAIMS)})(?![a-z]))"
_BARE_PAIR = re.compile(rf"(?P<before>{_GAP_OR_CLAIM}{{0,24}}+){_PAIR}(?:{_GAP_OR_CLAIM}|[.!✅]){{0,24}}+")
_BLANK = r"[ \t*_\"'`(\[{]++"
_WORD = rf"{_BLANK}(?!(?:{_any_of(words.CLAUSES)})\b)[^\W\d_]++"
_CLAUSE = rf"{_BLANK}(?:{_any_of(words.SUBJECTS)}){_BLANK}\Z"
_DENIAL = re.compile(
    rf"(?:{''.join(f'(?<!{word} )' for word in words.DEGREES)}\b(?:{_any_of(words.DENIALS)})(?:{_WORD}){{0,3}}"
    rf"|(?:\b(?:{_any_of(words.NEGATIONS)})|n['\u2019]t)(?:(?!{_CLAUSE}){_WORD}){{0,3}}"
    rf"|[\n.;][*_#> -]{{0,6}}+(?:{_any_of((*words.DENIALS, *words.NEGATIONS, *words.OTHERS))})[*_]{{0,3}}+:"
    rf"|[0-9][ )\](*`,:-]{{1,8}}or(?:{_WORD})?){_BLANK}\Z"
)
"""The end of a text after which a move is denied, or one of several."""
_ASKING = re.compile(rf"(?<![a-z])(?:{_any_of(words.ASKS)})(?:{_WORD}){{0,3}}(?:{_BLANK})?\Z")
"""The end of a text that asks whether to make the move behind it."""
_YES = re.compile(r"[ \t)\]*_\"'`]*+\?[\s*_\"'`]*+(?:yes|sí)\b")
_REFUTED = re.compile(
    rf"(?:</[a-z_]++>)?+[ \t)\]*_\"'`:(=>→\u2013\u2014-]{{0,8}}+(?:(?:{_any_of(words.LAST_WORDS)})[ .!)]*+(?:\n|\Z)"
    rf"|(?:in )?(?:{_any_of(words.REFUTATIONS)})(?![a-z])"
    rf"|,?+ ?+or(?:{_BLANK}(?:maybe|{_any_of(words.VERBS)})){{0,2}}{_BLANK}[0-9])"
)
"""What follows a cell whose move is denied, or one of several."""
_SPANISH_DENIAL = re.compile(rf"\b(?:{_any_of(words.SPANISH_DENIALS)})(?:{_WORD}){{0,3}}{_BLANK}\Z")
_TURN = rf"[ \t]++(?:{_any_of(words.TURNS)})(?:{_BLANK}[a-z]++){{0,2}}"
_OTHER_MOVE = re.compile(rf"\b(?:{_any_of(words.OTHERS)})(?:{_TURN}[*_]{{0,3}}+[:,]?+|,)?{_BLANK}\Z")
"""The end of a text after which a move is another than the one to make."""
_LATER_WORDS = rf"(?:{_any_of(words.LATER)})(?:{_WORD}){{0,2}},?+|(?:if|once)\b[^.;:!?\n]{{2,30}},"
_LATER = re.compile(rf"\b(?:{_LATER_WORDS})(?:{_WORD}){{0,3}}{_BLANK}\Z")
_ARTICLE = re.compile(rf"\b(?:{_any_of(words.ARTICLES)})[ \t*_\"'`]++\Z")
"""The end of a text after which "open" or "flag" describes a cell."""
_CELL_VALUE = re.compile(r"[ \t)]*+=\s*+[0-9.]++(?!\s*+%)|(?:[ \t]++[0-9#f*])++[ \t]*+(?:\n|\Z)")
"""What follows a cell of a list with its number, and the numbers of a row of a board."""
_ANSWERED_QUESTION = re.compile(r"[ \t)\]*_\"'`]*+\?++[\s*_\"'`]*+(?!yes)\w")
"""What follows a cell in a question that the text answers, but for a yes."""
_QUANTITY_WORD = re.compile(rf"(?<![a-z])(?:{_any_of(words.PLACES)})(?![a-z])")
_COUNTED_NOUN = re.compile(rf"[ \t]*+(?:(?:{_any_of(words.COUNTED)})(?![a-z])|,[ \t]*+[0-9]++[ \t]*+[)\]])")
_RETRACTION = re.compile(rf"\b(?:{_any_of(words.RETRACTIONS)})\b(?!(?<=no)[ \t]++[a-z])")
"""What takes back a move; "wait, no risk" does not."""
_FAULT = re.compile(
    r"(?:</[a-z_]++>|[^a-z0-9<]){0,12}+(?:(?:but|wait|hmm|oh|actually|no)[^a-z0-9]{1,6}+){0,3}(?:that|it|this"
    r"|(?P<cell>[0-9]++[,\s]++[0-9]++)\)?+)(?:['\u2019]s| is| was) (?:a mine|mined|wrong)(?![a-z-]| to| that)"
)
_OBJECT = r"[^{}]*+(?:\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\}[^{}]*+)*+"
# The body of a tag may begin with attributes, and ends with them in a tag such as <move row="3" col="4"/>. A verb alone
# belongs to what follows, as in <action>open</action><row>3</row>.
_TAGS = _any_of(words.TAGS)
_VERB_ALONE = rf"(?:\s*+(?:{_any_of(words.VERBS)})\s*+</(?:{_TAGS})>(?=\s*+<))?+"
_BODY = rf"{_VERB_ALONE}(?:[^<]|<(?=/?[a-z_]++>)(?!/?(?:{_TAGS})>)){{0,4000}}+"
_MARKS = re.compile(
    rf"[<\\\[{{](?:(?<=<)(?:{_TAGS})(?P<tag>(?:\s[^<>]{{1,200}}+)?+>(?:(?<=/>)|{_BODY}))"
    r"|(?<=\\)boxed\s*+\{(?P<box>(?:[^{}]|\{[^{}]{0,200}+\}){0,400}+)\}"
    rf"|(?<=\[)(?P<bracket>\s*+(?:{_any_of(words.VERBS)})[^\[\]<\n]{{1,200}}+)\]|(?<={{)(?P<object>{_OBJECT})\}})"
)
_AXIS = re.compile(rf"(?<![a-z])(?:{_AXES})(?![a-z])")
_AXIS_BEHIND = re.compile(rf"[ \t(*_]*+({_AXES})(?![a-z])")
_HEADING_BEHIND = re.compile(rf"[ \t)\]*_`]*+\(({_AXES})(?:,|\s)\s*+({_AXES})\)")
_TABLE_HEADING = re.compile(rf"(?<![a-z])({_AXES})[ *]*+(?P<sep>[|\t,])[ *]*+({_AXES})[ *]*+(?:[|\t][^\n]*+)?+\n")
_THIRD_COORDINATE = re.compile(rf"[\s,;)*_]*+(?:{_AXES})[\s:=*_]*+[0-9]")
_LISTED_CELL = re.compile(
    rf"(?P<before>(?:{_AXIS.pattern}[\s:=\"'`]{{0,4}}+)?)(?<![0-9.-])(?P<first>[0-9]++)"
    rf"(?P<between>\]\[|(?:[\s,;:=\"'`\\~]|{_Y}|(?:and|{_AXES})(?![a-z])){{1,16}}+|c)(?P<second>[0-9]++)"
)
# The quotes of an object, which are escaped where it stands in a text.
_QUOTE = r"\\{0,3}+[\"']"
_COLON = rf"{_QUOTE}\s*+:\s*+"


def _key(names: Iterable[str]) -> str:
    return rf"[\"'](?:[a-z]{{1,12}}+_){{0,2}}(?:{_any_of(names)})(?:_[a-z]{{1,12}}+)?{_COLON}"


_REASON_ENTRY = re.compile(
    rf"(?P<key>{_key(words.REASONS)})(?:(?P<quote>{_QUOTE})(?:(?!(?P=quote))(?:\\.|[^\\]))*+(?P=quote)"
    r"|\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]|\{[^{}]*+\})"
)
"""The part of an object that gives reasons."""
_WHOLE_NUMBER = r"(?P<number>-?[0-9]++)(?:\.0++)?+(?!\.?[0-9])"
_AXIS_KEY = rf"{_QUOTE}(?P<axis>{_AXES})(?:_?(?:index|idx))?+{_COLON}(?:{_QUOTE})?+{_WHOLE_NUMBER}"
_VERB_KEY = rf"(?P<act>{_any_of(words.VERBS)}){_TOOL}(?={_COLON}\{{)"
_KNOWN_KEY = rf"{_QUOTE}(?:(?P<label>(?:[a-z]{{1,12}}+_)?(?:{_TAGS}))|{_VERB_KEY}|{_any_of(words.FILLERS)}){_COLON}"
_CELL = rf"\[\s*+(?P<row>{_NUMBER})\s*+,\s*+(?P<col>{_NUMBER})\s*+\]"
_VERB_ENTRY = rf"{_key(words.ACTS)}{_QUOTE}(?P<verb>{_any_of(words.VERBS)}){_TOOL}{_QUOTE}"
_OBJECT_PART = re.compile(
    rf"{_AXIS_KEY}|{_VERB_ENTRY}|(?P<end>\}})|(?P<known>{_KNOWN_KEY})?+(?:(?:{_QUOTE})?+(?P<begin>\{{)"
    rf"|(?(known)(?:{_CELL}|{_QUOTE}(?P<said>[^\"'\\{{}}]{{1,200}}+))|(?!)))"
)
"""The parts of an object that say which move it holds."""
_OTHER_CONTENT = re.compile(
    rf"[\"']name{_COLON}|(?:mine|flag)[a-z_]{{0,12}}+{_COLON}true|safe{_COLON}false"
    rf"|(?:{_key(words.ACTS)}{_QUOTE}(?=[a-z])|{_COLON}{_QUOTE}(?=[a-z_]{{1,24}}+{_QUOTE}))"
    rf"(?!(?:{_any_of((*words.FILLERS, *words.TAGS, *words.AXES))})(?![a-z_]))"
)
"""The part of an object without a verb that says something else of its cell."""
_BEGIN_OF_END = {end: begin for begin, end in words.THINKING}
_THOUGHT_MARK = re.compile(_any_of(sorted({mark for marks in words.THINKING for mark in marks}, key=len, reverse=True)))
_CLOSING_TAGS = re.compile(r"(?:\s|</[^<>\s]{1,60}+>)*+")
"""What may follow the last thought in a tag around the whole reply."""
_LETTERS = re.compile(r"<[^<>\s]{1,60}+>|\[[a-z_]{1,20}+\]|[a-z]++")
_ANSWER_WORDS = {*words.LABELS, *words.FILLERS, *words.LEADS}
_MAX_MATCHES = 500
"""The number of tags and objects, and of moves in prose, at the end of a reply among which its move is sought."""

_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3001: ",", 0x200B: ""}
_ASCII |= dict.fromkeys(map(ord, "“”„«»「」【】⟨⟩"), "`") | dict.fromkeys(map(ord, "⇒➜➔➡"), "→") | {0x2044: "/"}
_ASCII |= {ord(sign): f" {text}" for sign, text in zip("½⅓⅔¼¾", ("1/2", "1/3", "2/3", "1/4", "3/4"), strict=True)}
"""The form of full-width characters, quotes, arrows and fractions that the patterns know."""


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
    """Returns the text of a tool call, as `parse_reply` reads it; `arguments` is an object, or its JSON."""
    json_text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return f"<tool_call>{json.dumps({'name': name, 'arguments': json_text})}</tool_call>"


def asked_form(verb: str = "open") -> str:
    """Returns the form of a move that the prompt asks for."""
    return words.MARKED_FORMS[0].format(verb=verb, row="ROW", col="COL")


def parse_reply(reply: str | None, codes: ArrayLike, moves: tuple[str, ...] = ("open",)) -> Reply:
    """Returns the move in a reply, which may be any text or None; never raises.

    Three places may hold the move: a tag or a box; then a call, a bracket or an object on a line of its own; then
    prose. The last move of the first place that has one counts. In prose, "not open 3 4" is no move, and "then open
    3 4" counts only if there is no other. Thinking does not count.

    Args:
        reply: the text, such as `<move>open 3 4</move>`.
        codes: (rows, cols) cell codes, the board before the move.
        moves: the moves of the game, "open" or "open" and "flag". In a game without flags, a flag in prose does not
            count beside a cell to open.
    """
    move = read_move(reply, moves)
    if move is None:
        fault = "ends with its thinking" if reply and not answer_of(reply).strip() else "has no move"
        return Reply(None, f"The reply {fault}: write {asked_form()}.")
    board = np.asarray(codes)
    (rows, cols), cell = board.shape, (move.row, move.col)
    error = ""
    if move.verb not in moves:
        error = "This game has no flags: the only move is open."
    elif not (0 <= move.row < rows and 0 <= move.col < cols):
        error = f"{cell} is outside the board: rows are 0 to {rows - 1}, columns 0 to {cols - 1}."
    elif board[cell] < FLAGGED:
        error = f"Cell {cell} is open already: choose a covered cell."
    elif move.verb == "open" and board[cell] < HIDDEN:
        error = f"Cell {cell} has a flag: remove it by another flag move first."
    action = (move.verb == "flag") * rows * cols + move.row * cols + move.col
    return Reply(None if error else action, error, cell)


def answer_of(reply: str) -> str:
    """Returns the last text of a reply that is no thought, "" if there is none.

    An end mark alone ends a thought that began before the reply. A begin mark alone begins one that never ends.
    """
    if not isinstance(reply, str):
        raise TypeError(f"a reply must be a text or None, not {type(reply).__name__}")
    lowered = reply.lower()
    if len(lowered) != len(reply):  # A few letters become two, and would shift all offsets.
        lowered = "".join(char.lower()[:1] for char in reply)
    start, outside, unclosed = 0, list[str](), list[str]()
    for mark in _THOUGHT_MARK.finditer(lowered):
        begin_mark = _BEGIN_OF_END.get(mark[0])
        if begin_mark is None:  # The mark begins a thought.
            if not unclosed:
                outside.append(reply[start : mark.start()])
            if mark[0] not in unclosed:
                unclosed.append(mark[0])
            continue
        if begin_mark in unclosed:  # It ends its thought, with those of other families within it.
            del unclosed[unclosed.index(begin_mark) :]
        else:  # All text before it is a thought.
            outside, unclosed = [], []
        start = mark.end()
    if not unclosed:
        outside.append(reply[start:])
    return next((text for text in reversed(outside) if not _CLOSING_TAGS.fullmatch(text)), "")


def plain(text: str) -> str:
    """Returns a text in lower case, with ASCII for full-width characters."""
    lowered = text.lower()
    return lowered if lowered.isascii() else lowered.translate(_ASCII)


def read_move(reply: str | None, moves: Iterable[str] = ("open", "flag")) -> Move | None:
    """Returns the move that a reply states, or None; see `parse_reply`."""
    text = _REASON_ENTRY.sub(r"\g<key>''", plain(answer_of(reply or "")))
    whole = text.strip("` \t\r\n").removeprefix("json").strip()
    prose = [*deque(_PROSE.finditer(text), _MAX_MATCHES)]
    tags, others = _marked_moves(text, prose)
    move = _first(sorted(tags, key=_is_statement, reverse=True), whole) or _first(filter(_is_alone, others), whole)
    bodies = (tag[str(tag.lastgroup)] for tag in tags)
    # A tag that holds anything but the placeholder is the answer, even if it has no move.
    if move is not None or any(body.strip("> \t\r\n") and words.PLACEHOLDER not in body for body in bodies):
        return move
    # A flag in prose is a remark where the game has none, unless the reply has no other move.
    of_game = [match for match in prose if words.VERBS.get(match["verb"], "open") in moves]
    objects = [mark for mark in others if mark.lastgroup == "object"]
    # A whole reply may name the cell to open, but not by two numbers alone.
    named = None if whole[:1].isdigit() else _move_without_verb(whole)
    move = named or _last_stated(of_game) or _last_stated(prose) or _first(objects, whole)
    # The only object of a reply may be a cell without a verb.
    return move or (_from_object(objects[0][0], False) if len(objects) == 1 and _is_alone(objects[0]) else None)


def _marked_moves(text: str, prose: Iterable[re.Match[str]]) -> tuple[list[re.Match[str]], list[re.Match[str]]]:
    """Returns the tags and boxes of a text, and its brackets, objects and calls; the last ones come first."""
    marks = [mark for mark in reversed(deque(_MARKS.finditer(text), _MAX_MATCHES)) if not _is_taken_back(mark)]
    tags = [mark for mark in marks if mark.lastgroup in ("tag", "box")]
    others = [mark for mark in marks if mark.lastgroup in ("bracket", "object")]
    others += [match for match in prose if match["call"] is not None and not _is_taken_back(match)]
    return tags, sorted(others, key=re.Match.end, reverse=True)


def _first(marks: Iterable[re.Match[str]], whole: str) -> Move | None:
    """Returns the first move among marks and calls; `whole` is the whole reply without blanks around it."""
    for mark in marks:
        kind = str(mark.lastgroup)
        if kind in ("tag", "box", "bracket"):
            body = mark[kind]
            move = _from_object(body, False) or _last_stated(_PROSE.finditer(body)) or _move_without_verb(body)
        else:  # An object without a verb has a move only if it is the whole reply.
            move = _from_object(mark[0], mark[0] != whole.strip("[] \n")) if kind == "object" else _last_stated([mark])
        if move is not None:
            return move
    return None


def _is_alone(match: re.Match[str]) -> bool:
    """Returns whether a call, a bracket or an object is an answer, and no remark: its line says nothing else."""
    text, begin, end = match.string, match.start(), match.end()
    line = text[max(0, begin - 80) : begin].rpartition("\n")[2] + " " + text[end : end + 80].partition("\n")[0]
    return all(word in _ANSWER_WORDS for word in _LETTERS.findall(line) if word.isalpha())


def _last_stated(matches: Iterable[re.Match[str]]) -> Move | None:
    """Returns the last move that prose states for now, or else for later; None if a retraction follows that move."""
    statements = sorted(filter(_is_statement, reversed([*matches])), key=_is_later)  # stable: moves for now come first
    return _from_match(statements[0]) if statements and not _is_taken_back(statements[0]) else None


def _is_later(match: re.Match[str]) -> bool:
    begin = match.start()
    return match["verb"] in words.VERBS and bool(_LATER.search(match.string, max(0, begin - 60), begin))


def _is_taken_back(match: re.Match[str]) -> bool:
    text, end = match.string, match.end()
    fault = _FAULT.match(text, end)  # such as ": that is a mine", or "2, 3 is wrong", which may be about another cell
    is_own = fault and (not fault["cell"] or re.findall("[0-9]+", fault["cell"]) == re.findall("[0-9]+", match[0])[-2:])
    return bool(is_own or _RETRACTION.search(text, end, end + 300))


def _is_statement(match: re.Match[str]) -> bool:
    """Returns whether a match states a move to make, from a whole word on: no denial, question or other move.

    "The open cell (1, 1)" and "open: (1, 1) = 2" describe a cell. A tag or a box has no verb of its own.
    """
    text, end, verb = match.string, match.end(), match.groupdict().get("verb")
    # The beginning of a reply begins a line, too.
    before = "\n" * (match.start() < 40) + text[max(0, match.start() - 40) : match.start()]
    is_spanish = verb in words.SPANISH
    is_noun = verb in words.VERBS and not is_spanish and _ARTICLE.search(before)
    denial = _SPANISH_DENIAL if is_spanish else _DENIAL
    is_asked = _ANSWERED_QUESTION.match(text, end) or (_ASKING.search(before) and not _YES.match(text, end))
    is_denied = denial.search(before) or _OTHER_MOVE.search(before) or _REFUTED.match(text, end)
    is_no_move = verb and (before[-1:].isalpha() or is_noun or _CELL_VALUE.match(text, end) or _is_quantity(match))
    return not (is_denied or is_asked or is_no_move)


def _is_quantity(match: re.Match[str]) -> bool:
    """Returns whether numbers are quantities, as in "1 of 3" and "the choice is 50/50", or two of three coordinates."""
    axis_before, axis_between = (_AXIS.search(match[gap]) for gap in ("before", "between"))
    has_third = axis_between and not axis_before and _THIRD_COORDINATE.match(match.string, match.end())
    is_count = _QUANTITY_WORD.search(match["between"]) and not (axis_before and axis_between)
    is_share = match["between"].strip() == "/" and match.groupdict().get("verb") != "open"
    return bool(is_share or is_count or has_third or _COUNTED_NOUN.match(match.string, match.end()))


def _move_without_verb(body: str) -> Move | None:
    match = _BARE_PAIR.fullmatch(body)
    return None if match is None or _is_quantity(match) else _from_match(match)


def _from_match(match: re.Match[str]) -> Move | None:
    """Returns the move of a match; None if both numbers have the same axis.

    The name of a coordinate belongs to the number after it; in "3 (row), 4 (column)" to the number before it. Two names
    together are a heading of both numbers. It stands before the numbers, in parentheses behind them, or over a table.
    """
    before, between = ([words.AXES[name] for name in _AXIS.findall(match[gap])] for gap in ("before", "between"))
    behind = _AXIS_BEHIND.match(match.string, match.end())
    if not (before or between) and (heading := _HEADING_BEHIND.match(match.string, match.end("second"))):
        before = [words.AXES[name] for name in heading.groups()]
    table = _TABLE_HEADING.search(match.string, max(0, match.start() - 200), match.start())
    if table and not (before or between) and table["sep"] in match["between"]:
        before = [words.AXES[table[1]], words.AXES[table[3]]]
    # The axes of the first and of the second number; one that has no name is the other one of 0 and 1.
    if len(between) == 1 and not before and behind and _AXIS_BEHIND.match(match["between"]):
        axes = [between[0], words.AXES[behind[1]]]  # 3 (row), 4 (column)
    elif between:
        axes = [before[-1] if before else 1 - between[-1], between[-1]]  # row 3, column 4
    else:
        axes = before[-2:] if len(before) > 1 else [before[0], 1 - before[0]] if before else [0, 1]
    if axes[0] == axes[1]:
        return None
    # Numbers of many digits are outside of every board, and int() refuses them.
    on_axis = dict(zip(axes, (int(match[name][:9]) for name in ("first", "second")), strict=True))
    return Move(words.VERBS.get(match.groupdict().get("verb") or "", "open"), on_axis[0], on_axis[1])


def read_cells(text: str) -> list[tuple[int, int]]:
    """Returns the cells (row, column) that a text lists, in lower case, such as "0 1, 2 3" or "row 0, column 1"."""
    moves = map(_from_match, _LISTED_CELL.finditer(text))
    return [(move.row, move.col) for move in moves if move is not None]


class _Object:
    """An object in a reply while its parts are read: its coordinates by axis, its first verb, its parent object."""

    def __init__(self, parent: "_Object | None", has_known_key: bool, has_label: bool) -> None:
        self.parent, self.has_known_key, self.has_label, self.verb = parent, has_known_key, has_label, ""
        self.cell: dict[int, int] = {}
        self.height: int = parent.height - 1 if parent else 0  # minus the depth, so that `max` finds the outermost one

    def verb_in_force(self) -> str:
        """Returns the verb of this object, or else of the closest object around it that has one; "" for none."""
        return self.verb or (self.parent.verb_in_force() if self.parent else "")

    def take(self, part: re.Match[str]) -> None:
        """Adds the coordinate, the cell, the verb, or the move in words that a part of this object holds."""
        text = part["said"] or ""
        move = _last_stated(_PROSE.finditer(text)) if part["label"] or _PROSE.fullmatch(text) else None
        said_cell = move or _move_without_verb(text)
        if part["axis"]:  # "row": 3
            self.cell.setdefault(words.AXES[part["axis"]], int(part["number"][:9]))
        elif part["row"]:  # [3, 4]
            self.cell |= {0: int(part["row"][:9]), 1: int(part["col"][:9])}
        elif said_cell:  # "open 3 4"
            self.cell |= {0: said_cell.row, 1: said_cell.col}
        self.has_label |= bool(part["label"] and (part["row"] or said_cell))
        self.verb = self.verb or (move.verb if move else words.VERBS.get(part["verb"] or "", ""))


def _from_object(text: str, needs_verb: bool) -> Move | None:
    """Returns the move of an object of JSON or Python, with its keys in any order; None for any other text.

    An object may hold several cells, such as those of known mines. The outermost cell is the move. Of two cells at one
    depth, the move is the one under a key such as "cell" or "move", or else the last one, if it has a verb of its own.
    With `needs_verb` an object without a verb has no move, unless its cell is under a key such as "move".
    """
    objects = [_Object(None, False, False)]
    current = objects[0]
    for part in _OBJECT_PART.finditer(text):
        if part["begin"]:
            objects.append(current := _Object(current, bool(part["known"]), bool(part["label"])))
            current.verb = words.VERBS.get(part["act"] or "", "")
        elif part["end"]:
            current = current.parent or current
        else:
            current.take(part)
    with_cell = [candidate for candidate in objects if len(candidate.cell) == 2]
    if not with_cell:
        return None
    rank = attrgetter("height", "has_known_key", "has_label")
    # Of equals, `max` returns the first one that it meets.
    last_best, first_best = max(reversed(with_cell), key=rank), max(with_cell, key=rank)
    verb, is_clear = last_best.verb_in_force(), last_best.verb or last_best.cell == first_best.cell
    if not is_clear or (not verb and ((needs_verb and not last_best.has_label) or _OTHER_CONTENT.search(text))):
        return None
    return Move(verb or "open", last_best.cell[0], last_best.cell[1])
