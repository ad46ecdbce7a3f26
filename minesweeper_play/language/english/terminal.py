"""The full-screen game: keys, figures, messages, dialogs and watching."""

TEXTS = {
    # Keys
    "key_open": "open",
    "key_flag": "flag",
    "key_expand": "expand",
    "key_hint": "hint",
    "key_risks": "risks",
    "key_undo": "undo",
    "key_new": "new game",
    "key_again": "again",
    "key_prompt": "command",
    "key_settings": "settings",
    "key_statistics": "statistics",
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
    "figure_3bv": "3BV",
    "figure_efficiency": "Efficiency",
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
    "key_turn": "turns",
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
    "too_small": "The terminal is too small.\n\nThe game needs {columns} columns and {lines} lines,\n"
    "and there are {width} and {height}.\n\nEnlarge it, or press q to quit.",
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
    "settings_damaged": "The settings in {path} are damaged; the game begins with the usual ones.",
    "settings_wrong": "In {path} these settings have values that are not allowed, and take the usual ones: {names}.",
    "settings_failed": "Settings are not kept: {path}: {reason}.",
    "setting_language": "Language",
    "setting_theme": "Screen",
    "setting_palette": "Colours",
    "setting_icons": "Icons",
    "setting_zoom": "Size of cells",
    "setting_animation": "Animated openings",
    "setting_vi_keys": "h j k l move",
    "language_en": "English",
    "language_es": "español",
    "theme_dark": "dark",
    "theme_light": "light",
    "palette_standard": "standard",
    "palette_colour_blind": "for colour-blind players",
    "icons_plain": "plain",
    "icons_nerd": "Nerd Font",
    "zoom_auto": "the largest that fits",
    "zoom_0": "small",
    "zoom_1": "medium",
    "zoom_2": "large",
    "animation_on": "yes",
    "animation_off": "no",
    "vi_keys_on": "yes, and H asks for a hint",
    "vi_keys_off": "no",
    # Watching
    "watching_playing_one": "{count} move",
    "watching_playing_other": "{count} moves",
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
    "ending_figures": "{seconds} s, 3BV {solved} of {value}, efficiency {efficiency}.",
    "ending_best": "Best time on this board!",
    "ending_practice": "It was practice and is in no statistics.",
    "ending_undo": "u takes the last move back, as practice; r begins another game, v shows the coach's review.",
    # Statistics
    "table_none": "No game is over yet.",
    "table_place": "The games are in {path}.",
    "table_board_one": "{rows}\u00d7{cols}, {count} mine, first click {rule}{guessing}",
    "table_board_other": "{rows}\u00d7{cols}, {count} mines, first click {rule}{guessing}",
    "table_games": "  {won} of {played} games won ({rate}); {streak} in a row now, {longest} at most",
    "table_best": "  {place}.  {seconds} s   3BV {value}   efficiency {efficiency}   {day}",
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
}
