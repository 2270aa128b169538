// What few pages call, as JavaScript calls it: transforms, statistics, running sums, sorting, sets, searching, polynomials,
// windows, files in memory. It is part of the secondary module, as the code behind it is (secondary.txt).
#include <numjit/np_fft.h>
#include <numjit/np_linalg.h>

#include "call.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

scan_options scanned(Call& c) { return {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3)}; }

int small(Call& c, std::size_t i, int otherwise) { return static_cast<int>(c.integer(i, otherwise)); }
std::optional<double> number_or_none(Call& c, std::size_t i) { return c.has(i) ? std::optional(c.number(i, 0)) : std::nullopt; }

Result convolved(Call& c, array (*f)(const operand&, const operand&, const char*), const char* otherwise) {
  return give(f(c[0], c[1], c.word(2, otherwise)));
}

Result deleted(Call& c) {
  if (c[1].tag == Tag::slice) {
    slice s(none, none);
    auto bound = [](const Value& v) { return v.given() ? v.as_integer("slice") : slice_bound::omitted; };
    s.start = bound(c[1].items[0]);
    s.stop = bound(c[1].items[1]);
    s.step = bound(c[1].items[2]);
    return give(delete_(c[0], s, c.axis(2)));
  }
  return give(delete_(c[0], c[1].as_array(), c.axis(2)));
}

/// Parts of an array: how many, or where they begin.
Result parts(Call& c, std::int64_t axis) {
  return give(c[1].tag == Tag::int_ ? split(c[0], c[1].as_integer("indices_or_sections"), axis) : split(c[0], c.places(1), axis));
}
Result unequal_parts(Call& c) {
  return c[1].tag == Tag::int_ ? give(array_split(c[0], c.integer(1, 1), c.integer(2, 0))) : parts(c, c.integer(2, 0));
}

Result gradient_of(Call& c) {
  gradient_options o;
  o.axis = c.axes(2);
  o.edge_order = small(c, 3, 1);
  if (c.has(1)) {
    // Numbers are a step for each axis, or the coordinates along the only one.
    const Value& steps = c[1];
    const std::size_t count = c.has(2) ? c[2].as_dims("axis").size() : static_cast<std::size_t>(c[0].as_array().ndim());
    const bool each = steps.tag == Tag::list && (count > 1 || (!steps.items.empty() && steps.items[0].tag >= Tag::array));
    o.spacing = each ? std::vector<array>(c.arrays(1)) : std::vector<array>{c[1].as_array()};
  }
  const std::vector<array> slopes = gradients(c[0], o);
  return slopes.size() == 1 ? give(slopes[0]) : give(slopes);
}

Result median_of(Call& c, array (*f)(const operand&, const median_options&)) {
  median_options o;
  o.axis = c.axes(1);
  o.keepdims = c.flag(2);
  o.out = c.array_or_none(3);
  return give(f(c[0], o));
}

constexpr const char* quantile_names = "a q axis keepdims method weights out";
Result quantiles(Call& c, array (*f)(const operand&, const operand&, const quantile_options&)) {
  quantile_options o;
  o.axis = c.axes(2);
  o.keepdims = c.flag(3);
  o.method = c.word(4, "linear");
  o.weights = c.array_or_none(5);
  o.out = c.array_or_none(6);
  return give(f(c[0], c[1], o));
}

/// [[before, after], ...] for each axis, [before, after] for all, one number for all sides.
pad_widths widths_of(Call& c, std::size_t i, const char* what) {
  const array w = c[i].as_array();
  if (w.dtype().kind() == 'f') throw TypeError("pad", "`" + std::string(what) + "` must be of integral type.");
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const array each = w.ndim() == 2 ? w : reshape(w, {1, -1});
  for (std::int64_t k = 0; k < each.shape(0); ++k)
    pairs.emplace_back(each(k, 0).item<std::int64_t>(), each(k, -1).item<std::int64_t>());
  if (each.shape(1) < 1 || each.shape(1) > 2 || w.ndim() > 2)
    throw ValueError("pad", std::string(what) + ": expected a number, [before, after], or such a pair for each axis.");
  return pad_widths(std::move(pairs));
}
pad_values values_of(Call& c, std::size_t i) {
  if (!c.has(i)) return 0;
  if (c[i].tag != Tag::list) return c.number(i, 0);
  if (c[i].items.size() != 2) throw ValueError("pad", "constant_values: expected a number, or [before, after].");
  return pad_values(c[i].items[0].as_number("constant_values"), c[i].items[1].as_number("constant_values"));
}
Result pads(Call& c) {
  pad_options o;
  o.mode = c.word(2, "constant");
  o.constant_values = values_of(c, 3);
  o.end_values = values_of(c, 4);
  if (c.has(5)) o.stat_length = widths_of(c, 5, "stat_length");
  o.reflect_type = c.word(6, "even");
  return give(pad(c[0], widths_of(c, 1, "pad_width"), o));
}

sort_options sorting(Call& c) { return {.axis = c.axis_or(1, -1), .kind = c.word(2, "stable"), .descending = c.flag(3)}; }
Result partitioned(Call& c, bool indices) {
  const dims kth = c[1].as_dims("kth");
  const std::optional<std::int64_t> axis = c.axis_or(2, -1);
  return give(detail::partition_places(c[0], kth, axis, indices));
}

/// The distinct values, with what else is asked for behind them.
Result distinct(Call& c) {
  const unique_options o{.axis = c.axis(4), .equal_nan = c.flag(5, true)};
  if (!c.flag(1) && !c.flag(2) && !c.flag(3)) return give(unique(c[0], o));
  const unique_result all = unique_all(c[0], o);
  std::vector<array> wanted{all.values};
  if (c.flag(1)) wanted.push_back(all.indices);
  if (c.flag(2)) wanted.push_back(all.inverse_indices);
  if (c.flag(3)) wanted.push_back(all.counts);
  return give(wanted);
}

set_options of_sets(Call& c) { return {.assume_unique = c.flag(2)}; }

std::optional<std::pair<double, double>> range_of(Call& c, std::size_t i) {
  if (!c.has(i)) return {};
  if (c[i].tag != Tag::list || c[i].items.size() != 2) throw ValueError(c.name(), "range: expected [least, greatest].");
  return std::pair(c[i].items[0].as_number("range"), c[i].items[1].as_number("range"));
}
Result counted(Call& c) {
  const auto range = range_of(c, 2);
  const bool density = c.flag(3);
  const array weights = c.array_or_none(4);
  Value* bins = c.has(1) ? &c[1] : nullptr;
  const histogram_result h = bins && bins->tag == Tag::text   ? histogram(c[0], c.word(1, ""), range, density, weights)
                             : bins && bins->tag != Tag::int_ ? histogram(c[0], bins->as_array(), density, weights)
                                                              : histogram(c[0], c.integer(1, 10), range, density, weights);
  return give_list(h.counts, h.edges);
}

constexpr const char* covariance_names = "m y rowvar bias ddof fweights aweights dtype";
Result covariance(Call& c) {
  cov_options o;
  o.rowvar = c.flag(2, true);
  o.bias = c.flag(3);
  o.ddof = number_or_none(c, 4);
  o.fweights = c.array_or_none(5);
  o.aweights = c.array_or_none(6);
  o.dtype = c.type(7);
  return give(c.has(1) ? cov(c[0], c[1], o) : cov(c[0], o));
}

Result contracted(Call& c) {
  if (!c.has(2) || c[2].tag != Tag::list) return give(tensordot(c[0], c[1], small(c, 2, 2)));
  if (c[2].items.size() != 2) throw ValueError("tensordot", "axes: expected a number, or [axes of a, axes of b].");
  return give(tensordot(c[0], c[1], c[2].items[0].as_dims("axes"), c[2].items[1].as_dims("axes")));
}

std::pair<std::int64_t, std::int64_t> plane(Call& c, std::size_t i) {
  const dims axes = c.has(i) ? c[i].as_dims("axes") : dims{0, 1};
  if (axes.size() != 2) throw ValueError(c.name(), "len(axes) must be 2.");
  return {axes[0], axes[1]};
}

constexpr const char* transform_names = "a n axis norm";
using transform = array (*)(const operand&, const fft::options&);
template <transform F>
Result transformed(Call& c) {
  fft::options o;
  o.n = c.axis(1);
  o.axis = c.integer(2, -1);
  o.norm = c.word(3, "backward");
  return give(F(c[0], o));
}
constexpr const char* transform_many_names = "a s axes norm";
template <array (*F)(const operand&, const fft::many_options&)>
Result transformed_many(Call& c) {
  fft::many_options o;
  if (c.has(1)) o.s = c[1].as_dims("s");
  if (c.has(2)) o.axes = c.axes(2).list();
  o.norm = c.word(3, "backward");
  return give(F(c[0], o));
}

}  // namespace

void add_analysis(std::vector<Function>& table) {
  const Function rows[] = {
#define SCAN(name, ...) {#name, "a axis dtype out", [](Call& c) { return give(name(c[0], scanned(c))); }},
#include <numjit/ops/all_rows.inc>
      {"nansum", reduction_names, reduced<&nansum>},
      {"nanmean", reduction_names, reduced<&nanmean>},
      {"nanmax", reduction_names, reduced<&nanmax>},
      {"nanmin", reduction_names, reduced<&nanmin>},
      {"nanprod", reduction_names, reduced<&nanprod>},
      {"average", "a axis weights keepdims", [](Call& c) {
         return give(average(c[0], average_options{.axis = c.axes(1), .weights = c.array_or_none(2), .keepdims = c.flag(3)}));
       }},
      {"median", "a axis keepdims out", [](Call& c) { return median_of(c, &median); }},
      {"quantile", quantile_names, [](Call& c) { return quantiles(c, &quantile); }},
      {"percentile", quantile_names, [](Call& c) { return quantiles(c, &percentile); }},
      {"diff", "a n axis prepend append", [](Call& c) {
         return give(diff(c[0], diff_options{.n = small(c, 1, 1), .axis = c.integer(2, -1), .prepend = c.array_or_none(3),
                     .append = c.array_or_none(4)}));
       }},
      {"gradient", "f varargs axis edge_order", gradient_of},
      {"trapezoid", "y x dx axis", [](Call& c) {
         return give(trapezoid(c[0], trapezoid_options{.x = c.array_or_none(1), .dx = c.number(2, 1), .axis = c.integer(3, -1)}));
       }},
      {"interp", "x xp fp left right period", [](Call& c) {
         return give(interp(c[0], c[1], c[2], {.left = number_or_none(c, 3), .right = number_or_none(c, 4),
                     .period = number_or_none(c, 5)}));
       }},
      {"nan_to_num", "x nan posinf neginf", [](Call& c) {
         return give(nan_to_num(c[0], c.number(1, 0), number_or_none(c, 2), number_or_none(c, 3)));
       }},
      {"tensordot", "a b axes", contracted},
      {"einsum", "subscripts operands", [](Call& c) { return give(einsum(c[0].as_text("subscripts"), c.arrays(1))); }},
      {"kron", "a b", [](Call& c) { return give(kron(c[0], c[1])); }},
      {"cross", "a b", [](Call& c) { return give(cross(c[0], c[1])); }},
      {"cov", covariance_names, covariance},
      {"corrcoef", "x y rowvar", [](Call& c) {
         return give(c.has(1) ? corrcoef(c[0], c[1], c.flag(2, true)) : corrcoef(c[0], c.flag(2, true)));
       }},
      {"convolve", "a v mode", [](Call& c) { return convolved(c, &convolve, "full"); }},
      {"correlate", "a v mode", [](Call& c) { return convolved(c, &correlate, "valid"); }},
      {"polyval", "p x", [](Call& c) { return give(polyval(c[0], c[1])); }},
      {"hanning", "m", [](Call& c) { return give(hanning(c.integer(0, 0))); }},
      {"hamming", "m", [](Call& c) { return give(hamming(c.integer(0, 0))); }},
      {"blackman", "m", [](Call& c) { return give(blackman(c.integer(0, 0))); }},
      {"fft.fft", transform_names, transformed<&fft::fft>},
      {"fft.ifft", transform_names, transformed<&fft::ifft>},
      {"fft.rfft", transform_names, transformed<&fft::rfft>},
      {"fft.irfft", transform_names, transformed<&fft::irfft>},
      {"fft.hfft", transform_names, transformed<&fft::hfft>},
      {"fft.ihfft", transform_names, transformed<&fft::ihfft>},
      {"fft.fft2", transform_many_names, transformed_many<&fft::fft2>},
      {"fft.ifft2", transform_many_names, transformed_many<&fft::ifft2>},
      {"fft.fftfreq", "n d", [](Call& c) { return give(fft::fftfreq(c.integer(0, 0), c.number(1, 1))); }},
      {"fft.rfftfreq", "n d", [](Call& c) { return give(fft::rfftfreq(c.integer(0, 0), c.number(1, 1))); }},
      {"fft.fftshift", "x axes", [](Call& c) { return give(fft::fftshift(c[0], c.axes(1))); }},
      {"fft.ifftshift", "x axes", [](Call& c) { return give(fft::ifftshift(c[0], c.axes(1))); }},
      {"geomspace", "start stop num endpoint dtype axis", [](Call& c) {
         return give(geomspace(c[0], c[1], c.integer(2, 50), {.endpoint = c.flag(3, true), .dtype = c.type(4),
                     .axis = c.integer(5, 0)}));
       }},
      {"meshgrid", "vectors indexing", [](Call& c) { return give(meshgrid(c.arrays(0), {.indexing = c.word(1, "xy")})); }},
      {"indices", "dimensions dtype", [](Call& c) { return give(indices(c.shape(0), array_options{.dtype = c.type(1)}, {})); }},
      {"broadcast_arrays", "arrays", [](Call& c) { return give(broadcast_arrays(c.arrays(0))); }},
      {"rot90", "m k axes", [](Call& c) { return give(rot90(c[0], small(c, 1, 1), plane(c, 2))); }},
      {"pad", "array pad_width mode constant_values end_values stat_length reflect_type", pads},
      {"argwhere", "a", [](Call& c) { return give(argwhere(c[0])); }},
      {"compress", "condition a axis out", [](Call& c) {
         return give(compress(c[0].as_array(), c[1], compress_options{.axis = c.axis(2), .out = c.array_or_none(3)}));
       }},
      {"select", "condlist choicelist default", [](Call& c) {
         return give(c.has(2) ? select(c.arrays(0), c.arrays(1), c[2]) : select(c.arrays(0), c.arrays(1)));
       }},
      {"sort", "a axis kind descending", [](Call& c) { return give(sort(c[0], sorting(c))); }},
      {"argsort", "a axis kind descending", [](Call& c) { return give(argsort(c[0], sorting(c))); }},
      {"lexsort", "keys axis", [](Call& c) { return give(lexsort(c.arrays(0), {.axis = c.integer(1, -1)})); }},
      {"unique", "ar return_index return_inverse return_counts axis equal_nan", distinct},
      {"searchsorted", "a v side sorter", [](Call& c) {
         return give(searchsorted(c[0], c[1], c.word(2, "left"), c.array_or_none(3)));
       }},
      {"digitize", "x bins right", [](Call& c) { return give(digitize(c[0], c[1], c.flag(2))); }},
      {"bincount", "x weights minlength", [](Call& c) { return give(bincount(c[0], c.array_or_none(1), c.integer(2, 0))); }},
      {"histogram", "a bins range density weights", counted},
      {"isin", "element test_elements assume_unique invert", [](Call& c) {
         return give(isin(c[0], c[1], {.assume_unique = c.flag(2), .invert = c.flag(3)}));
       }},
      {"intersect1d", "ar1 ar2 assume_unique return_indices", [](Call& c) {
         if (!c.flag(3)) return give(intersect1d(c[0], c[1], of_sets(c)));
         const intersect1d_result all = intersect1d_all(c[0], c[1]);
         return give_list(all.values, all.a_indices, all.b_indices);
       }},
      {"union1d", "ar1 ar2", [](Call& c) { return give(union1d(c[0], c[1])); }},
      {"setdiff1d", "ar1 ar2 assume_unique", [](Call& c) { return give(setdiff1d(c[0], c[1], of_sets(c))); }},
      {"partition", "a kth axis", [](Call& c) { return partitioned(c, false); }},
      {"unravel_index", "indices shape order", [](Call& c) {
         return give(unravel_index(c[0], c.shape(1), c.has(2) ? memory_order(c, 2) : 'C'));
       }},
      {"ix_", "vectors", [](Call& c) { return give(ix_(c.arrays(0))); }},
      {"sliding_window_view", "a window", [](Call& c) { return give(lib::sliding_window_view(c[0], c.shape(1))); }},
      {"divmod", "a b", [](Call& c) {
         auto [quotient, rest] = numjit::divmod(c[0], c[1]);
         return give_list(quotient, rest);
       }},
      {"modf", "x", [](Call& c) {
         auto [fraction, whole] = modf(c[0]);
         return give_list(fraction, whole);
       }},
      {"shares_memory", "a b", [](Call& c) { return give(shares_memory(c[0].as_array(), c[1].as_array())); }},
      {"from_npy", "bytes", [](Call& c) {
         const array bytes = c[0].as_array();
         return give(from_npy_bytes(static_cast<const char*>(bytes.raw_data()), static_cast<std::size_t>(bytes.size()),
                     "np.fromNpy"));
       }},
      {"npy_bytes", "a", [](Call& c) {
         const std::string bytes = npy_bytes(c[0]);
         return give(frombuffer(bytes, numjit::uint8).copy({}));
       }},
      {"nanvar", spread_names, [](Call& c) { return spread_of<&nanvar>(c, false, true); }},
      {"nanstd", spread_names, [](Call& c) { return spread_of<&nanstd>(c, true, true); }},
      {"nanargmax", "a axis out keepdims", [](Call& c) { return give(nanargmax(c[0], position(c))); }},
      {"nanargmin", "a axis out keepdims", [](Call& c) { return give(nanargmin(c[0], position(c))); }},
      {"nanmedian", "a axis keepdims out", [](Call& c) { return median_of(c, &nanmedian); }},
      {"nanquantile", quantile_names, [](Call& c) { return quantiles(c, &nanquantile); }},
      {"nanpercentile", quantile_names, [](Call& c) { return quantiles(c, &nanpercentile); }},
      {"nancumsum", "a axis dtype out", [](Call& c) { return give(nancumsum(c[0], scanned(c))); }},
      {"logspace", "start stop num endpoint base dtype axis", [](Call& c) {
         return give(logspace(c[0], c[1], c.integer(2, 50), {.endpoint = c.flag(3, true), .base = c.number_or_array(4, 10),
                     .dtype = c.type(5), .axis = c.integer(6, 0)}));
       }},
      {"identity", "n dtype", [](Call& c) { return give(identity(c.integer(0, 0), array_options{.dtype = c.type(1)})); }},
      {"empty_like", "a dtype", [](Call& c) { return give(empty_like(c[0], like_options{.dtype = c.type(1)})); }},
      {"diagflat", "v k", [](Call& c) { return give(diagflat(c[0], c.integer(1, 0))); }},
      {"vander", "x N", [](Call& c) { return give(vander(c[0], c.integer(1, -1))); }},
      {"flatten", "a order", [](Call& c) { return give((c.has(1) ? raveled_in_order(c, 1) : ravel(c[0])).copy({})); }},
      {"fliplr", "a", [](Call& c) { return give(fliplr(c[0])); }},
      {"flipud", "a", [](Call& c) { return give(flipud(c[0])); }},
      {"atleast_1d", "a", [](Call& c) { return give(atleast_1d(c[0])); }},
      {"atleast_2d", "a", [](Call& c) { return give(atleast_2d(c[0])); }},
      {"atleast_3d", "a", [](Call& c) { return give(atleast_3d(c[0])); }},
      {"split", "ary indices_or_sections axis", [](Call& c) { return parts(c, c.integer(2, 0)); }},
      {"array_split", "ary indices_or_sections axis", unequal_parts},
      {"vsplit", "ary indices_or_sections", [](Call& c) { return parts(c, 0); }},
      {"hsplit", "ary indices_or_sections", [](Call& c) { return parts(c, c[0].as_array().ndim() > 1 ? 1 : 0); }},
      {"insert", "arr obj values axis", [](Call& c) { return give(insert(c[0], c[1].as_array(), c[2], c.axis(3))); }},
      {"delete", "arr obj axis", deleted},
      {"resize", "a new_shape", [](Call& c) { return give(resize(c[0], c.shape(1))); }},
      {"extract", "condition arr", [](Call& c) { return give(extract(c[0].as_array(), c[1])); }},
      {"choose", "a choices out mode", [](Call& c) {
         return give(choose(c[0], c.arrays(1), {.out = c.array_or_none(2), .mode = c.word(3, "raise")}));
       }},
      {"tril_indices", "n k m", [](Call& c) { return give(tril_indices(c.integer(0, 0), c.integer(1, 0), c.integer(2, -1))); }},
      {"triu_indices", "n k m", [](Call& c) { return give(triu_indices(c.integer(0, 0), c.integer(1, 0), c.integer(2, -1))); }},
      {"argpartition", "a kth axis", [](Call& c) { return partitioned(c, true); }},
      {"setxor1d", "ar1 ar2 assume_unique", [](Call& c) { return give(setxor1d(c[0], c[1], of_sets(c))); }},
      {"ediff1d", "ary to_end to_begin", [](Call& c) {
         return give(ediff1d(c[0], {.to_end = c.array_or_none(1), .to_begin = c.array_or_none(2)}));
       }},
      {"unwrap", "p discont axis period", [](Call& c) {
         unwrap_options o;
         if (c.has(1)) o.discont = c[1];
         o.axis = c.integer(2, -1);
         if (c.has(3)) o.period = c[3];
         return give(unwrap(c[0], o));
       }},
      {"sinc", "x", [](Call& c) { return give(sinc(c[0])); }},
      {"bartlett", "m", [](Call& c) { return give(bartlett(c.integer(0, 0))); }},
      {"kaiser", "m beta", [](Call& c) { return give(kaiser(c.integer(0, 0), c[1].as_number("beta"))); }},
      {"trim_zeros", "filt trim", [](Call& c) { return give(trim_zeros(c[0], c.word(1, "fb"))); }},
      {"polyfit", "x y deg w", [](Call& c) { return give(polyfit(c[0], c[1], small(c, 2, 1), c.array_or_none(3))); }},
      {"polyder", "p m", [](Call& c) { return give(polyder(c[0], small(c, 1, 1))); }},
      {"polyint", "p m k", [](Call& c) {
         std::vector<double> constants;
         if (c.has(2))
           for (Value& k : c[2].tag == Tag::list ? c[2].items : std::vector<Value>{c[2]}) constants.push_back(k.as_number("k"));
         return give(polyint(c[0], small(c, 1, 1), constants));
       }},
      {"polyadd", "a1 a2", [](Call& c) { return give(polyadd(c[0], c[1])); }},
      {"polysub", "a1 a2", [](Call& c) { return give(polysub(c[0], c[1])); }},
      {"polymul", "a1 a2", [](Call& c) { return give(polymul(c[0], c[1])); }},
      {"polydiv", "u v", [](Call& c) {
         auto [quotient, rest] = polydiv(c[0], c[1]);
         return give_list(quotient, rest);
       }},
      {"cumulative_sum", "x axis dtype out include_initial", [](Call& c) {
         return give(cumulative_sum(c[0], {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3),
                     .include_initial = c.flag(4)}));
       }},
      {"cumulative_prod", "x axis dtype out include_initial", [](Call& c) {
         return give(cumulative_prod(c[0], {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3),
                     .include_initial = c.flag(4)}));
       }},
      {"nancumprod", "a axis dtype out", [](Call& c) { return give(nancumprod(c[0], scanned(c))); }},
      {"histogram_bin_edges", "a bins range weights", [](Call& c) {
         const auto range = range_of(c, 2);
         return give(c.has(1) && c[1].tag == Tag::text ? histogram_bin_edges(c[0], c.word(1, ""), range, c.array_or_none(3))
                                                       : histogram_bin_edges(c[0], c.integer(1, 10), range, c.array_or_none(3)));
       }},
      {"ravel_multi_index", "multi_index dims mode order", [](Call& c) {
         return give(ravel_multi_index(c.arrays(0), c.shape(1), c.word(2, "raise"), c.has(3) ? memory_order(c, 3) : 'C'));
       }},
      {"diag_indices", "n ndim", [](Call& c) { return give(diag_indices(c.integer(0, 0), small(c, 1, 2))); }},
      {"fill_diagonal", "a val wrap", [](Call& c) {
         return fill_diagonal(c[0].as_array(), c[1], {.wrap = c.flag(2)}), Result();
       }},
      {"put", "a ind v mode", [](Call& c) { return put(c[0].as_array(), c[1].as_array(), c[2], c.word(3, "raise")), Result(); }},
      {"place", "arr mask vals", [](Call& c) { return place(c[0].as_array(), c[1].as_array(), c[2]), Result(); }},
      {"putmask", "a mask values", [](Call& c) { return putmask(c[0].as_array(), c[1].as_array(), c[2]), Result(); }},
      {"put_along_axis", "arr indices values axis", [](Call& c) {
         return put_along_axis(c[0].as_array(), c[1].as_array(), c[2], c.integer(3, -1)), Result();
       }},
      {"tri", "N M k dtype", [](Call& c) {
         return give(tri(c.integer(0, 0), tri_options{.M = c.integer(1, -1), .k = c.integer(2, 0), .dtype = c.type(3)}, {}));
       }},
      {"dsplit", "ary indices_or_sections", [](Call& c) { return parts(c, 2); }},
      {"unstack", "x axis", [](Call& c) { return give(unstack(c[0], c.integer(1, 0))); }},
      {"rollaxis", "a axis start", [](Call& c) { return give(rollaxis(c[0], c.integer(1, 0), c.integer(2, 0))); }},
      {"matrix_transpose", "x", [](Call& c) { return give(linalg::matrix_transpose(c[0])); }},
      {"vecdot", "x1 x2 axis", [](Call& c) { return give(linalg::vecdot(c[0], c[1], c.integer(2, -1))); }},
      {"frexp", "x", [](Call& c) {
         auto [mantissa, exponent] = frexp(c[0]);
         return give_list(mantissa, exponent);
       }},
      {"ldexp", "x1 x2", [](Call& c) { return give(ldexp(c[0], c[1])); }},
      {"fix", "x", [](Call& c) { return give(fix(c[0])); }},
      {"isposinf", "x", [](Call& c) { return give(isposinf(c[0])); }},
      {"isneginf", "x", [](Call& c) { return give(isneginf(c[0])); }},
      {"array_equiv", "a1 a2", [](Call& c) { return give(array_equiv(c[0], c[1])); }},
      {"packbits", "a axis bitorder", [](Call& c) { return give(packbits(c[0], c.axis(1), c.word(2, "big"))); }},
      {"unpackbits", "a axis count bitorder", [](Call& c) {
         return give(unpackbits(c[0].as_array(), c.axis(1), c.axis(2), c.word(3, "big")));
       }},
      {"broadcast_shapes", "shapes", [](Call& c) {
         std::vector<dims> shapes;
         for (const Value& shape : c[0].items) shapes.push_back(shape.as_dims("shapes"));
         return give(broadcast_shapes(shapes));
       }},
      {"roots", "p", [](Call& c) { return give(roots(c[0])); }},
      {"poly", "zeros", [](Call& c) { return give(poly(c[0])); }},
      {"ufunc.reduce", "ufunc a axis dtype out keepdims initial where", ufunc_reduced},
      {"ufunc.accumulate", "ufunc a axis dtype out", ufunc_accumulated},
      {"ufunc.reduceat", "ufunc a indices axis dtype out", ufunc_pieces_reduced},
      {"ufunc.at", "ufunc a indices b", ufunc_at_places},
      {"fft.fftn", transform_many_names, transformed_many<&fft::fftn>},
      {"fft.rfftn", transform_many_names, transformed_many<&fft::rfftn>},
      {"fft.ifftn", transform_many_names, transformed_many<&fft::ifftn>},
      {"fft.irfftn", transform_many_names, transformed_many<&fft::irfftn>},
      {"fft.rfft2", transform_many_names, transformed_many<&fft::rfft2>},
      {"fft.irfft2", transform_many_names, transformed_many<&fft::irfft2>},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
