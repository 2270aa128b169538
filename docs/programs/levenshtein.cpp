// Distances between words by Levenshtein's table, filled by its diagonals, many pairs at once; and
// the longest common part.
#include <numjit/np.h>

namespace np = numjit;

namespace levenshtein {

std::pair<np::array, np::array> inputs() {
  auto rng = np::random::default_rng(61);
  auto word = rng.integers(0, 4, {8, 12});
  auto other = word.copy();
  for (int i = 0; i < 5; ++i) {  // letters changed, and words turned
    auto letter = rng.integers(0, 4, 8);
    other(np::arange(8), rng.integers(0, 12, 8)) = letter;
  }
  const auto second = np::slice(np::none, np::none, 2);
  other(second) = np::roll(other(second), 2, 1);
  return {word, other(np::_, np::slice(10))};
}

std::vector<np::array> run(const np::array& word, const np::array& other) {
  const auto all = np::_;
  const auto pairs = word.len(), n = word.shape(1), m = other.shape(1);
  auto table = np::zeros({pairs, n + 1, m + 1}, np::int64);
  table(all, all, 0) = np::arange(n + 1);
  table(all, 0, all) = np::arange(m + 1);
  auto common = np::zeros_like(table);
  auto differ = word(all, all, np::newaxis) != other(all, np::newaxis);
  for (std::int64_t d = 2; d <= n + m; ++d) {
    auto i = np::arange(std::max<std::int64_t>(1, d - m), std::min(n, d - 1) + 1);
    auto j = d - i;
    auto change = table(all, i - 1, j - 1) + differ(all, i - 1, j - 1);
    table(all, i, j) =
        np::minimum(np::minimum(table(all, i - 1, j), table(all, i, j - 1)) + 1, change);
    auto longer = np::maximum(common(all, i - 1, j), common(all, i, j - 1));
    common(all, i, j) = np::where(differ(all, i - 1, j - 1), longer, common(all, i - 1, j - 1) + 1);
  }
  auto distance = table(all, n, m);
  return {distance, common(all, n, m), table(0), np::lexsort({np::arange(pairs), distance}),
          np::argwhere(~differ(0))(np::slice(6))};
}

}  // namespace levenshtein
