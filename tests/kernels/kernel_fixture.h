// Kernel tests: specs built by hand, arrays in every layout, runs of FusedCall in sync mode.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/array/dims.h>
#include <numjit/base/config.h>
#include <numjit/runtime/launch/fused_call.h>

namespace numjit::testing {

template <class T, int I = 0>
constexpr dtype_id find_dtype() {
  if constexpr (std::is_same_v<T, cpp_type<static_cast<dtype_id>(I)>>) return static_cast<dtype_id>(I);
  else return find_dtype<T, I + 1>();
}
template <class T> inline constexpr dtype_id dtype_of = find_dtype<T>();

/// Builds a spec line by line; the functions return node numbers.
class SpecBuilder {
 public:
  int operand(dtype_id type) {
    spec.operand_types.push_back(type);
    return add({graph::KernelNodeKind::operand, {}, 0, type,
                static_cast<std::uint16_t>(spec.operand_types.size() - 1), {}});
  }
  int scalar(dtype_id type) {
    spec.scalar_types.push_back(type);
    return add({graph::KernelNodeKind::scalar, {}, 0, type,
                static_cast<std::uint16_t>(spec.scalar_types.size() - 1), {}});
  }
  int cast(dtype_id type, int in) {
    return add({graph::KernelNodeKind::cast, {}, 0, type, 0, {static_cast<std::uint16_t>(in)}});
  }
  /// A ufunc, on inputs that already have a loop's types.
  int op(const char* name, int a, int b = -1, int c = -1) {
    const op_id id = find_op(name).value();
    const int in[3] = {a, b, c};
    graph::KernelNode node{graph::KernelNodeKind::op, id, 0, {}, 0, {}};
    node.loop = find_loop(id, in, info(id).arity);
    node.type = info(id).loops[node.loop].out;
    for (int i = 0; i < info(id).arity; ++i) node.in[i] = static_cast<std::uint16_t>(in[i]);
    return add(node);
  }
  /// A reduction over the reduced axis `level`; its input is cast first where the row says so.
  int reduce(const char* name, int a, int level = 0) {
    const op_id id = find_op(name).value();
    graph::KernelNode node{graph::KernelNodeKind::reduce, id, 0, {}, static_cast<std::uint16_t>(level), {}};
    node.loop = find_loop(id, &a, 1);
    node.type = info(id).loops[node.loop].out;
    if (info(id).kind == op_kind::reduction && node.type != spec.nodes[a].type) a = cast(node.type, a);
    node.in[0] = static_cast<std::uint16_t>(a);
    if (level + 1 > spec.reduction_levels) spec.reduction_levels = static_cast<std::uint8_t>(level + 1);
    return add(node);
  }
  graph::KernelSpec outputs(std::vector<int> nodes) {
    for (int n : nodes) spec.outputs.push_back(static_cast<std::uint16_t>(n));
    return spec;
  }
  graph::KernelSpec spec;

 private:
  int add(const graph::KernelNode& node) {
    spec.nodes.push_back(node);
    return static_cast<int>(spec.nodes.size()) - 1;
  }
  std::uint8_t find_loop(op_id id, const int* in, int arity) const {
    for (std::size_t l = 0; l < info(id).loops.size(); ++l) {
      bool fits = true;
      for (int i = 0; i < arity; ++i) fits = fits && info(id).loops[l].in[i] == spec.nodes[in[i]].type;
      if (fits) return static_cast<std::uint8_t>(l);
    }
    throw std::logic_error(std::string(info(id).name) + ": no loop of these types");
  }
};

enum class Layout { c, transposed, negative, step2, broadcast };
inline constexpr Layout all_layouts[] = {Layout::c, Layout::transposed, Layout::negative, Layout::step2,
                                         Layout::broadcast};
inline std::string name_of(Layout l) {
  const char* names[] = {"c", "transposed", "negative", "step2", "broadcast"};
  return names[static_cast<int>(l)];
}

/// An array of T in a given layout, filled with values that sums are sensitive to.
template <class T>
struct TestArray {
  TestArray(const dims& shape_in, Layout layout, unsigned seed) : shape(shape_in) {
    const int rank = shape.size();
    strides.resize(rank);
    std::int64_t step = 1;
    auto place = [&](int a) {
      strides[a] = step * static_cast<std::int64_t>(sizeof(T)) * (layout == Layout::step2 && step == 1 ? 2 : 1);
      step *= std::max<std::int64_t>(shape[a], 1) * (layout == Layout::step2 && step == 1 ? 2 : 1);
    };
    if (layout == Layout::transposed)
      for (int a = 0; a < rank; ++a) place(a);
    else
      for (int a = rank - 1; a >= 0; --a) place(a);
    if (layout == Layout::broadcast) strides[0] = 0;
    store.reset(new T[static_cast<std::size_t>(step) + 1]);
    std::mt19937_64 random(seed);
    for (std::int64_t i = 0; i < step; ++i) store[static_cast<std::size_t>(i)] = value(random);
    data = reinterpret_cast<char*>(store.get());
    if (layout == Layout::negative)
      for (int a = 0; a < rank; ++a) {
        data += strides[a] * std::max<std::int64_t>(shape[a] - 1, 0);
        strides[a] = -strides[a];
      }
  }

  static T value(std::mt19937_64& random) {
    if constexpr (std::is_same_v<T, bool>) {
      return random() % 4 == 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      const double scale = std::ldexp(1.0, static_cast<int>(random() % 20) - 10);
      return static_cast<T>((static_cast<double>(random() % 20001) - 10000) / 7777 * scale);
    } else {
      return static_cast<T>(random());
    }
  }

  T at(const dims& index) const {
    const char* p = data;
    for (int a = 0; a < index.size(); ++a) p += index[a] * strides[a];
    T v;
    std::memcpy(&v, p, sizeof(T));
    return v;
  }
  T& ref(const dims& index) {
    char* p = data;
    for (int a = 0; a < index.size(); ++a) p += index[a] * strides[a];
    return *reinterpret_cast<T*>(p);
  }
  dims shape, strides;
  std::unique_ptr<T[]> store;
  char* data = nullptr;
};

/// Calls fn(index) for every index of a shape.
template <class F>
void for_each_index(const dims& shape, F fn) {
  for (std::int64_t e : shape)
    if (e == 0) return;
  dims index;
  index.resize(shape.size());
  while (true) {
    fn(static_cast<const dims&>(index));
    int a = shape.size() - 1;
    while (a >= 0 && ++index[a] == shape[a]) index[a--] = 0;
    if (a < 0) return;
  }
}

/// Same bits, or both NaN (sign and payload of NaNs are not promised).
template <class T>
bool same_bits(T a, T b) {
  if (a != a && b != b) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Arrays of one launch; strides are those of the whole iteration space (outputs: 0 along reduced axes).
class Runner {
 public:
  explicit Runner(dims extent) : extent_(extent) {}
  template <class T>
  Runner& array(const TestArray<T>& a) {
    return raw(a.data, a.strides);
  }
  Runner& raw(char* data, const dims& strides) {
    strides_.push_back(strides);
    data_.push_back(data);
    return *this;
  }
  Runner& scalar(const void* value) {
    scalars_.push_back(value);
    return *this;
  }
  Runner& reduced(int level0, int level1 = -1) {
    reduced_[0] = static_cast<std::int8_t>(level0);
    reduced_[1] = static_cast<std::int8_t>(level1);
    return *this;
  }
  bool run(runtime::FusedCall& call, bool layout_changed = true) {
    std::vector<runtime::LaunchOperand> operands;
    for (std::size_t i = 0; i < data_.size(); ++i) operands.push_back({data_[i], strides_[i].data()});
    runtime::Launch launch{extent_.size(), extent_.data(), {reduced_[0], reduced_[1]}, operands.data(),
                           scalars_.data(), layout_changed};
    return call.run(launch);
  }

 private:
  dims extent_;
  std::vector<dims> strides_;
  std::vector<char*> data_;
  std::vector<const void*> scalars_;
  std::int8_t reduced_[2] = {-1, -1};
};

/// A shape without one axis, and an index with it put back.
inline dims without(dims shape, int axis) {
  shape.erase(axis);
  return shape;
}
inline dims with(dims index, int axis, std::int64_t at) {
  index.insert(axis, at);
  return index;
}
/// Strides of an output over the full space: 0 along the reduced axis.
inline dims spread(dims strides, int axis) {
  strides.insert(axis, 0);
  return strides;
}

class KernelTest : public ::testing::Test {
 protected:
  config_scope sync_{{.compile = compile_mode::sync, .suppress_errors = false}};
};

}  // namespace numjit::testing
