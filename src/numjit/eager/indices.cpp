// Routines that read and store elements at the places that arrays of indices tell: take and put_index.
#include <algorithm>
#include <atomic>
#include <optional>

#include <numjit/array/gather.h>
#include <numjit/base/check_interrupt.h>
#include <numjit/eager/engine.h>
#include <numjit/eager/internal.h>

namespace numjit::eager {
namespace {

using numjit::detail::gathering;
using numjit::detail::pair_of_words;
using numjit::detail::can_gather_by;
using numjit::detail::place_gathering;

/// What an error names: the function, or "index", and the axis.
struct indexed_axis {
  const char* op;
  int axis;
};

/// Indices as contiguous int64.
const std::int64_t* indices_of(const layout_view& v, std::optional<scratch>& memory) {
  if (v.type == dtype_id::int64 && v.contiguous()) return reinterpret_cast<const std::int64_t*>(v.data);
  memory.emplace(std::max<std::int64_t>(1, v.size()) * 8);
  copy_elements(v, layout_view(memory->data(), dtype_id::int64, v.shape));
  return memory->as<std::int64_t>();
}

/// Is each index one from the front?
bool all_in_front(const std::int64_t* index, std::int64_t count, std::int64_t n) {
  bool inside = true;
  numjit::detail::in_parts(count, 1 << 20, [&](std::int64_t begin, std::int64_t end) {
    inside = inside && numjit::detail::all_inside(index + begin, end - begin, n);
  });
  return inside;
}

/// Indices made non-negative and checked, by the mode of take.
void resolve_indices(const indexed_axis& named, const std::int64_t* from, std::int64_t count, std::int64_t n,
                     layout::take_mode mode, std::int64_t* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    numjit::detail::check_interrupt_at(i);
    std::int64_t at = from[i];
    if (mode == layout::take_mode::raise) {
      if (at < -n || at >= n) numjit::detail::throw_out_of_bounds(named.op, at, named.axis, n);
      if (at < 0) at += n;
    } else if (mode == layout::take_mode::clip) {
      at = at < 0 ? 0 : at >= n ? n - 1 : at;
    } else {
      at %= n;
      if (at < 0) at += n;
    }
    to[i] = at;
  }
}

/// By indices of any integer dtype, without a copy of them where they lie one behind the other.
bool gather_all(const gathering& g, const char* index, dtype_id type) {
  std::atomic<bool> inside{true};
  const double ns_per_run = 1.0 + static_cast<double>(g.run) * 0.1;
  numjit::detail::parallel_ranges(
      g.count, std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, g.run)),
      static_cast<double>(g.count * g.outer) * ns_per_run, [&](std::int64_t begin, std::int64_t end) {
        if (!numjit::detail::gather(g, index, type, begin, end)) inside = false;
      });
  return inside;
}

void gather_by(const gathering& g, const layout_view& indices, const indexed_axis& named, layout::take_mode mode) {
  std::optional<scratch> memory;
  if (indices.contiguous() ? gather_all(g, indices.data, indices.type)
                           : gather_all(g, reinterpret_cast<const char*>(indices_of(indices, memory)), dtype_id::int64))
    return;
  const std::int64_t* index = indices_of(indices, memory);
  scratch resolved(g.count * 8);
  resolve_indices(named, index, g.count, g.n, mode, resolved.as<std::int64_t>());
  gather_all(g, resolved.data(), dtype_id::int64);
}

/// Runs `fill` on contiguous memory of dtype `type`: the result's own, if it is that and no input lies there.
template <class F>
void fill_result(const structural_call& c, dtype_id type, F&& fill) {
  const bool overlaps =
      std::any_of(c.in, c.in + c.n_in, [&](const node* in) { return numjit::detail::may_overlap(in, c.result); });
  if (!overlaps && c.result->type == type) return with_contiguous(c.result, fill);
  scratch memory(c.result->size * size_of(type));
  fill(memory.data());
  copy_elements(layout_view(memory.data(), type, dims(c.result->shape, c.result->rank)), layout_view(c.result));
}

/// to[index[i]] = value i, in order: the last of several values for one place stays.
template <class Word>
void scatter(char* to, std::int64_t step, const std::int64_t* index, std::int64_t count,
             const char* values, std::int64_t value_step) {
  numjit::detail::in_parts(count, 1 << 17, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      *reinterpret_cast<Word*>(to + index[i] * step) = *reinterpret_cast<const Word*>(values + i * value_step);
  });
}
void scatter_words(std::int64_t itemsize, char* to, std::int64_t step, const std::int64_t* index,
                   std::int64_t count, const char* values, std::int64_t value_step) {
  switch (itemsize) {
    case 1: return scatter<std::uint8_t>(to, step, index, count, values, value_step);
    case 2: return scatter<std::uint16_t>(to, step, index, count, values, value_step);
    case 4: return scatter<std::uint32_t>(to, step, index, count, values, value_step);
    case 8: return scatter<std::uint64_t>(to, step, index, count, values, value_step);
    default: return scatter<pair_of_words>(to, step, index, count, values, value_step);
  }
}

}  // namespace

void run_take(const structural_call& c) {
  if (c.result->size == 0 && c.in[1]->size == 0) return;
  const std::int64_t word = layout::axis_of(c.params);
  const auto mode = c.params.size() > 1 ? static_cast<layout::take_mode>(c.params[1])
                                        : layout::take_mode::raise;
  std::optional<scratch> from_memory;
  const layout_view from = contiguous_input(layout_view(c.in[0]), from_memory), indices(c.in[1]);
  const bool flat = word == layout::none || c.in[0]->rank == 0;
  const int axis = flat ? 0 : normalize_axis("take", word, c.in[0]->rank);
  const bool is_index = c.params.size() > 2;
  const indexed_axis named = is_index ? indexed_axis{"index", static_cast<int>(c.params[2])} : indexed_axis{"take", axis};
  gathering g{from.data, nullptr, 1, c.in[1]->size, flat ? from.size() : from.shape[axis], size_of(from.type)};
  g.negative_from_end = mode != layout::take_mode::clip;
  if (g.n == 0 && !is_index) return;  // infer_take has refused what needs elements
  for (int a = 0; a < axis; ++a) g.outer *= from.shape[a];
  if (!flat)
    for (int a = axis + 1; a < from.shape.size(); ++a) g.run *= from.shape[a];
  auto fill = [&](char* out) {
    g.out = out;
    gather_by(g, indices, named, mode);  // also where another axis has no elements: indices are checked
  };
  fill_result(c, from.type, fill);
}

void run_take_places(const structural_call& c) {
  const int indexed = c.n_in - 1;
  const node* result = c.result;
  const dims index_shape(result->shape, result->rank - (c.in[0]->rank - indexed));
  const std::int64_t count = element_count(index_shape);
  layout_view from(c.in[0]);
  // Behind the indexed axes elements have to lie one behind the other.
  std::optional<scratch> from_memory;
  std::int64_t run = size_of(from.type);
  for (int axis = from.shape.size(); axis-- > indexed; run *= from.shape[axis])
    if (from.shape[axis] != 1 && from.strides[axis] != run) from = contiguous_input(layout_view(c.in[0]), from_memory);
  std::optional<scratch> memory[max_rank];
  place_gathering::axis axes[max_rank];
  for (int k = 0; k < indexed; ++k) {
    layout_view index(c.in[k + 1]);
    axes[k] = {index.data, index.type, from.shape[k], from.strides[k]};
    if (index.contiguous() && index.shape == index_shape && can_gather_by(index.type)) continue;
    index.strides = broadcast_strides(index, index_shape), index.shape = index_shape;
    axes[k].index = reinterpret_cast<const char*>(indices_of(index, memory[k]));
    axes[k].type = dtype_id::int64;
  }
  auto fill = [&](char* out) {
    const place_gathering g{from.data, out, axes, indexed, run};
    std::atomic<bool> inside{true};
    numjit::detail::parallel_ranges(count, std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, run)),
                                    static_cast<double>(count) * (0.5 + 0.3 * indexed + static_cast<double>(run) * 0.1),
                                    [&](std::int64_t begin, std::int64_t end) {
                                      if (!numjit::detail::gather_places(g, begin, end)) inside = false;
                                    });
    if (inside) return;
    // The first axis's first, as NumPy finds it.
    for (int k = 0; k < indexed; ++k) {
      const layout_view index(c.in[k + 1]);
      std::optional<scratch> wide;
      scratch resolved(std::max<std::int64_t>(1, index.size()) * 8);
      const int axis = k < c.params.size() ? static_cast<int>(c.params[k]) : k;
      resolve_indices({"index", axis}, indices_of(index, wide), index.size(), axes[k].n, layout::take_mode::raise,
                      resolved.as<std::int64_t>());
    }
  };
  fill_result(c, from.type, fill);
}

void run_put_index(const structural_call& c) {
  check_writeable("put_index", c.result, false);
  const layout_view target(c.result), indices(c.in[1]);
  const std::int64_t count = indices.size(), n = target.shape[0];
  std::optional<scratch> index_memory, resolved_memory, value_memory;
  const std::int64_t* index = indices_of(indices, index_memory);
  if (numjit::detail::may_overlap(c.in[1], c.result) || !all_in_front(index, count, n)) {
    resolved_memory.emplace(count * 8);
    const bool is_index = c.params.size() > 0;
    const indexed_axis named = is_index ? indexed_axis{"index", static_cast<int>(c.params[0])} : indexed_axis{"put_index", 0};
    resolve_indices(named, index, count, n, layout::take_mode::raise, resolved_memory->as<std::int64_t>());
    index = resolved_memory->as<std::int64_t>();
  }
  // Values in the target's dtype, one row for each index; a copy also where they overlap with the target.
  dims place = indices.shape;
  for (int a = 1; a < target.shape.size(); ++a) place.push_back(target.shape[a]);
  const layout_view given = trimmed(layout_view(c.in[2]), place.size());
  layout_view values = given;
  if (given.type != target.type || !given.contiguous() || numjit::detail::may_overlap(c.in[2], c.result)) {
    value_memory.emplace(given.size() * size_of(target.type));
    values = layout_view(value_memory->data(), target.type, given.shape);
    copy_elements(given, values);
  }
  layout_view spread = values;
  spread.strides = broadcast_strides(values, place);
  spread.shape = place;
  layout_view row = target, value = spread;
  row.shape.erase(0), row.strides.erase(0);
  for (int a = 0; a < indices.shape.size(); ++a) value.shape.erase(0), value.strides.erase(0);
  const std::int64_t itemsize = size_of(target.type);
  // Rows of one element, and one value or one after the other: no walk over axes.
  if (row.size() == 1 && (values.size() == 1 || spread.size() == values.size())) {
    scatter_words(itemsize, target.data, target.strides[0], index, count, values.data,
                  values.size() == 1 ? 0 : itemsize);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    numjit::detail::check_interrupt_at(i);
    std::int64_t offset = 0, rest = i;
    for (int a = indices.shape.size() - 1; a >= 0; --a) {
      offset += rest % place[a] * spread.strides[a];
      rest /= place[a];
    }
    value.data = spread.data + offset;
    row.data = target.data + index[i] * target.strides[0];
    if (row.shape.empty()) std::memcpy(row.data, value.data, static_cast<std::size_t>(itemsize));
    else copy_elements(value, row);
  }
}

}  // namespace numjit::eager
