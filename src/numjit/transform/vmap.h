// np::vmap: a function of one example, called for a whole axis at once.
#pragma once

#include <numjit/transform/api.h>

namespace numjit {

/// The axis along which examples lie, or np::none.
class batch_axis {
 public:
  batch_axis(int axis) : axis_(axis) {}
  template <class None>
  requires(!std::convertible_to<None, int>) batch_axis(const None&) : is_none_(true) {}
  bool is_none() const { return is_none_; }
  int axis() const { return axis_; }

 private:
  int axis_ = 0;
  bool is_none_ = false;
};

/// Options of np::vmap.
struct vmap_options {
  std::vector<batch_axis> in_axes = {};   // of each argument; one: of all
  std::vector<batch_axis> out_axes = {};  // of each array of the result; one: of all. Empty: 0
  std::optional<std::int64_t> axis_size = {};
  std::string randomness = "error";  // or "same", "different"
};

namespace transform {

class BatchLevel;
enum class Randomness : std::uint8_t;

/// One call of a batched function.
class BatchCall {
 public:
  BatchCall(std::optional<std::int64_t> axis_size, const std::string& randomness);
  ~BatchCall();
  /// An argument's array, before begin(). It is changed then.
  void add(int argument, array& leaf, const batch_axis& axis);
  /// The level opens, and the arrays become stand-ins.
  void begin();
  /// The result's arrays become stacks with the examples along these axes; the level ends.
  void finish(std::span<array* const> results, std::span<const batch_axis> axes);
  /// The level ends without results.
  void close();

 private:
  struct Leaf {
    array* leaf;
    int argument, axis;
  };
  const std::optional<std::int64_t> axis_size_;
  const Randomness randomness_;
  std::vector<Leaf> leaves_;
  std::unique_ptr<BatchLevel> level_;
};
/// One entry for each of `count`, of a list that has one for all, or one for each, or none for 0. `what`: for errors.
std::vector<batch_axis> axes_for(const std::vector<batch_axis>& axes, std::size_t count, const char* what);

}  // namespace transform

/// f over an axis of its arguments: the result has the axis of examples, too. The function is called once, with arrays that have
/// the shape of one example and no values; arrays that it makes become batched when a batched value is stored into them.
///
/// ValueError for axes of different sizes, where values of a batched array are read, and where one is stored into an array made
/// outside of the function.
///   auto norms = np::vmap([](const np::array& row) { return np::sqrt(np::sum(row * row)); });
///   norms(np::array{{3.0, 4.0}, {6.0, 8.0}});  // [ 5. 10.]
template <class F>
auto vmap(F f, const vmap_options& options = {}) {
  return [kept = detail::Kept{std::move(f)}, options]<class... Args>(Args&&... args) {
    std::tuple<std::decay_t<Args>...> held(std::forward<Args>(args)...);
    transform::BatchCall call(options.axis_size, options.randomness);
    const std::vector<batch_axis> axes = transform::axes_for(options.in_axes, sizeof...(Args), "in_axes");
    int number = 0;
    const auto add = [&](auto& argument) {
      for (array* leaf : transform::leaves_of(argument)) call.add(number, *leaf, axes[static_cast<std::size_t>(number)]);
      ++number;
    };
    std::apply([&](auto&... arguments) { (add(arguments), ...); }, held);
    call.begin();
    auto result = transform::call_with(kept.fn, held);
    const std::vector<array*> leaves = transform::leaves_of(result);
    call.finish(leaves, transform::axes_for(options.out_axes, leaves.size(), "out_axes"));
    return result;
  };
}

}  // namespace numjit
