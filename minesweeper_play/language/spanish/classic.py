"""Texts of the line mode."""

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
    "manual": MANUAL,
    "searching": "Buscando un tablero sin adivinar: {part}, {count} intentos. Ctrl-C cancela.",
    "search_cancelled": "Búsqueda cancelada. Descubre otra celda, o escribe new o quit.",
    "no_review": "La revisión se ha cancelado.",
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
    "opened_one": "Se ha descubierto {count} celda.",
    "opened_other": "Se han descubierto {count} celdas.",
    "flagged_one": "Se ha puesto {count} bandera.",
    "flagged_other": "Se han puesto {count} banderas.",
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
    "statistics_damaged_one": "No se puede leer {count} línea de {path}; lo dañado se conserva como {aside}.",
    "statistics_damaged_other": "No se pueden leer {count} líneas de {path}; lo dañado se conserva como {aside}.",
    "statistics_missing": "No se llevan estadísticas: {reason}.",
    "statistics_homeless": "No se llevan estadísticas, porque este usuario no tiene carpeta personal.",
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
}
