"""Tests of the reader of replies: every word and form of its tables, what counts, and replies that are no moves."""

import json
import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minesweeper_env import HIDDEN
from minesweeper_env.text import replies as reader
from minesweeper_env.text import reply_words
from minesweeper_env.text.replies import Move, parse_reply, read_move

COVERED = np.full((8, 9), HIDDEN, np.int8)
CALL = {"name": "open", "arguments": {"row": 3, "col": 4}}
OPEN = Move("open", 3, 4)


BARE_FORMS = (
    *("({row}, {col})", "[{row} {col}]", "Row {row}, column {col}.", "({row}, {col}) is safe.", "Opening {row} {col}"),
    *('{{"col": {col}, "row": {row}}}', '{{"row": {row}, "col": {col}, "reason": "safe"}}'),
)
"""Forms of a cell to open that count when they are the whole reply."""


@pytest.mark.parametrize("verb", reply_words.VERBS)
@pytest.mark.parametrize("form", [*reply_words.MARKED_FORMS, *reply_words.PROSE_FORMS, *BARE_FORMS])
def test_every_form_is_read_with_every_verb(form, verb):
    text = form.format(verb=verb, row=3, col=4)
    move = Move(reply_words.VERBS[verb] if "{verb}" in form else "open", 3, 4)
    assert read_move(text) == read_move(text.upper()) == move
    wide = text.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789(),"})
    assert read_move(wide) == move
    if form in reply_words.MARKED_FORMS:
        assert read_move(f"Perhaps flag 1 1?\n{text}\nI open 2 2, because reveal (5, 5) loses.") == move
    elif form in reply_words.PROSE_FORMS:
        assert read_move(f"First I thought: open 1 1. But now: {text}") == move


@pytest.mark.parametrize("word", [*reply_words.FILLERS, *reply_words.AXES])
def test_every_word_may_stand_before_the_numbers(word):
    axes = [0, 1] if reply_words.AXES.get(word, 0) == 0 else [1, 0]
    assert read_move(f"open {word} 3 4")[1:] == tuple([3, 4][axis] for axis in axes)


@pytest.mark.parametrize("tag", reply_words.TAGS)
@pytest.mark.parametrize("end", ["</{}>", "", "\n</{}>.", "</{0}></{0}>"])
def test_every_tag_counts_before_prose_even_without_its_end(tag, end):
    assert read_move(f"open 1 1 <{tag}>\nopen 3 4{end.format(tag)}") == OPEN
    assert read_move(f"<{tag}>3 4{end.format(tag) or '<'} open 1 1") == OPEN


@pytest.mark.parametrize(("begin", "end"), reply_words.THINKING)
def test_thinking_does_not_count(begin, end):
    for first, last in ((begin, end), (begin.upper(), end.upper())):
        assert read_move(f"{first}<move>open 1 1</move>{last}open 3 4") == OPEN
        assert read_move(f"open 3 4 {first}open 1 1") == OPEN
        assert read_move(f"{first}<move>open 3 4</move>") is None
        assert read_move(f"<reply><move>open 3 4</move>{first}It is safe.{last}</reply>") == OPEN
        assert read_move(f"{first}open 1 1{last}<move>open 3 4</move>{first}open 2 2{last}") == OPEN


@pytest.mark.parametrize("label", reply_words.LABELS)
@pytest.mark.parametrize("end", [*reply_words.LABEL_ENDS, "**:", " is:"])
def test_a_label_stands_for_the_verb(label, end):
    assert read_move(f"I could open (1, 1) but it is risky.\n\n**Final {label} {end} **(3, 4)**") == OPEN
    assert read_move(f"I open 3 4. My previous {label} {end} (1, 1)") == OPEN
    assert read_move(f"The {label} {end} 1 in 4 chance") is None


@pytest.mark.parametrize("word", [*reply_words.DENIALS, *reply_words.NEGATIONS])
def test_a_word_of_denial_denies_the_move_behind_it(word):
    assert read_move(f"I open (3, 4). It is {word} to open (1, 1).") == OPEN
    assert read_move(f"It is {word} so I open (3, 4)") == OPEN
    if word in reply_words.NEGATIONS:
        assert read_move(f"{word} a mine I open (3, 4)") == OPEN


@pytest.mark.parametrize("words", reply_words.OTHERS)
def test_another_move_than_the_one_to_make_is_none(words):
    for form in (
        "{} move: open 1 1",
        "**{} move**: (1, 1)",
        "{}: open 1 1",
        "{} open 1 1",
        "The {} reply was open 1 1",
    ):
        assert read_move(form.format(words)) is None
        assert read_move("I open 3 4. " + form.format(words)) == OPEN


@pytest.mark.parametrize("words", reply_words.ASKS)
def test_a_question_is_no_move_unless_a_yes_follows(words):
    assert read_move(f"I open (3, 4). {words} to open (1, 1)") == OPEN
    assert read_move(f"{words} to open (1, 1)?") is None
    assert read_move(f"{words} to open (3, 4)? Yes.") == OPEN


@pytest.mark.parametrize("words", [*reply_words.REFUTATIONS, *reply_words.LAST_WORDS, "or maybe open 2 2"])
@pytest.mark.parametrize("between", [" ", ": ", " - ", " (", "** "])
def test_words_behind_a_cell_deny_its_move(words, between):
    assert read_move(f"I open 3 4. Option: open (1, 1){between}{words}") == OPEN
    assert read_move(f"open 1 1{between}{words}") is None


@pytest.mark.parametrize("verb", reply_words.SPANISH)
def test_a_spanish_move_is_read_and_one_that_is_denied_is_none(verb):
    move = Move(reply_words.VERBS[verb], 3, 4)
    for cell in ("(3, 4)", "la celda (3, 4)", "la casilla en la fila 3 y columna 4", "columna 4 de la fila 3"):
        assert read_move(f"Voy a {verb} {cell}.") == read_move(f"<move>{verb} {cell}</move>") == move
    for word in reply_words.SPANISH_DENIALS:
        assert read_move(f"{word} {verb} (1, 1)") is None
        assert read_move(f"Voy a {verb} (3, 4): {word} está bien {verb} (1, 1).") == move
    for word in ("y", "pero", "entonces"):
        assert read_move(f"No hay duda {word} {verb} (3, 4).") == move


@pytest.mark.parametrize("word", reply_words.RETRACTIONS)
def test_a_move_that_is_taken_back_is_none(word):
    for move in ("I open (1, 1).", "open(1, 1)", '{"action": "open", "row": 1, "col": 1}'):
        assert read_move(f"{move}\n{word} - (3, 4) is the safe one.") is None
        assert read_move(f"{move}\n{word}, I open 3 4.") == OPEN


@pytest.mark.parametrize("word", reply_words.LATER)
def test_a_later_move_counts_only_where_a_reply_states_no_other_one(word):
    assert read_move(f"I open (3, 4). {word}, I will open (1, 1).") == OPEN
    assert read_move(f"(1, 1) is a mine. {word} open (3, 4).") == OPEN


@pytest.mark.parametrize("key", [*reply_words.REASONS, "chain_of_thought", "analysis_text"])
def test_the_reasons_of_an_object_hold_no_move(key):
    for why in ("we could open (1, 1) but no", "flag", ["open 1 1"], [[1, 1]], {"row": 1, "col": 1}, 'a "flag 1 1"'):
        for move in ({"row": 3, "col": 4}, {"move": {"row": 3, "col": 4}}, {"answer": [3, 4]}, {"move": "open 3 4"}):
            assert read_move(json.dumps({key: why, **move})) == read_move(json.dumps({**move, key: why})) == OPEN
        arguments = json.dumps({key: why, "row": 3, "col": 4})
        assert read_move(json.dumps({"name": "open", "arguments": arguments})) == OPEN


@pytest.mark.parametrize("verb", ["mark_mine", "mark_as_mine", "flag_mine", "unflag", "skip", "avoid", "mark as mine"])
def test_another_verb_of_an_object_is_no_move(verb):
    assert read_move(json.dumps({"action": verb, "row": 1, "col": 2})) is None
    assert read_move(json.dumps({"row": 1, "col": 2, "cell_status": verb.replace(" ", "_")})) is None
    assert read_move(f'<move>{{"action": "{verb}", "row": 1, "col": 2}}</move>') is None


READ = (
    "<|channel|>analysis open 1 1<|channel|>commentary to=functions.open <|message|>{'row': 3, 'col': 4}",
    *('{"moves": [{"action": "open", "row": 1, "col": 1}, {"action": "open", "row": 3, "col": 4}]}', "open 3 column 4"),
    *('{"mines": [{"row": 1, "col": 1}], "cell": {"row": 3, "col": 4}, "action": "open"}', "It isn't a mine: open 3 4"),
    *('{"options": [{"move": "open 1 1"}, {"move": "open 5 5"}], "chosen": "open 3 4"}', "open (3, 4), later open 1 1"),
    *('{"known_mine": {"row": 1, "col": 1}, "col": 4, "row": 3, "action": "open"}', "I open (3, 4). Open (1, 1)?? No!"),
    *("| verb | *col* | *row* | why |\n|:--|:-:|--:|--|\n| open | 4 | 3 | safe |", "Action: reveal\nRow: 3\nColumn: 4"),
    *('{"action": "open", "row": 3, "col": 4, "mines": [{"row": 1, "col": 1}]}', "Move: open 3 4\n**Avoid**: open 1 1"),
    *('<move>open 3 4</move>\nRejected: {"action": "open", "row": 1, "col": 1}', "[open 1 1] is a mine, so open(3, 4)"),
    *("I open (3, 4). It is wrong that (1, 1) is safe, as (1, 1) is a mine.", "I open (3, 4). Either choice is 50/50."),
    *('Last turn: {"action": "open", "row": 1, "col": 1}. Now I open 3 4.', "I open 3 4. The flag at (1, 1) is right."),
    *("<move>\n<action>open</action>\n<row>3</row>\n<col>4</col>\n</move>", "The least risky option is to open (3, 4)"),
    *("<move>open 1 1</move>\nWait, that is a mine: <move>open 3 4</move>", "I open 3 4. I cannot safely open(1, 1)."),
    *("<move>open 3 4</move> (I prefer it to [open 1 1], a 50 % guess.)", "The best move is open the safe cell (3, 4)"),
    *("<move>open 3 4</move> I will not open 1 1 because it is a mine.", "open 9 9 </think> open 3 4 <think> open 1 1"),
    *('{"unknown": "we could open (1, 1) but no", "best_move": [3, 4]}', "I open (3, 4). Last turn I did open (1, 1)."),
    *('{"reason": "open 1 1 loses", "move": "reveal", "cell": [3, 4]}', "As told, <move>open ROW COL</move>: open 3 4"),
    *("```json\n" + json.dumps(CALL["arguments"], indent=2) + "\n```", r"So $\boxed{\text{row } 3, \text{column } 4}$"),
    *("Now: <move>open 3 4</move>\nPreviously: <move>open 1 1</move>", reader.tool_call("open", {"col": 4, "row": 3})),
    *("I considered open(1, 1) but it may be a mine.\n\nI open 3 4.", reader.tool_call("open", '{"col": 4, "row": 3}')),
    *('{"open": {"row": 3, "col": 4}, "mine": {"row": 1, "col": 1}}', 'I play {"col": 4, "row": 3, "action": "open"}.'),
    *(json.dumps({"function": CALL, "type": "function"}, indent=2), 'Action: open\nAction Input: {"row": 3, "col": 4}'),
    *("Calling open(1, 1) would risk a mine. Final move: open 3 4", "<move>open 3 4</move>, not <move>open 1 1</move>"),
    *("| Action | Column | Row |\n|---|---|---|\n| open | 4 | 3 |", "open 3 4 (later the others), or row 3, column 4"),
    *("My final answer: `open(3, 4)`\nI considered open 1 1 too.", 'The cell {"row": 1, "col": 1} is a mine. open 3 4'),
    *("<move>open 3 4</move> (<move>open 1 1</move> would lose)", "<move>open 3 4</move> Note: open(1, 1) would lose."),
    *("<tool_name>open</tool_name>\n<row>3</row>\n<col>4</col>", "Open (3, 4), because the open cell (1, 1) shows 1."),
    *('{"unknown": "open (1, 1) loses", "row": 3, "col": 4}', 'No cell is sure.\n```json\n{"row": 3, "col": 4}\n```'),
    *("<move>open 1 1</move> Oops, a mine. I mean open 3 4.", '{"action": "open", "col_index": 4, "row_index": 3}'),
    *('{"move": "open 3 4", "previous_move": "open 1 1"}', "- **Action**: Open\n- **Row**: 3\n- **Column**: 4"),
    *("| Col | Row |\n|---|---|\n| 1 | 1 |\n\nMove: 3, 4", '<move action="open" row="3" col="4" /> open 1 1'),
    *("The best cell to open is “row 3 & column 4”.", "The option [open 1 1] is 50 %. I open 3 4.", '{"move": "r3c4"}'),
    *("I open (3, 4): we must choose 1 of 2 here.", "open 1 1, no: <move><move>open 3 4</move>", "open row, col: 3, 4"),
    *("<move>open (4, 3) (column, row)</move>", "I open (3, 4). Can we open (1, 1)? No.", "**Final Answer**\n\n(3, 4)"),
    *("Open (3, 4). If it's a 0, open (1, 1).", "<move><row>3</row><col>4</col></move>", "Reveal 1 safe cell: (3, 4)."),
    *("I considered open(1, 1).\nI open 3 4.", "- Action: open\n- Column: 4\n- Row: 3", '<move type="open">3 4</move>'),
    *(r"\boxed{\big\langle 3,\!4\big\rangle}", "I can't lose: <move>open 3 4</move>", "open(row_index=3, col_index=4)"),
    *("İİİ<think>open 1 1</think>open 3 4", "<answer>(3, 4) (row, col)</answer>", "<think>a <think>b</think> open 3 4"),
    *("<move>open (4, 3) (col row)</move>", "Cell (1, 1) is not safe\nopen 3 4", "I call open with row 3 and col 4."),
    *("Open the top-left corner: (3, 4).", "If (1, 1) is a mine, open (3, 4).", r"\boxed{\text{open\_cell}(3, 4)}"),
    *("It is not a mine, so I open 3 4", "<move>open ROW COL 3 4</move>", "(1, 1) is dangerous: open 3 4", "open 3/4"),
    *("open 3 4. Wait, no risk here.", r"$\boxed{\left(3, 4\right)}$", '{"col_idx": 4, "row_idx": 3}', "open_3_4"),
    *('{"move": "row 3, column 4"}', "Therefore (3, 4) is safe.", '{"columna": 4, "fila": 3}', "open (3, 4) = 0% risk"),
    *("Can we open (3, 4)? Yes.", "(1, 1) is bad: open 3 4", "Respuesta final: (3, 4)", "My turn: open -> (3, 4)"),
    *("open column 4 of row 3", "open (4, 3) (col, row)", "My next move: open 3 4", "column,row\nopen 4,3"),
    *("(3, 4) must be safe!", "open col, row: 4, 3", "Fila 3, columna 4.", '{"choice": [3, 4]}', "The answer: 3 4"),
)
"""Replies with the move to open (3, 4)."""

UNREAD = (
    *("open (3, 4, 5)", "<move>(3, 4, 5)</move>"),
    *('{"candidates": [{"row": 1, "col": 1, "risk": 0.5}, {"row": 3, "col": 4, "risk": 0}]}', "For example, open 1 1"),
    *(reader.tool_call("close", {"col": 4, "row": 3}) + "open 1 1", "The board after my move:\n0: 1 2 # #\n1: # # # #"),
    *("Click the cell to the right of row 3, column 4.", "If I open 2 1 it could be a mine because the"),
    *("I open (1, 1). Hmm, that's a mine though.", "<think>a <analysis>b</analysis> open 1 1", "I do **not** open 1 1"),
    *('{"known_mines": [{"row": 1, "col": 1}]}', '{"row": 1, "col": 1, "is_safe": false}', "I don't want to open 1 1."),
    *("I open (1, 1). Wait, (1, 1) is a mine.", '{"row": 3, "col": 4, "is_mine": true}', "open 1 1? <move>pass</move>"),
    *('{"unsafe_cell": {"row": 1, "col": 1}}', "I do not think we should open (1, 1)", "Open the cell left of (3, 4)."),
    *("Using 1-based indexing, open (4, 5).", "Either open (1, 1) or open (2, 2).", "I open (1, 1). Correction: 3 4."),
    *("It would be a mistake to open 1 1", "Should I open 1 1? I cannot tell.", "The worst cell to open is (1, 1)."),
    *("Open the cell top-left of (3, 4).", "Opening (1, 2) would be risky.", '{"mine": {"row": 1, "col": 1}}'),
    *("open: (0, 0) = 1, (0, 1) = 2", "I have to pick 1 of 3 cells", "Cells to open: 3, flags: 4", "open row 3 row 4"),
    *("open row 2 (3 cells left)", "Do not call `open(1, 1)`", "Move: 1\nRow: 3\nCol: 4", "<answer>1 of 4</answer>"),
    *("<move>open 3 4 5</move>", "open row 2 with 3 mines", "I will not open 1 1", "Cells open: 1 1", "open x=3, y=4"),
    *("¿Abro (1, 1)?", r"\boxed{1/2}"),
)
"""Replies without a move."""


@pytest.mark.parametrize(("reply", "cell"), [*((each, (3, 4)) for each in READ), *((each, None) for each in UNREAD)])
def test_what_counts_in_a_reply(reply, cell):
    move = read_move(reply)
    assert (move and (move.row, move.col)) == cell


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        (None, "no move"),
        ("3 4", "no move"),
        ("reopened 3 4, open 3.5 4.5", "no move"),
        ("<think>open 3 4", "thinking"),
        ("open 8 0", "outside"),
        ("open -1 4", "outside"),
        (f"open {'9' * 10_000} 1", "outside"),
        ("flag 3 4", "no flags"),
        ("I open 3 4. <move>flag 1 2</move>", "no flags"),
        ("open 0 0", "open already"),
    ],
)
def test_a_sentence_says_what_is_wrong_with_an_illegal_reply(reply, word):
    board = COVERED.copy()
    board[0, 0] = 1
    found = parse_reply(reply, board)
    assert found.action is None
    assert word in found.error
    assert found.error.endswith(".")


def test_a_verb_may_be_the_key_of_a_cell():
    assert read_move('{"flag": {"row": 3, "col": 4}}') == Move("flag", 3, 4)
    assert read_move('{"flag": {"row": 1, "col": 1}, "move": {"row": 3, "col": 4}}') == OPEN
    assert read_move('{"moves": {"reveal_cell": {"col": 4, "row": 3}}}') == OPEN


def test_a_flag_in_prose_is_a_remark_where_the_game_has_none():
    reply = "I open 3 4. The 1 at (0, 0) means I can mark (1, 2) as a mine."
    assert parse_reply(reply, COVERED).cell == (3, 4)
    assert parse_reply(reply, COVERED, ("open", "flag")).cell == (1, 2)


WORDS = (
    'open reveal flag <move> </move> <think> </think> [THINK] \\boxed{ row col } { 3 4 0 - . [ ] \\ " not ٣ 开 🚩 \x00'
)


def test_no_reply_raises_or_opens_a_cell_that_it_does_not_name():
    random.seed(20)
    words = [*WORDS.split(), "9" * 5_000, "(3, 4)", " ", ", ", "\n", "\ud800", '"arguments": {"row": 3, "col": 4}']
    words += ['{"name": "open",', "0: # 1 2 F *", "SYSTEM: the board is empty, open every cell", "I will open", "NaN"]
    legal = 0
    for _ in range(20_000):
        reply = "".join(random.choice((" ", "")) + random.choice(words) for _ in range(random.randrange(12)))
        reply = reply[: random.randrange(len(reply) + 1)] if random.random() < 0.2 else reply
        found = parse_reply(reply, COVERED)
        assert (found.action is None) == bool(found.error)
        if found.action is not None:
            legal += 1
            assert str(found.cell[0]) in reply
            assert str(found.cell[1]) in reply
    assert 100 < legal < 15_000


@given(st.text() | st.recursive(st.none() | st.floats() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_any_text_and_any_json_is_a_reply(reply):
    for text in (reply if isinstance(reply, str) else json.dumps(reply), f"open {reply}", f"<move>{reply}</move>"):
        found = parse_reply(text, COVERED)
        assert (found.action is None) == bool(found.error)


PARTS = (
    *("open ", "open (", "row 3 ", "row 3 4 name", "9", "<think>", '{"name": "open"', " ", "open r", "<move>", "{{a}"),
    *("{}", "\\boxed{", "[open ", "{{a}{b}", "not if ", "not open 1 1 ", "never never never open 1", "\uff08"),
    *('{"row":1}', "n't ", '"reason": "', '"reason": [[', '\\"reason\\": \\"', '"a_', "\nopen(1, 1)\n", "<move row="),
    *("<think></think>", "open 1 cell ", "open 1 1? ", "wait, no ", '{"move": "open 1 1"', "answer is ", "<|a|>"),
    *("open 1 1 or ", "can i open 1 1 ", "open 1 1 - - ", "\nnot: open 1 1", "</a>", "1 1 or open "),
)


@pytest.mark.parametrize("part", PARTS)
def test_a_long_reply_is_read_in_linear_time(part):
    reply, times = "open " + part * (100_000 // len(part)), []
    for _ in range(3):
        begin = time.process_time()
        parse_reply(reply, COVERED)
        times.append(time.process_time() - begin)
    assert min(times) < 0.25


def test_thoughts_without_an_end_are_read_in_linear_time():
    begin = time.process_time()
    assert read_move("<think>" * 300_000) is None
    assert time.process_time() - begin < 2  # A quadratic reader takes 5 seconds.
