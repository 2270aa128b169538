"""Primes by Eratosthenes's sieve, with steps of slices; their gaps, perfect numbers, and Goldbach's pairs."""
import numjit as np


def inputs():
    return (500,)


def run(limit):
    prime = np.ones(limit, dtype=bool)
    prime[:2] = False
    for i in range(2, int(limit ** 0.5) + 1):
        prime[i * i::i] = False
    primes = np.flatnonzero(prime)
    gaps = np.bincount(np.diff(primes))
    divisors = np.zeros(limit, dtype=np.int64)
    for d in range(1, limit // 2):
        divisors[2 * d::d] += d
    perfect = np.flatnonzero(divisors == np.arange(limit))
    whole = prime.astype(np.int64)
    pairs = np.convolve(whole, whole)[4:limit:2]
    return primes, gaps, perfect, pairs, np.cumsum(prime)[::50]
