// What few pages call, as JavaScript calls it: transforms, statistics, running sums, sorting, sets, searching, polynomials,
// windows, files in memory. It is part of the secondary module, as the code behind it is (secondary.txt).
#include <numjit/np_fft.h>
#include <numjit/np_linalg.h>

#include "rows.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

scan_options scanned(Call& c) { return {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3)}; }

int small(Call& c, int i, int otherwise) { return static_cast<int>(c.integer(i, otherwise)); }
std::optional<double> number_or_none(Call& c, int i) { return c.has(i) ? std::optional(c.number(i, 0)) : std::nullopt; }

Result convolved(Call& c, array (*f)(const operand&, const operand&, const char*), const char* otherwise) {
  return give(f(c[0], c[1], c.word(2, otherwise)));
}

/// One result of one array, a list of several.
Result at_least(Call& c, array (*f)(const operand&)) {
  std::vector<array> made;
  for (const array& a : c.arrays(0)) made.push_back(f(a));
  return made.size() == 1 ? give(std::move(made[0])) : give(made);
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
indices_or_sections sections(Call& c) {
  return c[1].tag == Tag::int_ ? indices_or_sections(c[1].as_integer("indices_or_sections")) : c.places(1).values();
}
Result parts(Call& c, std::int64_t axis) { return give(split(c[0], sections(c), axis)); }
Result unequal_parts(Call& c) { return give(array_split(c[0], sections(c), c.integer(2, 0))); }

Result gradient_of(Call& c) {
  gradient_options o;
  o.axis = c.axes(2);
  o.edge_order = small(c, 3, 1);
  if (c.has(1) && c[1].items.size() != 1) {
    o.spacing = c.arrays(1);
  } else if (c.has(1)) {
    // Numbers are a step for each axis, or the coordinates along the only one.
    Value& steps = c[1].items[0];
    const std::size_t count = c.has(2) ? c[2].as_dims("axis").size() : static_cast<std::size_t>(c[0].as_array().ndim());
    const bool each = steps.tag == Tag::list && (count > 1 || (!steps.items.empty() && steps.items[0].tag >= Tag::array));
    if (!each)
      o.spacing = {steps.as_array()};
    else
      for (Value& step : steps.items) o.spacing.push_back(step.as_array());
  }
  const std::vector<array> slopes = gradients(c[0], o);
  return slopes.size() == 1 ? give(slopes[0]) : give(slopes);
}

// The input of medians and quantiles is never written over.
Result median_of(Call& c, array (*f)(const operand&, const median_options&)) {
  return give(f(c[0], median_options{.axis = c.axes(1), .out = c.array_or_none(2), .keepdims = c.flag(4)}));
}
Result quantiles(Call& c, array (*f)(const operand&, const operand&, const quantile_options&)) {
  quantile_options o{.axis = c.axes(2), .out = c.array_or_none(3), .method = c.word(5, "linear"), .keepdims = c.flag(6)};
  o.weights = c.array_or_none(7);
  return give(f(c[0], c[1], o));
}

/// [[before, after], ...] for each axis, [before, after] for all, one number for all sides.
pad_widths widths_of(Call& c, int i, const char* what) {
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
/// `held`: arrays that the values are elements of.
pad_values values_of(Call& c, int i, std::vector<array>& held) {
  if (!c.has(i)) return 0;
  const array w = c[i].as_array(), each = w.ndim() == 2 ? w : reshape(w, {1, -1});
  if (w.ndim() > 2 || each.shape(1) < 1 || each.shape(1) > 2)
    throw ValueError("pad", (i == 3 ? "constant_values" : "end_values") +
                                std::string(": expected a number, [before, after], or such a pair for each axis."));
  for (std::int64_t k = 0; k < each.shape(0); ++k)
    for (const int side : {0, -1}) held.push_back(each(k, side));
  std::vector<std::pair<operand, operand>> pairs;
  for (std::size_t k = 0; k < held.size(); k += 2) pairs.emplace_back(held[k], held[k + 1]);
  return pad_values(std::move(pairs));
}
Result pads(Call& c) {
  pad_options o;
  o.mode = c.word(2, "constant");
  std::vector<array> constants, ends;
  o.constant_values = values_of(c, 3, constants);
  o.end_values = values_of(c, 4, ends);
  if (c.has(5)) o.stat_length = widths_of(c, 5, "stat_length");
  o.reflect_type = c.word(6, "even");
  return give(pad(c[0], widths_of(c, 1, "pad_width"), o));
}

void check_no_order(Call& c, int i) {
  if (c.has(i)) throw ValueError(c.name(), "Cannot specify order when the array has no fields.");
}
sort_options sorting(Call& c) {
  check_no_order(c, 3);
  if (c.has(2) && c.has(4))
    throw ValueError(c.name(), "`kind` and keyword parameters can't be provided at the same time. Use only one of them.");
  return {.axis = c.axis_or(1, -1), .kind = c.word(2, "stable"), .descending = c.flag(5)};
}
partition_options dividing(Call& c) {
  check_no_order(c, 4);
  return {.axis = c.axis_or(2, -1), .kind = c.word(3, "introselect")};
}

/// The distinct values, with what else is asked for behind them.
Result distinct(Call& c) {
  const unique_options o{.axis = c.axis(4), .equal_nan = c.flag(5, true), .sorted = c.flag(6, true)};
  if (!c.flag(1) && !c.flag(2) && !c.flag(3)) return give(unique(c[0], o));
  const unique_result all = unique_all(c[0], o);
  std::vector<array> wanted{all.values};
  if (c.flag(1)) wanted.push_back(all.indices);
  if (c.flag(2)) wanted.push_back(all.inverse_indices);
  if (c.flag(3)) wanted.push_back(all.counts);
  return give(wanted);
}

set_options of_sets(Call& c) { return {.assume_unique = c.flag(2)}; }

histogram_range range_of(Call& c, const Value& v) {
  if (!v.given()) return {};
  if (v.tag != Tag::list || v.items.size() != 2) throw ValueError(c.name(), "range: expected [least, greatest].");
  return {v.items[0].as_number("range"), v.items[1].as_number("range")};
}
histogram_range range_of(Call& c, int i) { return c.has(i) ? range_of(c, c[i]) : histogram_range(); }

/// A number of bins, their edges, or a rule by its name, good until the call has ended.
histogram_bins bins_of(Call& c, int i) {
  if (!c.has(i)) return 10;
  if (c[i].tag == Tag::text) return c.word(i, "");
  return c[i].tag == Tag::int_ ? histogram_bins(c[i].as_integer("bins")) : histogram_bins(c[i].as_array());
}
Result counted(Call& c) {
  const histogram_result h =
      histogram(c[0], {.bins = bins_of(c, 1), .range = range_of(c, 2), .density = c.flag(3), .weights = c.array_or_none(4)});
  return give_list(h.counts, h.edges);
}

/// Of points by their coordinates: bins are numbers or edges, one for all axes or one for each.
histogramdd_result counted_points(Call& c, const array_list& columns, int first) {
  histogramdd_options o{.density = c.flag(first + 2), .weights = c.array_or_none(first + 3)};
  if (c.has(first)) {
    Value& bins = c[first];
    if (bins.tag == Tag::list && bins.items.size() != columns.size())
      throw ValueError(c.name(), "The dimension of bins must be equal to the dimension of the sample x.");
    o.bins.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      Value& one = bins.tag == Tag::list ? bins.items[i] : bins;
      o.bins.push_back(one.tag == Tag::int_ ? histogram_bins(one.as_integer("bins")) : histogram_bins(one.as_array()));
    }
  }
  if (c.has(first + 1))
    for (const Value& range : c[first + 1].items) o.range.push_back(range_of(c, range));
  return histogramdd(columns, o, {});
}
Result counted_in_grid(Call& c) {
  array_list columns;
  if (c[0].tag == Tag::list) {
    columns = c.arrays(0);
  } else {
    const array points = c[0].as_array();
    for (int i = 0; i < points.shape(1); ++i) columns.push_back(points(_, i));
  }
  const histogramdd_result h = counted_points(c, columns, 1);
  Result r;
  r.begin_list(2);
  r.add(h.counts);
  r.begin_list(h.edges.size());
  for (const array& edges : h.edges) r.add(edges);
  return r;
}
Result counted_in_plane(Call& c) {
  const histogramdd_result h = counted_points(c, {c[0].as_array(), c[1].as_array()}, 2);
  return give_list(h.counts, h.edges[0], h.edges[1]);
}

bool share_memory(Call& c, bool exactly) {
  const array a = c[0].as_array(), b = c[1].as_array();
  return exactly ? shares_memory(a, b) : may_share_memory(a, b);
}

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

close_options tolerances(Call& c) {
  close_options o;
  if (c.has(2)) o.rtol = c[2];
  if (c.has(3)) o.atol = c[3];
  o.equal_nan = c.flag(4);
  return o;
}

Result averaged(Call& c) {
  const average_options o{.axis = c.axes(1), .weights = c.array_or_none(2), .keepdims = c.flag(4)};
  if (!c.flag(3)) return give(average(c[0], o));
  average_result r = average_returned(c[0], o);
  return give_list(std::move(r.average), std::move(r.sum_of_weights));
}
nan_to_num_options replacing(Call& c) {
  nan_to_num_options o{.copy = c.flag(1, true), .nan = c.number_or_array(2, 0)};
  if (c.has(3)) o.posinf = c[3];
  if (c.has(4)) o.neginf = c[4];
  return o;
}

Result fitted_polynomial(Call& c) {
  const int deg = small(c, 2, 1);
  const polyfit_options o{.rcond = number_or_none(c, 3), .w = c.array_or_none(5)};
  const bool is_text = c.has(6) && c[6].tag == Tag::text;
  if (!c.flag(4) && (is_text || c.flag(6))) {
    polyfit_cov_result r = polyfit_cov(c[0], c[1], deg, o, !is_text || c[6].text != "unscaled");
    return give_list(std::move(r.c), std::move(r.V));
  }
  polyfit_full_result r = polyfit_full(c[0], c[1], deg, o);
  if (!c.flag(4)) return give(std::move(r.c));
  return give_list(std::move(r.c), std::move(r.residuals), r.rank, std::move(r.s), r.rcond);
}

Result summed_by_letters(Call& c) {
  einsum_options o;
  o.out = c.array_or_none(2);
  if (c.has(3) && (c[3].tag == Tag::text || c.flag(3))) o.optimize = c[3].tag == Tag::text ? c.word(3, "") : "greedy";
  o.dtype = c.type(4);
  if (c.has(5)) o.order = any_order(c, 5);
  o.casting = c.word(6, "safe");
  return give(einsum(c[0].as_text("subscripts"), c.arrays(1), o));
}

std::pair<std::int64_t, std::int64_t> plane(Call& c, int i) {
  const dims axes = c.has(i) ? c[i].as_dims("axes") : dims{0, 1};
  if (axes.size() != 2) throw ValueError(c.name(), "len(axes) must be 2.");
  return {axes[0], axes[1]};
}

template <array (*F)(const operand&, const fft::options&)>
Result transformed(Call& c) {
  return give(F(c[0], {.n = c.axis(1), .axis = c.integer(2, -1), .norm = c.word(3, "backward"), .out = c.array_or_none(4)}));
}
template <array (*F)(const operand&, const fft::many_options&)>
Result transformed_many(Call& c) {
  fft::many_options o;
  if (c.has(1)) o.s = c[1].as_dims("s");
  if (c.has(2)) o.axes = c.axes(2).list();
  o.norm = c.word(3, "backward");
  o.out = c.array_or_none(4);
  return give(F(c[0], o));
}
Result frequencies(Call& c, array (*of)(std::int64_t, double, location)) {
  const std::string_view device = c.word(2, "cpu");
  if (device != "cpu") throw ValueError(c.name(), "device: got '" + std::string(device) + "', expected 'cpu'.");
  const array made = of(c.integer(0, 0), c.number(1, 1), {});
  const optional_dtype type = c.type(3);
  return give(type ? made.astype(*type, {}) : made);
}

}  // namespace

void add_analysis(std::vector<Function>& table) {
  static constexpr Function rows[] = {
#define SCAN(name, ...) row<#name>([](Call& c) { return give(name(c[0], scanned(c))); }),
#include <numjit/ops/all_rows.inc>
      reduction<"nansum", &nansum>(),
      reduction<"nanmean", &nanmean>(),
      reduction<"nanmax", &nanmax>(),
      reduction<"nanmin", &nanmin>(),
      reduction<"nanprod", &nanprod>(),
      row<"average">(averaged),
      row<"ptp">([](Call& c) {
        return give(ptp(c[0], ptp_options{.axis = c.axes(1), .out = c.array_or_none(2), .keepdims = c.flag(3)}));
      }),
      row<"dstack">([](Call& c) { return give(dstack(c.arrays(0))); }),
      row<"column_stack">([](Call& c) { return give(column_stack(c.arrays(0))); }),
      row<"append">([](Call& c) { return give(append(c[0], c[1], c.axis(2))); }),
      row<"take_along_axis">([](Call& c) { return give(take_along_axis(c[0], c[1].as_array(), {.axis = c.axis_or(2, -1)})); }),
      row<"angle">([](Call& c) { return give(angle(c[0], c.flag(1))); }),
      row<"median">([](Call& c) { return median_of(c, &median); }),
      row<"quantile">([](Call& c) { return quantiles(c, &quantile); }),
      row<"percentile">([](Call& c) { return quantiles(c, &percentile); }),
      row<"diff">([](Call& c) {
        return give(diff(c[0], diff_options{.n = small(c, 1, 1), .axis = c.integer(2, -1), .prepend = c.array_or_none(3),
                    .append = c.array_or_none(4)}));
      }),
      row<"gradient">(gradient_of),
      row<"trapezoid">([](Call& c) {
        return give(trapezoid(c[0], trapezoid_options{.x = c.array_or_none(1), .dx = c.number(2, 1), .axis = c.integer(3, -1)}));
      }),
      row<"interp">([](Call& c) {
        return give(interp(c[0], c[1], c[2], {.left = number_or_none(c, 3), .right = number_or_none(c, 4),
                    .period = number_or_none(c, 5)}));
      }),
      row<"nan_to_num">([](Call& c) { return give(nan_to_num(c[0], replacing(c))); }),
      row<"tensordot">(contracted),
      row<"linalg.tensordot">(contracted),
      {"einsum", "subscripts *operands = out optimize dtype order casting", summed_by_letters},
      row<"vdot">([](Call& c) { return give(vdot(c[0], c[1])); }),
      row<"inner">([](Call& c) { return give(inner(c[0], c[1])); }),
      row<"outer">([](Call& c) { return give(outer(c[0], c[1], {c.array_or_none(2)})); }),
      row<"trace">([](Call& c) {
        return give(trace(c[0], trace_keywords{.offset = c.integer(1, 0), .axis1 = c.integer(2, 0), .axis2 = c.integer(3, 1),
                                              .dtype = c.type(4), .out = c.array_or_none(5)}));
      }),
      row<"isclose">([](Call& c) { return give(isclose(c[0], c[1], tolerances(c))); }),
      row<"allclose">([](Call& c) { return give(allclose(c[0], c[1], tolerances(c))); }),
      row<"kron">([](Call& c) { return give(kron(c[0], c[1])); }),
      row<"cross">([](Call& c) {
        return give(cross(c[0], c[1], {.axisa = c.integer(2, -1), .axisb = c.integer(3, -1), .axisc = c.integer(4, -1),
                                       .axis = c.axis(5)}));
      }),
      row<"cov">(covariance),
      row<"corrcoef">([](Call& c) {
        const corrcoef_options o{.rowvar = c.flag(2, true), .dtype = c.type(3)};
        return give(c.has(1) ? corrcoef(c[0], c[1], o) : corrcoef(c[0], o));
      }),
      row<"convolve">([](Call& c) { return convolved(c, &convolve, "full"); }),
      row<"correlate">([](Call& c) { return convolved(c, &correlate, "valid"); }),
      row<"polyval">([](Call& c) { return give(polyval(c[0], c[1])); }),
      row<"hanning">([](Call& c) { return give(hanning(c.integer(0, 0))); }),
      row<"hamming">([](Call& c) { return give(hamming(c.integer(0, 0))); }),
      row<"blackman">([](Call& c) { return give(blackman(c.integer(0, 0))); }),
      row<"fft.fft">(transformed<&fft::fft>),
      row<"fft.ifft">(transformed<&fft::ifft>),
      row<"fft.rfft">(transformed<&fft::rfft>),
      row<"fft.irfft">(transformed<&fft::irfft>),
      row<"fft.hfft">(transformed<&fft::hfft>),
      row<"fft.ihfft">(transformed<&fft::ihfft>),
      row<"fft.fft2">(transformed_many<&fft::fft2>),
      row<"fft.ifft2">(transformed_many<&fft::ifft2>),
      row<"fft.fftfreq">([](Call& c) { return frequencies(c, &fft::fftfreq); }),
      row<"fft.rfftfreq">([](Call& c) { return frequencies(c, &fft::rfftfreq); }),
      row<"fft.fftshift">([](Call& c) { return give(fft::fftshift(c[0], c.axes(1))); }),
      row<"fft.ifftshift">([](Call& c) { return give(fft::ifftshift(c[0], c.axes(1))); }),
      row<"geomspace">([](Call& c) {
        return give(geomspace(c[0], c[1], c.integer(2, 50),
                              {.endpoint = c.flag(3, true), .dtype = c.type(4), .axis = c.integer(5, 0)}));
      }),
      row<"meshgrid">([](Call& c) {
        return give(meshgrid(c.arrays(0), {.copy = c.flag(1, true), .sparse = c.flag(2), .indexing = c.word(3, "xy")}));
      }),
      row<"indices">([](Call& c) {
        const array_options o{.dtype = c.type(1)};
        return c.flag(2) ? give(indices_sparse(c.shape(0), o)) : give(indices(c.shape(0), o));
      }),
      row<"broadcast_arrays">([](Call& c) { return give(broadcast_arrays(c.arrays(0))); }),
      row<"rot90">([](Call& c) { return give(rot90(c[0], small(c, 1, 1), plane(c, 2))); }),
      {"pad", "array pad_width = mode * constant_values end_values stat_length reflect_type", pads},
      row<"argwhere">([](Call& c) { return give(argwhere(c[0])); }),
      row<"compress">([](Call& c) {
        return give(compress(c[0].as_array(), c[1], compress_options{.axis = c.axis(2), .out = c.array_or_none(3)}));
      }),
      row<"select">([](Call& c) {
        return give(c.has(2) ? select(c.arrays(0), c.arrays(1), c[2]) : select(c.arrays(0), c.arrays(1)));
      }),
      row<"sort">([](Call& c) { return give(sort(c[0], sorting(c))); }),
      row<"argsort">([](Call& c) { return give(argsort(c[0], sorting(c))); }),
      row<"lexsort">([](Call& c) { return give(lexsort(c.arrays(0), {.axis = c.integer(1, -1)})); }),
      row<"unique">(distinct),
      row<"unique_values">([](Call& c) { return give(unique_values(c[0])); }),
      row<"unique_counts">([](Call& c) {
         unique_counts_result r = unique_counts(c[0]);
         return give_list(std::move(r.values), std::move(r.counts));
       }),
      row<"unique_inverse">([](Call& c) {
         unique_inverse_result r = unique_inverse(c[0]);
         return give_list(std::move(r.values), std::move(r.inverse_indices));
       }),
      row<"unique_all">([](Call& c) {
         unique_result r = unique_all(c[0], {.equal_nan = false});
         return give_list(std::move(r.values), std::move(r.indices), std::move(r.inverse_indices), std::move(r.counts));
       }),
      row<"isfortran">([](Call& c) { return give(isfortran(c[0].as_array())); }),
      row<"searchsorted">([](Call& c) {
        return give(searchsorted(c[0], c[1], c.word(2, "left"), c.array_or_none(3)));
      }),
      row<"digitize">([](Call& c) { return give(digitize(c[0], c[1], c.flag(2))); }),
      row<"bincount">([](Call& c) { return give(bincount(c[0], c.array_or_none(1), c.integer(2, 0))); }),
      row<"histogram">(counted),
      row<"isin">([](Call& c) {
        return give(isin(c[0], c[1], {.assume_unique = c.flag(2), .invert = c.flag(3), .kind = c.word(4, nullptr)}));
      }),
      row<"intersect1d">([](Call& c) {
        if (!c.flag(3)) return give(intersect1d(c[0], c[1], of_sets(c)));
        const intersect1d_result all = intersect1d_all(c[0], c[1], of_sets(c));
        return give_list(all.values, all.a_indices, all.b_indices);
      }),
      row<"union1d">([](Call& c) { return give(union1d(c[0], c[1])); }),
      row<"setdiff1d">([](Call& c) { return give(setdiff1d(c[0], c[1], of_sets(c))); }),
      row<"partition">([](Call& c) { return give(partition(c[0], c.places(1), dividing(c))); }),
      row<"unravel_index">([](Call& c) {
        return give(unravel_index(c[0], c.shape(1), c.has(2) ? memory_order(c, 2) : 'C'));
      }),
      row<"ix_">([](Call& c) { return give(ix_(c.arrays(0))); }),
      {"sliding_window_view", "x window_shape", [](Call& c) { return give(lib::sliding_window_view(c[0], c.shape(1))); }},
      {"divmod", "a b", [](Call& c) {
         auto [quotient, rest] = numjit::divmod(c[0], c[1]);
         return give_list(quotient, rest);
       }},
      {"modf", "x", [](Call& c) {
         auto [fraction, whole] = modf(c[0]);
         return give_list(fraction, whole);
       }},
      row<"may_share_memory">([](Call& c) { return give(share_memory(c, c.integer(2, 0) != 0)); }),
      row<"histogramdd">(counted_in_grid),
      row<"histogram2d">(counted_in_plane),
      row<"sort_complex">([](Call& c) { return give(sort_complex(c[0])); }),
      row<"diag_indices_from">([](Call& c) { return give(diag_indices_from(c[0].as_array(), {})); }),
      row<"tril_indices_from">([](Call& c) { return give(tril_indices_from(c[0].as_array(), c.integer(1, 0), {})); }),
      row<"triu_indices_from">([](Call& c) { return give(triu_indices_from(c[0].as_array(), c.integer(1, 0), {})); }),
      row<"iscomplex">([](Call& c) { return give(iscomplex(c[0])); }),
      row<"isreal">([](Call& c) { return give(isreal(c[0])); }),
      row<"real_if_close">([](Call& c) { return give(real_if_close(c[0], c.number(1, 100))); }),
      row<"i0">([](Call& c) { return give(i0(c[0])); }),
      row<"shares_memory">([](Call& c) { return give(share_memory(c, true)); }),
      {"from_npy", "bytes", [](Call& c) {
         const array bytes = c[0].as_array();
         return give(from_npy_bytes(static_cast<const char*>(bytes.raw_data()), static_cast<std::size_t>(bytes.size()),
                     "np.fromNpy"));
       }},
      {"npy_bytes", "a", [](Call& c) {
         const std::string bytes = npy_bytes(c[0]);
         return give(frombuffer(bytes, numjit::uint8).copy({}));
       }},
      variance<"nanvar", &nanvar>(),
      variance<"nanstd", &nanstd>(),
      row<"nanargmax">([](Call& c) { return give(nanargmax(c[0], position(c))); }),
      row<"nanargmin">([](Call& c) { return give(nanargmin(c[0], position(c))); }),
      row<"nanmedian">([](Call& c) { return median_of(c, &nanmedian); }),
      row<"nanquantile">([](Call& c) { return quantiles(c, &nanquantile); }),
      row<"nanpercentile">([](Call& c) { return quantiles(c, &nanpercentile); }),
      row<"nancumsum">([](Call& c) { return give(nancumsum(c[0], scanned(c))); }),
      row<"logspace">([](Call& c) {
        return give(logspace(c[0], c[1], c.integer(2, 50), {.endpoint = c.flag(3, true), .base = c.number_or_array(4, 10),
                                                            .dtype = c.type(5), .axis = c.integer(6, 0)}));
      }),
      row<"tril">([](Call& c) { return give(tril(c[0], c.integer(1, 0))); }),
      row<"triu">([](Call& c) { return give(triu(c[0], c.integer(1, 0))); }),
      row<"identity">([](Call& c) { return give(identity(c.integer(0, 0), array_options{.dtype = c.type(1)})); }),
      row<"empty_like">([](Call& c) {
        like_options o{.dtype = c.type(1)};
        place_like(c, 2, o);
        return give(empty_like(c[0], o));
      }),
      row<"diagflat">([](Call& c) { return give(diagflat(c[0], c.integer(1, 0))); }),
      row<"vander">([](Call& c) { return give(vander(c[0], {.N = c.integer(1, -1), .increasing = c.flag(2)})); }),
      {"flatten", "a = order", [](Call& c) { return give((c.has(1) ? raveled_in_order(c, 1) : ravel(c[0])).copy({})); }},
      row<"fliplr">([](Call& c) { return give(fliplr(c[0])); }),
      row<"flipud">([](Call& c) { return give(flipud(c[0])); }),
      row<"atleast_1d">([](Call& c) { return at_least(c, &atleast_1d); }),
      row<"atleast_2d">([](Call& c) { return at_least(c, &atleast_2d); }),
      row<"atleast_3d">([](Call& c) { return at_least(c, &atleast_3d); }),
      row<"split">([](Call& c) { return parts(c, c.integer(2, 0)); }),
      row<"array_split">(unequal_parts),
      row<"vsplit">([](Call& c) { return parts(c, 0); }),
      row<"hsplit">([](Call& c) { return parts(c, c[0].as_array().ndim() > 1 ? 1 : 0); }),
      row<"insert">([](Call& c) { return give(insert(c[0], c[1].as_array(), c[2], c.axis(3))); }),
      row<"delete">(deleted),
      row<"resize">([](Call& c) { return give(resize(c[0], c.shape(1))); }),
      row<"extract">([](Call& c) { return give(extract(c[0].as_array(), c[1])); }),
      row<"choose">([](Call& c) {
        return give(choose(c[0], c.arrays(1), {.out = c.array_or_none(2), .mode = c.word(3, "raise")}));
      }),
      row<"tril_indices">([](Call& c) { return give(tril_indices(c.integer(0, 0), c.integer(1, 0), c.integer(2, -1))); }),
      row<"triu_indices">([](Call& c) { return give(triu_indices(c.integer(0, 0), c.integer(1, 0), c.integer(2, -1))); }),
      row<"argpartition">([](Call& c) { return give(argpartition(c[0], c.places(1), dividing(c))); }),
      row<"setxor1d">([](Call& c) { return give(setxor1d(c[0], c[1], of_sets(c))); }),
      row<"ediff1d">([](Call& c) {
        return give(ediff1d(c[0], {.to_end = c.array_or_none(1), .to_begin = c.array_or_none(2)}));
      }),
      row<"unwrap">([](Call& c) {
        unwrap_options o;
        if (c.has(1)) o.discont = c[1];
        o.axis = c.integer(2, -1);
        if (c.has(3)) o.period = c[3];
        return give(unwrap(c[0], o));
      }),
      row<"sinc">([](Call& c) { return give(sinc(c[0])); }),
      row<"bartlett">([](Call& c) { return give(bartlett(c.integer(0, 0))); }),
      row<"kaiser">([](Call& c) { return give(kaiser(c.integer(0, 0), c[1].as_number("beta"))); }),
      row<"trim_zeros">([](Call& c) { return give(trim_zeros(c[0], {.trim = c.word(1, "fb"), .axis = c.axes(2)})); }),
      row<"polyfit">(fitted_polynomial),
      row<"polyder">([](Call& c) { return give(polyder(c[0], small(c, 1, 1))); }),
      row<"polyint">([](Call& c) {
         std::vector<double> constants;
         if (c.has(2))
           for (Value& k : c[2].tag == Tag::list ? c[2].items : std::vector<Value>{c[2]}) constants.push_back(k.as_number("k"));
         return give(polyint(c[0], small(c, 1, 1), constants));
       }),
      row<"polyadd">([](Call& c) { return give(polyadd(c[0], c[1])); }),
      row<"polysub">([](Call& c) { return give(polysub(c[0], c[1])); }),
      row<"polymul">([](Call& c) { return give(polymul(c[0], c[1])); }),
      row<"polydiv">([](Call& c) {
         auto [quotient, rest] = polydiv(c[0], c[1]);
         return give_list(quotient, rest);
       }),
      row<"cumulative_sum">([](Call& c) {
        return give(cumulative_sum(c[0], {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3),
                    .include_initial = c.flag(4)}));
      }),
      row<"cumulative_prod">([](Call& c) {
        return give(cumulative_prod(c[0], {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3),
                    .include_initial = c.flag(4)}));
      }),
      row<"nancumprod">([](Call& c) { return give(nancumprod(c[0], scanned(c))); }),
      row<"histogram_bin_edges">([](Call& c) {
        return give(histogram_bin_edges(c[0], {.bins = bins_of(c, 1), .range = range_of(c, 2), .weights = c.array_or_none(3)}));
      }),
      row<"ravel_multi_index">([](Call& c) {
        return give(ravel_multi_index(c.arrays(0), c.shape(1), c.word(2, "raise"), c.has(3) ? memory_order(c, 3) : 'C'));
      }),
      row<"diag_indices">([](Call& c) { return give(diag_indices(c.integer(0, 0), small(c, 1, 2))); }),
      row<"fill_diagonal">([](Call& c) {
        return fill_diagonal(c[0].as_array(), c[1], {.wrap = c.flag(2)}), Result();
      }),
      row<"put">([](Call& c) { return put(c[0].as_array(), c[1].as_array(), c[2], c.word(3, "raise")), Result(); }),
      row<"place">([](Call& c) { return place(c[0].as_array(), c[1].as_array(), c[2]), Result(); }),
      row<"putmask">([](Call& c) { return putmask(c[0].as_array(), c[1].as_array(), c[2]), Result(); }),
      row<"put_along_axis">([](Call& c) {
        return put_along_axis(c[0].as_array(), c[1].as_array(), c[2], c.integer(3, -1)), Result();
      }),
      row<"tri">([](Call& c) {
        return give(tri(c.integer(0, 0), tri_options{.M = c.integer(1, -1), .k = c.integer(2, 0), .dtype = c.type(3)}, {}));
      }),
      row<"dsplit">([](Call& c) { return parts(c, 2); }),
      row<"unstack">([](Call& c) { return give(unstack(c[0], c.integer(1, 0))); }),
      row<"rollaxis">([](Call& c) { return give(rollaxis(c[0], c.integer(1, 0), c.integer(2, 0))); }),
      row<"matrix_transpose">([](Call& c) { return give(linalg::matrix_transpose(c[0])); }),
      {"vecdot", "x1 x2 = axis", [](Call& c) { return give(linalg::vecdot(c[0], c[1], c.integer(2, -1))); }},
      {"frexp", "x", [](Call& c) {
         auto [mantissa, exponent] = frexp(c[0]);
         return give_list(mantissa, exponent);
       }},
      {"ldexp", "x1 x2", [](Call& c) { return give(ldexp(c[0], c[1])); }},
      row<"fix">([](Call& c) { return give(fix(c[0], {.out = c.array_or_none(1)})); }),
      row<"isposinf">([](Call& c) { return give(isposinf(c[0], {.out = c.array_or_none(1)})); }),
      row<"isneginf">([](Call& c) { return give(isneginf(c[0], {.out = c.array_or_none(1)})); }),
      row<"array_equiv">([](Call& c) { return give(array_equiv(c[0], c[1])); }),
      row<"packbits">([](Call& c) { return give(packbits(c[0], c.axis(1), c.word(2, "big"))); }),
      row<"unpackbits">([](Call& c) {
        return give(unpackbits(c[0].as_array(), c.axis(1), c.axis(2), c.word(3, "big")));
      }),
      row<"broadcast_shapes">([](Call& c) {
         std::vector<dims> shapes;
         for (const Value& shape : c[0].items) shapes.push_back(shape.as_dims("shapes"));
         return give(broadcast_shapes(shapes));
       }),
      row<"roots">([](Call& c) { return give(roots(c[0])); }),
      row<"poly">([](Call& c) { return give(poly(c[0])); }),
      {"ufunc.reduce", "ufunc a = axis dtype out keepdims? initial where", ufunc_reduced},
      {"ufunc.accumulate", "ufunc a = axis dtype out", ufunc_accumulated},
      {"ufunc.reduceat", "ufunc a indices = axis dtype out", ufunc_pieces_reduced},
      {"ufunc.at", "ufunc a indices = b", ufunc_at_places},
      row<"fft.fftn">(transformed_many<&fft::fftn>),
      row<"fft.rfftn">(transformed_many<&fft::rfftn>),
      row<"fft.ifftn">(transformed_many<&fft::ifftn>),
      row<"fft.irfftn">(transformed_many<&fft::irfftn>),
      row<"fft.rfft2">(transformed_many<&fft::rfft2>),
      row<"fft.irfft2">(transformed_many<&fft::irfft2>),
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
