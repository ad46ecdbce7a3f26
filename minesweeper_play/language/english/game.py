"""Messages of moves, which reports carry by key."""

TEXTS = {
    "cell_is_flagged": "The cell {x} {y} has a flag. Type flag {x} {y} to remove it.",
    "cell_is_open": "The cell {x} {y} is already open.",
    "cannot_chord": "The cell {x} {y} does not have as many flags around it as its number, or nothing is left to open.",
    "cannot_expand": "The cell {x} {y} cannot be expanded.",
    "nothing_to_expand": "Around {x} {y} nothing is left to open or to flag.",
    "undone": "The last move is taken back. From now on this game is practice.",
    "nothing_to_undo": "There is no move to take back.",
    "game_is_over": "The game is over.",
    "can_infer": "A safe cell can be inferred.",
    "first_click_is_safe": "The first cell is safe wherever you open it.",
    "revealed_one": "No safe cell could be inferred, so {count} cell was opened.",
    "revealed_other": "No safe cell could be inferred, so {count} cells were opened.",
    "won": "You won!",
    "lost": "You lost!",
    "list_end": "{items} and {last}",
    "goodbye": "Goodbye!",
    "compiling": "Compiling, once per installation. This takes some seconds.",
    "too_hard": "This position is too hard to be computed exactly.",
}
