// Gradients that are taken as they become final, while the way back goes on.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <numjit/array/array.h>

namespace numjit::transform {

class GradientSink {
 public:
  virtual ~GradientSink() = default;
  /// The gradient by a leaf of an argument, to which nothing is added any more. Each leaf comes once, those first whose first use
  /// in the program was last.
  virtual void take(std::size_t leaf, int argument, array gradient) = 0;
  /// What stands for the gradients, by leaf: asked for when all were taken.
  virtual std::vector<array> results() = 0;
};

/// While it lives, the first gradient that this thread begins to compute is taken by a sink.
class [[nodiscard]] gradients_taken_by {
 public:
  explicit gradients_taken_by(GradientSink& sink);
  ~gradients_taken_by();
  gradients_taken_by(const gradients_taken_by&) = delete;
  gradients_taken_by& operator=(const gradients_taken_by&) = delete;
  /// The sink, for who begins.
  static GradientSink* begin();

 private:
  GradientSink* const before_;
};

/// Where in a sweep back each of some variables is final: behind the entry that used it first. Of variables that a thin segment
/// may use, nobody knows before the end.
class FinalVariables {
 public:
  using Place = std::pair<std::size_t, std::size_t>;  // segment, entry

  explicit FinalVariables(std::span<const int> variables) : is_told_(variables.size()) {
    for (std::size_t i = 0; i < variables.size(); ++i) unplaced_.emplace(variables[i], i);
  }
  /// In the order of the program.
  void used(int variable, const Place& at);
  /// Calls fn(number among the variables) for those that are final behind an entry, or at the end.
  template <class F>
  void behind(const Place& at, F&& fn) {
    const auto found = final_.find(at);
    if (found == final_.end()) return;
    for (const std::size_t i : found->second) tell(i, fn);
  }
  template <class F>
  void at_end(F&& fn) {
    for (std::size_t i = 0; i < is_told_.size(); ++i)
      if (!is_told_[i]) tell(i, fn);
  }

 private:
  template <class F>
  void tell(std::size_t i, F&& fn) {
    is_told_[i] = true;
    fn(i);
  }
  std::unordered_map<int, std::size_t> unplaced_;  // whose first use was not seen yet
  std::vector<bool> is_told_;
  std::map<Place, std::vector<std::size_t>> final_;
};

}  // namespace numjit::transform
