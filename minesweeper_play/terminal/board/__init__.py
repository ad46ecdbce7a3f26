"""The board on the screen: icons, colours, lines and the widget that scrolls them."""
