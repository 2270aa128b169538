// First steps: arrays, broadcasting, views, and the same function compiled.
#include <iostream>

#include <numjit/np.h>

namespace np = numjit;

// Rows scaled to mean 0 and deviation 1.
np::array standardise(const np::array& x) {
  auto centred = x - np::mean(x, {.axis = 1, .keepdims = true});
  return centred / np::sqrt(np::mean(centred * centred, {.axis = 1, .keepdims = true}));
}

int main() {
  auto x = np::arange(12).reshape(3, 4) * 1.5;
  std::cout << x << "\n\n";

  x(1, np::slice(1, 3)) = 0;    // a view is written through
  std::cout << x(1) << "\n\n";  // and read
  std::cout << np::sum(x, {.axis = 0}) << "\n\n";

  auto fast = np::compile(standardise);
  std::cout << np::round(fast(x), 3) << "\n\n";
  std::cout << "as eager, bit for bit: " << std::boolalpha
            << np::array_equal(fast(x), standardise(x)) << "\n";
}
