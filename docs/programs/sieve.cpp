// Primes by Eratosthenes's sieve, with steps of slices; their gaps, perfect numbers, and Goldbach's
// pairs.
#include <numjit/np.h>

namespace np = numjit;

namespace sieve {

std::tuple<int> inputs() { return {500}; }

std::vector<np::array> run(int limit) {
  const auto end = np::none;
  auto prime = np::ones(limit, np::bool_);
  prime(np::slice(2)) = false;
  for (int i = 2; i * i <= limit; ++i) prime(np::slice(i * i, end, i)) = false;
  auto primes = np::flatnonzero(prime);
  auto gaps = np::bincount(np::diff(primes));
  auto divisors = np::zeros(limit, np::int64);
  for (int d = 1; d < limit / 2; ++d) divisors(np::slice(2 * d, end, d)) += d;
  auto perfect = np::flatnonzero(divisors == np::arange(limit));
  auto whole = prime.astype(np::int64);
  auto pairs = np::convolve(whole, whole)(np::slice(4, limit, 2));
  return {primes, gaps, perfect, pairs, np::cumsum(prime)(np::slice(end, end, 50))};
}

}  // namespace sieve
