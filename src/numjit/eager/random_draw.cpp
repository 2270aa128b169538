// Runs a draw of random numbers, for which numpy_compat has the distributions.
#include <array>
#include <mutex>

#include <numjit/eager/internal.h>
#include <numjit/ops/random_draw.h>

namespace numjit::detail {
constinit draw_function draw_runner = nullptr;
constinit counted_draws counted;
constinit draw_facts draws;

std::mutex& draw_mutex(const void* state) {
  static auto& mutexes = *new std::array<std::mutex, 16>;
  return mutexes[reinterpret_cast<std::uintptr_t>(state) / 64 % mutexes.size()];
}

}  // namespace numjit::detail

namespace numjit::eager {

void run_random_draw(const structural_call& c) {
  char* const state = c.in[0]->data;
  std::lock_guard lock(numjit::detail::draw_mutex(state));
  numjit::detail::draw_runner({state, c.params, c.in + 1, c.n_in - 1, c.result});
}

}  // namespace numjit::eager
