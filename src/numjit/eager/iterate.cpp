// Iteration over strided operands; copies and assignments with casts.
#include <algorithm>
#include <cstdlib>

#include <numjit/eager/internal.h>

namespace numjit::eager {

void write_number(const layout::number& value, dtype_id type, char* to) {
  alignas(16) char raw[16];
  dtype_id from = dtype_id::int64;
  std::memcpy(raw, &value.bits, 8);
  std::memcpy(raw + 8, &value.imag, 8);
  if (value.kind == layout::number::above_int64) from = dtype_id::uint64;
  if (value.kind == layout::number::real) from = dtype_id::float64;
  if (value.kind == layout::number::complex_) from = dtype_id::complex128;
  char* ptr[2] = {raw, to};
  const std::int64_t stride[2] = {0, 0};
  cast_loop(from, type)(ptr, stride, 1);
}

dtype_id literal_type(const operand& literal) {
  switch (literal.kind()) {
    case weak_kind::bool_: return dtype_id::bool_;
    case weak_kind::int_: return literal.above_int64() ? dtype_id::uint64 : dtype_id::int64;
    case weak_kind::complex_: return dtype_id::complex128;
    default: return dtype_id::float64;
  }
}

bool layout_view::contiguous() const {
  std::int64_t expected = size_of(type);
  for (int a = shape.size() - 1; a >= 0; --a) {
    if (shape[a] == 0) return true;
    if (shape[a] != 1 && strides[a] != expected) return false;
    expected *= shape[a];
  }
  return true;
}

dims broadcast_strides(const layout_view& v, const dims& shape) {
  dims s;
  const int added = shape.size() - v.shape.size();
  for (int a = 0; a < shape.size(); ++a)
    s.push_back(a < added || v.shape[a - added] == 1 ? 0 : v.strides[a - added]);
  return s;
}

iteration::iteration(const dims& shape, std::initializer_list<const layout_view*> views) {
  init(shape, views.begin(), static_cast<int>(views.size()));
}

void iteration::init(const dims& shape, const layout_view* const* views, int count) {
  operands = count;
  std::int64_t steps[max_operands][max_rank];
  for (int o = 0; o < count; ++o) {
    data[o] = views[o]->data;
    const int added = shape.size() - views[o]->shape.size();
    for (int a = 0; a < shape.size(); ++a)
      steps[o][a] = a < added || views[o]->shape[a - added] == 1 ? 0 : views[o]->strides[a - added];
  }
  // Axes of one element drop out; an empty one makes the whole iteration empty.
  int axes[max_rank], n = 0;
  for (int a = 0; a < shape.size(); ++a) {
    if (shape[a] == 0) {
      rank = 1;
      extent[0] = 0;
      return;
    }
    if (shape[a] != 1) axes[n++] = a;
  }
  // Backward loops turn forward where the output runs backward.
  for (int i = 0; i < n; ++i) {
    const int a = axes[i];
    if (steps[0][a] >= 0) continue;
    for (int o = 0; o < count; ++o) {
      data[o] += steps[o][a] * (shape[a] - 1);
      steps[o][a] = -steps[o][a];
    }
  }
  auto magnitude = [&](int a, int o) { return std::abs(steps[o][a]); };
  // Outer axes first: by the output's strides, then the inputs'. Insertion sort: few axes, stable.
  for (int i = 1; i < n; ++i) {
    for (int j = i; j > 0; --j) {
      bool swap = false;
      for (int o = 0; o < count; ++o) {
        const std::int64_t left = magnitude(axes[j - 1], o), right = magnitude(axes[j], o);
        if (left == 0 || right == 0 || left == right) continue;
        swap = left < right;
        break;
      }
      if (!swap) break;
      std::swap(axes[j - 1], axes[j]);
    }
  }
  rank = 0;
  for (int i = 0; i < n; ++i) {
    const int a = axes[i];
    bool merges = rank > 0;
    for (int o = 0; o < count && merges; ++o)
      merges = stride[o][rank - 1] == steps[o][a] * shape[a];
    if (merges) {
      extent[rank - 1] *= shape[a];
    } else {
      extent[rank++] = shape[a];
    }
    for (int o = 0; o < count; ++o) stride[o][rank - 1] = steps[o][a];
  }
}

std::int64_t iteration::size() const {
  std::int64_t n = 1;
  for (int a = 0; a < rank; ++a) n *= extent[a];
  return n;
}

namespace {

/// memcpy. What goes up to 15 bytes further in its page than where it comes from goes backwards: forwards the processor
/// takes each load for one of what was just stored ("4K aliasing"), as in np.roll(x, 1) of float64. Blocks of middle size
/// that lie differently within their words go in pieces below the length from which the C library uses the processor's
/// string moves, which crawl there.
void copy_bytes(char* to, const char* from, std::int64_t bytes) {
  constexpr std::int64_t piece = 4032, large = 1 << 20, page = 4096, block = 64;
  const std::int64_t ahead =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) & (page - 1);
  if (bytes >= 8 * block && ahead >= 1 && ahead <= 15) {
    for (; bytes >= block; bytes -= block) {
      char some[block];
      std::memcpy(some, from + bytes - block, block);
      std::memcpy(to + bytes - block, some, block);
    }
  }
  if (bytes <= large && (to - from) % 8 != 0)
    for (; bytes > piece; bytes -= piece, to += piece, from += piece) std::memcpy(to, from, piece);
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// memcpy of a short row without a call: words of one size, the last of which may overlap the others.
template <std::int64_t Word>
[[gnu::always_inline]] inline void copy_words(char* to, const char* from, std::int64_t bytes) {
  for (std::int64_t i = 0; i + Word < bytes; i += Word) std::memcpy(to + i, from + i, Word);
  std::memcpy(to + bytes - Word, from + bytes - Word, Word);
}

constexpr std::int64_t short_row = 128;

/// Rows that are contiguous and short, one after the other.
void copy_short_rows(const iteration& it, std::int64_t bytes) {
  iteration rows = it;
  --rows.rank;
  for_each_run(rows, static_cast<double>(bytes) * 0.1,
               [bytes](char* const* data, const std::int64_t* stride, std::int64_t n) {
                 char* to = data[0];
                 const char* from = data[1];
                 for (std::int64_t i = 0; i < n; ++i, to += stride[0], from += stride[1]) {
                   if (bytes >= 16) copy_words<16>(to, from, bytes);
                   else if (bytes >= 8) copy_words<8>(to, from, bytes);
                   else if (bytes >= 4) copy_words<4>(to, from, bytes);
                   else copy_words<1>(to, from, bytes);
                 }
               });
}

/// One plane of a transposed copy, in tiles whose lines of both arrays stay in the first-level cache.
/// Rows of the target (columns of the source) are contiguous.
template <class Word>
void copy_tiles(char* to, std::int64_t to_row, const char* from, std::int64_t from_column,
                std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t tile = 32;
  for (std::int64_t r = 0; r < rows; r += tile) {
    const std::int64_t r_end = std::min(rows, r + tile);
    for (std::int64_t c = 0; c < columns; c += tile) {
      const std::int64_t c_end = std::min(columns, c + tile);
      for (std::int64_t i = r; i < r_end; ++i) {
        Word* target = reinterpret_cast<Word*>(to + i * to_row);
        const char* source = from + i * static_cast<std::int64_t>(sizeof(Word));
        for (std::int64_t j = c; j < c_end; ++j)
          target[j] = *reinterpret_cast<const Word*>(source + j * from_column);
      }
    }
  }
}

/// The axis along which the source is contiguous while the target is along the last, which is short;
/// or -1.
int transposed_axis(const iteration& it, std::int64_t itemsize) {
  const int last = it.rank - 1;
  if (last < 1 || itemsize > 8 || it.stride[0][last] != itemsize || it.stride[1][last] == itemsize ||
      it.extent[last] < 4 || it.extent[last] > 64)  // longer ones: the processor sees the pattern
    return -1;
  for (int a = 0; a < last; ++a)
    if (it.stride[1][a] == itemsize && it.extent[a] >= 8) return a;
  return -1;
}

void copy_transposed(const iteration& it, int axis, std::int64_t itemsize) {
  const int last = it.rank - 1;
  iteration outer;  // the axes but those two
  outer.operands = 2;
  outer.data[0] = it.data[0], outer.data[1] = it.data[1];
  for (int a = 0; a < last; ++a) {
    if (a == axis) continue;
    outer.extent[outer.rank] = it.extent[a];
    for (int o = 0; o < 2; ++o) outer.stride[o][outer.rank] = it.stride[o][a];
    ++outer.rank;
  }
  const std::int64_t to_row = it.stride[0][axis], from_column = it.stride[1][last];
  auto plane = [&](char* to, const char* from) {
    numjit::detail::parallel_ranges(
        it.extent[axis], 64, static_cast<double>(it.extent[axis] * it.extent[last]) * 0.5,
        [&](std::int64_t begin, std::int64_t end) {
          char* q = to + begin * to_row;
          const char* p = from + begin * itemsize;
          const std::int64_t rows = end - begin, columns = it.extent[last];
          if (itemsize == 1) copy_tiles<std::uint8_t>(q, to_row, p, from_column, rows, columns);
          if (itemsize == 2) copy_tiles<std::uint16_t>(q, to_row, p, from_column, rows, columns);
          if (itemsize == 4) copy_tiles<std::uint32_t>(q, to_row, p, from_column, rows, columns);
          if (itemsize == 8) copy_tiles<std::uint64_t>(q, to_row, p, from_column, rows, columns);
        });
  };
  auto each = [&](char* const* data, const std::int64_t* stride, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) plane(data[0] + i * stride[0], data[1] + i * stride[1]);
  };
  detail::run_serial(outer, each);
}

bool is_misaligned(const layout_view& v) {
  auto bits = reinterpret_cast<std::uintptr_t>(v.data);
  for (int a = 0; a < v.shape.size(); ++a) bits |= v.shape[a] == 1 ? 0 : static_cast<std::uintptr_t>(v.strides[a]);
  return numjit::detail::is_misaligned(v.type, bits) && v.size() != 0;
}

/// Elements of one dtype, wherever they lie.
void copy_at_any_address(const layout_view& from, const layout_view& to) {
  for_each_run(iteration(to.shape, {&to, &from}), 1.0, [&](char* const* data, const std::int64_t* stride, std::int64_t n) {
    const auto each = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size>) {
      for (std::int64_t i = 0; i < n; ++i) std::memcpy(data[0] + i * stride[0], data[1] + i * stride[1], Size);
    };
    switch (size_of(to.type)) {
      case 2: return each(std::integral_constant<std::size_t, 2>());
      case 4: return each(std::integral_constant<std::size_t, 4>());
      case 8: return each(std::integral_constant<std::size_t, 8>());
      default: return each(std::integral_constant<std::size_t, 16>());
    }
  });
}

/// copy_elements() where elements lie across their boundaries: casts take place in aligned memory.
[[gnu::cold]] void copy_misaligned(const layout_view& from, const layout_view& to) {
  if (from.type == to.type) return copy_at_any_address(from, to);
  scratch source(from.size() * size_of(from.type)), target(to.size() * size_of(to.type));
  const layout_view values(source.data(), from.type, from.shape), cast(target.data(), to.type, to.shape);
  copy_at_any_address(from, values);
  copy_elements(values, cast);
  copy_at_any_address(cast, to);
}

}  // namespace

void copy_elements(const layout_view& from, const layout_view& to) {
  if (is_misaligned(from) || is_misaligned(to)) [[unlikely]]
    return copy_misaligned(from, to);
  iteration it(to.shape, {&to, &from});
  const loop_fn loop = cast_loop(from.type, to.type);
  const std::int64_t itemsize = size_of(to.type);
  const bool same = from.type == to.type;
  if (same && it.size() > 0 && it.rank > 1) {
    const int last = it.rank - 1;
    const std::int64_t bytes = it.extent[last] * itemsize;
    if (it.stride[0][last] == itemsize && it.stride[1][last] == itemsize && bytes <= short_row)
      return copy_short_rows(it, bytes);
    const int axis = transposed_axis(it, itemsize);
    if (axis >= 0) return copy_transposed(it, axis, itemsize);
  }
  for_each_run(it, 0.5, [&](char* const* data, const std::int64_t* stride, std::int64_t n) {
    if (same && stride[0] == itemsize && stride[1] == itemsize) {
      copy_bytes(data[0], data[1], n * itemsize);
      return;
    }
    char* ptr[2] = {data[1], data[0]};
    const std::int64_t step[2] = {stride[1], stride[0]};
    loop(ptr, step, n);
  });
}

array aligned_copy(const node* n) {
  array copy = array::adopt(numjit::detail::new_node(n->type, n->rank, n->shape));
  copy_elements(layout_view(n), layout_view(copy.get()));
  copy.get()->flags |= static_cast<std::uint8_t>(n->flags & node::readonly);
  return copy;
}

namespace {

struct span_of_bytes { const char* low; const char* high; };
span_of_bytes bytes_of(const layout_view& v) {
  const char *low = v.data, *high = v.data + size_of(v.type);
  for (int a = 0; a < v.shape.size(); ++a) {
    if (v.shape[a] == 0) return {v.data, v.data};
    const std::int64_t reach = (v.shape[a] - 1) * v.strides[a];
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}
bool overlap(const layout_view& a, const layout_view& b) {
  const span_of_bytes x = bytes_of(a), y = bytes_of(b);
  return x.low < y.high && y.low < x.high;
}

/// to[i] = value[i] where mask[i] is true, both contiguous (or one value for all: step 0). No branch on
/// single elements; blocks where nothing is true are not touched.
template <class Word>
void blend(char* out, const char* value, std::int64_t step, const std::uint8_t* mask, std::int64_t n) {
  constexpr std::int64_t block = 64;
  Word* to = reinterpret_cast<Word*>(out);
  const Word* from = reinterpret_cast<const Word*>(value);
  auto some = [&](std::int64_t first, std::int64_t count) {
    const Word one = *from;
    if (step == 0)
      for (std::int64_t i = first; i < first + count; ++i) to[i] = mask[i] ? one : to[i];
    else
      for (std::int64_t i = first; i < first + count; ++i) to[i] = mask[i] ? from[i] : to[i];
  };
  std::int64_t i = 0;
  for (; i + block <= n; i += block) {
    std::uint64_t eight[block / 8], any = 0;
    std::memcpy(eight, mask + i, block);
    for (const std::uint64_t e : eight) any |= e;
    if (any) some(i, block);
  }
  if (i < n) some(i, n - i);
}

void blend_words(std::int64_t itemsize, char* to, const char* from, std::int64_t step,
                 const std::uint8_t* mask, std::int64_t n) {
  switch (itemsize) {
    case 1: return blend<std::uint8_t>(to, from, step, mask, n);
    case 2: return blend<std::uint16_t>(to, from, step, mask, n);
    case 4: return blend<std::uint32_t>(to, from, step, mask, n);
    case 8: return blend<std::uint64_t>(to, from, step, mask, n);
    default: return blend<complex<double>>(to, from, step, mask, n);
  }
}

void assign_masked(const layout_view& from, const layout_view& to, const layout_view& mask) {
  iteration it(to.shape, {&to, &from, &mask});
  const loop_fn loop = cast_loop(from.type, to.type);
  const std::int64_t itemsize = size_of(to.type);
  for_each_run(it, 1.0, [&](char* const* data, const std::int64_t* stride, std::int64_t n) {
    if (stride[0] == itemsize && stride[2] == 1) {
      constexpr std::int64_t piece = 1024;
      alignas(64) char cast[piece * 16];
      const bool ready = from.type == to.type && (stride[1] == 0 || stride[1] == itemsize);
      for (std::int64_t first = 0; first < n; first += piece) {
        const std::int64_t count = std::min(piece, n - first);
        char* ptr[2] = {data[1] + first * stride[1], cast};
        const std::int64_t step[2] = {stride[1], itemsize};
        if (!ready) loop(ptr, step, count);
        blend_words(itemsize, data[0] + first * itemsize, ready ? ptr[0] : cast, ready ? stride[1] : itemsize,
                    reinterpret_cast<const std::uint8_t*>(data[2]) + first, count);
      }
      return;
    }
    const std::int64_t step[2] = {stride[1], stride[0]};
    for (std::int64_t i = 0; i < n;) {
      while (i < n && !data[2][i * stride[2]]) ++i;
      const std::int64_t begin = i;
      while (i < n && data[2][i * stride[2]]) ++i;
      char* ptr[2] = {data[1] + begin * stride[1], data[0] + begin * stride[0]};
      if (i > begin) loop(ptr, step, i - begin);
    }
  });
}

}  // namespace

void assign_elements(const layout_view& from, const layout_view& to, const layout_view* mask) {
  const bool identical = from.data == to.data && from.shape == to.shape &&
                         from.strides == to.strides && from.type == to.type;
  if (mask && overlap(*mask, to)) {
    scratch copy(mask->size());
    layout_view still(copy.data(), dtype_id::bool_, mask->shape);
    copy_elements(*mask, still);
    return assign_elements(from, to, &still);
  }
  if (identical) return;
  if (overlap(from, to)) {
    scratch copy(from.size() * size_of(from.type));
    layout_view still(copy.data(), from.type, from.shape);
    copy_elements(from, still);
    mask ? assign_masked(still, to, *mask) : copy_elements(still, to);
    return;
  }
  mask ? assign_masked(from, to, *mask) : copy_elements(from, to);
}

void check_writeable(std::string_view op, const node* n, bool as_output) {
  if (n->is(node::readonly))
    throw ValueError(std::string(op), as_output ? "output array is read-only"
                                                : "assignment destination is read-only");
}

}  // namespace numjit::eager
