// Jumping 2^128 values ahead in the Mersenne Twister (Haramoto, Matsumoto, Nishimura, Panneton and L'Ecuyer, 2008): the step
// is a linear map over bits with a known characteristic polynomial, so 2^128 steps are a polynomial of degree below 19937 in it.
#include <array>
#include <memory>
#include <vector>

#include "engines.h"

namespace numjit::random::detail {

namespace {

constexpr int degree = 19937, words = (degree + 63) / 64, n = mt19937::length, m = mt19937::offset;
constexpr std::uint32_t twist = 0x9908b0df;

/// A polynomial over bits: bit i is the coefficient of x^i.
using polynomial = std::array<std::uint64_t, 2 * words>;

bool bit(const polynomial& p, int i) { return (p[static_cast<std::size_t>(i / 64)] >> (i % 64) & 1) != 0; }
void flip(polynomial& p, int i) { p[static_cast<std::size_t>(i / 64)] ^= std::uint64_t{1} << (i % 64); }

/// Adds (x^n + x^m)(x^(n-1) + x^(m-1))^k; the second factor is x^(m-1) (x^(n-m) + 1).
void add_term(polynomial& p, int k) {
  for (int j = 0; j <= k; ++j) {
    if (j & ~k) continue;  // an even binomial coefficient
    const int at = (m - 1) * k + (n - m) * j;
    flip(p, at + n);
    flip(p, at + m);
  }
}

/// Exponents of the characteristic polynomial below its degree (Matsumoto and Nishimura, 1998, appendix A).
std::vector<int> lower_terms() {
  polynomial p{};
  add_term(p, 31);
  for (int i = 0; i < 31; ++i)
    if (twist >> i & 1) add_term(p, 30 - i);
  if (twist >> 31) flip(p, 0);
  std::vector<int> found;
  for (int i = 0; i < degree; ++i)
    if (bit(p, i)) found.push_back(i);
  return found;
}

std::uint64_t spread(std::uint32_t half) {
  std::uint64_t x = half;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

/// Adds 64 coefficients from x^at on.
void add_word(polynomial& p, std::uint64_t coefficients, int at) {
  const auto word = static_cast<std::size_t>(at / 64);
  p[word] ^= coefficients << (at % 64);
  if (at % 64 && word + 1 < p.size()) p[word + 1] ^= coefficients >> (64 - at % 64);
}

/// p * p modulo the characteristic polynomial, whose next term lies more than 64 below its first: words at a time.
void square(polynomial& p, const std::vector<int>& terms) {
  for (std::size_t i = words; i-- > 0;) {
    const std::uint64_t low = p[i];
    p[2 * i] = spread(static_cast<std::uint32_t>(low));
    p[2 * i + 1] = spread(static_cast<std::uint32_t>(low >> 32));
  }
  constexpr int border = degree % 64;
  for (std::size_t i = 2 * words; i-- >= words;) {
    const bool last = i + 1 == words;
    const std::uint64_t high = last ? p[i] >> border << border : p[i];
    p[i] ^= high;
    const int above = static_cast<int>(i) * 64 - degree;  // negative in the last word, whose low bits are zero there
    for (int e : terms) last ? add_word(p, high >> border, e) : add_word(p, high, above + e);
    if (last) break;
  }
}

const polynomial& steps_of_a_jump() {
  static const polynomial made = [] {
    const std::vector<int> terms = lower_terms();
    polynomial p{};
    p[0] = 2;  // x, one step
    for (int i = 0; i < 128; ++i) square(p, terms);
    return p;
  }();
  return made;
}

void step(mt19937& g) {
  const auto at = static_cast<std::size_t>(g.position), next = (at + 1) % n;
  const std::uint32_t y = (g.key[at] & 0x80000000u) | (g.key[next] & 0x7fffffffu);
  g.key[at] = g.key[(at + m) % n] ^ y >> 1 ^ ((0u - (y & 1u)) & twist);
  g.position = next;
}

void add(mt19937& to, const mt19937& from) {
  std::size_t i = to.position, j = from.position;
  for (int k = 0; k < n; ++k) {
    to.key[i] ^= from.key[j];
    if (++i == n) i = 0;
    if (++j == n) j = 0;
  }
}

}  // namespace

void jump(mt19937& g) {
  const polynomial& p = steps_of_a_jump();
  if (g.position >= n) g.position = 0;
  int i = degree - 1;
  while (!bit(p, i)) --i;
  const auto sum = std::make_unique<mt19937>(g);  // Horner's rule
  for (; i > 0; --i) {
    step(*sum);
    if (bit(p, i - 1)) add(*sum, g);
  }
  g = *sum;
}

}  // namespace numjit::random::detail
