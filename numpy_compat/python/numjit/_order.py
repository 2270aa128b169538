"""The argument `order`: letters of either case, as NumPy takes them."""


def order_of(order, default="K", only="CFAK"):
    """The letter in upper case; `default` for None. `only`: those that a function has."""
    if order is None:
        return default
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    letter = order.upper()
    if letter not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got '{order}')")
    if letter not in only:
        raise ValueError("only 'C' or 'F' order is permitted")
    return letter
