// Routines of creation, copies, stores, joining and selection by masks.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include <numjit/base/check_interrupt.h>
#include <numjit/eager/engine.h>
#include <numjit/eager/internal.h>
#include <numjit/eager/zeros.h>
#include <numjit/ops/number_sum.h>

namespace numjit::eager {

layout_view trimmed(layout_view value, int rank) {
  while (value.shape.size() > rank) {
    value.shape.erase(0);
    value.strides.erase(0);
  }
  return value;
}

// ---- copies and stores -------------------------------------------------------------------------

void run_astype(const structural_call& c) { assign_elements(layout_view(c.in[0]), layout_view(c.result)); }
void run_copy(const structural_call& c) { assign_elements(layout_view(c.in[0]), layout_view(c.result)); }

void run_store(const structural_call& c) {
  check_writeable("store", c.result, false);
  layout_view target(c.result);
  assign_elements(trimmed(layout_view(c.in[1]), target.shape.size()), target);
}

void run_masked_store(const structural_call& c) {
  check_writeable("masked_store", c.result, false);
  layout_view target(c.result), mask(c.in[2]);
  assign_elements(trimmed(layout_view(c.in[1]), target.shape.size()), target, &mask);
}

// ---- creation ----------------------------------------------------------------------------------

void run_full(const structural_call& c) {
  alignas(16) char value[16];
  write_number(layout::full_of(c.params).value, c.result->type, value);
  copy_elements(layout_view(value, c.result->type, dims()), layout_view(c.result));
}

namespace {

/// start + i * delta in the dtype's own arithmetic, where delta is second - first, as NumPy fills.
template <class T>
void fill_arange(char* out, std::int64_t n) {
  T* to = reinterpret_cast<T*>(out);
  if constexpr (std::is_same_v<T, half>) {
    const float start = to[0], delta = static_cast<float>(to[1]) - start;
    for (std::int64_t i = 2; i < n; ++i) to[i] = half(start + static_cast<float>(i) * delta);
  } else if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>) {
    const T start = to[0], delta{to[1].re - start.re, to[1].im - start.im};
    using R = decltype(start.re);
    for (std::int64_t i = 2; i < n; ++i)
      to[i] = T(start.re + static_cast<R>(i) * delta.re, start.im + static_cast<R>(i) * delta.im);
  } else if constexpr (std::is_integral_v<T>) {
    const auto start = static_cast<std::uint64_t>(to[0]);
    const std::uint64_t delta = static_cast<std::uint64_t>(to[1]) - start;
    for (std::int64_t i = 2; i < n; ++i)
      to[i] = static_cast<T>(start + static_cast<std::uint64_t>(i) * delta);
  } else {
    const T start = to[0], delta = to[1] - start;
    for (std::int64_t i = 2; i < n; ++i) to[i] = start + static_cast<T>(i) * delta;
  }
}

}  // namespace

void run_arange(const structural_call& c) {
  const layout::arange_values v = layout::arange_of(c.params);
  const std::int64_t n = c.result->size;
  with_contiguous(c.result, [&](char* out) {
    const dtype_id type = c.result->type;
    if (n > 0) write_number(v.start, type, out);
    if (n > 1) write_number(layout::sum_of(v.start, v.step), type, out + size_of(type));
    if (n > 2) visit_dtype(type, [&]<class T>() { fill_arange<T>(out, n); });
  });
}

namespace {

/// Points [first, first + n) of a line: start + i * step, or start + i / div * delta where the step is too small to be told
/// from zero. Places count from `first` in 32 bits, which vectors turn into doubles.
struct line {
  double start, delta, step, div;
  bool whole;  // integers: the values below

  template <bool Steps>
  void fill(std::int64_t first, std::int64_t n, double* to, std::int64_t stride) const {
    const double from = static_cast<double>(first);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(n); ++i) {
      const double at = from + static_cast<double>(i);
      const double value = (Steps ? at * step : at / div * delta) + start;
      to[i * stride] = value;
    }
    if (whole)
      for (std::int64_t i = 0; i < n; ++i) to[i * stride] = std::floor(to[i * stride]);
  }
};

}  // namespace

void run_linspace(const structural_call& c) {
  const layout::linspace_values v = layout::linspace_of(c.params);
  const std::int64_t n = c.result->size;
  if (n == 0) return;
  const bool is_complex = v.start.kind == layout::number::complex_ || v.stop.kind == layout::number::complex_;
  const int parts = is_complex ? 2 : 1;
  const std::int64_t div = v.endpoint ? v.num - 1 : v.num;
  const double start[2] = {v.start.as_double(), v.start.imag}, stop[2] = {v.stop.as_double(), v.stop.imag};
  const char kind = kind_of(c.result->type);
  line lines[2];
  bool zero_step = true;
  for (int p = 0; p < parts; ++p) {
    const double delta = stop[p] - start[p], step = div > 0 ? delta / static_cast<double>(div) : delta;
    lines[p] = {start[p], delta, step, static_cast<double>(div), kind == 'i' || kind == 'u'};
    zero_step = zero_step && div > 0 && step == 0;
  }
  const layout_view result(c.result);
  const dtype_id made = is_complex ? dtype_id::complex128 : dtype_id::float64;
  const bool direct = result.type == made && result.contiguous();
  constexpr std::int64_t piece = 1024;  // which stays in the nearest cache until it is cast
  numjit::detail::parallel_ranges(n, 4 * piece, static_cast<double>(n * parts) * 0.5, [&](std::int64_t begin, std::int64_t end) {
    double memory[2 * piece];
    for (std::int64_t first = begin; first < end; first += piece) {
      const std::int64_t count = std::min(piece, end - first);
      layout_view place = result;
      place.shape = dims{count};
      place.data += first * (result.shape.empty() ? 0 : result.strides[0]);
      double* const to = direct ? reinterpret_cast<double*>(place.data) : memory;
      for (int p = 0; p < parts; ++p) {
        if (zero_step) lines[p].fill<false>(first, count, to + p, parts);
        else lines[p].fill<true>(first, count, to + p, parts);
        if (v.endpoint && n > 1 && first + count == n)
          to[(count - 1) * parts + p] = lines[p].whole ? std::floor(stop[p]) : stop[p];
      }
      if (!direct) copy_elements(layout_view(reinterpret_cast<char*>(memory), made, place.shape), place);
    }
  });
}

void run_eye(const structural_call& c) {
  const layout_view out(c.result);
  alignas(16) char value[16];
  write_number(layout::number::of(std::int64_t{0}), out.type, value);
  copy_elements(layout_view(value, out.type, dims()), out);
  write_diagonal(c.params, c.result);
}

void write_diagonal(const op_params& params, node* zeros) {
  const layout_view out(zeros);
  const std::int64_t k = params[2];
  const std::int64_t row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
  const std::int64_t n = std::min(out.shape[0] - row, out.shape[1] - column);
  if (n <= 0) return;
  layout_view diagonal = out;
  diagonal.data += row * out.strides[0] + column * out.strides[1];
  diagonal.shape = dims{n};
  diagonal.strides = dims{out.strides[0] + out.strides[1]};
  alignas(16) char value[16];
  write_number(layout::number::of(std::int64_t{1}), out.type, value);
  copy_elements(layout_view(value, out.type, dims()), diagonal);
}

// ---- joining and selecting -----------------------------------------------------------------------

void run_concatenate(const structural_call& c) {
  const int axis = normalize_axis("concatenate", layout::axis_of(c.params), c.result->rank);
  layout_view part(c.result);
  for (int i = 0; i < c.n_in; ++i) {
    const layout_view from(c.in[i]);
    part.shape[axis] = from.shape[axis];
    assign_elements(from, part);
    part.data += from.shape[axis] * part.strides[axis];
  }
}

namespace {

/// Copies bytes that do not overlap. Where they go to addresses a little above those that they come from, counted in pages, each
/// load would wait for the stores just before it, as processors compare the lowest 12 bits only: from the end on it does not.
void copy_bytes(char* to, const char* from, std::int64_t n) {
  constexpr std::int64_t page = 1 << 12, near = 1 << 10, piece = 1 << 8;
  const auto ahead =
      static_cast<std::int64_t>((reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % page);
  if (ahead == 0 || ahead >= near || n <= piece) {
    std::memcpy(to, from, static_cast<std::size_t>(n));
    return;
  }
  for (; n >= piece; n -= piece) std::memcpy(to + n - piece, from + n - piece, piece);
  std::memcpy(to, from, static_cast<std::size_t>(n));
}

/// Of arrays in C order: per place of the axes before, two runs of bytes change places.
void roll_runs(const char* from, char* to, std::int64_t places, std::int64_t ahead, std::int64_t behind) {
  const std::int64_t run = ahead + behind, bytes = places * run;
  numjit::detail::parallel_ranges(bytes, 1 << 12, 0.1 * static_cast<double>(bytes), [&](std::int64_t i, std::int64_t end) {
    while (i < end) {
      const std::int64_t place = i / run * run, at = i - place;
      const std::int64_t n = std::min(end - i, at < ahead ? ahead - at : run - at);
      copy_bytes(to + i, from + place + (at < ahead ? behind + at : at - ahead), n);
      i += n;
    }
  });
}

}  // namespace

void run_roll(const structural_call& c) {
  if (c.result->size == 0) return;
  const int axis = normalize_axis("roll", layout::axis_of(c.params), c.result->rank);
  layout_view from(c.in[0]), to(c.result);
  const std::int64_t n = from.shape[axis], by = layout::shift_of(c.params, n);
  if (from.contiguous() && to.contiguous() && from.type == to.type) {
    std::int64_t places = 1, bytes = size_of(from.type);
    for (int a = 0; a < from.shape.size(); ++a) (a < axis ? places : bytes) *= a == axis ? 1 : from.shape[a];
    return roll_runs(from.data, to.data, places, by * bytes, (n - by) * bytes);
  }
  char* const start = to.data;
  from.shape[axis] = to.shape[axis] = n - by;
  to.data += by * to.strides[axis];
  assign_elements(from, to);
  from.data += (n - by) * from.strides[axis];
  from.shape[axis] = to.shape[axis] = by;
  to.data = start;
  assign_elements(from, to);
}

layout_view contiguous_input(const layout_view& v, std::optional<scratch>& memory) {
  if (v.contiguous()) return layout_view(v.data, v.type, v.shape);
  memory.emplace(v.size() * size_of(v.type));
  layout_view copy(memory->data(), v.type, v.shape);
  copy_elements(v, copy);
  return copy;
}

namespace {

/// How many bytes are not 0 (views of other dtypes as bool have others than 1): in byte lanes as long as these can't overflow.
std::int64_t count_bytes(const std::uint8_t* p, std::int64_t n) {
  constexpr std::int64_t lanes = 64;
  std::int64_t count = 0, i = 0;
  while (i + lanes <= n) {
    std::uint8_t lane[lanes] = {};
    const std::int64_t end = std::min(n - lanes, i + 254 * lanes);
    for (; i <= end; i += lanes)
      for (std::int64_t l = 0; l < lanes; ++l) lane[l] = static_cast<std::uint8_t>(lane[l] + (p[i + l] != 0));
    for (std::int64_t l = 0; l < lanes; ++l) count += lane[l];
  }
  for (; i < n; ++i) count += p[i] != 0;
  return count;
}

}  // namespace

std::int64_t count_true(const node* n) {
  const layout_view v(n);
  const iteration it(v.shape, {&v});
  if (it.size() == 0) return 0;
  if (v.type == dtype_id::bool_ && v.contiguous()) {
    const std::uint8_t* truth = reinterpret_cast<const std::uint8_t*>(v.data);
    const std::int64_t n = it.size();
    std::atomic<std::int64_t> total{0};
    numjit::detail::parallel_ranges(n, 1 << 18, static_cast<double>(n) * 0.05,
                                    [&](std::int64_t begin, std::int64_t end) {
                                      total += count_bytes(truth + begin, end - begin);
                                    });
    return total;
  }
  std::int64_t count = 0;
  const loop_fn to_bool = cast_loop(v.type, dtype_id::bool_);
  auto add = [&](char* const* data, const std::int64_t* stride, std::int64_t length) {
    std::uint8_t truth[1024];
    for (std::int64_t first = 0; first < length; first += 1024) {
      const std::int64_t m = std::min<std::int64_t>(1024, length - first);
      char* ptr[2] = {data[0] + first * stride[0], reinterpret_cast<char*>(truth)};
      const std::int64_t step[2] = {stride[0], 1};
      to_bool(ptr, step, m);
      count += count_bytes(truth, m);
    }
  };
  detail::run_serial(it, add);
  return count;
}

void run_axis_length(const structural_call& c) {
  const std::int64_t axis = layout::axis_of(c.params);
  const std::int64_t length =
      axis == layout::none ? c.in[0]->size
                           : c.in[0]->shape[normalize_axis("axis_length", axis, c.in[0]->rank)];
  write_number(layout::number::of(length), c.result->type, c.result->data);
}

namespace {

/// Truth of every element, contiguous in C order.
const std::uint8_t* truth_of(const node* n, std::optional<scratch>& memory) {
  const layout_view v(n);
  if (v.type == dtype_id::bool_ && v.contiguous()) return reinterpret_cast<const std::uint8_t*>(v.data);
  memory.emplace(v.size());
  copy_elements(v, layout_view(memory->data(), dtype_id::bool_, v.shape));
  return memory->as<std::uint8_t>();
}

}  // namespace

namespace {

constexpr std::int64_t mask_chunk = std::int64_t{1} << 15;

/// fill(first, place, count) for chunks of the mask: `count` elements from element `first` on are
/// selected, and go to the result from `place` on. Counts come first, so that chunks are filled side by
/// side, in order all the same. A short mask is one chunk.
template <class F>
void for_chunks(const std::uint8_t* truth, std::int64_t n, double ns_per_element, F&& fill) {
  constexpr std::int64_t chunk = mask_chunk;
  if (n <= 2 * chunk) return fill(std::int64_t{0}, std::int64_t{0}, count_bytes(truth, n));
  const std::int64_t chunks = (n + chunk - 1) / chunk;
  scratch memory((chunks + 1) * 8);
  std::int64_t* place = memory.as<std::int64_t>();
  const double size = static_cast<double>(n);
  numjit::detail::parallel_ranges(chunks, 8, size * 0.05, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c)
      place[c + 1] = count_bytes(truth + c * chunk, std::min(chunk, n - c * chunk));
  });
  place[0] = 0;
  for (std::int64_t c = 0; c < chunks; ++c) place[c + 1] += place[c];
  numjit::detail::parallel_ranges(chunks, 2, size * ns_per_element, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) fill(c * chunk, place[c], place[c + 1] - place[c]);
  });
}

/// The first `count` values value(i) whose truth[i] is not 0, in order. No branches within eight elements: a
/// value is written for each, the next one over it unless it counts.
template <class Word, class Value>
void pick(const std::uint8_t* truth, std::int64_t count, Word* to, Value&& value) {
  std::int64_t i = 0, k = 0;
  while (k + 8 <= count) {  // at least eight are still to come, so eight elements can be read
    std::uint64_t eight;
    std::memcpy(&eight, truth + i, 8);
    if (eight != 0)
      for (int j = 0; j < 8; ++j) {
        to[k] = value(i + j);
        k += truth[i + j] != 0;
      }
    i += 8;
  }
  for (; k < count; ++i) {
    to[k] = value(i);
    k += truth[i] != 0;
  }
}

template <class Word>
void pick_words(const char* from, const std::uint8_t* truth, std::int64_t count, char* to) {
  const Word* source = reinterpret_cast<const Word*>(from);
  pick(truth, count, reinterpret_cast<Word*>(to), [source](std::int64_t i) { return source[i]; });
}
void pick_runs(const char* from, const std::uint8_t* truth, std::int64_t count, std::int64_t run, char* to) {
  switch (run) {
    case 1: return pick_words<std::uint8_t>(from, truth, count, to);
    case 2: return pick_words<std::uint16_t>(from, truth, count, to);
    case 4: return pick_words<std::uint32_t>(from, truth, count, to);
    case 8: return pick_words<std::uint64_t>(from, truth, count, to);
    case 16: return pick_words<complex<double>>(from, truth, count, to);
    default: break;
  }
  for (std::int64_t i = 0; count > 0; ++i) {
    if (!truth[i]) continue;
    std::memcpy(to, from + i * run, static_cast<std::size_t>(run));
    to += run;
    --count;
  }
}

}  // namespace

void run_nonzero_flat(const structural_call& c) {
  std::optional<scratch> memory;
  const std::uint8_t* truth = truth_of(c.in[0], memory);
  with_contiguous(c.result, [&](char* out) {
    std::int64_t* to = reinterpret_cast<std::int64_t*>(out);
    for_chunks(truth, c.in[0]->size, 1.0, [&](std::int64_t first, std::int64_t place, std::int64_t count) {
      pick(truth + first, count, to + place, [first](std::int64_t i) { return first + i; });
    });
  });
}

void run_mask_select(const structural_call& c) {
  std::optional<scratch> mask_memory, from_memory;
  const std::uint8_t* truth = truth_of(c.in[1], mask_memory);
  const layout_view from = contiguous_input(layout_view(c.in[0]), from_memory);
  std::int64_t run = size_of(from.type);
  for (int a = c.in[1]->rank; a < from.shape.size(); ++a) run *= from.shape[a];
  const double ns = 1.0 + 0.1 * static_cast<double>(run);
  with_contiguous(c.result, [&](char* out) {
    for_chunks(truth, c.in[1]->size, ns, [&](std::int64_t first, std::int64_t place, std::int64_t count) {
      pick_runs(from.data + first * run, truth + first, count, run, out + place * run);
    });
  });
}

namespace {

/// Element i of `to` becomes the next value where mask[i] is true; contiguous. No branches: a value is
/// read for every element, the last time one past the values.
template <class Word>
void fill_where(char* out, const std::uint8_t* mask, std::int64_t n, const char* value,
                std::int64_t step) {
  Word* to = reinterpret_cast<Word*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    const Word next = *reinterpret_cast<const Word*>(value);
    to[i] = mask[i] ? next : to[i];
    value += mask[i] ? step : 0;
  }
}
void fill_masked(std::int64_t itemsize, char* to, const std::uint8_t* mask, std::int64_t n,
                 const char* value, std::int64_t step) {
  switch (itemsize) {
    case 1: return fill_where<std::uint8_t>(to, mask, n, value, step);
    case 2: return fill_where<std::uint16_t>(to, mask, n, value, step);
    case 4: return fill_where<std::uint32_t>(to, mask, n, value, step);
    case 8: return fill_where<std::uint64_t>(to, mask, n, value, step);
    default: return fill_where<complex<double>>(to, mask, n, value, step);
  }
}

}  // namespace

void run_mask_put(const structural_call& c) {
  check_writeable("mask_put", c.result, false);
  const layout_view target(c.result);
  const int mask_rank = c.in[1]->rank;
  const std::int64_t count = count_true(c.in[1]);
  dims place{count};
  for (int a = mask_rank; a < target.shape.size(); ++a) place.push_back(target.shape[a]);
  layout_view given = trimmed(layout_view(c.in[2]), place.size());
  const int missing = place.size() - given.shape.size();
  for (int a = 0; a < given.shape.size(); ++a) {
    if (given.shape[a] == 1 || given.shape[a] == place[a + missing]) continue;
    if (a + missing == 0 && place.size() == 1)
      throw ValueError("mask_put", "NumPy boolean array indexing assignment cannot assign " +
                                       std::to_string(given.shape[a]) + " input values to the " +
                                       std::to_string(count) + " output values where the mask is true");
    throw ValueError("mask_put", "shape mismatch: value array of shape " + given.shape.compact_str() +
                                     " could not be broadcast to indexing result of shape " +
                                     place.compact_str());
  }
  scratch memory((given.size() + 1) * size_of(target.type));  // fill_where reads one more
  const layout_view values(memory.data(), target.type, given.shape);
  copy_elements(given, values);
  layout_view value = values;
  value.strides = broadcast_strides(values, place);
  value.shape = place;
  const std::int64_t step = value.strides[0];
  value.shape.erase(0), value.strides.erase(0);
  layout_view row = target;
  for (int a = 0; a < mask_rank; ++a) row.shape.erase(0), row.strides.erase(0);
  std::optional<scratch> mask_memory;
  scratch still(c.in[1]->size);  // the mask may share memory with the target
  std::memcpy(still.data(), truth_of(c.in[1], mask_memory), static_cast<std::size_t>(c.in[1]->size));
  const std::int64_t itemsize = size_of(target.type);
  if (row.size() == 1 && target.contiguous()) {
    const std::uint8_t* mask = still.as<std::uint8_t>();
    const std::int64_t n = c.in[1]->size;
    for_chunks(mask, n, 1.0, [&](std::int64_t first, std::int64_t from, std::int64_t) {
      const std::int64_t length = n <= 2 * mask_chunk ? n : std::min(mask_chunk, n - first);
      fill_masked(itemsize, target.data + first * itemsize, mask + first, length, value.data + from * step, step);
    });
    return;
  }
  for (std::int64_t i = 0; i < c.in[1]->size; ++i) {
    numjit::detail::check_interrupt_at(i);
    if (!still.data()[i]) continue;
    std::int64_t offset = 0, rest = i;
    for (int a = mask_rank - 1; a >= 0; --a) {
      offset += rest % target.shape[a] * target.strides[a];
      rest /= target.shape[a];
    }
    row.data = target.data + offset;
    if (row.shape.empty()) std::memcpy(row.data, value.data, static_cast<std::size_t>(itemsize));
    else copy_elements(value, row);
    value.data += step;
  }
}

}  // namespace numjit::eager
