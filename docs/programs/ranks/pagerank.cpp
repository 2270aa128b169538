// PageRank by sums: each rank has its part of the pages with what they link to; what pages give is added up as one process would.
#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace ranks::pagerank {

constexpr std::int64_t pages = 300, links = 6;
constexpr double damping = 0.85;

np::array improved(const np::array& rank, const np::array& targets) {
  auto share = rank / links;
  auto given = np::zeros({share.len(), pages});
  given +=
      np::sum((targets(np::_, np::_, np::newaxis) == np::arange(pages)) * share(np::_, np::newaxis, np::newaxis), {.axis = 1});
  return (1 - damping) / pages + damping * nd::sum(given, {.axis = 0});
}

std::vector<np::array> run() {
  const auto mine = nd::part(pages);
  auto targets = np::random::default_rng(6).integers(0, pages, {pages, links})(mine);
  auto rank = np::full(pages, 1.0 / pages);
  auto step = np::compile(improved);
  for (int round = 0; round < 20; ++round) rank = step(rank(mine), targets);
  return {rank, np::argsort(rank)(np::slice(-5, np::none))};
}

}  // namespace ranks::pagerank
