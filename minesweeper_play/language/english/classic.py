"""Texts of the line mode."""

MANUAL = """\
Open every cell without a mine. A number says how many of the cells around it are mines.

Write a command, then the column and the row, both from 1: flag 5 5

  try X Y        Open a cell; X Y alone does the same. A mine loses the game.
                 Without mines around it, the cells around it open too.
  flag X Y       Set a flag on a cell that you take for a mine, or remove it.
                 A flagged cell cannot be opened.
  question X Y   Set a question mark, or remove it.
  expand X Y     On an open number: if there are as many flags around it, open the
                 other cells around it; a wrong flag loses the game. If there are
                 as many covered cells around it, flag them all.
  chord X Y      As expand, but never sets flags.
  hint           Name a safe cell and the numbers that prove it; if there is none,
                 the guesses that win most.
  hint X Y       Say whether this cell is safe or a mine, and why, or else its risk.
  {assist:<13}  Say whether a safe cell can be inferred. If none can, open random
                 safe cells until one can.
  probabilities  Show the probability of a mine in every covered cell, in per cent.
  undo           Take the last move back, also a fatal one. Then the game is practice.
  review         Show the coach's review, once the game is over.
  save FILE      Save the game.
  new            Start a new game.
  {manual:<13}  Show this page.
  quit           Leave; so does Ctrl-C.

You win when every cell without a mine is open; flags are not needed. Practice is in
no statistics, and a game with hint, {assist} or probabilities sets no best time."""

TEXTS = {
    "manual": MANUAL,
    "searching": "Searching for a board without guesses: {part}, {count} tried. Ctrl-C cancels.",
    "search_cancelled": "The search is cancelled. Open another cell, or type new or quit.",
    "no_review": "The review is cancelled.",
    "unsolvable": "No board without guesses was found; this one may need a guess.",
    "solvable": "This board can be solved without a guess.",
    "manual_more": "Press Enter for more. ",
    "manual_return": "Press Enter to return to the game. ",
    "ask_size": "Size of the board ({least} to {most}): ",
    "ask_mines": "Number of mines (1 to {most}, recommended: {recommended}): ",
    "ask_no_guess": "A board that needs no guess? (y: yes; Enter: no) ",
    "not_a_number": "That is not a whole number.",
    "not_in_range": "It must be {least} to {most}.",
    "ask_action": "Action (man explains): ",
    "ask_again": "Play again? (Enter: yes; undo, review, save FILE; anything else: no) ",
    "new_game": "New game: {rows} rows, {cols} columns, {mines}, seed {seed}.",
    "figures": "Mines left: {mines}   Time: {time}",
    "figures_practice": "Mines left: {mines}   Time: {time}   Practice",
    "opened_one": "{count} cell opened.",
    "opened_other": "{count} cells opened.",
    "flagged_one": "{count} flag set.",
    "flagged_other": "{count} flags set.",
    "flag_removed": "The flag at {x} {y} is removed.",
    "question_set": "There is a question mark at {x} {y}.",
    "question_removed": "The question mark at {x} {y} is removed.",
    "legend": "{mine} a mine   {exploded} the mine you opened   {wrong} a wrong flag",
    "ending": "3BV {solved}/{value}   clicks {clicks}   efficiency {efficiency}   3BV/s {per_second}   time {time} s",
    "best_time_first": "That is the first best time on this board.",
    "best_time_new": "A new best time! The best one was {time} s.",
    "best_time_old": "The best time on this board is {time} s.",
    "probabilities_shown": "Probability of a mine, in per cent; the other cells are open:",
    "saved": "The game is saved in {path}.",
    "save_failed": "{path} cannot be written: {reason}.",
    "statistics_failed": "This game is not in the statistics: {path}: {reason}.",
    "statistics_damaged_one": "{count} line of {path} cannot be read; the damaged file is kept as {aside}.",
    "statistics_damaged_other": "{count} lines of {path} cannot be read; the damaged file is kept as {aside}.",
    "statistics_missing": "No statistics are kept: {reason}.",
    "statistics_homeless": "No statistics are kept, since this user has no home folder.",
    "statistics_empty": "No game is finished yet.",
    "statistics_head": "board|played|won|won of played|streak|longest streak|best time (s)|3BV per click",
    "first_click_any": "no safe first click",
    "first_click_safe": "safe first click",
    "first_click_opening": "first click opens",
    "first_click_corners": "mines to corners",
    "without_guess": "no guess ({level})",
    "with_radius": "radius {radius}",
    "syntax_empty": "Invalid syntax (no command). man lists the commands.",
    "syntax_unknown": "Invalid syntax ({word} is no command). man lists the commands.",
    "syntax_upper_case": "Invalid syntax ({word}: commands are written in lower case).",
    "syntax_too_many": "Invalid syntax ({word} takes nothing after it).",
    "syntax_coordinates": "Invalid syntax ({word} takes a column and a row, such as {word} 3 2).",
    "syntax_off_board": "Invalid syntax (columns are 1 to {cols}, rows 1 to {rows}).",
    "syntax_path": "Invalid syntax ({word} takes the name of a file).",
}
