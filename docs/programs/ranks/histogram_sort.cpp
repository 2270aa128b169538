// A histogram of parted numbers, and their sort by samples: splitters from samples of all ranks, every number to the rank of its
// range, where it is sorted.
#include <limits>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace ranks::histogram_sort {

const double infinity = std::numeric_limits<double>::infinity();

np::array sorted_by_samples(np::array x) {
  const std::int64_t ranks = nd::world().size();
  x = np::sort(x);
  auto samples = x(np::linspace(0, static_cast<double>(x.len() - 1), 32).astype(np::int64));
  auto splitters = np::sort(nd::all_gather(samples))(32 * np::arange(1, ranks));
  auto borders = np::concatenate({np::array{0}, np::searchsorted(x, splitters), np::array{x.len()}});
  // Blocks of one length travel: that of the longest piece of any rank.
  const auto most = nd::all_reduce(np::max(np::diff(borders)), {.op = "max"}).item<std::int64_t>();
  auto blocks = np::full({ranks, most}, infinity);
  for (std::int64_t i = 0; i < ranks; ++i) {
    const auto begin = borders(i).item<std::int64_t>(), end = borders(i + 1).item<std::int64_t>();
    blocks(i, np::slice(end - begin)) = x(np::slice(begin, end));
  }
  auto came = nd::all_to_all(blocks);
  auto mine = np::sort(came(came < infinity));
  // Ranks have different numbers of elements: they, too, are gathered in blocks.
  auto lengths = nd::all_gather(np::array(mine.len()));
  auto padded = np::full({1, np::max(lengths).item<std::int64_t>()}, infinity);
  padded(0, np::slice(mine.len())) = mine;
  auto everything = nd::all_gather(padded);
  return everything(everything < infinity);
}

std::vector<np::array> run() {
  const std::int64_t n = 5000;
  auto x = np::random::default_rng(4).normal({.size = n})(nd::part(n));
  auto low = nd::all_reduce(np::min(x), {.op = "min"}), high = nd::all_reduce(np::max(x), {.op = "max"});
  auto [counts, edges] = np::histogram(x, 20, std::pair(low.item<double>(), high.item<double>()));
  return {nd::all_reduce(counts), edges, sorted_by_samples(x)};
}

}  // namespace ranks::histogram_sort
