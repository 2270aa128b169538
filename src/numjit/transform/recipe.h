// Values of the way there that are computed again on the way back rather than held.
#pragma once

#include <memory>
#include <vector>

#include <numjit/transform/applied.h>

namespace numjit::transform {

/// Operations of one graph of the way there. They run again when the first of their results is wanted, all that the others need
/// too.
class Recipe {
 public:
  /// What a step takes: a value, leaves first, then the steps' results; or a number.
  struct Input {
    int value = no_number;
    Operand number;
  };
  struct Step {
    op_id op{};
    op_params params;
    bool has_where = false;  // the last input is where=
    std::vector<Input> in;
    location where{};
  };

  std::vector<array> leaves;  // held
  std::vector<Step> steps;

  /// A value will be wanted once more in each sweep. Its number among the results.
  int want(int value);
  /// Before each sweep, which counts what is carried out, views left out.
  void begin_sweep(int& carried_out);
  array take(int result);
  /// It is not wanted in this sweep after all.
  void skip(int result) { drop(results_[static_cast<std::size_t>(result)]); }

 private:
  struct Result {
    int value, uses, left;
    array made;
  };
  void make();
  array carried_out(const Step& step, const std::vector<array>& values);
  static void drop(Result& r) {
    if (--r.left <= 0) r.made = array();
  }

  std::vector<Result> results_;
  bool is_made_ = false;
  int* carried_out_ = nullptr;
};

}  // namespace numjit::transform
