// Indexing by boolean masks and integer arrays: reads and stores that are put off until it is known
// which of the two is meant.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <numjit/base/thread_pool.h>
#include <numjit/interop.h>
#include <numjit/ops/stored_literal.h>
#include <numjit/trace/state/pending.h>

#include <at_hand.h>
#include <math/checks.h>
#include <surface.h>

namespace numjit {

namespace detail {

struct pending_index {
  indexed_array* owner;
  array source;
  std::vector<layout::index_entry> basic;  // arrays stand as `whole` here
  struct entry {
    int position;  // in `basic`
    array a;
    bool checked;  // its indices are known to be within bounds
  };
  std::vector<entry> arrays;
  location where;
  bool linked = false;
  pending_index *next = nullptr, *previous = nullptr;
};

namespace {

// The indexed arrays of this thread that were not read yet; nearly always empty.
constinit thread_local pending_index* pending_head = nullptr;

void link(pending_index* p) {
  p->linked = true;
  p->next = pending_head;
  if (pending_head) pending_head->previous = p;
  pending_head = p;
}
void unlink(pending_index* p) {
  if (!p->linked) return;
  p->linked = false;
  (p->previous ? p->previous->next : pending_head) = p->next;
  if (p->next) p->next->previous = p->previous;
  p->next = p->previous = nullptr;
}

void settle_hook(const array& a) {
  for (pending_index* p = pending_head; p; p = p->next)
    if (p->owner == &a) return p->owner->settle();
}
[[maybe_unused]] const bool hooked = (read_hooks.settle = settle_hook, true);

bool is_bool(const array& a) { return a.get()->type == dtype_id::bool_; }

// ---- from index arrays to (source with the indexed axes first, integer arrays) ----

/// An advanced index brought to its simplest form: `base(rows)`, where `rows` indexes the first axis
/// of `base`; `result_axes` puts the result's axes (index axes, then the rest) in NumPy's order.
struct plan {
  array base;       // view of the source: indexed axes first
  int indexed = 0;  // number of indexed axes
  std::vector<array> rows;
  std::vector<bool> checked;  // of each: nothing is out of bounds
  std::vector<int> axes;      // of each: the source's axis
  dims index_shape;           // of the broadcast index arrays
  int place = 0;              // where the index axes go in the result
};

/// What an index of uint64 is taken for: numbers beyond int64's wrap into it, as in NumPy.
template <class T>
using index_number = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::int64_t, T>;

/// Are all of -length <= index < length? Without branches, so that it costs little.
template <class T>
bool all_within(const T* index, std::int64_t count, std::int64_t length) {
  if constexpr (sizeof(T) < 8) {
    T least = index[0], most = index[0];
    for (std::int64_t i = 1; i < count; ++i) least = std::min(least, index[i]), most = std::max(most, index[i]);
    return std::int64_t{least} >= -length && std::int64_t{most} < length;
  } else {
    std::uint64_t outside = 0;
    const auto n = static_cast<std::uint64_t>(length);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::uint64_t>(index[i]);
      outside |= (n - 1 - at) | (at + n);  // negative where one is
    }
    return static_cast<std::int64_t>(outside) >= 0;
  }
}

#ifdef __wasm__
constexpr std::size_t least_index = 4;  // code of pages is small
#else
constexpr std::size_t least_index = 1;
#endif

/// The same for an array. False also where it takes a walk over axes to tell.
bool all_within(const node* n, std::int64_t length) {
  const auto bits = static_cast<int>(8 * dtype(n->type).itemsize());
  if (bits < 64 && std::int64_t{1} << bits <= length) return true;  // whatever they are
  if (!n->is(node::c_contiguous) || static_cast<std::size_t>(dtype(n->type).itemsize()) < least_index) return false;
  std::atomic<bool> inside{true};
  visit_dtype(n->type, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) >= least_index) {
      using limits = std::numeric_limits<T>;
      if (sizeof(T) < 8 && std::cmp_less(limits::max(), length) && std::cmp_greater_equal(limits::min(), -length)) return;
      const auto* index = reinterpret_cast<const index_number<T>*>(n->data);
      parallel_plain_ranges(n->size, 1 << 16, 0.2 * static_cast<double>(n->size), [&](std::int64_t begin, std::int64_t end) {
        if (!all_within(index + begin, end - begin, length)) inside = false;
      });
    }
  });
  return inside;
}

/// Checks the indices of a concrete array at once, without ops (they would be recorded).
void check_bounds(const array& rows, std::int64_t length, int axis) {
  if (rows.size() == 0) return;
  const node* n = concrete(rows.get(), "index");
  if (length > 0 && all_within(n, length)) return;
  auto check_row = [&]<class T>(const char* p, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i, p += stride) {
      index_number<T> t;
      std::memcpy(&t, p, sizeof t);
      const bool above = t > 0 && static_cast<std::uint64_t>(t) >= static_cast<std::uint64_t>(length);
      const bool below = std::is_signed_v<index_number<T>> && static_cast<std::int64_t>(t) < -length;
      if (above || below || (t == 0 && length == 0)) throw_out_of_bounds("index", t, axis, length);
    }
  };
  auto check_axes = [&](auto&& self, const char* p, int k) -> void {
    if (k + 1 < n->rank) {
      for (std::int64_t i = 0; i < n->shape[k]; ++i) self(self, p + i * n->strides[k], k + 1);
      return;
    }
    visit_dtype(n->type, [&]<class T>() {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        check_row.template operator()<T>(p, n->rank ? n->shape[k] : 1, n->rank ? n->strides[k] : 0);
    });
  };
  check_axes(check_axes, n->data, 0);
}

/// Index arrays of the true elements of a mask, one per axis of the mask.
std::vector<array> rows_of_mask(const array& mask) {
  array left = call(op_id::nonzero_flat, {mask});
  std::vector<array> rows(static_cast<std::size_t>(mask.ndim()));
  for (int axis = mask.ndim() - 1; axis > 0; --axis) {
    const std::int64_t extent = mask.shape(axis);
    rows[static_cast<std::size_t>(axis)] = left % extent;
    left = floor_divide(left, extent);
  }
  rows[0] = left;
  return rows;
}

/// The shape that the index arrays broadcast to.
dims common_shape(const std::vector<array>& rows) {
  const std::vector<dims> shapes = shapes_to_broadcast(rows);
  try {
    return broadcast_shapes("index", shapes);
  } catch (const ValueError&) {
    std::string text;
    for (const dims& s : shapes) {
      std::string one = s.str();
      one.erase(std::remove(one.begin(), one.end(), ' '), one.end());
      text += one + " ";
    }
    throw IndexError("index",
                     "shape mismatch: indexing arrays could not be broadcast together "
                     "with shapes " +
                         text);
  }
}

plan make_plan(const pending_index& p) {
  plan result;
  // Masks become one index array per axis; every integer is an index array of its own as soon as
  // arrays take part, which matters only for where the index axes go.
  op_params params;
  std::vector<int> axes;  // of the view, indexed by rows
  int view_axis = 0, source_axis = 0;
  bool seen = false, gap = false, apart = false;
  int first_axis = 0;
  auto advanced_here = [&] {
    if (!seen) first_axis = view_axis;
    apart |= seen && gap;
    seen = true;
    gap = false;
  };
  for (std::size_t i = 0; i < p.basic.size(); ++i) {
    auto found = std::find_if(p.arrays.begin(), p.arrays.end(), [&](const auto& e) { return e.position == static_cast<int>(i); });
    if (found != p.arrays.end()) {
      advanced_here();
      std::vector<array> rows = is_bool(found->a) ? rows_of_mask(found->a) : std::vector<array>{found->a};
      for (array& r : rows) {
        layout::push(params, layout::index_entry::all());
        axes.push_back(view_axis++);
        result.rows.push_back(std::move(r));
        result.checked.push_back(found->checked);
        result.axes.push_back(source_axis++);
      }
      continue;
    }
    layout::push(params, p.basic[i]);
    if (p.basic[i].kind != layout::index_entry::newaxis) ++source_axis;
    if (p.basic[i].kind == layout::index_entry::integer) {
      advanced_here();
      continue;
    }
    gap = true;
    ++view_axis;
  }
  const array view = call(op_id::index, {p.source}, params);
  result.indexed = static_cast<int>(axes.size());
  result.place = apart ? 0 : first_axis;
  dims order;
  for (int axis : axes) order.push_back(axis);
  for (int axis = 0; axis < view.ndim(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  result.base = permute(view, order);

  result.index_shape = common_shape(result.rows);
  return result;
}

/// One index array for the first axis of the base with its indexed axes merged.
array flat_rows(const plan& pl) {
  auto wrapped = [&](std::size_t k) {
    const int axis = static_cast<int>(k);
    // An index beyond its own axis could be one within the merged ones.
    if (!pl.checked[k]) return index_places_along(pl.rows[k], pl.base.shape(axis), axis, pl.axes[k]);
    const array rows = cast(pl.rows[k], dtype_id::int64);
    const std::int64_t extent = pl.base.shape(axis);
    const array below = rows < 0, shifted = rows + extent;
    return where(below, shifted, rows);
  };
  if (pl.indexed == 1) return pl.rows[0];
  array flat = wrapped(0);
  for (std::size_t k = 1; k < pl.rows.size(); ++k) {
    const array scaled = flat * pl.base.shape(static_cast<int>(k));
    flat = scaled + wrapped(k);
  }
  return flat;
}

dims merged_shape(const plan& pl) {
  std::int64_t first = 1;
  dims shape;
  for (int i = 0; i < pl.indexed; ++i) first *= pl.base.shape(i);
  shape.push_back(first);
  for (int i = pl.indexed; i < pl.base.ndim(); ++i) shape.push_back(pl.base.shape(i));
  return shape;
}

/// Order of axes that moves the `n` leading axes to `place`, and its inverse.
dims move_leading(int rank, int n, int place, bool inverse) {
  dims to;
  for (int i = 0; i < place; ++i) to.push_back(n + i);
  for (int i = 0; i < n; ++i) to.push_back(i);
  for (int i = n + place; i < rank; ++i) to.push_back(i);
  if (!inverse) return to;
  dims back;
  back.resize(rank);
  for (int i = 0; i < rank; ++i) back[static_cast<int>(to[i])] = i;
  return back;
}

// ---- masks over the leading axes of the source ----

/// The mask, if the index is one mask over the first axes and nothing else of note.
const array* plain_mask(const pending_index& p) {
  if (p.arrays.size() != 1 || p.arrays[0].position != 0 || !is_bool(p.arrays[0].a)) return nullptr;
  for (std::size_t i = 1; i < p.basic.size(); ++i)
    if (p.basic[i].kind != layout::index_entry::whole) return nullptr;
  return &p.arrays[0].a;
}

/// Several index arrays, and all lengths known: each length is a bound.
bool takes_places(const plan& pl) {
  return pl.indexed > 1 && !is_unsized(pl.base) &&
         std::none_of(pl.rows.begin(), pl.rows.end(), [](const array& rows) { return is_unsized(rows); });
}

/// Lets the axes that are not indexed follow each other as in memory, so that the result can lie as NumPy's does: the
/// axes of the index outside, inside of them the rest in the source's order. Without a rest the index arrays' own order
/// counts. Gives the axes of the result in the order in which `take` will lay them out.
dims order_of_result(plan& pl) {
  const int rest = pl.base.ndim() - pl.indexed, n_index = pl.index_shape.size();
  dims index_axes;
  for (int i = 0; i < n_index; ++i) index_axes.push_back(i);
  if (rest == 0 && std::all_of(pl.rows.begin(), pl.rows.end(),
                               [&](const array& r) { return !is_unsized(r) && r.shape() == pl.index_shape; })) {
    index_axes = joined_axes(pl.rows);
    if (!std::is_sorted(index_axes.begin(), index_axes.end())) {
      for (array& r : pl.rows) r = permute(r, index_axes);
      pl.index_shape = pl.rows[0].shape();
    }
  }
  dims axes;
  for (int i = 0; i < pl.base.ndim(); ++i) axes.push_back(i);
  if (rest > 1 && !is_unsized(pl.base)) {
    const dims sorted = joined_axes({pl.base}, pl.indexed);
    std::copy(sorted.begin(), sorted.end(), axes.begin() + pl.indexed);
    if (!std::is_sorted(axes.begin(), axes.end())) pl.base = permute(pl.base, axes);
  }
  dims order;
  for (const std::int64_t i : index_axes) order.push_back(pl.place + i);
  for (int i = 0; i < rest; ++i) {
    const std::int64_t axis = axes[pl.indexed + i] - pl.indexed;
    order.push_back(axis < pl.place ? axis : axis + n_index);
  }
  return order;
}

array gather(const pending_index& p) {
  const location_scope scope(p.where);
  if (const array* mask = plain_mask(p); mask && mask->ndim() == p.source.ndim())
    return call(op_id::mask_select, {p.source, *mask});
  plan pl = make_plan(p);
  const dims order = order_of_result(pl);
  array result;
  if (takes_places(pl)) {
    std::vector<operand> all{pl.base};
    all.insert(all.end(), pl.rows.begin(), pl.rows.end());
    op_params axes;
    for (const std::int64_t axis : pl.axes) axes.push(axis);
    result = bind({op_id::take_places, operand_list(all.data(), all.size()), &axes});
  } else {
    const array base = pl.indexed == 1 ? pl.base : reshape(pl.base, merged_shape(pl));
    const array rows = flat_rows(pl);
    const bool names_axis = pl.indexed == 1 && !pl.checked[0];
    result = call(op_id::take, {base, rows}, names_axis ? layout::index_params(pl.axes[0]) : layout::take_params(0));
  }
  return std::is_sorted(order.begin(), order.end()) ? result : permuted_back(std::move(result), order);
}

/// `mask` with axes of length 1 appended, so that it broadcasts against the source.
array mask_like_source(const pending_index& p, const array& mask) {
  if (named_shape(mask) == named_shape(p.source)) return mask;
  dims shape = mask.shape();
  while (shape.size() < p.source.ndim()) shape.push_back(1);
  const array wide = mask.ndim() == p.source.ndim() ? mask : reshape_view(mask, shape);
  return expand_to(wide, p.source.shape());
}

/// By a mask, if the value goes there without places being counted first.
bool scatter_by_mask(const pending_index& p, const array& mask, const operand& value) {
  // Values that do not vary over the selected places need no count of them.
  if (rank_of(value) <= p.source.ndim() - mask.ndim()) {
    call(op_id::masked_store, {p.source, value, mask_like_source(p, mask)});
    return true;
  }
  if (mask.ndim() != p.source.ndim()) return false;
  if (rank_of(value) > 1)
    throw TypeError("mask_put",
                    "NumPy boolean array indexing assignment requires a 0 or 1-dimensional "
                    "input, input has " +
                        std::to_string(rank_of(value)) + " dimensions");
  if (!is_unsized(value) && value.n()->size == 1) {
    const array one = reshape_view(value, {}), wide = mask_like_source(p, mask);
    call(op_id::masked_store, {p.source, one, wide});
  } else {
    call(op_id::mask_put, {p.source, mask, value});
  }
  return true;
}

/// The value in the shape of what is selected, its indexed axes first.
array spread_over(const plan& pl, const operand& value) {
  const int n_index = pl.index_shape.size();
  dims target = pl.index_shape;
  for (int i = pl.indexed; i < pl.base.ndim(); ++i) target.push_back(pl.base.shape(i));
  dims seen;  // the shape that NumPy broadcasts the value to
  dims order = move_leading(target.size(), n_index, pl.place, false);
  for (std::int64_t axis : order) seen.push_back(target[static_cast<int>(axis)]);
  array values = to_array(value);
  while (values.ndim() > seen.size() && values.shape(0) == 1) values = pick_axis(values, 0, 0);
  const dims both[] = {values.shape(), seen};
  bool fits = values.ndim() <= seen.size();
  if (fits) {
    try {
      fits = broadcast_shapes("index", both) == seen;
    } catch (const ValueError&) {
      fits = false;
    }
  }
  if (!fits) {
    auto tight = [](std::string s) {
      s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
      return s;
    };
    throw ValueError("index", "shape mismatch: value array of shape " + tight(shape_of(value).str()) +
                                  " could not be broadcast to indexing result of shape " + tight(seen.str()));
  }
  const array wide = expand_to(values, seen);
  return pl.place == 0 ? wide : permute(wide, move_leading(seen.size(), n_index, pl.place, true));
}

void scatter(const pending_index& p, const operand& value) {
  const location_scope scope(p.where);
  if (const dtype_id type = p.source.dtype().id(); stores_as_integer(value, type)) check_whole("store", value, type);
  if (const array* mask = plain_mask(p); mask && scatter_by_mask(p, *mask, value)) return;
  plan pl = make_plan(p);
  const auto axis_named = [&] { return pl.checked[0] ? op_params() : op_params().push(std::int64_t{pl.axes[0]}); };
  if (std::any_of(pl.rows.begin(), pl.rows.end(), [](const array& r) { return is_unsized(r); })) {
    const bool as_they_are = rank_of(value) == 0 || named_shape(value) == pl.index_shape;
    if (as_they_are && pl.indexed == 1 && pl.place == 0 && pl.base.ndim() == 1) {
      call(op_id::put_index, {pl.base, pl.rows[0], value}, axis_named());
      return;
    }
    for (const array& r : pl.rows) r.shape();  // the general way counts with the lengths
    pl.index_shape = common_shape(pl.rows);
  }
  const array wide = spread_over(pl, value), rows = flat_rows(pl);
  if (pl.indexed == 1) {
    call(op_id::put_index, {pl.base, rows, wide}, axis_named());
    return;
  }
  if (is_at_hand(pl.base)) {
    call(op_id::put_index, {reshape_view(pl.base, merged_shape(pl)), rows, wide});
    return;
  }
  // Merged axes may have no layout of their own: write to a copy, then copy back.
  const array copied = contiguous_copy(pl.base);
  call(op_id::put_index, {reshape_view(copied, merged_shape(pl)), rows, wide});
  call(op_id::store, {pl.base, copied});
}

}  // namespace

void pending_index_deleter::operator()(pending_index* p) const noexcept {
  unlink(p);
  delete p;
}

void settle_pending() {
  while (pending_head) pending_head->owner->settle();
}

namespace {

bool is_truth(const index& e) {
  return e.kind() == index::kind_t::array && e.array_node()->type == dtype_id::bool_ && e.array_node()->rank == 0;
}

/// A truth value (a 0-D mask) selects from a new axis of length 1: a mask of one element there, on a view of the source.
struct without_truths {
  array source;
  std::vector<index> entries;
  std::vector<array> masks;  // entries point to their nodes

  without_truths(const array& from, const index* given, int n) {
    std::vector<index> axes;
    for (int i = 0; i < n; ++i) {
      const index& e = given[i];
      if (is_truth(e)) {
        axes.push_back(index(newaxis));
        masks.push_back(reshape_view(array::share(e.array_node()), {1}));
        entries.push_back(index(masks.back()));
        continue;
      }
      entries.push_back(e);
      if (e.kind() == index::kind_t::ellipsis) axes.push_back(e);
      const bool mask = e.kind() == index::kind_t::array && e.array_node()->type == dtype_id::bool_;
      if (e.kind() != index::kind_t::ellipsis && e.kind() != index::kind_t::newaxis)
        axes.insert(axes.end(), static_cast<std::size_t>(mask ? e.array_node()->rank : 1), index(_));
    }
    source = index_view(from, axes.data(), static_cast<int>(axes.size()), {});
  }
};

}  // namespace

}  // namespace detail

indexed_array::indexed_array(const array& source, const index* entries, int n, const location& where) {
  const location_scope scope(where);
  const location& place = detail::scoped_location(where);  // that of its call where a function of the library indexes
  if (std::any_of(entries, entries + n, detail::is_truth)) {
    const detail::without_truths plain(source, entries, n);
    remember(plain.source, plain.entries.data(), n, place);
  } else {
    remember(source, entries, n, place);
  }
}

array array::operator()(const dims& place, location where) const {
  std::vector<index> entries;
  for (const std::int64_t i : place) entries.push_back(index(i));
  return detail::index_view(*this, entries.data(), place.size(), where);
}
indexed_array array::operator()(const std::vector<array>& indices, location where) const {
  std::vector<index> entries;
  for (const array& i : indices) entries.push_back(index(i));
  return indexed_array(*this, entries.data(), static_cast<int>(entries.size()), where);
}
array array::operator[](const dims& place) const { return (*this)(place, location{}); }
indexed_array array::operator[](const std::vector<array>& indices) const { return (*this)(indices, location{}); }

namespace {

/// Axes that the entries take; an error where there are too many of them.
int axes_taken(const index* entries, int n, int rank) {
  int consumed = 0, ellipses = 0;
  for (int i = 0; i < n; ++i) {
    const index& e = entries[i];
    if (e.kind() == index::kind_t::array) {
      const numjit::dtype t(e.array_node()->type);
      if (t.kind() == 'f' || t.kind() == 'c')
        throw IndexError("index", "arrays used as indices must be of integer (or boolean) type");
      consumed += t.kind() == 'b' ? e.array_node()->rank : 1;
    } else if (e.kind() == index::kind_t::ellipsis) {
      ++ellipses;
    } else if (e.kind() != index::kind_t::newaxis) {
      ++consumed;
    }
  }
  if (ellipses > 1) throw IndexError("index", "an index can only have a single ellipsis ('...')");
  if (consumed > rank)
    throw IndexError("index", "too many indices for array: array is " + std::to_string(rank) + "-dimensional, but " +
                                  std::to_string(consumed) + " were indexed");
  return consumed;
}

/// An index that is an array, or a mask: it takes axes from `axis` on.
void add_array_entry(detail::pending_index& p, const array& a, int& axis) {
  using layout::index_entry;
  const array& source = p.source;
  const bool mask = detail::is_bool(a);
  bool nothing = false;  // is there an axis of length 0 beside a longer one? NumPy selects nothing then
  for (int k = 0; mask && k < a.ndim(); ++k)
    if (a.get()->shape[k] != source.get()->shape[axis + k] &&  // names of unknown lengths, or lengths
        a.shape(k) != source.shape(axis + k)) {
      if (a.shape(k) == 0) {
        nothing = true;
        continue;
      }
      throw IndexError("index", "boolean index did not match indexed array along axis " + std::to_string(axis + k) +
                                    "; size of axis is " + std::to_string(source.shape(axis + k)) +
                                    " but size of corresponding boolean axis is " + std::to_string(a.shape(k)));
    }
  if (nothing) {
    for (int k = 0; k < a.ndim(); ++k, ++axis) {
      p.arrays.push_back({static_cast<int>(p.basic.size()), zeros({0}, {.dtype = int64}), true});
      p.basic.push_back(index_entry::all());
    }
    return;
  }
  // What is not there yet is checked when it is used.
  const bool known = mask || (!a.get()->is(node::lazy) && !tracing::has_pending_stores(a.get()));
  if (known && !mask) detail::check_bounds(a, source.shape(axis), axis);
  p.arrays.push_back({static_cast<int>(p.basic.size()), a, known});
  p.basic.push_back(index_entry::all());
  axis += mask ? a.ndim() : 1;
}

}  // namespace

void indexed_array::remember(const array& source, const index* entries, int n, const location& where) {
  using layout::index_entry;
  pending_.reset(new detail::pending_index{this, source, {}, {}, where});
  detail::pending_index& p = *pending_;
  const int rank = source.ndim();
  const int consumed = axes_taken(entries, n, rank);
  int axis = 0;
  for (int i = 0; i < n; ++i) {
    const index& e = entries[i];
    switch (e.kind()) {
      case index::kind_t::ellipsis:
        for (int k = consumed; k < rank; ++k, ++axis) p.basic.push_back(index_entry::all());
        break;
      case index::kind_t::newaxis: p.basic.push_back(index_entry::new_axis()); break;
      case index::kind_t::array: add_array_entry(p, array::share(e.array_node()), axis); break;
      case index::kind_t::integer:
        p.basic.push_back(index_entry::at(e.start()));
        ++axis;
        break;
      case index::kind_t::slice:
        if (e.step() == 0) throw ValueError("index", "slice step cannot be zero");
        p.basic.push_back(index_entry::range(e.start(), e.stop(), e.step()));
        ++axis;
        break;
      case index::kind_t::whole:
        p.basic.push_back(index_entry::all());
        ++axis;
        break;
    }
  }
  detail::link(pending_.get());
}

void indexed_array::settle() {
  if (!pending_) return;
  // Out of the list first: gathering reads arrays, and must not find this one again.
  detail::unlink(pending_.get());
  const user_code_scope reader;  // the place is that of the index, wherever it is read
  array gathered = detail::gather(*pending_);
  static_cast<array&>(*this) = std::move(gathered);
  pending_.reset();
}

indexed_array& indexed_array::operator=(const array& other) & {
  array copy(other);
  pending_.reset();
  static_cast<array&>(*this) = std::move(copy);
  return *this;
}
indexed_array& indexed_array::operator=(array&& other) & {
  array moved(std::move(other));
  pending_.reset();
  static_cast<array&>(*this) = std::move(moved);
  return *this;
}
indexed_array& indexed_array::operator=(const indexed_array& other) & { return *this = static_cast<const array&>(other); }
indexed_array& indexed_array::operator=(indexed_array&& other) & {
  other.settle();
  return *this = static_cast<array&&>(other);
}

indexed_array& indexed_array::operator=(const operand& value) && {
  if (!pending_) {  // a named variable that was moved: an array of its own
    static_cast<array&&>(*this) = value;
    return *this;
  }
  detail::unlink(pending_.get());
  detail::before_write();
  detail::scatter(*pending_, value);
  pending_.reset();
  return *this;
}

/// Applies a binary ufunc to the selected elements, in place: gather, compute, store; of repeated
/// indices the last one counts. A mask whose partner does not vary over the selected places is the
/// ufunc's own where=, which needs no gather.
void indexed_array::update(int op, const operand& value) {
  const location_scope scope(value.where());
  const op_id id = static_cast<op_id>(op);
  if (!pending_) {
    bind({id, {*this, value}, nullptr, get()});
    return;
  }
  detail::unlink(pending_.get());
  detail::before_write();
  const detail::pending_index& p = *pending_;
  const array* mask = detail::plain_mask(p);
  if (mask && detail::rank_of(value) <= p.source.ndim() - mask->ndim()) {
    const array wide = detail::mask_like_source(p, *mask);
    bind({id, {p.source, value}, nullptr, p.source.get(), wide.get()});
  } else {
    const array gathered = detail::gather(p);
    bind({id, {gathered, value}, nullptr, gathered.get()});
    detail::scatter(p, gathered);
  }
  pending_.reset();
}

#define NUMJIT_IN_PLACE(symbol, op)                                        \
  indexed_array&& indexed_array::operator symbol(const operand& value)&& { \
    update(static_cast<int>(op_id::op), value);                            \
    return std::move(*this);                                               \
  }
NUMJIT_IN_PLACE_OPERATORS(NUMJIT_IN_PLACE)
#undef NUMJIT_IN_PLACE

namespace {
constexpr bool truth_values[] = {true, false};
array truth(int i) {
  array made = detail::foreign_array(&truth_values[i], dtype_id::bool_, {}, {.readonly = true}, nullptr);
  made.get()->shown = 0;  // nobody writes it
  return made;
}
}  // namespace
// In memory of their own: a program that has made no array holds none of the pool's.
const array True_ = truth(0), False_ = truth(1);

}  // namespace numjit
