"""English texts of the game, the coach and the window, by key; Spanish ones have the same keys."""

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
    # Moves, which reports name by key
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
    "revealed": "No safe cell could be inferred, so {count} cell was opened. / "
    "No safe cell could be inferred, so {count} cells were opened.",
    "won": "You won!",
    "lost": "You lost!",
    "list_end": "{items} and {last}",
    "goodbye": "Goodbye!",
    "line_by_line": "{reason}, so the game is played line by line",
    "lack_of_screen": "a terminal with TERM=dumb has no full screen",
    "lack_of_characters": "a terminal with the encoding {encoding} cannot show the characters of the full screen",
    "compiling": "Compiling, once per installation. This takes some seconds.",
    "too_hard": "This position is too hard to be computed exactly.",
    # Hints: what follows, and from which numbers
    "cell": "({x} {y})",
    "more_cells": "{count} more",
    "safe": "{cells} is safe / {cells} are safe",
    "mine": "{cells} is a mine / {cells} are mines",
    "finding": "{finding}: {reason}.",
    "both_findings": "{safe}, and {mines}",
    "all_mines_known": "all mines are known",
    "only_mines_left": "there are as many mines left as cells",
    "clues": "the number at {cells} / the numbers at {cells}",
    "count_safe": "{clues} has all its mines / "
    "the number at {first} needs all its neighbours left, so that at {second} has all its mines",
    "count_mine": "{clues} needs all its remaining neighbours / "
    "the number at {first} has all its mines, so that at {second} needs all its neighbours left",
    "subset_safe": "{clues} leaves no mine there / {clues}, subtracted from one another, leave no mine there",
    "subset_mine": "{clues} leaves only mines there / {clues}, subtracted from one another, leave only mines there",
    "total_safe": "{clues} accounts for all mines left on the board / {clues} account for all mines left on the board",
    "total_mine": "{clues} accounts for all safe cells left on the board / "
    "{clues} account for all safe cells left on the board",
    "exact": "so it is in every layout that fits {clues}",
    "exact_with_total": "so it is in every layout that fits {clues} and the number of mines",
    "advice_protected": "The first click is safe everywhere; {cell} is a good start.",
    "advice_guess": "No cell is certainly safe. {cell} has the least risk: {risk}.",
    "advice_best": "No cell is certainly safe. The best guess is {cell}: risk {risk}, wins {win} of the games.",
    "advice_rest": "Then {others}.",
    "advice_next": "{cell} ({risk}, wins {win})",
    "cell_protected": "The first click is safe everywhere, at {cell} too.",
    "cell_risk": "{cell} is not certain: a mine is there with a probability of {risk}.",
    "cell_is_least": "No cell has a smaller risk.",
    "cell_is_best": "No cell is known to win more games.",
    "cell_better": "{cell}, with a risk of {risk}, wins {win} of the games instead of {own}.",
    "cell_least": "{cell} has the least risk: {risk}.",
    "cell_safer": "Another cell is certainly safe: {cell}.",
    # The line mode
    "manual": MANUAL,
    "searching": "Searching for a board without guesses: {part}, {count} tried. Ctrl-C cancels.",
    "search_cancelled": "The search is cancelled. Open another cell, or type new or quit.",
    "reviewing_cancelled": "The review is cancelled.",
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
    "opened": "{count} cell opened. / {count} cells opened.",
    "flagged": "{count} flag set. / {count} flags set.",
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
    "statistics_damaged": "{count} line of {path} cannot be read. / {count} lines of {path} cannot be read.",
    "statistics_missing": "No statistics are kept: {reason}.",
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
    # The full-screen game
    # Keys
    "key_open": "open",
    "key_flag": "flag",
    "key_hint": "hint",
    "key_risks": "risks",
    "key_undo": "undo",
    "key_new": "new game",
    "key_again": "again",
    "key_manual": "help",
    "key_leave": "quit",
    "key_pause": "pause",
    "key_step": "one step",
    "key_faster": "faster",
    "key_slower": "slower",
    "key_next": "next game",
    # Figures
    "figure_mines": "Mines",
    "figure_time": "Time",
    "figure_moves": "Moves",
    "figure_board": "Board",
    "figure_seed": "Seed",
    "figure_speed": "Speed",
    "figure_practice": "practice",
    "figure_no_guess": "no guessing",
    # Messages
    "title": "Minesweeper",
    "serving": "Minesweeper is at {url}; Ctrl-C ends it.",
    "search_title": "Searching for a board that needs no guess",
    "search_progress": "{done} of {total} boards tried",
    "key_review": "review",
    "key_curve": "curve or board",
    "key_back": "back",
    "review_later": "The coach reviews a game once it is over.",
    "reviewing_title": "The coach looks at this game",
    "reviewing_progress": "{done} of {total} steps",
    "save_on_web": "A game in a web page cannot be saved into a file.",
    "statistics_on_web": "A game in a web page is in no statistics.",
    "serving_not": "the port {port} of {host} cannot be used: {reason}; choose another with --port",
    "web_starting": "The game starts in some seconds ...",
    "web_ended": "The game has ended.",
    "web_flag_mode": "⚑ flag mode",
    "web_full": "All places are taken. Try again later.",
    "web_again": "Play again",
    "prompt_placeholder": "Type a command:  try 3 7   flag 3 7   expand 3 7   hint   help",
    "ready": "Open a cell to begin.",
    "resumed": "The game goes on.",
    "risks_off": "The risks are hidden.",
    "risks_numbers": "Risks in per cent: how probable a mine is in each cell.",
    "risks_shades": "Risks as shades, from safe to dangerous.",
    "thinking": "Searching for a proof...",
    "yes": "Yes",
    "no": "No",
    "cancel": "Cancel",
    "close": "Close",
    "manual_title": "Help",
    "statistics_title": "Statistics",
    "page_keys": "arrows scroll, Enter closes",
    "ask_leave": "This game is not over. Quit?",
    "ask_new": "This game is not over. Begin a new one?",
    # A new game
    "new_title": "New game",
    "new_board": "Board",
    "new_size": "Rows, columns, mines",
    "new_rows": "The number of rows",
    "new_cols": "The number of columns",
    "new_mines": "The number of mines",
    "new_first_click": "First click",
    "new_no_guess": "Guessing",
    "new_seed": "Seed",
    "new_seed_name": "The seed",
    "new_seed_random": "random",
    "new_start": "Start",
    "new_not_a_number": "{name} must be a whole number of at least {least}, not {given!r}.",
    "new_too_many_cells": "A board has 2 to {most} cells, not {given}.",
    "new_too_many_mines": "This board has room for 1 to {most} mines, not {given}.",
    "new_no_mines_fit": "No mine fits on this board with this first-click rule; choose a larger board or another rule.",
    "board_default": "Small",
    "board_beginner": "Beginner",
    "board_intermediate": "Intermediate",
    "board_expert": "Expert",
    "board_custom": "another size",
    "rule_opening": "opens an area",
    "rule_safe": "is no mine",
    "rule_any": "may be a mine",
    "rule_corners": "moves mines into corners",
    "no_guess_off": "may be necessary",
    "no_guess_subset": "never necessary, easy reasoning",
    "no_guess_exact": "never necessary, any reasoning",
    # Settings
    "settings": "Settings",
    "settings_unreadable": "The settings in {path} cannot be read ({reason}); the game begins with the usual ones.",
    "settings_failed": "Settings are not kept: {path}: {reason}.",
    "setting_language": "Language",
    "setting_theme": "Screen",
    "setting_palette": "Colours",
    "setting_icons": "Icons",
    "setting_animation": "Animated openings",
    "language_en": "English",
    "language_es": "español",
    "theme_dark": "dark",
    "theme_light": "light",
    "palette_standard": "standard",
    "palette_colour_blind": "for colour-blind players",
    "icons_plain": "plain",
    "icons_nerd": "Nerd Font",
    "animation_on": "yes",
    "animation_off": "no",
    # Watching
    "watching_playing": "{count} move / {count} moves",
    "watching_won": "won",
    "watching_lost": "lost",
    "watching_truncated": "stopped at the step limit",
    "watching_speed": "{speed} moves/s",
    "watching_paused": "paused",
    "ratings_network": "cells: risk as the network sees it",
    "ratings_own": "cells: the policy's own risk",
    "ratings_preference": "cells: the policy's preference",
    "ratings_uniform": "cells: risk if all layouts were equally likely",
    "ratings_beside": "click: {own}, {kind} {oracle}",
    "ratings_beside_preference": "click: {kind} {oracle}",
    "risk_exact": "exact",
    "risk_uniform": "with equally likely layouts",
    "ratings_exact": "cells: exact risk",
    "ratings_none": "cells: risk unknown",
    "score_none": "No game is over yet.",
    "score": "{name}: {wins} of {games} won ({rate})",
    # The end of a game
    # Statistics
    "table_place": "The games are in {path}.",
    "manual_keys": """\
A number says how many of the cells around it are mines. Open every cell that is no mine.

MOUSE
  left button     open a cell; on a number with all its flags, what is left around it
  right button    flag a cell, or remove the flag; so does Ctrl and the left button
  middle or both  open what is left around a number that has all its flags
  wheel           scroll

KEYS
  arrows          move; Home, End, Page Up and Page Down go to the edges
  Enter, Space    as the left button
  f               flag
  x               question mark
  c               expand: open what is left around a number, or flag it
  h               hint: a safe cell and the numbers that prove it, or the best guesses
  p               risks in per cent, then as shades, then hidden
  u               take a move back; the game is practice from then on
  n               choose a new game
  r               play the same board again, with other mines
  v               the coach's review, after the game
  s               settings
  t               statistics and best times
  :  Escape       go to the command prompt, and back to the board
  q               quit

COMMANDS
""",
    # The window
    "window_keys": "Left opens, right flags, middle or both chord. n new, u undo, h hint, p probabilities, "
    "1 2 3 boards, q quit.",
    "window_flagged": "This cell has a flag; the right button removes it.",
    "window_searching": "Searching for a board that needs no guess: {count} tried. Esc cancels.",
    "window_search_cancelled": "The search is cancelled. Open another cell, or press n.",
    "window_overlay": "The probability of a mine in every covered cell, in per cent.",
    "window_title": "Minesweeper {rows}x{cols}, {mines}",
    # The coach: analyses of positions and reviews of games
    "mine_count": "{count} mine / {count} mines",
    "position_head": "{rows}x{cols} board, {mines}: {layouts} layout fits. / "
    "{rows}x{cols} board, {mines}: {layouts} layouts fit.",
    "position_many": "{rows}x{cols} board, {mines}: about 10^{power} layouts fit.",
    "position_won": "The game is won: all covered cells are mines.",
    "position_lost": "The game is lost: the board shows its mines.",
    "position_safe": "Certainly safe: {cells}.",
    "position_mines": "Certainly mines: {cells}.",
    "position_wrong_flags": "This flag is wrong: {cells}. / These flags are wrong: {cells}.",
    "position_exact": "Probability of winning: {win}, exact.",
    "position_playouts": "Probability of winning: {win} ± {error}, by playouts.",
    "position_best": "Best move: open {cell}.",
    "position_first": "Best move: open {cell}, a good start. All cells have the same risk.",
    "position_guess": "No cell is certainly safe. The best guess is {cell}.",
    "choices_head": "cell|risk|wins",
    "points": "{points} points",
    "review_head": "Review of a game on {rows}x{cols} with {mines}, seed {seed}: {result}.",
    "result_won": "won in {count} move / won in {count} moves",
    "result_lost": "lost at move {count}",
    "result_playing": "under way after {count} move / under way after {count} moves",
    "result_ready": "not begun",
    "review_empty": "No cell is open yet, so there is nothing to review.",
    "review_table_head": "move|cell|mark|risk|wins before|after|skill|luck",
    "review_run": "{count} moves",
    "mark_first": "first click",
    "mark_help": "help",
    "mark_safe": "safe",
    "mark_best": "best",
    "mark_calculated": "calculated",
    "mark_inaccurate": "inaccurate",
    "mark_avoidable": "avoidable death",
    "mark_unlucky": "bad luck",
    "mark_not judged": "not judged",
    "detail": "Move {number}, {cell}: {mark}.",
    "detail_chord": "The chord opened {cells}.",
    "detail_wrong_flags": "The flag at {cells} was wrong. / The flags at {cells} were wrong.",
    "detail_certain_mine": "The cell was certainly a mine. / At least one of these cells was certainly a mine.",
    "detail_risk": "Its risk was {risk}.",
    "detail_excess": "Its risk was {risk}, {excess} beyond the least.",
    "detail_least": "Its risk was {risk}, the least on the board.",
    "detail_safe": "Another cell was certainly safe.",
    "detail_better": "{cell}, with a risk of {risk}, would have won {win} of the games instead of {own}.",
    "detail_calculated": "It was worth it: no cell of less risk wins more games.",
    "detail_calculated_lost": "There were safer cells, but none of them wins more games: the choice was no mistake.",
    "detail_close": "The best choice wins hardly more games.",
    "detail_first": "Nothing could guide it.",
    "detail_help": "The command help opened it.",
    "detail_not_judged": "The position was too hard for exact probabilities.",
    "detail_protected": "A first click can hit a mine under this rule, wherever it is.",
    "detail_unlucky": "No better choice is known.",
    "curve_head": "Probability of winning along the game, in per cent over the moves:",
    "summary_marks": "Marks: {marks}.",
    "summary_mark": "{mark} {count}",
    "summary_split": "From {first} at the start to {last}: skill {skill}, luck {luck} points.",
    "summary_luckiest": "Best luck: move {number}, {luck} points.",
    "summary_unluckiest": "Worst luck: move {number}, {luck} points.",
    "summary_excess": "Risk taken beyond the least, summed over the moves: {excess}.",
    "summary_wrong_flags": "{count} flag was set on a safe cell. / {count} flags were set on safe cells.",
    "summary_practice": "The game was practice, and is in no statistics.",
    "summary_estimates": "Probabilities after {sign} are estimates.",
    "review_corners": "The coach cannot review games whose first click moves mines into corners.",
    "review_radius": "The coach reviews games of radius 1, not {radius}.",
    "review_goes_on": "The position now:",
    "coach_reading": "Analyse {file}",
    "coach_needs_mines": "a board as text needs its number of mines: --mines N",
    "coach_surplus_mines": "a saved game has its own number of mines; leave out --mines",
    "coach_stdin": "Type or paste a board or a saved game, then end the input.",
    "coach_corners": "the coach needs --first-click any, safe or opening: they make all layouts equally likely",
    "coach_not_text": "the input is no text in UTF-8",
    "coach_not_saved": "{file} is no saved game: {reason}",
    "coach_empty": "the text holds no board; a board has one line per row, such as ##1",
    "coach_cell": "line {line}, column {column}: '{found}' is no cell; allowed are 0 to 8 . · # F X ? * ! and blanks",
    "coach_row": "line {line} has {found} cells, and the first row has {expected}",
    "contradiction": "the number at {cells} cannot be right / the numbers at {cells} contradict each other",
    "at_most": "at most {number}",
    "at_least": "at least {number}",
    "contradiction_mines": "the numbers fit {allowed} mine, not {mines} / the numbers fit {allowed} mines, not {mines}",
    "alternative": "{one} or {other}",
}
