// Messages of more than 2^31 elements, whose counts and places no 32-bit number holds.
#include <cstdint>
#include <string>

#include <numjit/np.h>
#include <numjit/np_distributed.h>

#include "ranks_expect.h"

namespace np = numjit;
namespace nd = np::distributed;

namespace {

constexpr std::int64_t n = (std::int64_t{1} << 31) + 4099, period = 251;

// Element i of rank r is (i + r) % period.
np::array made(std::int64_t rank) {
  np::array x = np::empty({n}, np::uint8);
  const np::array values = np::remainder(np::arange(period) + rank, period).astype(np::uint8);
  const std::int64_t whole = n / period * period;
  np::array rows = x(np::slice(0, whole)).reshape({-1, period});
  np::copyto(rows, values);
  np::array rest = x(np::slice(whole, np::none));
  np::copyto(rest, values(np::slice(0, n - whole)));
  return x;
}

void same(const std::string& what, const np::array& got, const np::array& expected) {
  expect(got.size() == n && np::array_equal(got, expected), what + " of " + std::to_string(n) + " elements");
}

}  // namespace

int main() {
  const nd::communicator world = nd::world();
  const np::array mine = made(world.rank());
  {
    const np::array came = nd::permute(mine, {{0, 1}, {1, 0}});
    same("permute", came, made(1 - world.rank()));
  }
  same("all_reduce", nd::all_reduce(mine, {.op = "max"}), np::maximum(made(0), made(1)));
  return finished();
}
