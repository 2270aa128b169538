// np::array: a handle with NumPy's reference semantics. Methods are defined in numpy_compat.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <numjit/array/operand.h>
#include <numjit/array/pending_use.h>
#include <numjit/base/thread_context.h>

namespace numjit {

class array;
class indexed_array;  // numpy_compat: the result of indexing by a mask or an integer array
template <std::size_t N>
struct array_tuple;  // numpy_compat: N arrays that a function returns together

namespace detail {

/// Hooks for reading values: set by the recorder, so that asking a lazy array for its value runs the
/// pending segment. `why` is the id of a row in breaks.def by name, e.g. "bool", "item", "data".
struct value_hooks {
  /// Makes `n` concrete (and flushes pending stores to its storage). Null while nothing records.
  /// Nodes on a device get a current host copy, which for "data" is the only current one.
  void (*materialize)(node* n, const char* why, const location& where);
  /// Gathers an indexed_array that was not read yet, so that `a` has a node; no effect on any other
  /// empty handle. Null where numpy_compat is not linked.
  void (*settle)(const array& a) = nullptr;
  /// What other threads have pending on the storage of `n`, before `op` reads it here or, if `writes`, stores into it: runs it
  /// where threads take turns (Python), else refuses.
  void (*settle_others)(node* n, bool writes, std::string_view op, const location& where) = nullptr;
  /// The program reads `n` under the levels of transforms.
  void (*read_under_levels)(node* n, const char* why, const location& where) = nullptr;
};
extern constinit value_hooks read_hooks;

/// True on a thread with an open compiled region.
inline constinit thread_local bool recording [[gnu::tls_model("initial-exec")]] = false;

/// Threads that may have operations pending: with an open compiled region where threads take turns, so that one may run
/// what another has pending; else those that ever had one, as they would have to count each. And threads with open levels of
/// transforms, once more.
inline constinit std::atomic<int> recording_threads{0};
inline constinit bool threads_take_turns = false;
/// Is this thread among them although it may have no region open?
inline constinit thread_local bool counted_here [[gnu::tls_model("initial-exec")]] = false;
/// Has it levels of transforms that count it?
inline constinit thread_local bool counted_by_levels [[gnu::tls_model("initial-exec")]] = false;
/// May threads other than this one have operations pending that this one has to know of before it sees their arrays?
inline bool others_record() {
  const int threads = recording_threads.load(std::memory_order_relaxed);
  return threads != 0 && threads > static_cast<int>(recording | counted_here) + static_cast<int>(counted_by_levels);
}
/// Is a level of a transform open on this thread? Nothing may be computed of its arrays that it does not see.
inline bool levels_are_open() { return own_context.top_interpreter != own_context.base_interpreter; }
/// May the memory of arrays that are not lazy lag behind the program, here or by another thread, or does a level look at all that
/// is computed?
inline bool work_may_be_pending() {
  return recording || levels_are_open() || recording_threads.load(std::memory_order_relaxed) > static_cast<int>(counted_here);
}
/// Where others_record(): may one of them have a store pending on the storage of an operand?
inline bool may_be_pending_elsewhere([[maybe_unused]] node* n) {
#ifdef __EMSCRIPTEN__
  return false;
#else
  if (threads_take_turns) return true;
  return n && (n->notes || (!n->is(node::lazy) && place_in(storage_owner(n)->stored_at)));
#endif
}

/// Concrete node with its pending writes done, for reading its memory.
inline node* concrete(node* n, const char* why, const location& where = {}) {
  if (levels_are_open()) [[unlikely]]
    read_hooks.read_under_levels(n, why, where);
  if (others_record()) [[unlikely]]
    read_hooks.settle_others(n, why[0] == 'd', why, where);  // "data": who gets the address may write
  if (recording || (n->flags & (node::lazy | node::remote))) [[unlikely]]
    read_hooks.materialize(n, why, where);
  return n;
}
[[noreturn]] void throw_empty_handle();

/// The node with all its extents known: the pending segment runs if one depends on data.
inline node* sized(node* n, const location& where = {}) {
  if (n->flags & node::unsized) [[unlikely]]
    return concrete(n, "size", where);
  return n;
}
inline void settle(const array& a) {
  if (read_hooks.settle) read_hooks.settle(a);
}

/// The dtype that the type of a number says. Literals as 1, 2.5 and true are Python's numbers: they say none.
template <class T>
constexpr std::optional<dtype_id> dtype_of_literal() {
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double> || std::is_same_v<T, bool>)
    return {};
  else
    return dtype_of_element<T>();
}

}  // namespace detail

/// Values for building an array from braces, nested to any depth: `np::array{{1, 2}, {3, 4}}`.
class nested {
 public:
  template <class T>
  requires(weak_scalar<T>) nested(T value) : scalar_(value), type_(detail::dtype_of_literal<T>()) {}
  template <class F>
  requires(std::same_as<F, float> || std::same_as<F, double>) nested(std::complex<F> value)
      : scalar_(value), type_(detail::dtype_of_literal<std::complex<F>>()) {}
  nested(const array& element);
  nested(std::initializer_list<nested> list) : list_(list), is_list_(true) {}

  bool is_list() const { return is_list_; }
  const std::vector<nested>& list() const { return list_; }
  const operand& scalar() const { return *scalar_; }
  /// The array this element was built from, or null.
  node* element() const { return scalar_->n(); }
  /// The dtype that the C++ type of a number says; of int, double and bool, which literals have: none.
  std::optional<dtype_id> type() const { return type_; }

 private:
  std::vector<nested> list_;
  std::optional<operand> scalar_;
  std::optional<dtype_id> type_;
  bool is_list_ = false;
};

/// Options of array creation.
struct array_options {
  std::optional<numjit::dtype> dtype{};
  std::optional<std::string> device{};  // "cpu", "opencl:0", ...; none: that of the np::device scope
};

/// Options of np::array itself, where a copy keeps the order of what it copies.
struct new_array_options {
  std::optional<numjit::dtype> dtype{};
  std::optional<bool> copy = true;  // nullopt: only where one is needed; false: ValueError where one is needed
  char order = 'K';                 // 'C', 'F', 'A' or 'K', as of np::copy
  int ndmin = 0;                    // axes of length 1 come first where there are fewer
  std::optional<std::string> device{};
};

/// A location that no braces make, for overloads beside those that take options: x.sum({}) means these.
class call_site {
 public:
  constexpr call_site(const location& where) : where_(where) {}
  constexpr operator const location&() const { return where_; }

 private:
  location where_;
};

struct reduce_options;
struct var_options;
struct arg_options;
struct scan_options;
class axis_list;
class shape_list;
class index_list;
// Options of methods, complete in <numjit/np_keywords.h> and <numjit/np_manipulation.h>.
struct astype_options;
struct byteswap_options;
struct choose_options;
struct clip_options;
struct compress_options;
struct diagonal_options;
struct axis_options;
struct axes_options;
struct mode_options;
struct order_options;
struct out_options;
struct partition_options;
struct reshape_options;
struct round_options;
struct searchsorted_options;
struct sort_options;
struct take_options;
struct trace_keywords;

/// Reductions that take an axis as their second argument, as NumPy's do, and the options it is one of.
#define NUMJIT_AXIS_REDUCTIONS(F)                                                              \
  F(sum, reduce_options) F(prod, reduce_options) F(max, reduce_options) F(min, reduce_options) \
  F(any, reduce_options) F(all, reduce_options) F(mean, reduce_options) F(var, var_options)    \
  F(std, var_options) F(argmax, arg_options) F(argmin, arg_options) F(cumsum, scan_options)    \
  F(cumprod, scan_options)

/// A handle (8 bytes) to an n-dimensional array. Copying aliases; views share storage.
/// `b = a` on a variable rebinds; assigning to an indexing result writes through.
class NUMJIT_OWNER array {
 public:
  array() noexcept = default;
  array(const array& other) : n_(other.n_) {
    if (!n_) [[unlikely]] {
      detail::settle(other);
      n_ = other.n_;
    }
    if (n_) detail::retain(n_);
  }
  array(array&& other) noexcept : n_(std::exchange(other.n_, nullptr)) {
    // A gather that was not read yet may come as a plain array&&, e.g. through vector::push_back.
    if (!n_) [[unlikely]] {
      detail::settle(other);
      n_ = std::exchange(other.n_, nullptr);
    }
  }
  array(const indexed_array& other);
  array(indexed_array&& other);
  ~array() {
    if (n_) detail::release(n_);
  }
  /// An array of the given values: dtype int64, float64, complex128 or bool as NumPy finds it. Values of one other C++ type
  /// keep that.
  ///   np::array{{1, 2}, {3, 4}}  ->  int64, shape (2, 2);   np::array{1.0f, 2.0f}  ->  float32
  explicit array(std::initializer_list<nested> values, new_array_options options = {});
  /// A 0-D array of a value, as np.array(3.5).
  template <class T>
  requires(weak_scalar<T>) explicit array(T value, new_array_options options = {})
      : array(operand(value), typed<T>(std::move(options))) {}
  template <class F>
  requires(std::same_as<F, float> || std::same_as<F, double>) explicit array(std::complex<F> value,
                                                                             new_array_options options = {})
      : array(operand(value), typed<std::complex<F>>(std::move(options))) {}
  explicit array(const operand& value, new_array_options options);
  /// A copy of the elements of a vector, std::array or span, in their type; of vectors of one length, a row of each. ValueError
  /// for vectors of different lengths.
  ///   np::array(std::vector<double>{1, 2})
  template <class T, class A>
  requires(detail::is_element<T>) explicit array(const std::vector<T, A>& values, new_array_options options = {});
  template <class T, class A, class B>
  requires(detail::is_element<T>) explicit array(const std::vector<std::vector<T, A>, B>& rows, new_array_options options = {});
  template <class T, std::size_t N>
  requires(detail::is_element<T>) explicit array(const std::array<T, N>& values, new_array_options options = {})
      : array(std::span<const T>(values), std::move(options)) {}
  template <class T, std::size_t N>
  requires(detail::is_element<std::remove_const_t<T>>) explicit array(std::span<T, N> values, new_array_options options = {});
  /// The dtype second, as NumPy takes it: `np::array({1, 2}, np::float32)`.
  template <std::same_as<numjit::dtype> D>
  explicit array(std::initializer_list<nested> values, D type) : array(values, new_array_options{.dtype = type}) {}
  template <class T, std::same_as<numjit::dtype> D>
  requires(std::constructible_from<array, const T&, new_array_options>) explicit array(const T& value, D type)
      : array(value, new_array_options{.dtype = type}) {}

  array& operator=(const array& other) & {
    array copy(other);
    std::swap(n_, copy.n_);
    return *this;
  }
  array& operator=(array&& other) & noexcept {
    if (!other.n_) [[unlikely]] detail::settle(other);
    std::swap(n_, other.n_);
    return *this;
  }
  array& operator=(const indexed_array& other) &;
  array& operator=(indexed_array&& other) &;
  /// Writes through: `a(np::slice(1, -1)) = x`. The value is cast ('same_kind' is not required, as in
  /// NumPy's a[...] = x) and broadcast; overlapping memory is handled as if copied first.
  array& operator=(const operand& value) &&;
  array& operator=(const array& value) && { return std::move(*this) = operand(value); }
  array& operator=(array&& value) && { return std::move(*this) = operand(value); }
  array& operator=(const indexed_array& value) &&;
  array& operator=(indexed_array&& value) &&;

  // ---- attributes ----
  // Inside a compiled function, extents that depend on data (of x(mask), np::nonzero, ...) are not known
  // before the work runs: asking for them is a graph break.
  int ndim() const { return get()->rank; }
  std::int64_t size() const { return detail::sized(get())->size; }
  std::int64_t nbytes() const { return size() * static_cast<std::int64_t>(itemsize()); }
  std::size_t itemsize() const { return dtype().itemsize(); }
  numjit::dtype dtype() const { return get()->type; }
  dims shape() const { return dims(detail::sized(get())->shape, get()->rank); }
  /// Length of one axis; negative counts from the end. IndexError if there is no such axis.
  std::int64_t shape(int axis) const;
  dims strides() const { return dims(detail::sized(get())->strides, get()->rank); }
  /// Length of the first axis. TypeError for 0-D: "len() of unsized object".
  std::int64_t len() const;
  bool is_c_contiguous() const { return detail::sized(get())->is(node::c_contiguous); }
  bool is_f_contiguous() const { return detail::sized(get())->is(node::f_contiguous); }
  bool writeable() const { return !get()->is(node::readonly); }
  /// The array whose storage this one shares; empty if it owns its own.
  array base() const;
  /// Where its storage lies: "cpu", "opencl:0", "cuda:1".
  std::string device() const;
  /// A copy on another device; the array itself if it is there already. ValueError for a name that is
  /// none, DeviceError for a device that this machine does not have.
  ///   auto on_gpu = x.to("cuda");
  array to(std::string_view device, location where = location::here()) const;
  /// No array behind it: default-constructed or moved-from.
  bool empty_handle() const noexcept { return n_ == nullptr; }

  // ---- reading values (a graph break inside a compiled function) ----
  /// The single element, exactly converted. TypeError if T can't hold it, ValueError if size != 1.
  template <class T = double>
  T item(location where = location::here()) const;
  /// The element at an index into the flattened array; negative ones count from the end. IndexError if
  /// there is none.
  template <class T = double, std::integral I>
    requires(!std::same_as<I, bool>)
  T item(I flat_index, location where = location::here()) const;
  /// Truth of the single element. ValueError for more than one element, in NumPy's words.
  explicit operator bool() const;
  explicit operator double() const;
  explicit operator std::int64_t() const;
  /// Pointer to the first element (writable memory: ValueError if read-only), of dtype T.
  template <class T> T* data(location where = location::here()) const;
  void* raw_data(location where = location::here()) const;
  template <class T> std::vector<T> tolist(location where = location::here()) const;
  /// Runs pending work this array depends on; no effect on a concrete array.
  const array& eval(location where = location::here()) const;
  std::string str() const;
  std::string repr() const;

  // ---- indexing ----
  // One index per axis: an integer, np::slice, np::_, np::newaxis, np::ellipsis give a view; an integer
  // array or a boolean mask gives an indexed_array (see <numjit/np_indexing.h>, which defines them).
  template <class... I>
  using index_result =
      std::conditional_t<(std::is_base_of_v<array, I> || ...), indexed_array, array>;
  template <class I0>
  index_result<I0> operator()(const I0& i0, location where = location::here()) const;
  template <class I0, class I1>
  index_result<I0, I1> operator()(const I0& i0, const I1& i1,
                                  location where = location::here()) const;
  template <class I0, class I1, class I2>
  index_result<I0, I1, I2> operator()(const I0& i0, const I1& i1, const I2& i2,
                                      location where = location::here()) const;
  template <class I0, class I1, class I2, class I3>
  index_result<I0, I1, I2, I3> operator()(const I0& i0, const I1& i1, const I2& i2, const I3& i3,
                                          location where = location::here()) const;
  template <class... I>
    requires(sizeof...(I) > 4 && sizeof...(I) <= max_rank)
  index_result<I...> operator()(const I&... i) const;
  template <class I0>
  index_result<I0> operator[](const I0& i0) const;
#ifdef __cpp_multidimensional_subscript  // C++23; before, a[0, 1] is a[1], which np.h makes an error
  template <class I0, class I1, class... I>
  index_result<I0, I1, I...> operator[](const I0& i0, const I1& i1, const I&... more) const {
    return (*this)(i0, i1, more...);
  }
#endif
  // What is one tuple in NumPy: a place, a(place) of np::ndindex, and one index array for each of the first axes, as
  // of a(np::nonzero(mask)), a(np::ix_(rows, columns)).
  array operator()(const dims& place, location where = location::here()) const;
  indexed_array operator()(const std::vector<array>& indices, location where = location::here()) const;
  template <std::size_t N>
  indexed_array operator()(const array_tuple<N>& indices, location where = location::here()) const;
  array operator[](const dims& place) const;
  indexed_array operator[](const std::vector<array>& indices) const;
  template <std::size_t N>
  indexed_array operator[](const array_tuple<N>& indices) const;

  // ---- in place ----
  array& operator+=(const operand& value) &;
  array& operator-=(const operand& value) &;
  array& operator*=(const operand& value) &;
  array& operator/=(const operand& value) &;
  array& operator%=(const operand& value) &;
  array& operator&=(const operand& value) &;
  array& operator|=(const operand& value) &;
  array& operator^=(const operand& value) &;
  array& operator<<=(const operand& value) &;
  array& operator>>=(const operand& value) &;
  array&& operator+=(const operand& value) &&;
  array&& operator-=(const operand& value) &&;
  array&& operator*=(const operand& value) &&;
  array&& operator/=(const operand& value) &&;
  array&& operator%=(const operand& value) &&;
  array&& operator&=(const operand& value) &&;
  array&& operator|=(const operand& value) &&;
  array&& operator^=(const operand& value) &&;
  array&& operator<<=(const operand& value) &&;
  array&& operator>>=(const operand& value) &&;

  // ---- methods (numpy_compat/methods.cpp) ----
  // Arguments by NumPy's names are in braces: a.astype(np::float32, {.copy = false}), a.sort({.axis = 0}).
  array astype(numjit::dtype to, call_site where = location::here()) const;
  array astype(numjit::dtype to, const astype_options& o, location where = location::here()) const;
  array copy(call_site where = location::here()) const;
  array copy(const order_options& o, location where = location::here()) const;
  array reshape(const dims& shape, call_site where = location::here()) const;
  array reshape(const dims& shape, const reshape_options& o, location where = location::here()) const;
  template <std::integral... I>
    requires(sizeof...(I) >= 1)
  array reshape(I... extents) const { return reshape(dims{static_cast<std::int64_t>(extents)...}); }
  array ravel(call_site where = location::here()) const;
  array ravel(const order_options& o, location where = location::here()) const;
  array flatten(call_site where = location::here()) const;
  array flatten(const order_options& o, location where = location::here()) const;
  array transpose(const dims& axes = {}, location where = location::here()) const;
  template <std::integral... I>
    requires(sizeof...(I) >= 2)
  array transpose(I... axes) const { return transpose(dims{static_cast<std::int64_t>(axes)...}); }
  array T(location where = location::here()) const { return transpose({}, where); }
  array squeeze(call_site where = location::here()) const;
  array squeeze(const axes_options& o, location where = location::here()) const;
  template <class A = axis_list>
  array squeeze(const std::type_identity_t<A>& axis, location where = location::here()) const;
  array swapaxes(int a, int b, location where = location::here()) const;
  array diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
                 location where = location::here()) const;
  array diagonal(const diagonal_options& o, location where = location::here()) const;
  array real(location where = location::here()) const;
  array imag(location where = location::here()) const;
  array conj(location where = location::here()) const;
  array conjugate(location where = location::here()) const { return conj(where); }
  /// The last two axes swapped. ValueError below two dimensions.
  array mT(location where = location::here()) const;
  /// The same memory as elements of another dtype; the last axis grows or shrinks with their size.
  array view(numjit::dtype as, location where = location::here()) const;
  array fill(const operand& value, location where = location::here()) const;
  array take(const array& indices, std::optional<int> axis = {},
             location where = location::here()) const;
  array take(const array& indices, const take_options& o, location where = location::here()) const;
  array sum(const reduce_options& o, location where = location::here()) const;
  array prod(const reduce_options& o, location where = location::here()) const;
  array max(const reduce_options& o, location where = location::here()) const;
  array min(const reduce_options& o, location where = location::here()) const;
  array any(const reduce_options& o, location where = location::here()) const;
  array all(const reduce_options& o, location where = location::here()) const;
  array mean(const reduce_options& o, location where = location::here()) const;
  array var(const var_options& o, location where = location::here()) const;
  array std(const var_options& o, location where = location::here()) const;
  array sum(call_site where = location::here()) const;
  array prod(call_site where = location::here()) const;
  array max(call_site where = location::here()) const;
  array min(call_site where = location::here()) const;
  array any(call_site where = location::here()) const;
  array all(call_site where = location::here()) const;
  array mean(call_site where = location::here()) const;
  array var(call_site where = location::here()) const;
  array std(call_site where = location::here()) const;
  array argmax(const arg_options& o, location where = location::here()) const;
  array argmin(const arg_options& o, location where = location::here()) const;
  array argmax(call_site where = location::here()) const;
  array argmin(call_site where = location::here()) const;
  array cumsum(const scan_options& o, location where = location::here()) const;
  array cumsum(call_site where = location::here()) const;
  // The same along one axis: a.sum(0).
#define NUMJIT_ALONG_AXIS(name, options) \
  template <std::integral Axis>          \
  array name(Axis axis, location where = location::here()) const;
  NUMJIT_AXIS_REDUCTIONS(NUMJIT_ALONG_AXIS)
#undef NUMJIT_ALONG_AXIS
  array dot(const operand& other, call_site where = location::here()) const;
  array dot(const operand& other, const out_options& o, location where = location::here()) const;
  array round(int decimals = 0, location where = location::here()) const;
  array round(const round_options& o, location where = location::here()) const;
  array clip(const operand& low, const operand& high, call_site where = location::here()) const;
  array clip(const operand& low, const operand& high, const out_options& o, location where = location::here()) const;
  array clip(const clip_options& o, location where = location::here()) const;
  array cumprod(const scan_options& o, location where = location::here()) const;
  array cumprod(call_site where = location::here()) const;
  array trace(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1) const;
  array trace(const trace_keywords& o, location where = location::here()) const;
  array repeat(std::int64_t repeats, std::optional<std::int64_t> axis = {}, location where = location::here()) const;
  array repeat(const array& repeats, std::optional<std::int64_t> axis = {}, location where = location::here()) const;
  array repeat(std::int64_t repeats, const axis_options& o, location where = location::here()) const;
  array repeat(const array& repeats, const axis_options& o, location where = location::here()) const;
  array compress(const array& condition, std::optional<std::int64_t> axis = {}, location where = location::here()) const;
  array compress(const array& condition, const compress_options& o, location where = location::here()) const;
  /// mode: "raise", "wrap" or "clip", for indices outside.
  array choose(const std::vector<array>& choices, const char* mode = "raise", location where = location::here()) const;
  array choose(const std::vector<array>& choices, const choose_options& o, location where = location::here()) const;
  void put(const array& indices, const operand& values, const char* mode = "raise") const;
  void put(const array& indices, const operand& values, const mode_options& o) const;
  std::vector<array> nonzero(location where = location::here()) const;
  array searchsorted(const operand& v, const char* side = "left") const;
  array searchsorted(const operand& v, const char* side, const array& sorter) const;
  array searchsorted(const operand& v, const searchsorted_options& o, location where = location::here()) const;
  array argsort(std::int64_t axis = -1, location where = location::here()) const;
  array argsort(const sort_options& o, location where = location::here()) const;
  array argpartition(const index_list& kth, std::int64_t axis = -1, location where = location::here()) const;
  array argpartition(const index_list& kth, const partition_options& o, location where = location::here()) const;
  /// In place, as NumPy's methods of these names.
  void sort(std::int64_t axis = -1, location where = location::here()) const;
  void sort(const sort_options& o, location where = location::here()) const;
  void partition(const index_list& kth, std::int64_t axis = -1, location where = location::here()) const;
  void partition(const index_list& kth, const partition_options& o, location where = location::here()) const;
  /// Makes this handle the first elements in a new shape, zeros behind them. Views made before keep the old memory.
  void resize(const dims& shape, location where = location::here());

  /// Elements in C order as bytes, in memory or in a file.
  std::string tobytes(call_site where = location::here()) const;
  std::string tobytes(const order_options& o, location where = location::here()) const;
  void tofile(const std::string& path, location where = location::here()) const;
  /// A copy whose elements' bytes stand in the opposite order; {.inplace = true}: the array itself, changed.
  array byteswap(call_site where = location::here()) const;
  array byteswap(const byteswap_options& o, location where = location::here()) const;
  /// Forbids stores, or allows them again where the memory is the array's own.
  void setflags(bool write) const;

  friend void swap(array& a, array& b) noexcept { std::swap(a.n_, b.n_); }

  // ---- for the library itself ----
  /// The node; ValueError on an empty handle.
  node* get() const {
    if (!n_) [[unlikely]] {
      detail::settle(*this);
      if (!n_) detail::throw_empty_handle();
    }
    return n_;
  }
  /// A handle that takes over one reference.
  static array adopt(node* n) noexcept {
    array a;
    a.n_ = n;
    return a;
  }
  /// A handle with its own reference.
  static array share(node* n) noexcept {
    if (n) detail::retain(n);
    return adopt(n);
  }
  node* release_node() noexcept { return std::exchange(n_, nullptr); }

 private:
  template <class T>
  static new_array_options typed(new_array_options options) {
    if (const auto type = detail::dtype_of_literal<T>(); type && !options.dtype) options.dtype = *type;
    return options;
  }

  node* n_ = nullptr;
};

static_assert(sizeof(array) == sizeof(void*));

inline operand::operand(const array& a, const char* file, const char* function, int line)
    : node_(a.get()), where_{file, function, line} {}
#ifndef __EMSCRIPTEN__
inline argument::argument(array&& a, const char* file, const char* function, int line)
    : operand(a, file, function, line), temporary_(n()->size >= least_elements ? &a : nullptr) {}
#endif

}  // namespace numjit
