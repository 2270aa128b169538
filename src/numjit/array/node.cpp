// Array nodes: pools per thread, layout and its signature, storage, views, memory overlap.
#include <numjit/array/node.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include <numjit/array/array.h>
#include <numjit/array/lazy_node.h>
#include <numjit/array/marks.h>
#include <numjit/array/shown.h>
#include <numjit/array/zeroed_storage.h>
#include <numjit/base/buffer_pool.h>
#include <numjit/base/zeroed_block.h>

// With AddressSanitizer a piece in a pool may not be touched behind its link, so that a use after the
// last release() is reported.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define NUMJIT_FORBID(piece, bytes) \
  ASAN_POISON_MEMORY_REGION(reinterpret_cast<char*>(piece) + sizeof(*piece), bytes - sizeof(*piece))
#define NUMJIT_PERMIT(piece, bytes) ASAN_UNPOISON_MEMORY_REGION(piece, bytes)
#else
#define NUMJIT_FORBID(piece, bytes) ((void)(piece))
#define NUMJIT_PERMIT(piece, bytes) ((void)(piece))
#endif

namespace numjit {
namespace detail {
namespace {

// ---- pools -----------------------------------------------------------------------------------
// Nodes and the shape-and-stride blocks of ranks above 4 come from free lists, one per thread and
// one shared. Memory is carved from slabs that are never returned, so a piece may be freed on any
// thread at any time, also while static objects are being destroyed.

struct free_piece {
  free_piece* next;
};

struct shared_list {
  std::mutex mutex;
  free_piece* head = nullptr;
};

/// One kind of piece: `bytes` each, taken from and given to other threads `batch` at a time.
struct piece_kind {
  std::size_t bytes;
  shared_list& (*shared)();
};
constexpr int batch = 64;
constexpr int thread_cap = 1024;

// Immortal: frees may come after every destructor of static storage.
shared_list& shared_nodes() {
  static auto* list = new shared_list;
  return *list;
}
shared_list& shared_dims() {
  static auto* list = new shared_list;
  return *list;
}

// A node with its inline dims takes three cache lines; starting on a line keeps it to three.
constexpr std::size_t node_bytes = (sizeof(node) + 63) / 64 * 64;
constexpr std::size_t dims_bytes = 2 * max_rank * sizeof(std::int64_t);
constexpr piece_kind node_kind{node_bytes, shared_nodes}, dims_kind{dims_bytes, shared_dims};

struct thread_list {
  free_piece* head;
  int count;
};
enum class phase : std::uint8_t { unused, running, ended };
/// Trivially destructible: reading it is safe at any moment of a thread's life.
struct thread_pools {
  thread_list nodes, dims;
  phase state;
};
constinit thread_local thread_pools pools [[gnu::tls_model("initial-exec")]] = {};

void give_to_shared(const piece_kind& kind, thread_list& list, int keep) {
  free_piece* first = list.head;
  free_piece* last = nullptr;
  while (list.count > keep) {
    last = list.head;
    list.head = last->next;
    --list.count;
  }
  if (!last) return;
  shared_list& shared = kind.shared();
  std::lock_guard lock(shared.mutex);
  last->next = shared.head;
  shared.head = first;
}

/// Its destructor is the thread's end: free lists go to the shared ones, later frees as well.
struct thread_guard {
  ~thread_guard() {
    pools.state = phase::ended;
    give_to_shared(node_kind, pools.nodes, 0);
    give_to_shared(dims_kind, pools.dims, 0);
  }
};
void register_thread() {
  static thread_local thread_guard guard;
  (void)&guard;
  pools.state = phase::running;
}

[[gnu::cold]] free_piece* refill(const piece_kind& kind, thread_list& list) {
  if (pools.state == phase::unused) register_thread();
  {
    shared_list& shared = kind.shared();
    std::lock_guard lock(shared.mutex);
    while (shared.head && list.count < batch) {
      free_piece* piece = shared.head;
      shared.head = piece->next;
      piece->next = list.head;
      list.head = piece;
      ++list.count;
    }
  }
  if (list.count == 0) {
    char* slab = static_cast<char*>(std::aligned_alloc(64, batch * kind.bytes));
    if (!slab) throw MemoryError("", "Unable to allocate the bookkeeping of an array");
    std::memset(slab, 0, batch * kind.bytes);  // what a node that is free leaves as it was is null: its pending uses
    for (int i = batch - 1; i >= 0; --i) {
      auto* piece = reinterpret_cast<free_piece*>(slab + static_cast<std::size_t>(i) * kind.bytes);
      piece->next = list.head;
      list.head = piece;
      ++list.count;
    }
  }
  free_piece* piece = list.head;
  list.head = piece->next;
  --list.count;
  NUMJIT_PERMIT(piece, kind.bytes);
  // After the thread's end nothing flushes this list any more.
  if (pools.state == phase::ended) give_to_shared(kind, list, 0);
  return piece;
}

[[gnu::cold]] void put_slowly(const piece_kind& kind, thread_list& list, free_piece* piece) {
  if (pools.state == phase::unused) register_thread();
  piece->next = list.head;
  list.head = piece;
  ++list.count;
  if (pools.state == phase::ended)
    give_to_shared(kind, list, 0);
  else if (list.count > thread_cap)
    give_to_shared(kind, list, thread_cap / 2);
}

inline void* take(const piece_kind& kind, thread_list& list) {
  free_piece* piece = list.head;
  if (!piece) [[unlikely]] return refill(kind, list);
  list.head = piece->next;
  --list.count;
  NUMJIT_PERMIT(piece, kind.bytes);
  return piece;
}

inline void put(const piece_kind& kind, thread_list& list, void* memory) {
  auto* piece = static_cast<free_piece*>(memory);
  NUMJIT_FORBID(piece, kind.bytes);
  if (pools.state != phase::running || list.count >= thread_cap) [[unlikely]]
    return put_slowly(kind, list, piece);
  piece->next = list.head;
  list.head = piece;
  ++list.count;
}

void drop_outline_dims(node* n) noexcept {
  if (n->shape == n->inline_dims) return;
  put(dims_kind, pools.dims, n->shape);
  n->shape = n->inline_dims;
  n->strides = n->inline_dims + node::inline_rank;
}

/// Room for `rank` axes; the old values are lost.
void reserve_dims(node* n, int rank) {
  bool outline = n->shape != n->inline_dims;
  if (rank <= node::inline_rank) {
    if (outline) drop_outline_dims(n);
  } else if (!outline) {
    n->shape = static_cast<std::int64_t*>(take(dims_kind, pools.dims));
    n->strides = n->shape + max_rank;
  }
}

// ---- layout ----------------------------------------------------------------------------------

constexpr int rank_shift = 4, contiguity_shift = 9, ones_shift = 11, broadcast_shift = 27, device_shift = 44;
/// Clears what a signature says about memory rather than layout.
constexpr std::uint64_t not_of_storage =
    ~((std::uint64_t(1) << misaligned_shift) | (std::uint64_t(0xff) << device_shift));

std::uint64_t signature(const node* n, std::uint64_t contiguity, std::uint64_t ones,
                        std::uint64_t broadcast, bool misaligned) {
  return static_cast<std::uint64_t>(n->type) | std::uint64_t(n->rank) << rank_shift |
         contiguity << contiguity_shift | ones << ones_shift | broadcast << broadcast_shift |
         std::uint64_t(misaligned) << misaligned_shift | std::uint64_t(n->device) << device_shift;
}

bool memory_misaligned(const node* n, std::int64_t stride_bits) {
  const auto address = reinterpret_cast<std::uintptr_t>(n->data);
  return n->size != 0 && is_misaligned(n->type, address | static_cast<std::uintptr_t>(stride_bits));
}

/// Size, contiguity flags and signature from shape and strides, as NumPy sets them: axes of extent 1
/// do not count, arrays without elements are contiguous both ways.
void set_derived(node* n) {
  const std::int64_t itemsize = static_cast<std::int64_t>(dtype(n->type).itemsize());
  const int rank = n->rank;
  std::int64_t size = 1, step = itemsize, stride_bits = 0;
  std::uint64_t ones = 0, broadcast = 0;
  bool c = true, f = true;
  for (int i = rank - 1; i >= 0; --i) {
    const std::int64_t extent = n->shape[i], stride = n->strides[i];
    const bool one = extent == 1;
    c &= one | (stride == itemsize * size);
    ones |= std::uint64_t(one) << i;
    broadcast |= std::uint64_t(!one & (stride == 0)) << i;
    stride_bits |= one ? 0 : stride;
    size *= extent;
  }
  for (int i = 0; i < rank; ++i) {
    f &= (n->shape[i] == 1) | (n->strides[i] == step);
    step *= n->shape[i];
  }
  if (size == 0) {
    c = f = true;
    broadcast = 0;
  }
  n->size = size;
  n->flags = static_cast<std::uint8_t>(
      (n->flags & ~(node::c_contiguous | node::f_contiguous)) | (c ? node::c_contiguous : 0) |
      (f ? node::f_contiguous : 0));
  n->signature = signature(n, c ? 1 : f ? 2 : 0, ones, broadcast, memory_misaligned(n, stride_bits));
}

[[noreturn, gnu::cold]] void throw_rank(int rank) {
  throw ValueError("", "maximum supported dimension for an array is 16, found " +
                           std::to_string(rank) + ".");
}

}  // namespace

constinit NotesDropper drop_notes = nullptr;
constinit NotesChecker refuse_followed_elsewhere = nullptr;
namespace {
char no_values = 0;
}
char* const no_values_mark = &no_values;

node* allocate_node() { return new (take(node_kind, pools.nodes)) node; }

void destroy_node(node* n) noexcept {
  if (n->notes) [[unlikely]]
    drop_notes(n);
  if (n->is(node::marked)) [[unlikely]] forget_marks(n);
  if (n->base) {
    release(n->base);
  } else if (n->data) {
    if (n->shown != 0) [[unlikely]]
      forget_shown(n);
    if (n->deleter)
      n->deleter(n->deleter_context);
    else
      free_block(n->data, static_cast<std::size_t>(n->block_bytes));
  }
  drop_outline_dims(n);
  put(node_kind, pools.nodes, n);
}

void become_view(node* n, const node* view) {
  char* const own = std::exchange(n->data, view->data);
  const std::int64_t bytes = std::exchange(n->block_bytes, 0);
  retain(view->base);
  n->base = view->base;
  n->flags = static_cast<std::uint8_t>((n->flags & ~node::readonly) | (view->flags & node::readonly));
  set_layout(n, view->type, view->rank, view->shape, view->strides);
  free_block(own, static_cast<std::size_t>(bytes));
}

void set_layout(node* n, dtype_id type, int rank, const std::int64_t* shape,
                const std::int64_t* strides) {
  if (rank > max_rank) [[unlikely]] throw_rank(rank);
  // The lists may be the node's own, which moving between inline and outline dims would lose.
  std::int64_t kept[2 * max_rank];
  if (n->shape != n->inline_dims && rank <= node::inline_rank) [[unlikely]] {
    std::copy_n(shape, rank, kept);
    std::copy_n(strides, rank, kept + max_rank);
    shape = kept;
    strides = kept + max_rank;
  }
  reserve_dims(n, rank);
  n->type = type;
  n->rank = static_cast<std::uint8_t>(rank);
  for (int i = 0; i < rank; ++i) n->shape[i] = shape[i];
  for (int i = 0; i < rank; ++i) n->strides[i] = strides[i];
  set_derived(n);
}

void set_contiguous_layout(node* n, dtype_id type, int rank, const std::int64_t* shape) {
  if (rank > max_rank) [[unlikely]] throw_rank(rank);
  std::int64_t kept[max_rank];
  if (n->shape != n->inline_dims && rank <= node::inline_rank) [[unlikely]] {
    std::copy_n(shape, rank, kept);
    shape = kept;
  }
  reserve_dims(n, rank);
  const std::uint64_t itemsize = dtype(type).itemsize();
  n->type = type;
  n->rank = static_cast<std::uint8_t>(rank);
  std::int64_t count = 1, negative = 0;
  std::uint64_t ones = 0;
  bool overflow = false, empty = false;
  for (int i = rank - 1; i >= 0; --i) {
    const std::int64_t extent = shape[i];
    n->shape[i] = extent;
    n->strides[i] = static_cast<std::int64_t>(itemsize * static_cast<std::uint64_t>(count));  // may overflow: told below
    ones |= std::uint64_t(extent == 1) << i;
    negative |= extent;
    if (extent == 0)
      empty = true;
    else
      overflow |= __builtin_mul_overflow(count, extent, &count);
  }
  if (negative < 0 || overflow || count > INT64_MAX / 16) [[unlikely]] {
    element_count(dims(n->shape, rank));  // throws unless only the bytes are too many
    if (count > INT64_MAX / static_cast<std::int64_t>(itemsize)) throw_array_too_big();
  }
  if (empty) [[unlikely]]  // NumPy gives an array without elements zero strides
    std::fill_n(n->strides, rank, 0);
  n->size = empty ? 0 : count;
  const int long_axes = rank - std::popcount(ones);
  n->flags = static_cast<std::uint8_t>((n->flags & ~node::f_contiguous) | node::c_contiguous |
                                       (empty || long_axes <= 1 ? node::f_contiguous : 0));
  n->signature = signature(n, 1, ones, 0, memory_misaligned(n, 0));
}

void refresh_signature(node* n) { set_derived(n); }

void copy_layout(node* n, const node* from) {
  if (n == from) return;
  reserve_dims(n, from->rank);
  n->type = from->type;
  n->rank = from->rank;
  if (from->shape == from->inline_dims) {
    std::copy_n(from->inline_dims, 2 * node::inline_rank, n->inline_dims);
  } else {
    std::copy_n(from->shape, from->rank, n->shape);
    std::copy_n(from->strides, from->rank, n->strides);
  }
  n->size = from->size;
  constexpr std::uint8_t contiguity = node::c_contiguous | node::f_contiguous;
  n->flags = static_cast<std::uint8_t>((n->flags & ~contiguity) | (from->flags & contiguity));
  n->signature = (from->signature & not_of_storage) | std::uint64_t(n->device) << device_shift;
  if (n->data) refresh_signature(n);  // its own address decides
}

namespace {
/// A node with its dims inside. What its two callers set is not set here: field by field, as loops and calls on small
/// arrays make millions.
inline node* take_inline_node() {
  node* n = static_cast<node*>(take(node_kind, pools.nodes));
  n->refs = 1;
  n->block_bytes = 0;
  n->deleter = nullptr;
  n->deleter_context = nullptr;
  n->record = nullptr;
  n->shown = 0;
  n->shape = n->inline_dims;
  n->strides = n->inline_dims + node::inline_rank;
  return n;
}
}  // namespace

node* new_lazy_like(const node* from, int flags) {
  void* const thread = from->deleter ? this_thread() : from->deleter_context;  // of foreign memory, that is its owner's
  constexpr int contiguity = node::c_contiguous | node::f_contiguous;
  if (from->shape != from->inline_dims) {
    node* n = allocate_node();
    copy_layout(n, from);
    n->flags = static_cast<std::uint8_t>((from->flags & contiguity) | flags | node::lazy);
    n->deleter_context = thread;
    return n;
  }
  node* n = take_inline_node();
  n->deleter_context = thread;
  n->type = from->type;
  n->rank = from->rank;
  n->flags = static_cast<std::uint8_t>((from->flags & contiguity) | flags | node::lazy);
  n->device = 0;  // until its segment has run
  n->signature = from->signature & not_of_storage;
  n->data = nullptr;
  n->base = nullptr;
  n->size = from->size;
  std::copy_n(from->inline_dims, 2 * node::inline_rank, n->inline_dims);
  return n;
}

// ---- storage ---------------------------------------------------------------------------------

namespace {

/// `zeroed`, if it is asked for: whether all elements are zero.
[[gnu::always_inline]] inline void allocate_block_of(node* n, bool* zeroed) {
  std::int64_t bytes = n->size * static_cast<std::int64_t>(dtype(n->type).itemsize());
  // NumPy allocates a byte for arrays without elements too: each has an address of its own.
  const auto wanted = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1));
  void* block = zeroed ? try_allocate_block(wanted, *zeroed) : try_allocate_block(wanted);
  if (!block) [[unlikely]]
    throw MemoryError("", "Unable to allocate " + format_bytes(wanted) +
                              " for an array with shape " + dims(n->shape, n->rank).str() +
                              " and data type " + std::string(dtype(n->type).name()) + ": " +
                              memory_shortage(wanted));
  n->data = static_cast<char*>(block);
  n->block_bytes = static_cast<std::int64_t>(wanted);
  n->signature &= ~(std::uint64_t(1) << misaligned_shift);  // blocks are aligned for any dtype
}

}  // namespace

void allocate_storage(node* n) { allocate_block_of(n, nullptr); }

bool allocate_zeroed_storage(node* n) {
  bool zeroed = false;
  allocate_block_of(n, &zeroed);
  return zeroed;
}

namespace {
/// Returns a half-made node to its pool when an error passes.
struct node_holder {
  node* n;
  ~node_holder() {
    if (n) release(n);
  }
  node* done() { return std::exchange(n, nullptr); }
};
}  // namespace

node* new_node(dtype_id type, int rank, const std::int64_t* shape) {
  node_holder made{allocate_node()};
  set_contiguous_layout(made.n, type, rank, shape);
  allocate_storage(made.n);
  return made.done();
}

#ifndef __EMSCRIPTEN__  // pages load no code for loops over elements
namespace {

/// A view with one axis or none, what set_layout() would make it: loops over elements and rows take millions.
node* new_row_view(node* of, dtype_id type, int rank, const std::int64_t* shape, const std::int64_t* strides,
                   std::int64_t byte_offset) {
  const auto itemsize = static_cast<std::int64_t>(dtype(type).itemsize());
  const std::int64_t extent = rank == 1 ? shape[0] : 1, stride = rank == 1 ? strides[0] : itemsize;
  const bool one = extent == 1, contiguous = extent <= 1 || stride == itemsize;
  node* n = take_inline_node();
  n->type = type;
  n->rank = static_cast<std::uint8_t>(rank);
  n->flags = static_cast<std::uint8_t>((of->flags & (node::readonly | node::remote)) |
                                       (contiguous ? node::c_contiguous | node::f_contiguous : 0));
  n->device = of->device;
  n->data = of->data + byte_offset;
  n->base = storage_owner(of);
  retain(n->base);
  n->size = extent;
  std::fill_n(n->inline_dims, 2 * node::inline_rank, 0);
  if (rank == 1) n->shape[0] = extent, n->strides[0] = stride;
  n->signature = signature(n, contiguous ? 1 : 0, rank == 1 && one ? 1 : 0, extent > 1 && stride == 0 ? 1 : 0,
                           memory_misaligned(n, one ? 0 : stride));
  return n;
}

}  // namespace
#endif

node* new_view(node* of, dtype_id type, int rank, const std::int64_t* shape,
               const std::int64_t* strides, std::int64_t byte_offset) {
#ifndef __EMSCRIPTEN__
  if (rank <= 1) return new_row_view(of, type, rank, shape, strides, byte_offset);
#endif
  if (rank > 1) {  // repeated axes need no memory, but their elements must be countable
    std::int64_t count = 1;
    bool beyond = false, empty = false;
    for (int i = 0; i < rank; ++i) {
      empty |= shape[i] == 0;
      beyond |= __builtin_mul_overflow(count, shape[i], &count);
    }
    if (beyond && !empty) throw_array_too_big();
  }
  node_holder made{allocate_node()};
  node* n = made.n;
  n->data = of->data + byte_offset;
  n->base = storage_owner(of);
  retain(n->base);
  n->device = of->device;
  n->flags = static_cast<std::uint8_t>(of->flags & (node::readonly | node::remote));
  set_layout(n, type, rank, shape, strides);
  return made.done();
}

// ---- overlap ---------------------------------------------------------------------------------

byte_range memory_range(const node* n) {
  if (n->size == 0) return {n->data, n->data};
  std::int64_t low = 0, high = static_cast<std::int64_t>(dtype(n->type).itemsize());
  for (int i = 0; i < n->rank; ++i) {
    std::int64_t reach = (n->shape[i] - 1) * n->strides[i];
    (reach < 0 ? low : high) += reach;
  }
  return {n->data + low, n->data + high};
}

namespace {

/// Is there a sum of `step * k`, 0 <= k <= count per term, between `low` and `high`? Terms have
/// distinct positive steps, largest first.
class overlap_search {
 public:
  void add(std::int64_t step, std::int64_t count) {
    for (int i = 0; i < size_; ++i) {
      if (terms_[i].step != step) continue;
      terms_[i].count += count;
      return;
    }
    terms_[size_++] = {step, count, 0, 0};
  }
  bool any_between(std::int64_t low, std::int64_t high) {
    std::sort(terms_, terms_ + size_, [](auto& x, auto& y) { return x.step > y.step; });
    std::int64_t rest = 0, divisor = 0;
    for (int i = size_ - 1; i >= 0; --i) {
      rest += terms_[i].step * terms_[i].count;
      divisor = std::gcd(divisor, terms_[i].step);
      terms_[i].reach = rest;
      terms_[i].divisor = divisor;
    }
    return search(0, low, high);
  }

 private:
  struct term {
    std::int64_t step, count;
    std::int64_t reach, divisor;  // of this and all later terms: largest sum, common divisor
  };
  static constexpr int longest_search = 2000;  // beyond it the answer is "maybe"

  bool search(int at, std::int64_t low, std::int64_t high) {
    if (at == size_) return low <= 0 && 0 <= high;
    if (++steps_ > longest_search) return true;
    const term& t = terms_[at];
    low = std::max<std::int64_t>(low, 0);
    high = std::min(high, t.reach);
    if (low > high) return false;
    // A multiple of the common divisor must lie between.
    if ((high / t.divisor) * t.divisor < low) return false;
    std::int64_t others = t.reach - t.step * t.count;
    std::int64_t first = low <= others ? 0 : (low - others + t.step - 1) / t.step;
    std::int64_t last = std::min(t.count, high / t.step);
    for (std::int64_t k = last; k >= first; --k)
      if (search(at + 1, low - k * t.step, high - k * t.step)) return true;
    return false;
  }

  term terms_[2 * max_rank];
  int size_ = 0, steps_ = 0;
};

}  // namespace

bool may_overlap(const node* a, const node* b) {
  if (a->size == 0 || b->size == 0 || a->device != b->device) return false;
  const byte_range ra = memory_range(a), rb = memory_range(b);
  if (ra.high <= rb.low || rb.high <= ra.low) return false;
  if (a->is(node::c_contiguous) || a->is(node::f_contiguous)) {
    if (b->is(node::c_contiguous) || b->is(node::f_contiguous)) return true;
  }
  // Addresses relative to the lowest byte of each: sum_a - sum_b = base distance + difference of
  // bytes. With k replaced by (count - k) in b's terms all signs become positive.
  overlap_search search;
  std::int64_t b_reach = 0;
  for (int i = 0; i < a->rank; ++i)
    if (a->shape[i] > 1 && a->strides[i] != 0)
      search.add(std::abs(a->strides[i]), a->shape[i] - 1);
  for (int i = 0; i < b->rank; ++i) {
    if (b->shape[i] <= 1 || b->strides[i] == 0) continue;
    search.add(std::abs(b->strides[i]), b->shape[i] - 1);
    b_reach += std::abs(b->strides[i]) * (b->shape[i] - 1);
  }
  std::int64_t distance = (rb.low - ra.low) + b_reach;
  std::int64_t bytes_a = static_cast<std::int64_t>(dtype(a->type).itemsize());
  std::int64_t bytes_b = static_cast<std::int64_t>(dtype(b->type).itemsize());
  // Bytes are shared where -bytes_a < (address in a) - (address in b) < bytes_b.
  return search.any_between(distance - bytes_a + 1, distance + bytes_b - 1);
}

}  // namespace detail
}  // namespace numjit
