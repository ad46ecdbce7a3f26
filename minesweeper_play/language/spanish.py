"""Spanish texts of the game, the coach and the window, by key; English ones have the same keys."""

MANUAL = """\
Descubre todas las celdas sin mina. Cada número dice cuántas de las celdas vecinas son minas.

Escribe una acción y después la columna y la fila, ambas desde 1: flag 5 5

  try X Y        Descubre una celda; X Y a secas hace lo mismo. Con una mina se
                 pierde la partida. Si no tiene minas vecinas, se descubren también
                 las celdas vecinas.
  flag X Y       Pone una bandera en una celda que tomas por mina, o la quita.
                 Una celda con bandera no se puede descubrir.
  question X Y   Pone un signo de interrogación, o lo quita.
  expand X Y     En un número descubierto: si tiene tantas banderas vecinas, descubre
                 las demás celdas vecinas; una bandera equivocada pierde la partida.
                 Si tiene tantas celdas vecinas sin descubrir, las marca todas.
  chord X Y      Como expand, pero nunca pone banderas.
  hint           Nombra una celda segura y los números que lo demuestran; si no la
                 hay, las celdas que más ganan.
  hint X Y       Dice si esa celda es segura o una mina, y por qué, o si no su riesgo.
  {assist:<13}  Dice si es posible inferir una celda segura. Si no lo es, descubre
                 celdas seguras al azar hasta que lo sea.
  probabilities  Muestra la probabilidad de mina de cada celda cubierta, en por ciento.
  undo           Deshace la última jugada, también una fatal. Desde entonces la
                 partida es de práctica.
  review         Muestra la revisión del entrenador, terminada la partida.
  save ARCHIVO   Guarda la partida.
  new            Empieza una partida nueva.
  {manual:<13}  Muestra esta página.
  quit           Sale del juego; Ctrl-C también.

Ganas cuando todas las celdas sin mina están descubiertas; las banderas no hacen falta.
Las partidas de práctica no entran en las estadísticas, y una partida con hint, {assist} o
probabilities no marca un mejor tiempo."""

TEXTS = {
    # Moves, which reports name by key
    "cell_is_flagged": "La celda {x} {y} tiene una bandera. Escribe flag {x} {y} para quitarla.",
    "cell_is_open": "¡La celda {x} {y} ya está descubierta!",
    "cannot_chord": "La celda {x} {y} no tiene tantas banderas vecinas como su número, o no queda nada que descubrir.",
    "cannot_expand": "Celda {x} {y} inválida para expansión.",
    "nothing_to_expand": "Alrededor de {x} {y} no queda nada que descubrir ni que marcar.",
    "undone": "Se ha deshecho la última jugada. Desde ahora la partida es de práctica.",
    "nothing_to_undo": "No hay ninguna jugada que deshacer.",
    "game_is_over": "La partida ha terminado.",
    "can_infer": "Es posible inferir una celda segura.",
    "first_click_is_safe": "La primera celda es segura, la descubras donde la descubras.",
    "revealed": "No fue posible inferir ninguna celda segura; se ha descubierto {count} celda. / "
    "No fue posible inferir ninguna celda segura; se han descubierto {count} celdas.",
    "won": "¡Ganaste!",
    "lost": "¡Perdiste!",
    "list_end": "{items} y {last}",
    "goodbye": "¡Hasta luego!",
    "line_by_line": "{reason}, así que se juega línea a línea",
    "lack_of_screen": "una terminal con TERM=dumb no tiene pantalla completa",
    "lack_of_characters": "la terminal, en {encoding}, no puede mostrar los caracteres de la pantalla completa",
    "compiling": "Compilando, una sola vez por instalación. Tarda unos segundos.",
    "too_hard": "Esta posición es demasiado difícil para calcularla con exactitud.",
    # Hints: what follows, and from which numbers
    "cell": "({x} {y})",
    "more_cells": "{count} más",
    "safe": "{cells} es segura / {cells} son seguras",
    "mine": "{cells} es una mina / {cells} son minas",
    "finding": "{finding}: {reason}.",
    "both_findings": "{safe}, y {mines}",
    "all_mines_known": "ya se conocen todas las minas",
    "only_mines_left": "quedan tantas minas como celdas",
    "clues": "el número de {cells} / los números de {cells}",
    "count_safe": "{clues} ya tiene todas sus minas / "
    "el número de {first} necesita todas sus vecinas, así que el de {second} ya tiene todas sus minas",
    "count_mine": "{clues} necesita todas las vecinas que le quedan / "
    "el número de {first} ya tiene todas sus minas, así que el de {second} necesita todas sus vecinas",
    "subset_safe": "{clues} no deja allí ninguna mina / {clues}, restados entre sí, no dejan allí ninguna mina",
    "subset_mine": "{clues} solo deja allí minas / {clues}, restados entre sí, solo dejan allí minas",
    "total_safe": "{clues} abarca todas las minas que quedan en el tablero / "
    "{clues} abarcan todas las minas que quedan en el tablero",
    "total_mine": "{clues} abarca todas las celdas seguras que quedan en el tablero / "
    "{clues} abarcan todas las celdas seguras que quedan en el tablero",
    "exact": "así es en toda distribución de minas compatible con {clues}",
    "exact_with_total": "así es en toda distribución compatible con {clues} y con el número de minas",
    "advice_protected": "El primer clic es seguro en todo el tablero; {cell} es un buen comienzo.",
    "advice_guess": "Ninguna celda es segura con certeza. La de menor riesgo es {cell}: {risk}.",
    "advice_best": "Ninguna celda es segura con certeza. Mejor {cell}: riesgo {risk}, gana {win} de las partidas.",
    "advice_rest": "Después {others}.",
    "advice_next": "{cell} ({risk}, gana {win})",
    "cell_protected": "El primer clic es seguro en todo el tablero, también en {cell}.",
    "cell_risk": "{cell} no es segura ni mina con certeza: la probabilidad de que haya una mina es del {risk}.",
    "cell_is_least": "Ninguna celda tiene un riesgo menor.",
    "cell_is_best": "No se conoce ninguna celda que gane más partidas.",
    "cell_better": "{cell}, con un riesgo del {risk}, gana {win} de las partidas en lugar de {own}.",
    "cell_least": "La de menor riesgo es {cell}: {risk}.",
    "cell_safer": "Otra celda es segura con certeza: {cell}.",
    # The line mode
    "manual": MANUAL,
    "searching": "Buscando un tablero sin adivinar: {part}, {count} intentos. Ctrl-C cancela.",
    "search_cancelled": "Búsqueda cancelada. Descubre otra celda, o escribe new o quit.",
    "reviewing_cancelled": "La revisión se ha cancelado.",
    "unsolvable": "No se encontró un tablero sin adivinar; en este puede hacer falta.",
    "solvable": "Este tablero se puede resolver con seguridad, sin adivinar.",
    "manual_more": "Pulsa Enter para seguir. ",
    "manual_return": "Pulsa Enter para volver a la partida. ",
    "ask_size": "Tamaño del tablero (de {least} a {most}): ",
    "ask_mines": "Cantidad de minas (de 1 a {most}, recomendado: {recommended}): ",
    "ask_no_guess": "¿Tablero que se resuelve sin adivinar? (s: sí; Enter: no) ",
    "not_a_number": "Error: el valor ingresado debe ser un número entero.",
    "not_in_range": "Debe estar entre {least} y {most}.",
    "ask_action": "Acción (man para explicación): ",
    "ask_again": "¿Seguir jugando? (Enter: sí; undo, review, save ARCHIVO; otro texto: no) ",
    "new_game": "Partida nueva: {rows} filas, {cols} columnas, {mines}, semilla {seed}.",
    "figures": "Minas restantes: {mines}   Tiempo: {time}",
    "figures_practice": "Minas restantes: {mines}   Tiempo: {time}   Práctica",
    "opened": "Se ha descubierto {count} celda. / Se han descubierto {count} celdas.",
    "flagged": "Se ha puesto {count} bandera. / Se han puesto {count} banderas.",
    "flag_removed": "Se ha quitado la bandera de {x} {y}.",
    "question_set": "Hay un signo de interrogación en {x} {y}.",
    "question_removed": "Se ha quitado el signo de interrogación de {x} {y}.",
    "legend": "{mine} mina   {exploded} la mina que descubriste   {wrong} bandera equivocada",
    "ending": "3BV {solved}/{value}   clics {clicks}   eficiencia {efficiency}   3BV/s {per_second}   tiempo {time} s",
    "best_time_first": "Es el primer mejor tiempo en este tablero.",
    "best_time_new": "¡Nuevo mejor tiempo! El anterior era {time} s.",
    "best_time_old": "El mejor tiempo en este tablero es {time} s.",
    "probabilities_shown": "Probabilidad de mina, en por ciento; las demás celdas están descubiertas:",
    "saved": "La partida está guardada en {path}.",
    "save_failed": "No se puede escribir {path}: {reason}.",
    "statistics_failed": "Esta partida no está en las estadísticas: {path}: {reason}.",
    "statistics_damaged": "No se puede leer {count} línea de {path}. / No se pueden leer {count} líneas de {path}.",
    "statistics_missing": "No se llevan estadísticas: {reason}.",
    "statistics_empty": "Todavía no ha terminado ninguna partida.",
    "statistics_head": "tablero|jugadas|ganadas|ganadas de jugadas|racha|racha mayor|mejor tiempo (s)|3BV por clic",
    "first_click_any": "primer clic sin protección",
    "first_click_safe": "primer clic seguro",
    "first_click_opening": "el primer clic abre",
    "first_click_corners": "minas a las esquinas",
    "without_guess": "sin adivinar ({level})",
    "with_radius": "radio {radius}",
    "syntax_empty": "Sintaxis inválida (falta la acción). man muestra las acciones.",
    "syntax_unknown": "Sintaxis inválida ({word} no es una acción). man muestra las acciones.",
    "syntax_upper_case": "Sintaxis inválida ({word}: las acciones se escriben en minúsculas).",
    "syntax_too_many": "Sintaxis inválida ({word} no lleva nada detrás).",
    "syntax_coordinates": "Sintaxis inválida ({word} lleva una columna y una fila, como {word} 3 2).",
    "syntax_off_board": "Sintaxis inválida (las columnas van de 1 a {cols}, las filas de 1 a {rows}).",
    "syntax_path": "Sintaxis inválida ({word} lleva el nombre de un archivo).",
    # The full-screen game
    # Keys
    "key_open": "abrir",
    "key_flag": "bandera",
    "key_hint": "pista",
    "key_risks": "riesgos",
    "key_undo": "deshacer",
    "key_new": "nueva",
    "key_again": "otra",
    "key_manual": "ayuda",
    "key_leave": "salir",
    "key_pause": "pausa",
    "key_step": "un paso",
    "key_faster": "más rápido",
    "key_slower": "más lento",
    "key_next": "siguiente",
    # Figures
    "figure_mines": "Minas",
    "figure_time": "Tiempo",
    "figure_moves": "Jugadas",
    "figure_board": "Tablero",
    "figure_seed": "Semilla",
    "figure_speed": "Velocidad",
    "figure_practice": "práctica",
    "figure_no_guess": "sin adivinar",
    # Messages
    "title": "Buscaminas",
    "serving": "El buscaminas está en {url}; Ctrl-C lo termina.",
    "search_title": "Buscando un tablero que no exija adivinar",
    "search_progress": "{done} de {total} tableros probados",
    "key_review": "revisar",
    "key_curve": "curva o tablero",
    "key_back": "volver",
    "review_later": "El entrenador revisa la partida cuando ha terminado.",
    "reviewing_title": "El entrenador mira esta partida",
    "reviewing_progress": "{done} de {total} pasos",
    "save_on_web": "Una partida en una página web no se puede guardar en un archivo.",
    "statistics_on_web": "Una partida en una página web no entra en las estadísticas.",
    "serving_not": "el puerto {port} de {host} no se puede usar: {reason}; elige otro con --port",
    "web_starting": "La partida empieza en unos segundos ...",
    "web_ended": "La partida ha terminado.",
    "web_flag_mode": "⚑ poner banderas",
    "web_full": "Todas las plazas están ocupadas. Prueba más tarde.",
    "web_again": "Jugar otra vez",
    "prompt_placeholder": "Escribe una orden:  try 3 7   flag 3 7   expand 3 7   hint   help",
    "ready": "Descubre una celda para empezar.",
    "resumed": "La partida continúa.",
    "risks_off": "Los riesgos están ocultos.",
    "risks_numbers": "Riesgos en tanto por ciento: la probabilidad de que haya una mina en cada celda.",
    "risks_shades": "Riesgos como tonos, de seguro a peligroso.",
    "thinking": "Buscando una demostración...",
    "yes": "Sí",
    "no": "No",
    "cancel": "Cancelar",
    "close": "Cerrar",
    "manual_title": "Ayuda",
    "statistics_title": "Estadísticas",
    "page_keys": "las flechas desplazan, Intro cierra",
    "ask_leave": "La partida no ha terminado. ¿Salir?",
    "ask_new": "La partida no ha terminado. ¿Empezar otra?",
    # A new game
    "new_title": "Nueva partida",
    "new_board": "Tablero",
    "new_size": "Filas, columnas, minas",
    "new_rows": "El número de filas",
    "new_cols": "El número de columnas",
    "new_mines": "El número de minas",
    "new_first_click": "Primer clic",
    "new_no_guess": "Adivinar",
    "new_seed": "Semilla",
    "new_seed_name": "La semilla",
    "new_seed_random": "al azar",
    "new_start": "Empezar",
    "new_not_a_number": "{name} debe ser un número entero no menor que {least}, no {given!r}.",
    "new_too_many_cells": "Un tablero tiene de 2 a {most} celdas, no {given}.",
    "new_too_many_mines": "En este tablero caben de 1 a {most} minas, no {given}.",
    "new_no_mines_fit": "Con esta regla del primer clic no cabe ninguna mina; elige un tablero mayor u otra regla.",
    "board_default": "Pequeño",
    "board_beginner": "Principiante",
    "board_intermediate": "Intermedio",
    "board_expert": "Experto",
    "board_custom": "otro tamaño",
    "rule_opening": "descubre una zona",
    "rule_safe": "no es una mina",
    "rule_any": "puede ser una mina",
    "rule_corners": "lleva las minas a las esquinas",
    "no_guess_off": "puede ser necesario",
    "no_guess_subset": "nunca, razonamiento sencillo",
    "no_guess_exact": "nunca, cualquier razonamiento",
    # Settings
    "settings": "Ajustes",
    "settings_unreadable": "No se pueden leer los ajustes de {path} ({reason}); el juego empieza con los habituales.",
    "settings_failed": "Los ajustes no se guardan: {path}: {reason}.",
    "setting_language": "Idioma",
    "setting_theme": "Pantalla",
    "setting_palette": "Colores",
    "setting_icons": "Iconos",
    "setting_animation": "Animación",
    "language_en": "English",
    "language_es": "español",
    "theme_dark": "oscura",
    "theme_light": "clara",
    "palette_standard": "normales",
    "palette_colour_blind": "para daltónicos",
    "icons_plain": "sencillos",
    "icons_nerd": "Nerd Font",
    "animation_on": "sí",
    "animation_off": "no",
    # Watching
    "watching_playing": "{count} jugada / {count} jugadas",
    "watching_won": "ganó",
    "watching_lost": "perdió",
    "watching_truncated": "detenida en el límite de pasos",
    "watching_speed": "{speed} jugadas/s",
    "watching_paused": "en pausa",
    "ratings_network": "celdas: riesgo según la red",
    "ratings_own": "celdas: riesgo según la política",
    "ratings_preference": "celdas: preferencia de la política",
    "ratings_uniform": "celdas: riesgo con distribuciones equiprobables",
    "ratings_beside": "clic: {own}, {kind} {oracle}",
    "ratings_beside_preference": "clic: {kind} {oracle}",
    "risk_exact": "exacto",
    "risk_uniform": "con distribuciones equiprobables",
    "ratings_exact": "celdas: riesgo exacto",
    "ratings_none": "celdas: riesgo desconocido",
    "score_none": "Aún no ha terminado ninguna partida.",
    "score": "{name}: {wins} de {games} ganadas ({rate})",
    # The end of a game
    # Statistics
    "table_place": "Las partidas están en {path}.",
    "manual_keys": """\
Un número dice cuántas de las celdas de alrededor son minas. Descubre todas las que no lo son.

RATÓN
  izquierdo       descubrir una celda; en un número con sus banderas, lo que queda alrededor
  derecho         poner o quitar una bandera; también Ctrl y el botón izquierdo
  medio o ambos   descubrir lo que queda alrededor de un número con todas sus banderas
  rueda           desplazar

TECLAS
  flechas         mover; Inicio, Fin, Re Pág y Av Pág van a los bordes
  Intro, espacio  como el botón izquierdo
  f               bandera
  x               interrogación
  c               expandir: descubrir lo que queda alrededor de un número, o marcarlo
  h               pista: una celda segura y los números que la prueban, o las mejores
  p               riesgos en tanto por ciento, luego como tonos, luego ocultos
  u               deshacer una jugada; desde entonces la partida es de práctica
  n               elegir otra partida
  r               jugar otra vez en el mismo tablero, con otras minas
  v               la revisión del entrenador, tras la partida
  s               ajustes
  t               estadísticas y mejores tiempos
  :  Escape       ir a la línea de órdenes, y volver al tablero
  q               salir

ÓRDENES
""",
    # The window
    "window_keys": "Izquierdo abre, derecho marca, central o ambos despejan. n nueva, u deshacer, h pista, "
    "p probabilidades, 1 2 3 tableros, q salir.",
    "window_flagged": "Esta celda tiene una bandera; el botón derecho la quita.",
    "window_searching": "Buscando un tablero sin adivinar: {count} intentos. Esc cancela.",
    "window_search_cancelled": "Búsqueda cancelada. Descubre otra celda, o pulsa n.",
    "window_overlay": "La probabilidad de mina en cada celda cubierta, en por ciento.",
    "window_title": "Buscaminas {rows}x{cols}, {mines}",
    # The coach: analyses of positions and reviews of games
    "mine_count": "{count} mina / {count} minas",
    "position_head": "Tablero de {rows}x{cols}, {mines}: es posible {layouts} distribución. / "
    "Tablero de {rows}x{cols}, {mines}: son posibles {layouts} distribuciones.",
    "position_many": "Tablero de {rows}x{cols}, {mines}: son posibles unas 10^{power} distribuciones.",
    "position_won": "La partida está ganada: todas las celdas cubiertas son minas.",
    "position_lost": "La partida está perdida: el tablero muestra sus minas.",
    "position_safe": "Seguras con certeza: {cells}.",
    "position_mines": "Minas con certeza: {cells}.",
    "position_wrong_flags": "Esta bandera es incorrecta: {cells}. / Estas banderas son incorrectas: {cells}.",
    "position_exact": "Probabilidad de ganar: {win}, exacta.",
    "position_playouts": "Probabilidad de ganar: {win} ± {error}, según partidas simuladas.",
    "position_best": "Mejor jugada: descubrir {cell}.",
    "position_first": "Mejor jugada: descubrir {cell}, un buen comienzo. Todas las celdas tienen el mismo riesgo.",
    "position_guess": "Ninguna celda es segura con certeza. La mejor apuesta es {cell}.",
    "choices_head": "celda|riesgo|gana",
    "points": "{points} puntos",
    "review_head": "Análisis de una partida de {rows}x{cols} con {mines}, semilla {seed}: {result}.",
    "result_won": "ganada en {count} jugada / ganada en {count} jugadas",
    "result_lost": "perdida en la jugada {count}",
    "result_playing": "en curso tras {count} jugada / en curso tras {count} jugadas",
    "result_ready": "sin empezar",
    "review_empty": "Todavía no hay ninguna celda descubierta, así que no hay nada que analizar.",
    "review_table_head": "jugada|celda|juicio|riesgo|gana antes|después|acierto|suerte",
    "review_run": "{count} jugadas",
    "mark_first": "primer clic",
    "mark_help": "ayuda",
    "mark_safe": "segura",
    "mark_best": "la mejor",
    "mark_calculated": "calculada",
    "mark_inaccurate": "imprecisa",
    "mark_avoidable": "muerte evitable",
    "mark_unlucky": "mala suerte",
    "mark_not judged": "sin juicio",
    "detail": "Jugada {number}, {cell}: {mark}.",
    "detail_chord": "El despeje descubrió {cells}.",
    "detail_wrong_flags": "La bandera de {cells} era incorrecta. / Las banderas de {cells} eran incorrectas.",
    "detail_certain_mine": "La celda era una mina con certeza. / "
    "Al menos una de estas celdas era una mina con certeza.",
    "detail_risk": "Su riesgo era del {risk}.",
    "detail_excess": "Su riesgo era del {risk}, {excess} más que el mínimo.",
    "detail_least": "Su riesgo era del {risk}, el mínimo del tablero.",
    "detail_safe": "Había otra celda segura con certeza.",
    "detail_better": "{cell}, con un riesgo del {risk}, habría ganado el {win} de las partidas y no el {own}.",
    "detail_calculated": "Valía la pena: ninguna celda de menor riesgo gana más partidas.",
    "detail_calculated_lost": "Había celdas con menos riesgo, pero ninguna gana más partidas: no fue un error.",
    "detail_close": "La mejor elección apenas gana más partidas.",
    "detail_first": "Nada podía orientarla.",
    "detail_help": "La descubrió la orden help.",
    "detail_not_judged": "La posición era demasiado difícil para calcular probabilidades exactas.",
    "detail_protected": "Con esta regla, el primer clic puede dar con una mina en cualquier celda.",
    "detail_unlucky": "No se conoce ninguna elección mejor.",
    "curve_head": "Probabilidad de ganar durante la partida, en tanto por ciento y por jugadas:",
    "summary_marks": "Juicios: {marks}.",
    "summary_mark": "{mark} {count}",
    "summary_split": "Del {first} al principio al {last}: acierto {skill}, suerte {luck} puntos.",
    "summary_luckiest": "La mejor suerte: jugada {number}, {luck} puntos.",
    "summary_unluckiest": "La peor suerte: jugada {number}, {luck} puntos.",
    "summary_excess": "Riesgo por encima del mínimo, sumado en todas las jugadas: {excess}.",
    "summary_wrong_flags": "Se puso {count} bandera en una celda segura. / "
    "Se pusieron {count} banderas en celdas seguras.",
    "summary_practice": "La partida era de práctica y no cuenta en las estadísticas.",
    "summary_estimates": "Las probabilidades tras {sign} son estimaciones.",
    "review_corners": "El entrenador no puede revisar partidas cuyo primer clic lleva las minas a las esquinas.",
    "review_radius": "El entrenador revisa partidas de radio 1, no {radius}.",
    "review_goes_on": "La posición actual:",
    "coach_reading": "Analizar {file}",
    "coach_needs_mines": "un tablero en texto necesita su número de minas: --mines N",
    "coach_surplus_mines": "una partida guardada ya tiene su número de minas; quita --mines",
    "coach_stdin": "Escribe o pega un tablero o una partida guardada, y termina la entrada.",
    "coach_corners": "el análisis necesita --first-click any, safe u opening, que hacen todas igual de probables",
    "coach_not_text": "la entrada no es texto en UTF-8",
    "coach_not_saved": "{file} no es una partida guardada: {reason}",
    "coach_empty": "el texto no contiene ningún tablero; un tablero tiene una línea por fila, como ##1",
    "coach_cell": "línea {line}, columna {column}: '{found}' no es una celda; valen 0 a 8 . · # F X ? * ! y espacios",
    "coach_row": "la línea {line} tiene {found} celdas, y la primera fila tiene {expected}",
    "contradiction": "el número de {cells} no puede ser correcto / los números de {cells} se contradicen",
    "at_most": "como máximo {number}",
    "at_least": "como mínimo {number}",
    "contradiction_mines": "los números admiten {allowed} mina, no {mines} / "
    "los números admiten {allowed} minas, no {mines}",
    "alternative": "{one} o {other}",
}
