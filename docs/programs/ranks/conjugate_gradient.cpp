// Conjugate gradients for Poisson's equation: each rank has its part of the rows of the grid, products need a halo, and sums are
// those of one process.
#include <numjit/np.h>
#include <numjit/np_distributed.h>

namespace np = numjit;
namespace nd = np::distributed;

namespace ranks::conjugate_gradient {

np::array laplacian(const np::array& u) {
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2), behind = np::slice(2, np::none);
  auto v = np::pad(nd::exchange_halo(u, 1), {{0, 0}, {1, 1}});
  return 4 * u - v(before, in) - v(behind, in) - v(in, before) - v(in, behind);
}

std::vector<np::array> run() {
  const std::int64_t n = 48;
  auto product = np::compile(laplacian);
  auto rng = np::random::default_rng(3);
  auto b = rng.normal({.size = {n, n}})(nd::part(n));
  auto x = np::zeros_like(b), r = b, p = r, rr = nd::sum(r * r);
  int iteration = 0;
  for (; iteration < 199; ++iteration) {
    if (rr < 1e-16) break;  // the same on all ranks
    auto q = product(p);
    auto alpha = rr / nd::sum(p * q);
    x = x + alpha * p;
    r = r - alpha * q;
    auto before = rr;
    rr = nd::sum(r * r);
    p = r + rr / before * p;
  }
  return {nd::all_gather(x, {.length = n}), np::array(iteration)};
}

}  // namespace ranks::conjugate_gradient
