// One call of a transformed function: what the templates of api.h share.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <numjit/array/array.h>

namespace numjit::transform {

class ForwardLevel;
class Tape;
class TapeLevel;

/// What a tape keeps of a function with rules of its own.
struct CustomRule {
  /// Cotangents of the inputs, from those of the results (an empty handle: none came).
  std::function<std::vector<array>(const std::vector<array>&)> back;
  /// Changes of the results from those of the inputs; null: not known.
  std::function<std::vector<array>(const std::vector<array>&)> forward;
  /// Arrays that `back` reads here: as they were when the function was called, though the program stores into their memory.
  std::shared_ptr<std::vector<array>> kept = std::make_shared<std::vector<array>>();
};

/// "['w'][2]" of a leaf of an argument, by its number among the leaves.
using LeafName = std::function<std::string(std::size_t)>;

/// Reverse mode: arguments become active, the function runs, then its results are asked for their variables.
class ReverseCall {
 public:
  explicit ReverseCall(const char* name);
  ~ReverseCall();
  /// The leaves become active arrays with the same memory. TypeError for dtypes without derivatives.
  void activate(int argument, std::span<array* const> leaves, const LeafName& leaf_name);
  /// The function has returned these arrays: the level ends.
  void finish(std::span<array* const> results);
  /// The gradients of the one result, which is real and 0-D, by the arguments' leaves. ValueError for other results.
  std::vector<array> gradients(const array& result);
  /// Cotangents of the arguments' leaves from those of the results.
  std::vector<array> pull(std::span<const array> cotangents) const;
  /// Changes of the results from those of the arguments' leaves.
  std::vector<array> push(std::span<const array> changes) const;
  /// What is held of memory that others have becomes a copy: before pull() and push() that come later.
  void own_values();
  const char* name() const { return name_; }

 private:
  void warn_of_reads() const;

  const char* name_;
  std::unique_ptr<TapeLevel> level_;
  std::shared_ptr<Tape> tape_;
  std::vector<int> arguments_, results_;
  location read_at_{};
};

/// Forward mode.
class ForwardCall {
 public:
  explicit ForwardCall(const char* name);
  ~ForwardCall();
  void activate(int argument, std::span<array* const> leaves, std::span<array* const> changes, const LeafName& leaf_name);
  /// The changes of the results, which the function has returned; zeros where they don't change.
  std::vector<array> finish(std::span<array* const> results);

 private:
  const char* name_;
  std::unique_ptr<ForwardLevel> level_;
};

/// TypeError unless arrays of the dtype have derivatives.
void check_differentiable(const char* name, int argument, const array& leaf, const std::function<std::string()>& leaf_name);
/// ValueError unless it has the shape and dtype of what it belongs to. `what`: "cotangent", "tangent".
void check_like(const char* name, const char* what, std::size_t number, const array& given, const array& like, const char* of);
/// A copy that no level knows.
array stopped(const array& x);

/// d results[which] / d leaves[k], of shape result.shape + leaves[k].shape: row by row back, or column by column forward, or the
/// way that has fewer steps.
enum class JacobianMode : std::uint8_t { rows, columns, either };
std::vector<array> jacobian(const ReverseCall& call, JacobianMode mode, std::span<const array> results, std::size_t which,
                            std::span<const array> leaves);
array zeros_like(const array& a);
/// Throws for complex numbers, of whose second derivatives there is no matrix.
void check_real(const char* name, const array& leaf);

}  // namespace numjit::transform
