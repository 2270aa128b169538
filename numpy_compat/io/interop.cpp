// Arrays on foreign memory, spans, DLPack.
#include <numjit/array/shown.h>
#include <numjit/dlpack.h>
#include <numjit/dlpack_layout.h>
#include <numjit/interop.h>
#include <numjit/trace/state/pending.h>

#include <surface.h>

namespace numjit {

namespace detail {

array foreign_array(void* memory, dtype_id type, const dims& shape, const dims& strides, bool readonly, void (*release)(void*),
                    void* context) {
  (void)element_count(shape);  // refuses negative extents and products beyond int64
  array made = array::adopt(allocate_node());
  node* n = made.get();
  n->data = static_cast<char*>(memory);
  set_layout(n, type, shape.size(), shape.data(), strides.data());
  if (readonly) n->flags |= node::readonly;
  n->deleter = release;  // last: until here the memory is still the caller's
  n->deleter_context = context;
  n->shown = shown_if_asked;
  return made;
}

namespace {

using shared_owner = std::shared_ptr<const void>;

void release_shared(void* context) { delete static_cast<shared_owner*>(context); }
// Without an owner nobody knows who has the memory besides.
bool is_shared(void* context) noexcept { return static_cast<shared_owner*>(context)->use_count() != 1; }
[[maybe_unused]] const bool known = [] {
  know_foreign_owner(release_shared, is_shared);
  return true;
}();

}  // namespace

array foreign_array(const void* memory, dtype_id type, const dims& shape, const memory_options& options,
                    std::shared_ptr<const void> owner) {
  const auto item = static_cast<std::int64_t>(dtype(type).itemsize());
  dims strides = options.strides;
  if (strides.empty() && !shape.empty()) strides = contiguous_strides(shape, item);
  if (strides.size() != shape.size())
    throw ValueError("as_array", "strides, if given, must be the same length as shape: got strides " + strides.str() +
                                     " for shape " + shape.str() + ".");
  if (!memory && element_count(shape) > 0)
    throw ValueError("as_array", "there is no memory: got a null pointer for shape " + shape.str() + ".");
  auto* kept = new shared_owner(std::move(owner));
  try {
    // Elements of an empty array have an address too.
    return foreign_array(memory ? const_cast<void*>(memory) : kept, type, shape, strides, options.readonly, release_shared, kept);
  } catch (...) {
    delete kept;
    throw;
  }
}

namespace {
node* checked(const array& a, dtype_id type, bool writes, const char* op) {
  settle_pending();
  node* n = concrete(a.get(), "data", location{});
  refuse_memory(n);
  if (n->type != type)
    throw TypeError(op, "the dtype differs: got " + std::string(dtype(n->type).name()) + ", expected " +
                            std::string(dtype(type).name()) + ". Convert it: a.astype(...).");
  if (writes && n->is(node::readonly)) throw ValueError(op, "assignment destination is read-only");
  return n;
}
}  // namespace

strided_memory strided_memory_of(const array& a, dtype_id type, bool writes, const char* op) {
  const node* n = checked(a, type, writes, op);
  const auto item = static_cast<std::int64_t>(dtype(type).itemsize());
  strided_memory m{n->data, 0, 0, dims(n->shape, n->rank), dims(n->strides, n->rank)};
  for (std::int64_t& stride : m.strides) {
    if (stride % item != 0)
      throw ValueError(op, "its strides are no multiples of the element's size: got " + a.strides().str() + ". Pass a.copy().");
    stride /= item;
  }
  const byte_range range = memory_range(n);
  m.low = const_cast<char*>(range.low);
  m.offset = (n->data - range.low) / item;
  m.length = (range.high - range.low) / item;
  return m;
}

void* span_memory(const array& a, dtype_id type, bool writes) {
  node* n = checked(a, type, writes, "as_span");
  if (!n->is(node::c_contiguous))
    throw ValueError("as_span", "the elements do not lie side by side: got strides " + a.strides().str() + " for shape " +
                                    a.shape().str() + ". Pass np::ascontiguousarray(a).");
  tracing::show_until_call_ends(n);
  return n->data;
}

shown_array::shown_array(const array& a) : kept_(a) { show(kept_.get(), "a view of another library"); }
shown_array::~shown_array() { hide(kept_.get()); }

// ---- DLPack ----

namespace dl {

namespace {

template <class M>
struct Exported {
  M managed;
  array kept;
  std::int64_t shape[max_rank], strides[max_rank];
};

template <class M>
M* exported(const array& a) {
  auto* e = new Exported<M>();
  e->kept = a;
  show(a.get(), "a DLPack tensor");
  const node* n = a.get();
  const auto item = static_cast<std::int64_t>(dtype(n->type).itemsize());
  for (int i = 0; i < n->rank; ++i) {
    e->shape[i] = n->shape[i];
    e->strides[i] = n->strides[i] / item;
  }
  const char k = dtype(n->type).kind();
  const std::uint8_t code = k == 'b' ? 6 : k == 'i' ? 0 : k == 'u' ? 1 : k == 'f' ? 2 : 5;
  e->managed.tensor = {n->data, {cpu, 0}, n->rank, {code, static_cast<std::uint8_t>(8 * item), 1}, e->shape, e->strides, 0};
  e->managed.context = e;
  e->managed.deleter = [](M* m) {
    auto* done = static_cast<Exported<M>*>(m->context);
    hide(done->kept.get());
    delete done;
  };
  return &e->managed;
}

dtype_id type_of(const DataType& t) {
  const int log2 = t.bits == 8 ? 0 : t.bits == 16 ? 1 : t.bits == 32 ? 2 : t.bits == 64 ? 3 : -1;
  auto at = [](dtype_id first, int i) { return static_cast<dtype_id>(static_cast<int>(first) + i); };
  if (t.lanes == 1) {
    if (t.code == 6 && t.bits == 8) return dtype_id::bool_;
    if (t.code == 0 && log2 >= 0) return at(dtype_id::int8, log2);
    if (t.code == 1 && log2 >= 0) return at(dtype_id::uint8, log2);
    if (t.code == 2 && log2 >= 1) return at(dtype_id::float16, log2 - 1);
    if (t.code == 5 && t.bits == 64) return dtype_id::complex64;
    if (t.code == 5 && t.bits == 128) return dtype_id::complex128;
  }
  throw TypeError("from_dlpack", "there is no dtype for DLPack type code " + std::to_string(t.code) + " with " +
                                     std::to_string(t.bits) + " bits.");
}

template <class M>
array taken(M* m, bool is_readonly, void (*release)(void*)) {
  const Tensor& t = m->tensor;
  if (t.device.type != cpu)
    throw ValueError("from_dlpack", "the memory is on another device: got device type " + std::to_string(t.device.type) +
                                        ", expected 1 (CPU). Copy it to the host first.");
  if (t.ndim < 0 || t.ndim > max_rank)
    throw ValueError("from_dlpack", "maximum supported dimension for an array is 16, found " + std::to_string(t.ndim));
  const dtype_id type = type_of(t.dtype);
  const auto item = static_cast<std::int64_t>(dtype(type).itemsize());
  const dims shape(t.shape, t.ndim);
  dims strides = contiguous_strides(shape, item);
  for (int i = 0; t.strides && i < t.ndim; ++i) strides[i] = t.strides[i] * item;
  auto plain = [](void* context) {
    auto* managed = static_cast<M*>(context);
    if (managed->deleter) managed->deleter(managed);
  };
  return foreign_array(static_cast<char*>(t.data) + t.byte_offset, type, shape, strides, is_readonly, release ? release : plain,
                       m);
}

}  // namespace

Managed* make(const array& a) { return exported<Managed>(a); }
ManagedVersioned* make_versioned(const array& a, bool is_copied) {
  ManagedVersioned* m = exported<ManagedVersioned>(a);
  m->major = 1;
  m->minor = 0;
  m->flags = (a.writeable() ? 0 : readonly) | (is_copied ? copied : 0);
  return m;
}

array take(Managed* m, void (*release)(void*)) { return taken(m, false, release); }
array take(ManagedVersioned* m, void (*release)(void*)) {
  if (m->major > 1) throw ValueError("from_dlpack", "DLPack version: got " + std::to_string(m->major) + ", expected 1 or older.");
  return taken(m, (m->flags & readonly) != 0, release);
}

}  // namespace dl
}  // namespace detail

namespace {
const array& ready(const array& a) {
  detail::settle_pending();
  detail::refuse_memory(detail::concrete(a.get(), "data", location{}));
  return a;
}
}  // namespace

DLManagedTensorVersioned* to_dlpack(const array& a) {
  return reinterpret_cast<DLManagedTensorVersioned*>(detail::dl::make_versioned(ready(a), false));
}
DLManagedTensor* to_dlpack_unversioned(const array& a) {
  if (!a.writeable())
    throw ValueError("to_dlpack",
                     "Cannot export readonly array since signalling readonly is unsupported by DLPack "
                     "(supported by newer DLPack version).");
  return reinterpret_cast<DLManagedTensor*>(detail::dl::make(ready(a)));
}
array from_dlpack(DLManagedTensorVersioned* tensor) {
  return detail::dl::take(reinterpret_cast<detail::dl::ManagedVersioned*>(tensor));
}
array from_dlpack(DLManagedTensor* tensor) { return detail::dl::take(reinterpret_cast<detail::dl::Managed*>(tensor)); }

}  // namespace numjit
