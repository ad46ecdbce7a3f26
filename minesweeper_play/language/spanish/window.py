"""Spanish texts of the window."""

TEXTS = {
    "window_keys": "Izquierdo abre, derecho marca, central o ambos despejan. n nueva, u deshacer, h pista, "
    "p probabilidades, 1 2 3 tableros, q salir.",
    "window_flagged": "Esta celda tiene una bandera; el botón derecho la quita.",
    "window_searching": "Buscando un tablero sin adivinar: {count} intentos. Esc cancela.",
    "window_search_cancelled": "Búsqueda cancelada. Descubre otra celda, o pulsa n.",
    "window_overlay": "La probabilidad de mina en cada celda cubierta, en por ciento.",
    "window_title": "Buscaminas {rows}x{cols}, {mines}",
}
