// np::checkpoint: less is kept for the way back, and computed again.
#pragma once

#include <utility>
#include <vector>

namespace numjit {
namespace transform {

class TapeLevel;

/// While it lives, what is done is carried out again on the way back of derivatives: of values between, nothing is kept.
class Checkpoint {
 public:
  Checkpoint();
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

 private:
  std::vector<TapeLevel*> levels_;
};

}  // namespace transform

/// f, of which derivatives keep only what it takes from outside: on the way back its operations are carried out again. The
/// function itself is called once: what it prints, draws or counts happens once, and its gradients have the same bits. Results of
/// functions with rules of their own are kept, too. Checkpoints may stand in each other.
///
/// Source: A. Griewank, "Achieving logarithmic growth of temporal and spatial complexity in reverse automatic differentiation"
/// (1992).
///   auto loss = [&](const np::array& w) { return np::sum(np::checkpoint(layer)(np::checkpoint(layer)(w))); };
template <class F>
auto checkpoint(F f) {
  return [f = std::move(f)]<class... Args>(Args&&... args) -> decltype(auto) {
    const transform::Checkpoint scope;
    return f(std::forward<Args>(args)...);
  };
}

}  // namespace numjit
