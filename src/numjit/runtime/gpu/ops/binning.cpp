// Looking up and counting on devices: places among sorted elements (halide_gen/schedules/gpu_sort.cpp), bins, counts.
// What is wrong with edges is the host's to say, so they are read there.
#include <algorithm>
#include <vector>

#include <numjit/array/dtype.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>
#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

KernelSpec search_spec(dtype_id key) {
  KernelSpec spec = copying(key);
  spec.operand_types.push_back(key);
  spec.nodes.push_back({KernelNodeKind::cast, {}, 0, dtype_id::int64, 0, {0, 0, 0}});
  spec.outputs = {1};
  return spec;
}

KernelSpec bin_sum_spec() {
  KernelSpec spec = copying(dtype_id::float64);
  spec.operand_types.insert(spec.operand_types.end(), 2, dtype_id::int64);
  return spec;
}

namespace {

constexpr dtype_id place_type = dtype_id::int64;

/// Places of `count` keys among `n` sorted ones.
struct Search {
  dtype_id type;
  devices::address sorted;
  std::int64_t n;
  devices::address wanted;
  std::int64_t count;
  bool after;
};
bool search_on(const Search& s, devices::address to, const DeviceOpCall& call) {
  const KernelSpec spec = search_spec(s.type);
  KernelVariant variant;
  variant.schedule = "gpu_search";
  variant.target = call.target;
  variant.inner_stride = {1, 1, 1};
  variant.size_class = s.after ? search_after : 0;
  const kernel_entry entry = call.kernels.find(spec, variant, nullptr);
  if (!entry) return false;
  CallBlock block;
  block.init(spec.operand_types, {}, 1, {place_type}, 1, 1);
  block.parameter(0) = static_cast<std::int32_t>(s.n);
  block.in(0).device = s.sorted;
  block.in(1).device = s.wanted;
  block.out(0).device = to;
  for (kernel_buffer* buffer : {&block.in(0), &block.in(1), &block.out(0)}) CallBlock::set_stride(*buffer, 0, 1);
  block.out(0).dim[0].extent = static_cast<std::int32_t>(s.count);
  call.context.call(entry, block.argv());
  return true;
}

devices::address scratch_for(std::int64_t n, const DeviceOpCall& call) {
  return call.context.scratch(static_cast<std::size_t>(n) * 8);
}

/// The type that orders the elements of two arrays like their own.
dtype_id common_type(const node* a, const node* b) {
  const dtype_id common = promote_types(a->type, b->type);
  return dtype(common).kind() == 'f' ? dtype_id::float64 : common == dtype_id::uint64 ? common : dtype_id::int64;
}

/// `n` elements of a common type as what is searched.
std::optional<devices::address> search_keys(devices::address elements, dtype_id type, std::int64_t n, const DeviceOpCall& call) {
  const dtype_id bits = bits_type(type);
  if (type == bits) return elements;
  const devices::address keys = scratch_for(n, call);
  return keys_on(packed_elements(elements, bits, dims{n}), true, true, keys, call) ? std::optional(keys) : std::nullopt;
}

bool can_search(const node* given, const node* table) {
  return table->size > 0 && table->size <= most_sorted && given->size <= most_sorted;
}
/// Can a kernel write the places of the elements?
bool fits(const DeviceOpCall& call, const node* given, const node* table) {
  return can_search(given, table) && call.result->type == place_type && call.result->is(node::c_contiguous);
}

/// What is searched, and what is looked for, as their common type.
struct Searched {
  dtype_id type{};
  devices::address sorted = 0;
  std::int64_t n = 0;
  devices::address wanted = 0;
  std::int64_t count = 0;
};
std::optional<Searched> sorted_and_wanted(const DeviceOpCall& call) {
  const dtype_id type = common_type(call.in[0], call.in[1]);
  const auto sorted = contiguous_on(call.in[0], type, call), wanted = contiguous_on(call.in[1], type, call);
  if (!sorted || !wanted) return std::nullopt;
  return Searched{type, *sorted, call.in[0]->size, *wanted, call.in[1]->size};
}
bool search_in(const Searched& s, bool after, devices::address to, const DeviceOpCall& call) {
  const auto sorted = search_keys(s.sorted, s.type, s.n, call), wanted = search_keys(s.wanted, s.type, s.count, call);
  return sorted && wanted && search_on({bits_type(s.type), *sorted, s.n, *wanted, s.count, after}, to, call);
}

/// Edges of bins, and the elements that are looked for, as their common type.
struct Bins {
  dtype_id type{};
  std::int64_t n = 0;  // edges
  devices::address edges = 0, elements = 0;
  bool falls = false, rises = false;
};

template <class T>
bool read_steps(Bins& bins, const DeviceOpCall& call) {
  std::vector<T> edges(static_cast<std::size_t>(bins.n));
  call.context.read(edges.data(), bins.edges, edges.size() * sizeof(T));
  if (std::any_of(edges.begin(), edges.end(), [](T e) { return e != e; })) return false;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    bins.falls |= edges[i] < edges[i - 1];
    bins.rises |= edges[i] > edges[i - 1];
  }
  if (!bins.falls || bins.rises) return true;
  std::reverse(edges.begin(), edges.end());
  bins.edges = scratch_for(bins.n, call);
  call.context.write(bins.edges, edges.data(), edges.size() * sizeof(T));
  return true;
}

/// Falling edges are turned. Nothing where the host has to do it, as among NaN.
std::optional<Bins> bins_of(const DeviceOpCall& call) {
  Bins bins{common_type(call.in[0], call.in[1]), call.in[1]->size, 0, 0, false, false};
  const auto edges = contiguous_on(call.in[1], bins.type, call), elements = contiguous_on(call.in[0], bins.type, call);
  if (!edges || !elements) return std::nullopt;
  bins.edges = *edges, bins.elements = *elements;
  const bool read = bins.type == dtype_id::float64  ? read_steps<double>(bins, call)
                    : bins.type == dtype_id::uint64 ? read_steps<std::uint64_t>(bins, call)
                                                    : read_steps<std::int64_t>(bins, call);
  return read && !(bins.falls && bins.rises) ? std::optional(bins) : std::nullopt;
}

bool find_in(const Bins& bins, std::int64_t count, bool after, devices::address to, const DeviceOpCall& call) {
  return search_in({bins.type, bins.edges, bins.n, bins.elements, count}, after, to, call);
}

/// One element of the device, at all places.
DeviceElements everywhere(devices::address element, dtype_id type, std::int64_t n) {
  DeviceElements e = packed_elements(element, type, dims{n});
  e.strides[0] = 0;
  return e;
}

/// Bins between edges that may lie at any distance: the last edge belongs to the last bin, what is outside to none.
bool places_between(const Bins& bins, std::int64_t count, devices::address to, const DeviceOpCall& call) {
  const devices::address after = scratch_for(count, call);
  if (!find_in(bins, count, true, after, call)) return false;
  NumbersBody body(place_type);
  const std::uint16_t value = body.operand(bins.type), edge = body.operand(bins.type);
  const std::uint16_t at_edge = body.cast(body.op(op_id::equal, {value, edge, 0}), place_type);
  const std::uint16_t place = body.op(op_id::subtract, {body.op(op_id::subtract, {0, at_edge, 0}), body.word(place_type, 1), 0});
  const std::uint16_t none = body.word(place_type, static_cast<std::uint64_t>(bins.n - 1));
  const std::uint16_t below = body.op(op_id::less, {place, body.word(place_type, 0), 0});
  body.spec.outputs = {body.op(op_id::where, {below, none, body.op(op_id::minimum, {place, none, 0})})};
  const dims all{count};
  const devices::address last = bins.edges + static_cast<devices::address>((bins.n - 1) * 8);
  return apply_on(body,
                  {packed_elements(after, place_type, all), packed_elements(bins.elements, bins.type, all),
                   everywhere(last, bins.type, count), packed_elements(to, place_type, all)},
                  call);
}

/// Bins of one width, as eager/counting.cpp finds them: by a division, which the edges correct by one.
class EqualBins {
 public:
  EqualBins(dtype_id type, std::int64_t edges, const DeviceOpCall& call) : type_(type), bins_(edges - 1), call_(call) {}

  bool find(devices::address to) {
    const node* given = call_.in[0];
    const auto values = contiguous_on(given, type_, call_), edges = contiguous_on(call_.in[1], type_, call_);
    if (!values || !edges) return false;
    edges_ = *edges, values_ = packed_elements(*values, type_, dims{given->size});
    const auto item = static_cast<devices::address>(size_of(type_));
    return guess() && edge_at(edges_, lower_) && edge_at(edges_ + item, upper_) && correct(to);
  }

 private:
  std::int64_t count() const { return values_.shape[0]; }
  DeviceElements packed(devices::address memory, dtype_id type) const { return packed_elements(memory, type, values_.shape); }
  DeviceElements edge(std::int64_t i) const {
    return everywhere(edges_ + static_cast<devices::address>(i * size_of(type_)), type_, count());
  }

  bool guess() {
    guess_ = scratch_for(count(), call_);
    NumbersBody body(type_);
    const std::uint16_t low = body.operand(type_), high = body.operand(type_);
    const std::uint16_t range = body.op(op_id::subtract, {high, low, 0});
    const std::uint16_t way = body.op(op_id::divide, {body.op(op_id::subtract, {0, low, 0}), range, 0});
    const std::uint16_t place =
        body.cast(body.op(op_id::multiply, {way, body.real(type_, static_cast<double>(bins_)), 0}), place_type);
    const std::uint16_t first = body.word(place_type, 0), last = body.word(place_type, static_cast<std::uint64_t>(bins_ - 1));
    body.spec.outputs = {body.op(op_id::maximum, {body.op(op_id::minimum, {place, last, 0}), first, 0})};
    return apply_on(body, {values_, edge(0), edge(bins_), packed(guess_, place_type)}, call_);
  }

  bool edge_at(devices::address edges, devices::address& to) {
    to = scratch_for(count(), call_);
    Gather g;
    g.from = edges, g.index = guess_, g.to = to, g.type = type_;
    g.length = bins_, g.count = count();
    return gather_on(g, call_);
  }

  bool correct(devices::address to) const {
    NumbersBody body(type_);
    const std::uint16_t guess = body.operand(place_type), lower = body.operand(type_), upper = body.operand(type_);
    const std::uint16_t low = body.operand(type_), high = body.operand(type_);
    const auto number = [&](std::int64_t n) { return body.word(place_type, static_cast<std::uint64_t>(n)); };
    const auto both = [&](std::uint16_t a, std::uint16_t b) { return body.op(op_id::logical_and, {a, b, 0}); };
    const std::uint16_t one = number(1);
    const std::uint16_t before = both(body.op(op_id::less, {0, lower, 0}), body.op(op_id::greater, {guess, number(0), 0}));
    const std::uint16_t behind =
        both(body.op(op_id::greater_equal, {0, upper, 0}), body.op(op_id::less, {guess, number(bins_ - 1), 0}));
    const std::uint16_t up = body.op(op_id::where, {behind, body.op(op_id::add, {guess, one, 0}), guess});
    const std::uint16_t place = body.op(op_id::where, {before, body.op(op_id::subtract, {guess, one, 0}), up});
    const std::uint16_t inside = both(body.op(op_id::greater_equal, {0, low, 0}), body.op(op_id::less_equal, {0, high, 0}));
    body.spec.outputs = {body.op(op_id::where, {inside, place, number(bins_)})};
    return apply_on(body,
                    {values_, packed(guess_, place_type), packed(lower_, type_), packed(upper_, type_), edge(0), edge(bins_),
                     packed(to, place_type)},
                    call_);
  }

  dtype_id type_;
  std::int64_t bins_;
  const DeviceOpCall& call_;
  DeviceElements values_;
  devices::address edges_ = 0, guess_ = 0, lower_ = 0, upper_ = 0;
};

/// Where each bin of the result begins and ends among `n` sorted int32 keys.
struct BinEnds {
  devices::address begin, after;
};
std::optional<BinEnds> ends_of_bins(devices::address keys, std::int64_t n, const DeviceOpCall& call) {
  const std::int64_t bins = call.result->size;
  const auto numbers = count_up_on(bins, call);
  const BinEnds ends{scratch_for(bins, call), scratch_for(bins, call)};
  const auto find = [&](bool after, devices::address to) {
    return search_on({dtype_id::int32, keys, n, *numbers, bins, after}, to, call);
  };
  return numbers && find(false, ends.begin) && find(true, ends.after) ? std::optional(ends) : std::nullopt;
}

/// How many of `n` int32 keys are 0, 1, ...: sorted, those of a bin lie side by side.
bool count_sorted(devices::address keys, std::int64_t n, const DeviceOpCall& call) {
  if (!sort_keys(n, keys, call)) return false;
  const auto ends = ends_of_bins(keys, n, call);
  if (!ends) return false;
  NumbersBody body(place_type);
  const std::uint16_t begin = body.operand(place_type);
  body.spec.outputs = {body.op(op_id::subtract, {0, begin, 0})};
  const dims all{call.result->size};
  return apply_on(
      body,
      {packed_elements(ends->after, place_type, all), packed_elements(ends->begin, place_type, all), elements_of(call.result)},
      call);
}

/// The sums of the second input's elements whose keys are 0, 1, ...: each in the order of the elements, as the host
/// adds them, as equal keys keep their order.
bool sum_sorted(devices::address keys, std::int64_t n, const DeviceOpCall& call) {
  const auto weights = contiguous_on(call.in[1], dtype_id::float64, call);
  const auto numbers = count_up_on(n, call);
  if (!weights || !numbers) return false;
  devices::address order = *numbers;
  if (!sort_with_places(n, keys, order, call)) return false;
  Gather g;
  g.from = *weights, g.index = order, g.to = scratch_for(n, call);
  g.type = dtype_id::float64, g.index_type = dtype_id::int32;
  g.length = g.count = n;
  const auto ends = ends_of_bins(keys, n, call);
  if (!ends || !gather_on(g, call)) return false;
  const KernelSpec spec = bin_sum_spec();
  KernelVariant variant;
  variant.schedule = "gpu_bins";
  variant.target = call.target;
  variant.inner_stride.assign(4, 1);
  const kernel_entry entry = call.kernels.find(spec, variant, nullptr);
  if (!entry) return false;
  CallBlock block;
  block.init(spec.operand_types, {}, 1, {dtype_id::float64}, 1, 1);
  block.parameter(0) = static_cast<std::int32_t>(n);
  block.in(0).device = g.to;
  block.in(1).device = ends->begin;
  block.in(2).device = ends->after;
  block.out(0).device = call.context.place(call.result->data, true);
  for (kernel_buffer* buffer : {&block.in(0), &block.in(1), &block.in(2), &block.out(0)}) CallBlock::set_stride(*buffer, 0, 1);
  block.out(0).dim[0].extent = static_cast<std::int32_t>(call.result->size);
  call.context.call(entry, block.argv());
  return true;
}

/// Counts, or sums of weights, of the bins of the input's elements, which make_keys(elements, keys) makes int32 of.
template <class F>
bool fill_bins(const DeviceOpCall& call, F&& make_keys) {
  const node *given = call.in[0], *result = call.result;
  const bool sums = call.in.size() == 2;
  if (result->size == 0) return true;
  if (result->type != (sums ? dtype_id::float64 : place_type) || !result->is(node::c_contiguous)) return false;
  if (given->size == 0) return fill_on(elements_of(result), 0, call);
  if (given->size > most_sorted || result->size > most_sorted) return false;
  const devices::address keys = call.context.scratch(static_cast<std::size_t>(given->size) * 4);
  const DeviceElements elements = elements_of(given);
  if (!make_keys(elements, packed_elements(keys, dtype_id::int32, elements.shape))) return false;
  return sums ? sum_sorted(keys, given->size, call) : count_sorted(keys, given->size, call);
}

}  // namespace

bool run_searchsorted_on(const DeviceOpCall& call) {
  if (call.result->size == 0) return true;
  const node *sorted = call.in[0], *wanted = call.in[1];
  if (!fits(call, wanted, sorted)) return false;
  const auto both = sorted_and_wanted(call);
  return both && search_in(*both, layout::first_word(call.params) != 0, call.context.place(call.result->data, true), call);
}

bool run_isin_on(const DeviceOpCall& call) {
  const node* result = call.result;
  if (result->size == 0) return true;
  if (!can_search(call.in[1], call.in[0]) || result->type != dtype_id::bool_ || !result->is(node::c_contiguous)) return false;
  const auto both = sorted_and_wanted(call);
  if (!both) return false;
  const dims all{both->count};
  const devices::address places = scratch_for(both->count, call);
  NumbersBody clamp(place_type);
  clamp.spec.outputs = {clamp.op(op_id::minimum, {0, clamp.word(place_type, static_cast<std::uint64_t>(both->n - 1)), 0})};
  const DeviceElements place = packed_elements(places, place_type, all);
  Gather g;
  g.from = both->sorted, g.index = places, g.to = scratch_for(both->count, call), g.type = both->type;
  g.length = both->n, g.count = both->count;
  if (!search_in(*both, false, places, call) || !apply_on(clamp, {place, place}, call) || !gather_on(g, call)) return false;
  NumbersBody compare(both->type);
  const std::uint16_t wanted = compare.operand(both->type);
  const bool invert = layout::first_word(call.params) != 0;
  compare.spec.outputs = {compare.op(invert ? op_id::not_equal : op_id::equal, {0, wanted, 0})};
  return apply_on(compare,
                  {packed_elements(g.to, both->type, all), packed_elements(both->wanted, both->type, all),
                   packed_elements(call.context.place(result->data, true), dtype_id::bool_, all)},
                  call);
}

bool run_digitize_on(const DeviceOpCall& call) {
  const node *given = call.in[0], *result = call.result;
  if (result->size == 0) return true;
  if (!fits(call, given, call.in[1])) return false;
  const auto bins = bins_of(call);
  const bool right = layout::first_word(call.params) != 0;
  const devices::address to = call.context.place(result->data, true);
  if (!bins || !find_in(*bins, given->size, !right, to, call)) return false;
  if (!bins->falls) return true;
  NumbersBody body(place_type);
  body.spec.outputs = {body.op(op_id::subtract, {body.word(place_type, static_cast<std::uint64_t>(bins->n)), 0, 0})};
  const DeviceElements places = packed_elements(to, place_type, dims{given->size});
  return apply_on(body, {places, places}, call);
}

bool run_bincount_on(const DeviceOpCall& call) {
  // All fit 32 bits: the length was counted from them.
  return fill_bins(call, [&](const DeviceElements& values, const DeviceElements& keys) { return copy_on(values, keys, call); });
}

bool run_histogram_places_on(const DeviceOpCall& call) {
  const node *given = call.in[0], *edges = call.in[1], *result = call.result;
  if (result->size == 0) return true;
  if (!fits(call, given, edges) || edges->size < 2) return false;
  const devices::address to = call.context.place(result->data, true);
  if (layout::first_word(call.params) != 0)
    return EqualBins(given->type == dtype_id::float32 ? dtype_id::float32 : dtype_id::float64, edges->size, call).find(to);
  const auto bins = bins_of(call);
  return bins && !bins->falls && places_between(*bins, given->size, to, call);
}

bool run_histogram_counts_on(const DeviceOpCall& call) {
  // What is in no bin goes behind the last one.
  return fill_bins(call, [&](const DeviceElements& places, const DeviceElements& keys) {
    NumbersBody body(places.type);
    const std::uint16_t place = body.cast(0, place_type),
                        none = body.word(place_type, static_cast<std::uint64_t>(call.result->size));
    const std::uint16_t below = body.op(op_id::less, {place, body.word(place_type, 0), 0});
    const std::uint16_t bin = body.op(op_id::where, {below, none, body.op(op_id::minimum, {place, none, 0})});
    body.spec.outputs = {body.cast(bin, dtype_id::int32)};
    return apply_on(body, {places, keys}, call);
  });
}

}  // namespace numjit::runtime::detail
