"""The language of typed commands: what each line means, and why a line is no command."""

from typing import get_args

import pytest

from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.moves import ON_CELLS, PLAIN, Command, TextError, parse_command
from minesweeper_play.options import Language
from minesweeper_play.terminal.playing import GameScreen


def test_the_first_coordinate_is_the_column_and_both_count_from_1():
    for word in (*ON_CELLS, "hint"):
        assert parse_command(f"{word} 3 2", 5, 9) == Command(word, (1, 2))
        assert parse_command(f"  {word}\t(9,  5) ", 5, 9) == Command(word, (4, 8))


def test_other_commands_stand_alone_and_a_path_may_have_blanks():
    for word in (*PLAIN, "hint"):
        assert parse_command(word, 5, 9) == Command(word)
    for word in ("save", "guardar"):
        assert parse_command(f"{word} my  game.json ", 5, 9) == Command("save", path="my  game.json")


def test_the_words_of_the_footer_are_commands_in_each_language():
    for language in get_args(Language):
        text = Catalogue(language).text
        for key, command in (("open", "try"), ("flag", "flag")):
            assert parse_command(f"{text(f'key_{key}').upper()} 3 2", 5, 9) == Command(command, (1, 2))
        named = {"hint": "hint", "risks": "probabilities", "undo": "undo", "review": "review", "leave": "quit"}
        assert {key: parse_command(text(f"key_{key}"), 5, 9).word for key in named} == named
        for key in ("new", "again", "pause"):
            assert parse_command(text(f"key_{key}").split()[0], 5, 9) == Command(key)
        assert parse_command(text("key_manual"), 5, 9).word in ("help", "man")


def test_the_keys_of_the_full_screen_are_commands_with_the_meaning_of_the_keys():
    actions = {"assist": "assist", "risks": "probabilities", "manual": "man", "leave": "quit"}
    for binding in GameScreen.BINDINGS:
        action = binding.action.partition("(")[0]
        if len(binding.key) == 1 and action.partition(".")[0] not in ("app", "at_cursor"):
            assert parse_command(binding.key, 5, 9).word == actions.get(action, action)
    assert [parse_command(f"{key} 3 2", 5, 9).word for key in "fxch"] == ["flag", "question", "expand", "hint"]


NO_COMMANDS = {
    "syntax_empty": ["", "   "],
    "syntax_unknown": ["foo", "foo, 1"],
    "syntax_coordinates": ["flag", "flag 1 2 3", "flag one 2", "1", "flag \u0663 1", "flag 1.5 1", "hint 3"],
    "syntax_off_board": ["0 1", "10 1", "1 6", "-1 1", f"{'9' * 5000} 1", "hint 1 6"],
    "syntax_too_many": [f"{word} 1 1" for word in PLAIN],
}


@pytest.mark.parametrize("key", NO_COMMANDS)
def test_a_line_that_is_no_command_says_why(key):
    for line in NO_COMMANDS[key]:
        with pytest.raises(TextError) as error:
            parse_command(line, 5, 9)
        assert error.value.key == key
