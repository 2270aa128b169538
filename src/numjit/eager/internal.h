// What the files of eager/ share: operands as plain nodes, iteration over strided data, the drivers.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/thread_pool.h>
#include <numjit/eager/loop_table.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>

namespace numjit::eager {

/// A block of pooled memory for the length of a scope.
class scratch {
 public:
  explicit scratch(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        data_(static_cast<char*>(numjit::detail::allocate_block(static_cast<std::uint64_t>(bytes)))) {}
  ~scratch() { numjit::detail::free_block(data_, bytes_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  char* data() const { return data_; }
  template <class T> T* as() const { return reinterpret_cast<T*>(data_); }

 private:
  std::size_t bytes_;
  char* data_;
};

inline std::int64_t size_of(dtype_id t) {
  return numjit::detail::dtype_table[static_cast<int>(t)].itemsize;
}
inline std::string_view name_of(dtype_id t) {
  return numjit::detail::dtype_table[static_cast<int>(t)].name;
}
inline char kind_of(dtype_id t) { return numjit::detail::dtype_table[static_cast<int>(t)].kind; }
inline loop_fn cast_loop(dtype_id from, dtype_id to) {
  return loops().cast[static_cast<int>(from)][static_cast<int>(to)];
}

/// Writes a number as one element of `type`, cast as NumPy's assignment does.
void write_number(const layout::number& value, dtype_id type, char* to);

/// A 0-D node on the stack holding a literal.
class scalar_node {
 public:
  scalar_node() = default;
  void set(const layout::number& value, dtype_id type) {
    write_number(value, type, bytes_);
    node_.type = type;
    node_.size = 1;
    node_.data = bytes_;
    node_.flags = node::c_contiguous | node::f_contiguous;
  }
  node* n() { return &node_; }

 private:
  node node_;
  alignas(16) char bytes_[16];
};

/// dtype a literal has by itself, as np.array(literal).
dtype_id literal_type(const operand& literal);

/// A node's elements as pointer, dtype, shape, strides.
struct layout_view {
  char* data = nullptr;
  dtype_id type{};
  dims shape, strides;

  layout_view() = default;
  explicit layout_view(const node* n)
      : data(n->data), type(n->type), shape(n->shape, n->rank), strides(n->strides, n->rank) {}
  layout_view(char* d, dtype_id t, const dims& s)
      : data(d), type(t), shape(s), strides(contiguous_strides(s, size_of(t))) {}
  std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t e : shape) n *= e;
    return n;
  }
  bool contiguous() const;
};

/// A view's strides when it is broadcast to `shape` (which it must fit).
dims broadcast_strides(const layout_view& v, const dims& shape);

/// Up to four operands over one shape, axes collapsed; the last axis is the inner loop.
struct iteration {
  static constexpr int max_operands = 5;
  int operands = 0;
  int rank = 0;
  std::int64_t extent[max_rank];
  std::int64_t stride[max_operands][max_rank];
  char* data[max_operands];

  /// Operand 0 is the one whose memory order decides the order of the loops (the output).
  iteration(const dims& shape, std::initializer_list<const layout_view*> views);
  iteration() = default;
  void init(const dims& shape, const layout_view* const* views, int count);
  std::int64_t size() const;
};

/// Calls fn(char* const* data, const int64_t* inner_strides, int64_t n) for each inner run; large
/// iterations are split over the thread pool (ns_per_element is the caller's guess).
template <class F>
void for_each_run(const iteration& it, double ns_per_element, F&& fn);

/// to[...] = from[...] with a cast; `from` broadcasts to `to`'s shape; memory must not overlap.
void copy_elements(const layout_view& from, const layout_view& to);
/// A copy, with the same flags, of an array whose elements lie elsewhere than their dtype wants them.
array aligned_copy(const node* n);
/// As copy_elements(), safe for any overlap, and only where `mask` (bool, same shape or broadcast) is true.
void assign_elements(const layout_view& from, const layout_view& to, const layout_view* mask = nullptr);

/// The elements in C order: where they lie, or as a copy in `memory`.
layout_view contiguous_input(const layout_view& v, std::optional<scratch>& memory);

/// The value without the leading axes of length 1 that the target lacks.
layout_view trimmed(layout_view value, int rank);

/// Runs `fill` on contiguous memory of the result's dtype, then copies if the result is not that.
template <class F>
void with_contiguous(node* result, F&& fill) {
  layout_view out(result);
  if (out.contiguous()) return fill(out.data);
  scratch memory(out.size() * size_of(out.type));
  fill(memory.data());
  copy_elements(layout_view(memory.data(), out.type, out.shape), out);
}

/// Throws ValueError in NumPy's words if the node can't be written.
void check_writeable(std::string_view op, const node* n, bool as_output);

/// NumPy refuses negative integer exponents for any base, before it computes anything: ValueError.
void check_power(const layout_view& exponent);
/// The same for `n` exponents of `size` bytes, `step` bytes apart.
void check_exponents(const char* first, std::int64_t step, std::int64_t n, std::int64_t size);

void run_ufunc(op_id op, const inference& inferred, node* const* in, int n_in, node* result,
               node* where_mask);
void run_reduction(op_id op, const inference& inferred, const node* in, const op_params& params,
                   node* result, const node* where_mask);
void run_arg_reduction(op_id op, const inference& inferred, const node* in, const op_params& params,
                       node* result);
void run_scan(op_id op, const inference& inferred, const node* in, const op_params& params,
              node* result);

/// The kernels of a reduction over what it adds up in: float32 for float16, else the dtype of its result. InternalError: none.
const reduce_kernels& accumulator_kernels(op_id op, dtype_id accumulator);

/// One routine for each structural row that is not a view.
struct structural_call {
  const inference& inferred;
  node* const* in;
  int n_in;
  const op_params& params;
  node* result;
};
#define STRUCTURAL(name, ...) void run_##name(const structural_call& call);
#include <numjit/ops/all_rows.inc>

// ---- implementation ----------------------------------------------------------------------------

namespace detail {
/// Calls at() with `data` at each index of the axes [first, end).
template <class F>
void walk(const iteration& it, int first, int end, char** data, F&& at) {
  if (first == end) return at();
  std::int64_t index[max_rank] = {};
  for (;;) {
    at();
    int axis = end - 1;
    for (; axis >= first; --axis) {
      if (++index[axis] < it.extent[axis]) {
        for (int o = 0; o < it.operands; ++o) data[o] += it.stride[o][axis];
        break;
      }
      for (int o = 0; o < it.operands; ++o) data[o] -= it.stride[o][axis] * (it.extent[axis] - 1);
      index[axis] = 0;
    }
    if (axis < first) return;
  }
}

/// The axis that the calls of fn run along: the last one, unless rows are short and there are many. Then the next axis,
/// or, if the last two are short, a long one further out.
inline int axis_of_runs(const iteration& it) {
  const int last = it.rank - 1;
  if (last == 0) return last;
  if (last > 1 && it.extent[last] * it.extent[last - 1] <= 64) {
    const auto longest = std::max_element(it.extent, it.extent + last - 1);
    if (*longest >= 4 * it.extent[last] && *longest >= 16) return static_cast<int>(longest - it.extent);
  }
  // Rows of small elements gain more: vectors do not fit in.
  const std::int64_t short_row = std::abs(it.stride[0][last]) <= 4 ? 16 : 4;
  return it.extent[last] <= short_row && it.extent[last - 1] >= 4 * it.extent[last] ? last - 1 : last;
}

template <class F>
void run_serial(const iteration& it, F& fn) {
  char* data[iteration::max_operands];
  std::int64_t inner[iteration::max_operands] = {};
  for (int o = 0; o < it.operands; ++o) data[o] = it.data[o];
  if (it.rank == 0) {
    fn(data, inner, std::int64_t{1});
    return;
  }
  const int axis = axis_of_runs(it), last = it.rank - 1;
  for (int o = 0; o < it.operands; ++o) inner[o] = it.stride[o][axis];
  const std::int64_t whole = it.extent[axis];
  if (axis == last) return walk(it, 0, last, data, [&] { fn(data, inner, whole); });
  // A piece of the axis runs inside those behind it, so that a call of fn is paid for more elements than a row has; what
  // a piece touches stays in the cache.
  const std::int64_t most = axis == last - 1 ? 128 : 256;
  walk(it, 0, axis, data, [&] {
    char* moved[iteration::max_operands];
    for (std::int64_t begin = 0; begin < whole; begin += most) {
      const std::int64_t n = std::min(most, whole - begin);
      for (int o = 0; o < it.operands; ++o) moved[o] = data[o] + begin * inner[o];
      walk(it, axis + 1, it.rank, moved,
           [&] { fn(static_cast<char* const*>(moved), static_cast<const std::int64_t*>(inner), n); });
    }
  });
}
}  // namespace detail

template <class F>
void for_each_run(const iteration& it, double ns_per_element, F&& fn) {
  const std::int64_t total = it.size();
  if (total == 0) return;
  const double ns = static_cast<double>(total) * ns_per_element;
  if (ns < numjit::detail::parallel_from_ns || it.rank == 0) {
    detail::run_serial(it, fn);
    return;
  }
  int split = 0;
  for (int a = 1; a < it.rank; ++a)
    if (it.extent[split] < 64 && it.extent[a] > it.extent[split]) split = a;
  const std::int64_t per_index = total / it.extent[split];
  const std::int64_t grain = (8192 + per_index - 1) / per_index;
  numjit::detail::parallel_ranges(
      it.extent[split], grain, ns, [&](std::int64_t begin, std::int64_t end) {
        iteration part = it;
        part.extent[split] = end - begin;
        for (int o = 0; o < it.operands; ++o) part.data[o] += begin * it.stride[o][split];
        detail::run_serial(part, fn);
      });
}

}  // namespace numjit::eager
