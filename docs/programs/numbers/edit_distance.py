"""Edit distances between many pairs of words: Levenshtein's table for one pair, for all pairs at once."""
import numjit as np


def inputs():
    return np.arange(400).reshape(50, 8) ** 2 % 7 % 3, np.arange(350).reshape(50, 7) ** 2 % 5 % 3


@np.vectorize(signature="(n),(m)->()")
def distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            change = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + change)
    return table[len(a), len(b)]


def run(a, b):
    return distance(a, b)
