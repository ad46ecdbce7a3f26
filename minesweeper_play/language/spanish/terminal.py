"""The full-screen game: keys, figures, messages, dialogs and watching."""

TEXTS = {
    # Keys
    "key_open": "descubrir",
    "key_flag": "bandera",
    "key_expand": "expandir",
    "key_hint": "pista",
    "key_risks": "riesgos",
    "key_undo": "deshacer",
    "key_new": "nueva",
    "key_again": "otra vez",
    "key_prompt": "orden",
    "key_settings": "ajustes",
    "key_statistics": "estadísticas",
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
    "figure_3bv": "3BV",
    "figure_efficiency": "Eficiencia",
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
    "key_turn": "jugadas",
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
    "too_small": "La terminal es demasiado pequeña.\n\nEl juego necesita {columns} columnas y {lines} líneas,\n"
    "y hay {width} y {height}.\n\nAmplíala, o pulsa q para salir.",
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
    "settings_damaged": "Los ajustes de {path} están dañados; el juego empieza con los habituales.",
    "settings_wrong": "En {path} estos ajustes tienen valores no permitidos y toman los habituales: {names}.",
    "settings_failed": "Los ajustes no se guardan: {path}: {reason}.",
    "setting_language": "Idioma",
    "setting_theme": "Pantalla",
    "setting_palette": "Colores",
    "setting_icons": "Iconos",
    "setting_zoom": "Tamaño de las celdas",
    "setting_animation": "Animación",
    "setting_vi_keys": "h j k l mueven",
    "language_en": "English",
    "language_es": "español",
    "theme_dark": "oscura",
    "theme_light": "clara",
    "palette_standard": "normales",
    "palette_colour_blind": "para daltónicos",
    "icons_plain": "sencillos",
    "icons_nerd": "Nerd Font",
    "zoom_auto": "el mayor que quepa",
    "zoom_0": "pequeño",
    "zoom_1": "mediano",
    "zoom_2": "grande",
    "animation_on": "sí",
    "animation_off": "no",
    "vi_keys_on": "sí, y H pide una pista",
    "vi_keys_off": "no",
    # Watching
    "watching_playing_one": "{count} jugada",
    "watching_playing_other": "{count} jugadas",
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
    "ending_figures": "{seconds} s, 3BV {solved} de {value}, eficiencia {efficiency}.",
    "ending_best": "¡Mejor tiempo en este tablero!",
    "ending_practice": "Era de práctica y no cuenta en las estadísticas.",
    "ending_undo": "u deshace la última jugada, como práctica; r empieza otra, v la revisa.",
    # Statistics
    "table_none": "Aún no ha terminado ninguna partida.",
    "table_place": "Las partidas están en {path}.",
    "table_board_one": "{rows}\u00d7{cols}, {count} mina, primer clic: {rule}{guessing}",
    "table_board_other": "{rows}\u00d7{cols}, {count} minas, primer clic: {rule}{guessing}",
    "table_games": "  {won} de {played} partidas ganadas ({rate}); racha actual {streak}, la mayor {longest}",
    "table_best": "  {place}.  {seconds} s   3BV {value}   eficiencia {efficiency}   {day}",
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
}
