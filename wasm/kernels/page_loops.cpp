// The eager engine's loops in a page: kernels of one operation, made when they are first called. Compiled ahead, as on
// other machines, they would be most of the module. scans.cpp and gcd_lcm.cpp have what has no kernel form.
//
// The engine's own pieces stay on the thread that has the arrays, since they make kernels; what threads share is the work
// of one call of a loop, whose kernel is there.
#include <algorithm>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/base/thread_pool.h>
#include <numjit/eager/loop_table.h>
#include <numjit/graph/row_expression.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/launch/launch.h>

#include "kernel.h"
#include "page.h"
#include "row_table.h"

namespace numjit::eager::wasm {

void fill_scans(loop_table& table);
void fill_windows(loop_table& table);
void fill_gcd_lcm(loop_table& table);

namespace {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using runtime::kernel_buffer;
using runtime::kernel_dim;
using runtime::KernelVariant;

std::int64_t size_of(dtype_id type) { return static_cast<std::int64_t>(dtype(type).itemsize()); }
int parts_of(dtype_id type) { return wasm_gen::is_complex(type) ? 2 : 1; }

struct Loop {
  runtime::kernel_entry entry = nullptr;
  float ns = 0;  // guessed, of one element
};

Loop make(const KernelSpec& spec, const KernelVariant& variant) {
  const std::vector<char> bytes = wasm_gen::write_kernel(spec, variant, wasm_gen::page_target());
  // Kept for good: there are only so many.
  return {runtime::open_kernel(bytes, "of an eager loop").entry, static_cast<float>(runtime::detail::ns_per_point(spec))};
}

/// What a loop is called for, as a number: which, and the stride classes of four arrays.
struct Key {
  std::uint32_t value = 0;
  void add(unsigned digit, unsigned base) { value = value * base + digit; }
};
std::unordered_map<std::uint32_t, Loop>& known_loops() {
  static auto& only = *new std::unordered_map<std::uint32_t, Loop>;
  return only;
}
/// Those that were called last, where a look at one place finds them.
struct Recent {
  std::uint32_t key = ~0u;  // of no loop
  Loop loop;
};
constinit Recent recent[64];

enum : unsigned { of_ufuncs, of_casts, of_rows, of_panels, of_arg_parts };
Key key_of(unsigned kind, int op, int loop) {
  Key key;
  key.add(kind, 5);
  key.add(static_cast<unsigned>(op), 256);
  key.add(static_cast<unsigned>(loop), 32);
  return key;
}
template <class F>
Loop loop_of(Key key, F&& spec_and_variant) {
  Recent& place = recent[key.value * 2654435769u >> 26];
  if (place.key == key.value) return place.loop;
  const auto found = known_loops().find(key.value);
  Loop loop;
  if (found != known_loops().end()) {
    loop = found->second;
  } else {
    const auto [spec, variant] = spec_and_variant();
    loop = known_loops()[key.value] = make(spec, variant);
  }
  place = {key.value, loop};
  return loop;
}

/// The arguments of one call.
class Arguments {
 public:
  /// Adds a buffer; then its axes.
  Arguments& array(const void* data, dtype_id type) {
    kernel_buffer& b = buffers_[count_];
    b.host = static_cast<char*>(const_cast<void*>(data));
    b.dim = dims_[count_];
    parts_ = parts_of(type);
    item_ = size_of(type);
    for (int part = 0; part < parts_; ++part) argv_[places_++] = &b;
    axis_ = count_++ * 4;
    return *this;
  }
  Arguments& axis(std::int64_t extent, std::int64_t stride_bytes) {
    kernel_dim& d = dims_[axis_ / 4][axis_ % 4];
    d.extent = static_cast<std::int32_t>(extent);
    d.stride = static_cast<std::int32_t>(stride_bytes / item_ * parts_);
    ++axis_;
    return *this;
  }
  Arguments& parameter(std::int64_t value) {
    parameter_ = static_cast<std::int32_t>(value);
    argv_[places_++] = &parameter_;
    return *this;
  }
  void call(runtime::kernel_entry entry) { entry(argv_); }

 private:
  void* argv_[12];
  kernel_buffer buffers_[4];
  kernel_dim dims_[4][4];
  int places_ = 0, count_ = 0, axis_ = 0, parts_ = 1;
  std::int64_t item_ = 1;
  std::int32_t parameter_ = 0;
};

unsigned class_of(std::int64_t stride, dtype_id type) { return stride == size_of(type) ? 1 : stride == 0 ? 0 : 2; }

/// A strided array as a contiguous copy, where its stride is no multiple of its elements.
class Straightened {
 public:
  Straightened(const char* from, std::int64_t stride, dtype_id type, std::int64_t n)
      : bytes_(new char[static_cast<std::size_t>(n * size_of(type))]) {
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(bytes_.get() + i * size_of(type), from + i * stride, static_cast<std::size_t>(size_of(type)));
  }
  char* data() const { return bytes_.get(); }
  void put(char* to, std::int64_t stride, dtype_id type, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * stride, bytes_.get() + i * size_of(type), static_cast<std::size_t>(size_of(type)));
  }

 private:
  std::unique_ptr<char[]> bytes_;
};

/// n elements of one operation: `arity` inputs and the output.
template <class F>
void run_elements(Key key, F&& spec_of, const dtype_id* types, int arity, char* const* p, const std::int64_t* s, std::int64_t n) {
  for (int i = 0; i <= arity; ++i) {
    if (s[i] % size_of(types[i]) == 0 || n == 1) continue;
    const Straightened copy(p[i], s[i], types[i], n);
    char* pointers[4];
    std::int64_t strides[4];
    std::copy_n(p, arity + 1, pointers);
    std::copy_n(s, arity + 1, strides);
    pointers[i] = copy.data();
    strides[i] = size_of(types[i]);
    run_elements(key, spec_of, types, arity, pointers, strides, n);
    if (i == arity) copy.put(p[i], s[i], types[i], n);
    return;
  }
  unsigned classes[4];
  for (int i = 0; i <= arity; ++i) {
    classes[i] = n == 1 ? 1 : class_of(s[i], types[i]);
    if (i == arity && classes[i] == 0) classes[i] = 2;
    key.add(classes[i], 3);
  }
  for (int i = arity + 1; i < 4; ++i) key.add(0, 3);
  const Loop loop = loop_of(key, [&] {
    KernelVariant variant;
    variant.schedule = "elementwise";
    for (int i = 0; i <= arity; ++i) variant.inner_stride.push_back(static_cast<std::uint8_t>(classes[i]));
    return std::pair(spec_of(), variant);
  });
  constexpr std::int64_t most = 1 << 27;  // counted in 32 bits
  numjit::detail::parallel_plain_ranges(n, 1024, loop.ns * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += most) {
      Arguments a;
      for (int i = 0; i <= arity; ++i)
        a.array(p[i] + first * s[i], types[i]).axis(std::min(most, end - first), n == 1 ? size_of(types[i]) : s[i]).axis(1, 0);
      a.call(loop.entry);
    }
  });
}

KernelNode operand_node(int i, dtype_id type) {
  return {KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(i), {}};
}

void run_ufunc(int op, int loop, char* const* p, const std::int64_t* s, std::int64_t n) {
  const op_info& row = info(static_cast<op_id>(op));
  const op_loop& types = row.loops[static_cast<std::size_t>(loop)];
  dtype_id all[4] = {types.in[0], types.in[1], types.in[2], types.out};
  all[row.arity] = types.out;
  const auto spec_of = [&] {
    KernelSpec spec;
    KernelNode node{KernelNodeKind::op, static_cast<op_id>(op), static_cast<std::uint8_t>(loop), types.out, 0, {0, 1, 2}};
    for (int i = 0; i < row.arity; ++i) {
      spec.operand_types.push_back(types.in[i]);
      spec.nodes.push_back(operand_node(i, types.in[i]));
    }
    spec.nodes.push_back(node);
    spec.outputs = {static_cast<std::uint16_t>(row.arity)};
    return spec;
  };
  run_elements(key_of(of_ufuncs, op, loop), spec_of, all, row.arity, p, s, n);
}

template <class T>
void copy_words(char* const* p, const std::int64_t* s, std::int64_t n) {
  const char* from = p[0];
  char* to = p[1];
  if (s[0] == sizeof(T) && s[1] == sizeof(T)) {
    std::memmove(to, from, static_cast<std::size_t>(n) * sizeof(T));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i, from += s[0], to += s[1]) std::memcpy(to, from, sizeof(T));
}

void run_cast(int from, int to, char* const* p, const std::int64_t* s, std::int64_t n) {
  if (from == to) {
    switch (size_of(static_cast<dtype_id>(from))) {
      case 1: return copy_words<std::uint8_t>(p, s, n);
      case 2: return copy_words<std::uint16_t>(p, s, n);
      case 4: return copy_words<std::uint32_t>(p, s, n);
      case 8: return copy_words<std::uint64_t>(p, s, n);
      default: return copy_words<complex<double>>(p, s, n);
    }
  }
  const dtype_id types[2] = {static_cast<dtype_id>(from), static_cast<dtype_id>(to)};
  const auto spec_of = [&] {
    KernelSpec spec;
    spec.operand_types = {types[0]};
    spec.nodes = {operand_node(0, types[0]), {KernelNodeKind::cast, {}, 0, types[1], 0, {0, 0, 0}}};
    spec.outputs = {1};
    return spec;
  };
  run_elements(key_of(of_casts, from, to), spec_of, types, 1, p, s, n);
}

// ---- reductions ----

/// The loop of `op` over `in` and, unless it is an arg reduction, to `out`.
int find_loop(op_id op, dtype_id in, dtype_id out) {
  const auto loops = info(op).loops;
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].in[0] == in && (info(op).kind == op_kind::argreduction || loops[l].out == out)) return static_cast<int>(l);
  throw CompileError(std::string(info(op).name), "no loop for accumulators");
}

/// One reduction of an array of `in`; float16 as float32.
struct Reduced {
  op_id op;
  int loop;
  dtype_id in, value, out;  // elements; what is reduced; results

  Reduced(int op_number, int loop_number) : op(static_cast<op_id>(op_number)), loop(loop_number) {
    const op_loop& types = info(op).loops[static_cast<std::size_t>(loop)];
    in = value = types.in[0];
    out = types.out;
    const bool arg = info(op).kind == op_kind::argreduction;
    if (in != dtype_id::float16 || (!arg && out != dtype_id::float16)) return;
    value = dtype_id::float32;
    if (!arg) out = value;
    loop = find_loop(op, value, out);
  }

  KernelSpec spec() const {
    KernelSpec s;
    s.operand_types = {in};
    s.nodes.push_back(operand_node(0, in));
    if (value != in) s.nodes.push_back({KernelNodeKind::cast, {}, 0, value, 0, {0, 0, 0}});
    const auto last = static_cast<std::uint16_t>(s.nodes.size() - 1);
    s.nodes.push_back({KernelNodeKind::reduce, op, static_cast<std::uint8_t>(loop), out, 0, {last, 0, 0}});
    s.outputs = {static_cast<std::uint16_t>(last + 1)};
    s.reduction_levels = 1;
    return s;
  }
};

/// A block whose strides are multiples of its elements: a contiguous copy where they are not.
class Block {
 public:
  Block(const row_block& b, dtype_id type) : block(b) {
    const std::int64_t item = size_of(type);
    if (b.stride % item == 0 && b.row_stride % item == 0) return;
    copy_.reset(new char[static_cast<std::size_t>(b.n * b.rows * item)]);
    for (std::int64_t r = 0; r < b.rows; ++r)
      for (std::int64_t i = 0; i < b.n; ++i)
        std::memcpy(copy_.get() + (r * b.n + i) * item, b.in + r * b.row_stride + i * b.stride, static_cast<std::size_t>(item));
    block.in = copy_.get();
    block.stride = item;
    block.row_stride = b.n * item;
  }
  row_block block;

 private:
  std::unique_ptr<char[]> copy_;
};

/// Rows, chunks or tiles of so many elements each, shared among the threads.
template <class F>
void share(std::int64_t count, std::int64_t elements, F&& some) {
  const std::int64_t grain = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, elements));
  numjit::detail::parallel_plain_ranges(count, grain, 0.3 * static_cast<double>(count) * static_cast<double>(elements), some);
}

runtime::kernel_entry rows_entry(const Reduced& r, std::int64_t stride, bool partial) {
  const unsigned walk = class_of(stride, r.in);
  Key key = key_of(partial ? of_arg_parts : of_rows, static_cast<int>(r.op), r.loop);
  key.add(walk, 3);
  key.add(r.in == r.value ? 0 : 1, 27);
  return loop_of(key, [&] {
    return std::pair(r.spec(), KernelVariant{"rows", {static_cast<std::uint8_t>(walk), 1},
                                             partial ? runtime::size_class_partial : runtime::size_class_whole, false});
  }).entry;
}

void run_rows(const Reduced& r, const row_block& given, char* out) {
  const Block straight(given, r.in);
  const row_block& b = straight.block;
  const runtime::kernel_entry entry = rows_entry(r, b.stride, false);
  const std::int64_t item = size_of(r.out);
  if (b.n <= chunk_size) {
    share(b.rows, b.n, [&](std::int64_t begin, std::int64_t end) {
      Arguments a;
      a.array(b.in + begin * b.row_stride, r.in).axis(0, b.stride).axis(0, b.row_stride).axis(0, 0).parameter(b.n);
      a.array(out + begin * item, r.out).axis(end - begin, item).axis(1, 0).call(entry);
    });
    return;
  }
  const std::int64_t full = b.n / chunk_size, chunks = (b.n + chunk_size - 1) / chunk_size;
  const std::unique_ptr<std::uint64_t[]> parts(new std::uint64_t[static_cast<std::size_t>((chunks * item + 7) / 8)]);
  char* to = reinterpret_cast<char*>(parts.get());
  Reduced upper = r;
  upper.in = upper.value = r.out;
  upper.loop = find_loop(r.op, r.out, r.out);
  for (std::int64_t row = 0; row < b.rows; ++row) {
    const char* in = b.in + row * b.row_stride;
    const auto chunk = [&](std::int64_t first, std::int64_t count, std::int64_t m) {
      Arguments a;
      a.array(in + first * chunk_size * b.stride, r.in).axis(0, b.stride).axis(0, chunk_size * b.stride).axis(0, 0).parameter(m);
      a.array(to + first * item, r.out).axis(count, item).axis(1, 0).call(entry);
    };
    share(full, chunk_size, [&](std::int64_t begin, std::int64_t end) { chunk(begin, end - begin, chunk_size); });
    if (full < chunks) chunk(full, 1, b.n % chunk_size);
    run_rows(upper, {to, item, 0, chunks, 1}, out + row * item);
  }
}

void run_arg_rows(const Reduced& r, const row_block& given, std::int64_t* out) {
  const Block straight(given, r.in);
  const row_block& b = straight.block;
  if (b.n <= chunk_size) return run_rows(r, b, reinterpret_cast<char*>(out));
  const std::int64_t full = b.n / chunk_size, chunks = (b.n + chunk_size - 1) / chunk_size, item = size_of(r.value);
  const std::unique_ptr<std::uint64_t[]> values(new std::uint64_t[static_cast<std::size_t>((chunks * item + 7) / 8)]);
  const std::unique_ptr<std::int32_t[]> places(new std::int32_t[static_cast<std::size_t>(chunks)]);
  char* to = reinterpret_cast<char*>(values.get());
  const runtime::kernel_entry entry = rows_entry(r, b.stride, true);
  Reduced upper = r;
  upper.in = r.value;
  for (std::int64_t row = 0; row < b.rows; ++row) {
    const char* in = b.in + row * b.row_stride;
    const auto chunk = [&](std::int64_t first, std::int64_t count, std::int64_t m) {
      Arguments a;
      a.array(in + first * chunk_size * b.stride, r.in).axis(0, b.stride).axis(0, chunk_size * b.stride).axis(0, 0).parameter(m);
      a.array(to + first * item, r.value).axis(count, item).axis(1, 0);
      a.array(places.get() + first, dtype_id::int32).axis(count, 4).axis(1, 0).call(entry);
    };
    share(full, chunk_size, [&](std::int64_t begin, std::int64_t end) { chunk(begin, end - begin, chunk_size); });
    if (full < chunks) chunk(full, 1, b.n % chunk_size);
    std::int64_t best = 0;
    run_arg_rows(upper, {to, item, 0, chunks, 1}, &best);
    out[row] = best * chunk_size + places[static_cast<std::size_t>(best)];
  }
}

/// The rows side by side.
void run_panel(const Reduced& r, const row_block& given, char* out) {
  const Block straight(given, r.in);
  const row_block& b = straight.block;
  const bool arg = info(r.op).kind == op_kind::argreduction;
  const std::int64_t columns = runtime::panel_columns(size_of(arg ? r.value : r.out)), item = size_of(r.out);
  const unsigned walk = class_of(b.row_stride, r.in);
  Key key = key_of(of_panels, static_cast<int>(r.op), r.loop);
  key.add(walk, 3);
  key.add(r.in == r.value ? 0 : 1, 27);
  const Loop loop = loop_of(key, [&] {
    return std::pair(r.spec(), KernelVariant{"panel", {static_cast<std::uint8_t>(walk), 1}, runtime::size_class_whole, false});
  });
  const std::int64_t full = b.rows / columns;
  const auto tiles = [&](std::int64_t first, std::int64_t count, std::int64_t width) {
    Arguments a;
    a.array(b.in + first * columns * b.row_stride, r.in).axis(0, b.row_stride).axis(0, b.stride).axis(0, columns * b.row_stride)
        .axis(0, 0).parameter(b.n);
    a.array(out + first * columns * item, r.out).axis(width, item).axis(count, columns * item).axis(1, 0).call(loop.entry);
  };
  share(full, columns * b.n, [&](std::int64_t begin, std::int64_t end) { tiles(begin, end - begin, columns); });
  if (b.rows % columns) tiles(full, 1, b.rows % columns);
}

/// out[i] = combine(out[i], in[i]), by the ufunc of the same formula.
void run_combine(const Reduced& r, const char* in, char* out, std::int64_t n) {
  const op_id op = ufunc_of(r.op);
  char* const p[3] = {out, const_cast<char*>(in), out};
  const std::int64_t item = size_of(r.out), s[3] = {item, item, item};
  run_ufunc(static_cast<int>(op), find_loop(op, r.out, r.out), p, s, n);
}

/// The value that changes nothing, over elements before they are cast.
void fill_start(const Reduced& r, char* to, std::int64_t n) {
  const wasm_gen::Type t = wasm_gen::part_type(r.in);
  const int width = wasm_gen::width_of(t), parts = parts_of(r.in);
  const std::uint64_t bits = r.in == dtype_id::float16 ? wasm_gen::start_bits_of_half(r.op) : wasm_gen::start_bits(r.op, t);
  for (std::int64_t i = 0; i < n * parts; ++i) {
    // A product begins at 1 + 0i, others at the same value in both parts.
    const bool none = parts == 2 && (i & 1) && neutral_of(r.op) == op_neutral::one;
    const std::uint64_t value = none ? 0 : bits;
    std::memcpy(to + i * width, &value, static_cast<std::size_t>(width));
  }
}

// ---- the table ----

template <op_id Op, int Loop>
void fill_one(loop_table& t) {
  constexpr int op = static_cast<int>(Op);
  if constexpr (requires { op_row<Op>::arity; }) {
    t.ufunc[op][Loop] = [](char* const* p, const std::int64_t* s, std::int64_t n) { run_ufunc(op, Loop, p, s, n); };
  } else if constexpr (graph::reduction_row<Op>) {
    const Reduced r(op, Loop);
    reduce_kernels& k = t.reduce[number_in_kind(Op)][Loop];
    k.in = r.in;
    k.accumulator = r.out;
    k.rows = [](const row_block& b, char* out) { run_rows(Reduced(op, Loop), b, out); };
    k.panel = [](const row_block& b, char* out) { run_panel(Reduced(op, Loop), b, out); };
    k.combine = [](const char* in, char* out, std::int64_t n) { run_combine(Reduced(op, Loop), in, out, n); };
    k.fill_neutral = [](char* to, std::int64_t n) { fill_start(Reduced(op, Loop), to, n); };
  } else if constexpr (graph::arg_row<Op>) {
    arg_kernels& k = t.arg[number_in_kind(Op)][Loop];
    k.in = Reduced(op, Loop).in;
    k.rows = [](const row_block& b, std::int64_t* out) { run_arg_rows(Reduced(op, Loop), b, out); };
    k.panel = [](const row_block& b, std::int64_t* out) { run_panel(Reduced(op, Loop), b, reinterpret_cast<char*>(out)); };
  }
}

template <op_id Op, int... Loop>
void fill_row(loop_table& t, std::integer_sequence<int, Loop...>) {
  (fill_one<Op, Loop>(t), ...);
}

template <int From, int... To>
void fill_casts(loop_table& t, std::integer_sequence<int, To...>) {
  ((t.cast[From][To] = [](char* const* p, const std::int64_t* s, std::int64_t n) { run_cast(From, To, p, s, n); }), ...);
}

void fill(loop_table& t) {
#define NUMJIT_ROW(name) \
  fill_row<op_id::name>(t, std::make_integer_sequence<int, loop_count<op_id::name>>{});
#include <numjit/ops/expression_rows.inc>
  [&]<int... From>(std::integer_sequence<int, From...>) {
    (fill_casts<From>(t, std::make_integer_sequence<int, dtype_count>{}), ...);
  }(std::make_integer_sequence<int, dtype_count>{});
}

}  // namespace

const loop_table& table() {
  static const loop_table& filled = *[] {
    auto* t = new loop_table;
    t->isa = "wasm";
    fill(*t);
    fill_scans(*t);
    fill_windows(*t);
    fill_gcd_lcm(*t);
    return t;
  }();
  return filled;
}

}  // namespace numjit::eager::wasm
