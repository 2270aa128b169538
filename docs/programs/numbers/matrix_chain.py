"""The cheapest order to multiply a chain of matrices, for many chains: a recurrence over intervals."""
import numjit as np


def inputs():
    return (np.arange(40 * 7).reshape(40, 7) * 29 % 50 + 1,)


@np.vectorize(signature="(n)->()")
def cheapest(lengths):
    n = len(lengths) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            best = cost[i, i] + cost[i + 1, j] + lengths[i] * lengths[i + 1] * lengths[j + 1]
            for k in range(i + 1, j):
                total = cost[i, k] + cost[k + 1, j] + lengths[i] * lengths[k + 1] * lengths[j + 1]
                if total < best:
                    best = total
            cost[i, j] = best
    return cost[0, n - 1]


def run(lengths):
    return cheapest(lengths)
