// The object behind an array handle: layout, storage, reference count. Concrete or lazy.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include <numjit/array/dims.h>
#include <numjit/array/dtype.h>

namespace numjit {

struct location;
namespace tracing { struct Record; }
namespace transform {
struct Note;
}

/// What a handle points to. A *concrete* node has data; a *lazy* one belongs to the thread that
/// records, has dtype and shape, and gets its data when its segment runs. A base node owns its block;
/// a view holds a reference to the base that owns the storage (never to another view).
struct node {
#ifdef __EMSCRIPTEN__
  std::uint32_t refs = 1;
#else
  std::uint64_t refs = 1;  // above bit 32 those of pending_use.h
#endif
  dtype_id type = dtype_id::float64;
  std::uint8_t rank = 0;
  std::uint8_t flags = 0;
  std::uint8_t device = 0;          // 0 = cpu, else an index: see remote.h
#ifndef __EMSCRIPTEN__
  std::uint32_t shown = 0;  // of the storage's owner: who else looks at its memory, see shown.h
#endif
  std::uint64_t signature = 0;      // what a guard compares: see detail::set_layout
  char* data = nullptr;             // first element; null while lazy
  node* base = nullptr;             // owner of the storage, null if this node owns it
  std::int64_t size = 0;            // elements
  std::int64_t block_bytes = 0;     // of the owned block (base nodes)
  void (*deleter)(void*) = nullptr; // of foreign memory (with deleter_context); null: buffer pool
  void* deleter_context = nullptr;  // of a lazy node, which has no memory: whose it is, see lazy_node.h
  tracing::Record* record = nullptr;  // record that owns this lazy, or that bound this input last
  transform::Note* notes = nullptr;   // what open levels of transforms know of it: see transform/note.h
  std::int64_t* shape = inline_dims;             // rank entries
  std::int64_t* strides = inline_dims + inline_rank;  // bytes, rank entries
  static constexpr int inline_rank = 4;
#ifdef __EMSCRIPTEN__  // where a node has room to spare
  std::uint32_t shown = 0;
#endif
  std::int64_t inline_dims[2 * inline_rank] = {};
#ifndef __EMSCRIPTEN__  // of the storage's owner: see pending_use.h
  const location *used_at = nullptr, *stored_at = nullptr;
#endif

  enum flag : std::uint8_t {
    lazy = 1,        // no data yet; counts are plain, owned by one thread
    readonly = 2,
    c_contiguous = 4,
    f_contiguous = 8,
    poisoned = 16,   // its segment failed or was discarded: any use is an error
    marked = 32,     // np::mark_static or np::mark_dynamic: see marks.h
    unsized = 64,    // lazy, and one extent is not known before its segment runs: see unknown_extents
    remote = 128,    // its storage lies on a device, `data` is the address of the host copy: see remote.h
  };
  bool is(flag f) const { return (flags & f) != 0; }
};

namespace detail {

/// In the shape of an unsized node, an extent from here on is not a length: it names one that is known
/// when the segment has run. Equal names are equal lengths.
inline constexpr std::int64_t unknown_extents = std::int64_t{1} << 34;

/// deleter_context of lazy arrays that stand for the values of a level and never have some of their own.
extern char* const no_values_mark;
/// Called when a node dies that a level of a transform has notes of.
using NotesDropper = void (*)(node* n) noexcept;
extern constinit NotesDropper drop_notes;
/// Throws if a level of another thread follows what becomes of a node with notes: what this thread makes of it would be lost.
using NotesChecker = void (*)(const node* n, std::string_view op);
extern constinit NotesChecker refuse_followed_elsewhere;

node* allocate_node();                       // pooled, fields as declared, refs = 1
void destroy_node(node* n) noexcept;         // refs reached 0: storage, dims, node back to the pools

/// Adds a reference. Lazy nodes belong to one thread: plain; concrete ones: atomic.
inline void retain(node* n) noexcept {
  std::atomic_ref refs(n->refs);
  if (n->flags & node::lazy)
    refs.store(refs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  else
    refs.fetch_add(1, std::memory_order_relaxed);
}

/// Drops a reference to a node that no other thread knows (yet): a lazy one, or one that was lazy until now.
inline void release_private(node* n) noexcept {
  std::atomic_ref refs(n->refs);
  const auto left = refs.load(std::memory_order_relaxed) - 1;
  refs.store(left, std::memory_order_relaxed);
  if (left == 0) destroy_node(n);
}

#ifdef __x86_64__
/// Which thread this is, for comparing.
inline void* this_thread() noexcept {
  void* pointer;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}
#else
inline constinit thread_local char place_in_thread = 0;
inline void* this_thread() noexcept { return &place_in_thread; }
#endif
/// Drops a reference to a lazy node of another thread: that one does it, in its own time.
void drop_elsewhere(node* n) noexcept;

/// Drops a reference; frees without a locked instruction when this is the only one. Of a lazy node: on its thread, as asking
/// which one it is would cost a handle of a compiled function more than its other work. Others call drop_elsewhere().
inline void release(node* n) noexcept {
  std::atomic_ref refs(n->refs);
  if (n->flags & node::lazy) {
    release_private(n);
  } else if (refs.load(std::memory_order_acquire) == 1 ||
             refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    destroy_node(n);
  }
}

/// Sets rank, shape, strides (bytes), size, contiguity flags and signature.
///
/// The signature is the layout word that guards compare. From the low bit up: dtype (4 bits), rank (5),
/// contiguity (2: 1 C, 2 F but not C, 0 neither), axes of extent 1 (16), broadcast axes, that is stride
/// 0 and extent above 1 (16), misaligned (1), device (8). Never 0. The address in `data` decides the
/// misaligned bit: set it first, or call refresh_signature afterwards.
void set_layout(node* n, dtype_id type, int rank, const std::int64_t* shape,
                const std::int64_t* strides);
/// The same with C-order strides.
void set_contiguous_layout(node* n, dtype_id type, int rank, const std::int64_t* shape);
/// Elements lie at multiples of this many bytes, unless their array is misaligned: their size, of complex numbers a part's.
constexpr std::uintptr_t alignment_of(dtype_id type) {
  constexpr auto alignments = [] {
    std::array<std::uint8_t, dtype_count> each{};
    for (std::size_t i = 0; i < each.size(); ++i)
      each[i] = static_cast<std::uint8_t>(dtype_table[i].kind == 'c' ? dtype_table[i].itemsize / 2 : dtype_table[i].itemsize);
    return each;
  }();
  return alignments[static_cast<std::size_t>(type)];
}
/// WebAssembly loads and stores numbers at any address: nothing is misaligned there.
#ifdef __EMSCRIPTEN__
inline constexpr bool loads_at_any_address = true;
#else
inline constexpr bool loads_at_any_address = false;
#endif
/// Of an address, and of the strides from there: does one of these `bits` lead across the boundaries of elements?
inline bool is_misaligned(dtype_id type, std::uintptr_t bits) {
  return !loads_at_any_address && (bits & (alignment_of(type) - 1)) != 0;
}
/// The bit of a signature that says so.
inline constexpr int misaligned_shift = 43;
inline bool is_misaligned(const node* n) { return !loads_at_any_address && (n->signature >> misaligned_shift & 1) != 0; }
/// Recomputes the signature after `data`, `device` or a stride was changed in place.
void refresh_signature(node* n);
/// Copies dtype and layout of `from` (also contiguity and what the signature says of them).
void copy_layout(node* n, const node* from);
inline bool same_shape(const node* a, const node* b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; ++i)
    if (a->shape[i] != b->shape[i]) return false;
  return true;
}

/// Allocates the block of a node whose layout is contiguous. MemoryError in NumPy's words.
void allocate_storage(node* n);

/// A new concrete contiguous node with uninitialised storage.
node* new_node(dtype_id type, int rank, const std::int64_t* shape);
/// A new view node on the storage of `of` (concrete).
node* new_view(node* of, dtype_id type, int rank, const std::int64_t* shape,
               const std::int64_t* strides, std::int64_t byte_offset);
/// An array with memory of its own, which no view shows, becomes another view of what `view` shows: same dtype, shape and
/// elements.
void become_view(node* n, const node* view);
/// Of a view that stands for one example of a batch and has no memory: bytes from its owner's first element.
inline std::int64_t& offset_in_owner(node* n) { return n->block_bytes; }
inline std::int64_t offset_in_owner(const node* n) { return n->base ? n->block_bytes : 0; }

inline node* storage_owner(node* n) { return n->base ? n->base : n; }

/// Lowest and one-past-highest address that the node's elements touch.
struct byte_range { const char* low; const char* high; };
byte_range memory_range(const node* n);
/// May any byte be shared? Exact, except that a search that grows too long answers true.
bool may_overlap(const node* a, const node* b);

}  // namespace detail
}  // namespace numjit
