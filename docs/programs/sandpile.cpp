// The Abelian sandpile: grains fall on the middle until nothing topples; how large the avalanches
// are.
#include <numjit/np.h>

namespace np = numjit;

namespace sandpile {

std::tuple<int, int, int> inputs() { return {15, 12, 20}; }

std::vector<np::array> run(int n, int drops, int grains) {
  const auto all = np::_;
  const auto first = np::slice(np::none, -1), last = np::slice(1, np::none);
  auto pile = np::zeros({n, n}, np::int32);
  auto sizes = np::zeros(drops, np::int64);
  for (int drop = 0; drop < drops; ++drop) {
    pile(n / 2, n / 2) += grains;
    while (np::any(pile >= 4)) {  // a break per round
      auto falls = np::floor_divide(pile, 4);
      pile -= 4 * falls;
      pile(last) += falls(first);
      pile(first) += falls(last);
      pile(all, last) += falls(all, first);
      pile(all, first) += falls(all, last);
      sizes(drop) += np::sum(falls);
    }
  }
  auto symmetric = np::all(pile == np::rot90(pile)) & np::all(pile == pile.T());
  return {pile, sizes, np::bincount(pile.ravel(), {}, 4), symmetric};
}

}  // namespace sandpile
