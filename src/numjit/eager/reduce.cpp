// Reductions, arg reductions and scans: one axis at a time, last axis first, in the canonical order.
// The order of the additions is fixed by docs/numerics.md; what is chosen here is only the way through
// memory (along rows, or by panels of columns) and who does it.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include <numjit/base/check_interrupt.h>
#include <numjit/eager/internal.h>

namespace numjit::eager {
namespace {

constexpr std::int64_t parallel_work = 16384;  // elements of the smallest piece given to a thread
constexpr std::int64_t cast_at_once = 16384;   // elements, which stay in the cache
constexpr std::int64_t longest_cast = 65536;   // of a row at once

/// The axes that stay while one axis is reduced: merged where memory allows, largest stride first.
struct kept_axes {
  int rank = 0;
  std::int64_t extent[max_rank];
  std::int64_t stride[max_rank];   // of the source
  std::int64_t out[max_rank];      // of the result
  std::int64_t count() const {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= extent[a];
    return n;
  }
};

/// Calls fn(source pointer, result pointer) for each index of all kept axes but the last.
template <class F>
void for_each_outer(const kept_axes& kept, int axes, const char* in, char* out, std::int64_t first,
                    std::int64_t last, F&& fn) {
  for (std::int64_t i = first; i < last; ++i) {
    const char* p = in;
    char* q = out;
    std::int64_t rest = i;
    for (int a = axes - 1; a >= 0; --a) {
      const std::int64_t at = rest % kept.extent[a];
      rest /= kept.extent[a];
      p += at * kept.stride[a];
      q += at * kept.out[a];
    }
    fn(p, q);
  }
}

/// Removes `axis` from `from` and orders the rest for walking; result strides are those of `to_shape`
/// laid out contiguously in the chosen order. `natural` tells whether that is plain C order.
kept_axes order_kept(const layout_view& from, int axis, std::int64_t out_itemsize, bool& natural,
                     dims& out_strides) {
  int axes[max_rank], n = 0;
  for (int a = 0; a < from.shape.size(); ++a)
    if (a != axis) axes[n++] = a;
  out_strides = dims();
  out_strides.resize(n);
  int position[max_rank];
  for (int i = 0; i < n; ++i) position[i] = i;
  // An axis of one element goes with its right neighbour.
  std::int64_t weight[max_rank];
  for (int i = n - 1; i >= 0; --i)
    weight[i] = from.shape[axes[i]] == 1 ? (i + 1 < n ? weight[i + 1] : 0)
                                         : std::abs(from.strides[axes[i]]);
  std::stable_sort(position, position + n, [&](int x, int y) { return weight[x] > weight[y]; });
  natural = std::is_sorted(position, position + n);
  std::int64_t step = out_itemsize;
  for (int i = n - 1; i >= 0; --i) {
    out_strides[position[i]] = step;
    step *= from.shape[axes[position[i]]];
  }
  kept_axes kept;
  for (int i = 0; i < n; ++i) {
    const int a = axes[position[i]];
    if (from.shape[a] == 1) continue;
    if (kept.rank > 0 && kept.stride[kept.rank - 1] == from.strides[a] * from.shape[a]) {
      kept.extent[kept.rank - 1] *= from.shape[a];
    } else {
      kept.extent[kept.rank++] = from.shape[a];
    }
    kept.stride[kept.rank - 1] = from.strides[a];
    kept.out[kept.rank - 1] = out_strides[position[i]];
  }
  if (kept.rank == 0) {
    kept.extent[0] = 1;
    kept.stride[0] = kept.out[0] = 0;
    kept.rank = 1;
  }
  return kept;
}

struct axis_reducer {
  const reduce_kernels& first;
  const reduce_kernels& upper;  // accumulator to accumulator
  std::int64_t acc_size;
  dtype_id from;  // of the elements; the loop's, or cast to it some at a time

  bool casts() const { return from != first.in; }

  /// Rows of at most longest_cast elements, if they have to be cast.
  void rows_here(const row_block& b, char* out) const { part_here(b, false, out); }
  /// The same with the rows side by side.
  void panel_here(const row_block& b, char* out) const { part_here(b, true, out); }

  void part_here(const row_block& b, bool side_by_side, char* out) const {
    const auto reduce = side_by_side ? first.panel : first.rows;
    if (!casts()) return reduce(b, out);
    const std::int64_t item = size_of(first.in), most = std::clamp<std::int64_t>(cast_at_once / b.n, 1, b.rows);
    const loop_fn cast = cast_loop(from, first.in);
    scratch memory(most * b.n * item);
    for (std::int64_t r = 0; r < b.rows; r += most) {
      const std::int64_t some = std::min(most, b.rows - r);
      // What is cast in one go: a row, or of rows side by side the elements at one place of them.
      const std::int64_t goes = side_by_side ? b.n : some, length = side_by_side ? some : b.n;
      const std::int64_t steps[] = {side_by_side ? b.row_stride : b.stride, item};
      for (std::int64_t i = 0; i < goes; ++i) {
        char* const data[] = {const_cast<char*>(b.in) + r * b.row_stride + i * (side_by_side ? b.stride : b.row_stride),
                              memory.data() + i * length * item};
        cast(data, steps, length);
      }
      reduce({memory.data(), side_by_side ? some * item : item, side_by_side ? item : b.n * item, b.n, some}, out + r * acc_size);
    }
  }

  /// Rows of any length, next to each other or not: out[r], contiguous.
  void rows(const row_block& b, char* out) const {
    const double ns = static_cast<double>(b.n) * static_cast<double>(b.rows) * 0.3;
    const std::int64_t chunks = (b.n + chunk_size - 1) / chunk_size;
    const int threads = numjit::detail::thread_count();
    if ((b.rows < 2 * threads && chunks >= 32 && ns > numjit::detail::parallel_from_ns && threads > 1) ||
        (casts() && b.n > longest_cast)) {
      for (std::int64_t r = 0; r < b.rows; ++r) {
        row_block one = b;
        one.in += r * b.row_stride;
        long_row(one, chunks, out + r * acc_size);
      }
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, parallel_work / b.n);
    numjit::detail::parallel_ranges(b.rows, grain, ns, [&](std::int64_t begin, std::int64_t end) {
      row_block part = b;
      part.in += begin * b.row_stride;
      part.rows = end - begin;
      rows_here(part, out + begin * acc_size);
    });
  }

  /// One long row: its chunks on all threads, then the chunk results.
  void long_row(const row_block& b, std::int64_t chunks, char* out) const {
    scratch partial(chunks * acc_size);
    numjit::detail::parallel_ranges(
        chunks, parallel_work / chunk_size, static_cast<double>(b.n) * 0.3,
        [&](std::int64_t begin, std::int64_t end) {
          row_block part = b;
          part.in = b.in + begin * chunk_size * b.stride;
          part.row_stride = chunk_size * b.stride;
          part.n = chunk_size;
          const std::int64_t whole = b.n / chunk_size;
          part.rows = std::min(end, whole) - begin;
          if (part.rows > 0) rows_here(part, partial.data() + begin * acc_size);
          if (end <= whole) return;
          part.in = b.in + whole * chunk_size * b.stride;
          part.n = b.n - whole * chunk_size;
          part.rows = 1;
          rows_here(part, partial.data() + whole * acc_size);
        });
    upper.rows({partial.data(), acc_size, 0, chunks, 1}, out);
  }

  /// The same values where neighbouring rows are nearer than neighbouring elements.
  void panel(const row_block& b, char* out) const {
    const double ns = static_cast<double>(b.n) * static_cast<double>(b.rows) * 0.3;
    const std::int64_t chunks = (b.n + chunk_size - 1) / chunk_size;
    if (chunks == 1) {
      const std::int64_t grain = std::max<std::int64_t>(64, parallel_work / b.n / 64 * 64);
      numjit::detail::parallel_ranges(b.rows, grain, ns, [&](std::int64_t begin, std::int64_t end) {
        row_block part = b;
        part.in += begin * b.row_stride;
        part.rows = end - begin;
        panel_here(part, out + begin * acc_size);
      });
      return;
    }
    scratch partial(chunks * b.rows * acc_size);
    const std::int64_t grain = std::max<std::int64_t>(1, parallel_work / (chunk_size * b.rows));
    numjit::detail::parallel_ranges(chunks, grain, ns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) {
        row_block part = b;
        part.in += c * chunk_size * b.stride;
        part.n = std::min(chunk_size, b.n - c * chunk_size);
        panel_here(part, partial.data() + c * b.rows * acc_size);
      }
    });
    axis_reducer{upper, upper, acc_size, upper.in}.panel({partial.data(), b.rows * acc_size, acc_size, chunks, b.rows}, out);
  }

  /// Reduces one axis of `from` to the kept axes; each result goes to out by kept.out.
  void axis(const layout_view& from, int at, const kept_axes& kept, char* out) const {
    const std::int64_t n = from.shape[at], stride = from.strides[at];
    const int last = kept.rank - 1;
    const std::int64_t width = kept.extent[last];
    std::int64_t outer = 1;
    for (int a = 0; a < last; ++a) outer *= kept.extent[a];
    const bool by_panel = n > 1 && width > 1 && kept.stride[last] != 0 &&
                          std::abs(kept.stride[last]) < std::abs(stride);
    auto one = [&](const char* p, char* q) {
      const row_block b{p, stride, kept.stride[last], n, width};
      by_panel ? panel(b, q) : rows(b, q);
    };
    const std::int64_t work = n * width;
    if (outer > 1 && work < 4 * parallel_work) {
      const std::int64_t grain = std::max<std::int64_t>(1, parallel_work / work);
      numjit::detail::parallel_ranges(
          outer, grain, static_cast<double>(outer) * static_cast<double>(work) * 0.3,
          [&](std::int64_t begin, std::int64_t end) {
            for_each_outer(kept, last, from.data, out, begin, end, one);
          });
      return;
    }
    for_each_outer(kept, last, from.data, out, 0, outer, one);
  }
};

/// The reduced axes of the call, by axis.
void mark_axes(op_id op, const op_params& params, int rank, bool* reduced) {
  const layout::reduction r = layout::reduction_of(params);
  for (int a = 0; a < rank; ++a) reduced[a] = !r.axes;
  if (r.axes && rank > 0)
    for (std::int64_t a : *r.axes) reduced[normalize_axis(info(op).name, a, rank)] = true;
}

/// Result elements of an empty reduction: +0, 1, false, true.
layout::number empty_value(op_id op) { return layout::number::of(std::int64_t{neutral_of(op) == op_neutral::one}); }

/// Masked elements replaced by the neutral value: a contiguous copy in the loop's dtype.
layout_view prepared_input(const layout_view& in, const reduce_kernels& k, const node* mask,
                           std::optional<scratch>& memory) {
  if (!mask) return in;
  memory.emplace(in.size() * size_of(k.in));
  layout_view copy(memory->data(), k.in, in.shape);
  k.fill_neutral(copy.data, copy.size());
  layout_view m(mask);
  assign_elements(in, copy, &m);
  return copy;
}

/// Results on their way from the accumulator's dtype to out=, by way of the one that was asked for,
/// which may be narrower.
void deliver(const layout_view& from, dtype_id asked, const layout_view& to) {
  if (asked == from.type || asked == to.type) return copy_elements(from, to);
  scratch memory(from.size() * size_of(asked));
  const layout_view cut(memory.data(), asked, from.shape);
  copy_elements(from, cut);
  copy_elements(cut, to);
}

/// Are these the strides of `v`? Those of axes of one element don't count.
bool lies_as(const layout_view& v, const dims& strides) {
  for (int a = 0; a < v.shape.size(); ++a)
    if (v.shape[a] != 1 && v.strides[a] != strides[a]) return false;
  return true;
}

}  // namespace

const reduce_kernels& accumulator_kernels(op_id op, dtype_id accumulator) {
  const loop_table& table = loops();
  for (int l = 0, all = static_cast<int>(info(op).loops.size()); l < all; ++l) {
    const reduce_kernels& k = table.reduction(op, l);
    if (k.in == accumulator && k.accumulator == accumulator) return k;
  }
  throw InternalError(std::string(info(op).name), "no loop over its own accumulator");
}

void run_reduction(op_id op, const inference& inferred, const node* in, const op_params& params,
                   node* result, const node* where_mask) {
  const reduce_kernels& k = loops().reduction(op, inferred.loop);
  layout::reduction r = layout::reduction_of(params);
  // A masked sum begins at +0.0, the value of an empty one; the lanes' -0.0 would show where nothing is
  // selected. Other reductions begin at what changes nothing.
  if (where_mask && !r.initial && op == op_id::sum) r.initial = empty_value(op);
  // A short vector to one number, the most frequent call: one row of one chunk.
  const bool whole = in->rank == 1 && (!r.axes || !r.axes->empty()) && !where_mask && !r.initial;
  if (whole && in->size > 0 && in->size <= chunk_size && in->type == k.in && result->type == k.accumulator)
    return k.rows({in->data, in->strides[0], in->strides[0], in->size, 1}, result->data);
  const std::int64_t acc_size = size_of(k.accumulator);
  bool reduced[max_rank];
  mark_axes(op, params, in->rank, reduced);

  // The result without the kept-at-one axes.
  layout_view out(result), slim = out;
  slim.shape = slim.strides = dims();
  for (int a = 0; a < in->rank; ++a) {
    if (reduced[a]) continue;
    const int at = r.keepdims ? a : slim.shape.size();
    slim.shape.push_back(in->shape[a]);
    slim.strides.push_back(out.strides[at]);
  }
  if (slim.size() == 0) return;

  std::optional<scratch> start;
  layout_view initial;
  if (r.initial) {
    start.emplace(slim.size() * acc_size);
    // In the dtype of the result, or of out=, first, which may be narrower.
    alignas(16) char value[16];
    write_number(*r.initial, slim.type, value);
    copy_elements(layout_view(value, slim.type, dims()),
                  layout_view(start->data(), k.accumulator, dims()));
    initial = layout_view(start->data(), k.accumulator, slim.shape);
    layout_view one = initial;
    one.shape = one.strides = dims();
    for (std::int64_t i = 1; i < slim.size(); ++i)
      std::memcpy(start->data() + i * acc_size, start->data(), static_cast<std::size_t>(acc_size));
  }
  if (in->size == 0) {
    alignas(16) char value[16];
    write_number(empty_value(op), k.accumulator, value);
    layout_view one(value, k.accumulator, dims());
    copy_elements(r.initial ? initial : one, slim);
    return;
  }

  std::optional<scratch> input_copy;
  layout_view current = prepared_input(layout_view(in), k, where_mask, input_copy);
  if (!input_copy && numjit::detail::may_overlap(in, result)) {
    input_copy.emplace(current.size() * size_of(current.type));
    layout_view still(input_copy->data(), current.type, current.shape);
    copy_elements(current, still);
    current = still;
  }
  const reduce_kernels& upper = accumulator_kernels(op, k.accumulator);
  axis_reducer step{k, upper, acc_size, current.type};
  bool is_first = true;
  std::optional<scratch> memory[2];
  int turn = 0;
  auto reduce_axis = [&](int axis, bool last) {
    bool natural;
    dims strides;
    kept_axes kept = order_kept(current, axis, acc_size, natural, strides);
    dims shape = current.shape;
    shape.erase(axis);
    char* to = nullptr;
    if (last && !r.initial && slim.type == k.accumulator && lies_as(slim, strides)) {
      to = slim.data;
    } else {
      memory[turn].emplace(std::max<std::int64_t>(1, kept.count()) * acc_size);
      to = memory[turn]->data();
      turn ^= 1;
    }
    (is_first ? step : axis_reducer{upper, upper, acc_size, upper.in}).axis(current, axis, kept, to);
    is_first = false;
    current.data = to;
    current.type = k.accumulator;
    current.shape = shape;
    current.strides = strides;
  };
  // Axes of one element change nothing and drop out, but the first step also loads (casts) values.
  int left = 0;
  for (int a = 0; a < in->rank; ++a) left += reduced[a];
  for (int a = in->rank - 1; a >= 0; --a) {
    if (!reduced[a]) continue;
    --left;
    if (in->shape[a] == 1 && (left > 0 || !is_first)) {
      current.shape.erase(a);
      current.strides.erase(a);
    } else {
      reduce_axis(a, left == 0);
    }
  }
  if (is_first) {  // nothing to reduce (axis=()): every element is a row of one
    current.shape.push_back(1);
    current.strides.push_back(size_of(current.type));
    reduce_axis(current.shape.size() - 1, true);
  }
  if (r.initial) {
    layout_view flat(nullptr, k.accumulator, slim.shape);
    scratch ordered(slim.size() * acc_size);
    flat.data = ordered.data();
    copy_elements(current, flat);
    k.combine(ordered.data(), start->data(), slim.size());
    current = initial;
  }
  if (current.data != slim.data) deliver(current, inferred.type, slim);
}

namespace {

/// A contiguous copy of the whole array as one row, unless it is one already.
layout_view flattened(const layout_view& in, std::optional<scratch>& memory) {
  const std::int64_t n = in.size();
  if (in.contiguous()) return layout_view(in.data, in.type, dims{n});
  memory.emplace(n * size_of(in.type));
  copy_elements(in, layout_view(memory->data(), in.type, in.shape));
  return layout_view(memory->data(), in.type, dims{n});
}

}  // namespace

void run_arg_reduction(op_id op, const inference& inferred, const node* in, const op_params& params,
                       node* result) {
  const arg_kernels& k = loops().arg_reduction(op, inferred.loop);
  if (result->size == 0) return;
  std::optional<scratch> memory, out_memory;
  layout_view from(in);
  int axis = 0;
  if (layout::axis_of(params) == layout::none || in->rank == 0)
    from = flattened(from, memory);
  else
    axis = normalize_axis(info(op).name, layout::axis_of(params), in->rank);

  bool natural;
  dims strides;
  kept_axes kept = order_kept(from, axis, 8, natural, strides);
  layout_view out(result);
  const bool in_place = natural && out.contiguous() && result->type == dtype_id::int64 &&
                        !numjit::detail::may_overlap(in, result);
  if (!in_place) out_memory.emplace(kept.count() * 8);
  char* to = in_place ? result->data : out_memory->data();

  const std::int64_t n = from.shape[axis], stride = from.strides[axis];
  const int last = kept.rank - 1;
  const std::int64_t width = kept.extent[last];
  const bool by_panel = width > 1 && kept.stride[last] != 0 &&
                        std::abs(kept.stride[last]) < std::abs(stride);
  for_each_outer(kept, last, from.data, to, 0, kept.count() / width, [&](const char* p, char* q) {
    const std::int64_t grain = std::max<std::int64_t>(64, parallel_work / n);
    numjit::detail::parallel_ranges(
        width, grain, static_cast<double>(n) * static_cast<double>(width) * 0.5,
        [&](std::int64_t begin, std::int64_t end) {
          const row_block b{p + begin * kept.stride[last], stride, kept.stride[last], n, end - begin};
          std::int64_t* index = reinterpret_cast<std::int64_t*>(q) + begin;
          by_panel ? k.panel(b, index) : k.rows(b, index);
        });
  });
  if (in_place) return;
  dims shape = from.shape;
  shape.erase(axis);
  layout_view found(to, dtype_id::int64, shape);
  found.strides = strides;
  layout_view slim = out;
  if (out.shape.size() != shape.size()) {  // keepdims
    slim.shape = shape;
    slim.strides = dims();
    for (int a = 0, kept_axis = 0; a < in->rank && kept_axis < shape.size(); ++a) {
      if (a == axis) continue;
      slim.strides.push_back(out.strides[a]);
      ++kept_axis;
    }
  }
  copy_elements(found, slim);
}

namespace {

/// One long contiguous row on all threads: segments are scanned side by side, their totals one after the
/// other, then each element is joined with the total before its segment. A block at a time, so that the
/// second pass finds the first one's results in the cache. Two threads with two passes take longer than one with one.
void scan_long_row(op_id op, const scan_kernels& k, const char* in, char* out, std::int64_t n) {
  const std::int64_t in_size = size_of(k.in), size = size_of(k.out), block = (1 << 20) / size;
  const op_id join = ufunc_of(op);
  int loop = 0;
  while (info(join).loops[static_cast<std::size_t>(loop)].out != k.out) ++loop;
  const loop_fn apply = loops().ufunc[static_cast<int>(join)][loop];
  const std::int64_t most = block / scan_segment;
  scratch memory((most + 1) * size);
  char* before = memory.data();  // of segment s of the block at s * size; the first element of all has none
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t length = std::min(block, n - first), whole = length / scan_segment;
    const std::int64_t segments = (length + scan_segment - 1) / scan_segment;
    const char* from = in + first * in_size;
    char* to = out + first * size;
    const double ns = static_cast<double>(length);
    numjit::detail::parallel_ranges(segments, 64, ns, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t step = scan_segment * in_size, out_step = scan_segment * size;
      k.rows({from + begin * step, in_size, step, scan_segment, std::min(end, whole) - begin}, to + begin * out_step,
             size, out_step);
      if (end > whole)
        k.rows({from + whole * step, in_size, step, length - whole * scan_segment, 1}, to + whole * out_step, size,
               out_step);
    });
    const std::int64_t plain = first == 0 ? 1 : 0;  // segments that nothing comes before
    for (std::int64_t s = 0; s < segments; ++s) {
      const std::int64_t last = std::min(length, (s + 1) * scan_segment) - 1;
      char* next = before + (s + 1) * size;
      std::memcpy(next, to + last * size, static_cast<std::size_t>(size));
      if (s < plain) continue;
      char* ptr[3] = {before + s * size, next, next};
      const std::int64_t step[3] = {0, 0, 0};
      apply(ptr, step, 1);
    }
    numjit::detail::parallel_ranges(segments, 64, ns * 0.3, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = std::max(begin, plain); s < end; ++s) {
        char* values = to + s * scan_segment * size;
        char* ptr[3] = {before + s * size, values, values};
        const std::int64_t step[3] = {0, size, size};
        apply(ptr, step, std::min(scan_segment, length - s * scan_segment));
      }
    });
    std::memcpy(before, before + segments * size, static_cast<std::size_t>(size));
  }
}

constexpr std::int64_t too_long_at_once = 1 << 27;  // elements of a row, a tenth of a second
constexpr std::int64_t panel_width = 1 << 10;       // columns between two questions

/// Writes each page of memory once, in its order: columns would touch all of it before the first of them is done.
void touch_pages(const layout_view& memory) {
  constexpr std::int64_t page = 1 << 12;
  const std::int64_t bytes = memory.size() * size_of(memory.type);
  if (bytes < std::int64_t{1} << 26 || !memory.contiguous() || !numjit::detail::may_be_interrupted()) return;
  numjit::detail::in_parts(bytes / page, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      volatile char* const first = memory.data + i * page;
      *first = *first;
    }
  });
}

/// May a scan of these kernels be done so? Its elements must be stored as exactly as they are summed.
bool joins_like_ufunc(const scan_kernels& k) {
  return k.out == dtype_id::float64 || k.out == dtype_id::float32 || k.out == dtype_id::int64 ||
         k.out == dtype_id::uint64;
}

}  // namespace

void run_scan(op_id op, const inference& inferred, const node* in, const op_params& params,
              node* result) {
  const scan_kernels& k = loops().scanning(op, inferred.loop);
  if (in->size == 0) return;
  std::optional<scratch> cast_memory, flat_memory, out_memory;
  layout_view from(in);
  if (from.type != k.in && k.in == k.out && result->type == k.out && from.shape == layout_view(result).shape &&
      !numjit::detail::may_overlap(in, result)) {
    copy_elements(from, layout_view(result));  // scanned where it lies
    from = layout_view(result);
  } else if (from.type != k.in || numjit::detail::may_overlap(in, result)) {
    cast_memory.emplace(from.size() * size_of(k.in));
    layout_view copy(cast_memory->data(), k.in, from.shape);
    copy_elements(from, copy);
    from = copy;
  }
  int axis = 0;
  if (layout::axis_of(params) == layout::none || in->rank == 0)
    from = flattened(from, flat_memory);
  else
    axis = normalize_axis(info(op).name, layout::axis_of(params), in->rank);

  layout_view out(result);
  layout_view target = out;
  if (result->type != k.out) {
    out_memory.emplace(from.size() * size_of(k.out));
    target = layout_view(out_memory->data(), k.out, from.shape);
  }
  const std::int64_t n = from.shape[axis], out_stride = target.strides[axis];
  layout_view from_rest = from, to_rest = target;
  from_rest.shape[axis] = to_rest.shape[axis] = 1;
  iteration it(to_rest.shape, {&to_rest, &from_rest});
  const bool in_blocks = numjit::detail::thread_count() > 3 || (n > too_long_at_once && numjit::detail::may_be_interrupted());
  const bool is_row = it.size() == 1 && from.strides[axis] == size_of(k.in) && out_stride == size_of(k.out);
  if (is_row && n >= 1 << 18 && joins_like_ufunc(k) && in_blocks) {
    scan_long_row(op, k, it.data[1], it.data[0], n);
    if (out_memory) deliver(target, inferred.type, out);
    return;
  }
  const bool by_panel = it.rank > 0 && std::abs(it.stride[1][it.rank - 1]) <
                                           std::abs(from.strides[axis]);
  if (by_panel) touch_pages(target);
  for_each_run(it, static_cast<double>(n),
               [&](char* const* data, const std::int64_t* stride, std::int64_t rows) {
                 if (!by_panel) return k.rows({data[1], from.strides[axis], stride[1], n, rows}, data[0], out_stride, stride[0]);
                 numjit::detail::in_parts(rows, panel_width, [&](std::int64_t begin, std::int64_t end) {
                   k.panel({data[1] + begin * stride[1], from.strides[axis], stride[1], n, end - begin},
                           data[0] + begin * stride[0], out_stride, stride[0]);
                 });
               });
  if (out_memory) deliver(target, inferred.type, out);
}

}  // namespace numjit::eager
