"""Messages of moves, which reports carry by key."""

TEXTS = {
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
    "revealed_one": "No fue posible inferir ninguna celda segura; se ha descubierto {count} celda.",
    "revealed_other": "No fue posible inferir ninguna celda segura; se han descubierto {count} celdas.",
    "won": "¡Ganaste!",
    "lost": "¡Perdiste!",
    "list_end": "{items} y {last}",
    "goodbye": "¡Hasta luego!",
    "compiling": "Compilando, una sola vez por instalación. Tarda unos segundos.",
    "too_hard": "Esta posición es demasiado difícil para calcularla con exactitud.",
}
