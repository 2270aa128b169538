// What few pages call, as JavaScript calls it: transforms, statistics, running sums, sorting, sets, searching, polynomials,
// windows, files in memory. It is part of the rest of the module, as the code behind it is (rest.txt).
#include <numjit/np_fft.h>

#include "call.h"

#include <numjit/base/error.h>

namespace numjit::js {
namespace {

scan_options scanned(Call& c) { return {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3)}; }

Result convolved(Call& c, array (*f)(const operand&, const operand&, const char*), const char* otherwise) {
  const std::string mode = c.has(2) ? c[2].as_text("mode") : otherwise;
  return give(f(c[0], c[1], mode.c_str()));
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

/// Parts of an array: how many, or where they begin. `axis` by the function's name.
Result parts(Call& c, std::int64_t axis) {
  return give(c[1].tag == Tag::list ? split(c[0], c[1].as_dims("indices"), axis) : split(c[0], c[1].as_integer("sections"), axis));
}

fft::many_options many(Call& c) {
  fft::many_options o;
  if (c.has(1)) o.s = c[1].as_dims("s");
  if (c.has(2)) o.axes = c.axes(2).list();
  return o;
}

Result quantiles(Call& c, array (*f)(const operand&, const operand&, const quantile_options&)) {
  const std::string method = c.has(4) ? c[4].as_text("method") : "linear";
  quantile_options o;
  o.axis = c.axes(2);
  o.keepdims = c.flag(3);
  o.method = method.c_str();
  return give(f(c[0], c[1], o));
}

Result pads(Call& c) {
  const std::string mode = c.has(2) ? c[2].as_text("mode") : "constant";
  pad_options o;
  o.mode = mode.c_str();
  if (c.number(3, 0) != 0) o.constant_values = c.number(3, 0);
  const dims widths = c[1].as_dims("pad_width");
  if (widths.size() > 2) throw ValueError("pad", "pad_width: expected a number, or [before, after] for all axes.");
  return give(pad(c[0], pad_widths(widths[0], widths[widths.size() - 1]), o));
}

using transform = array (*)(const operand&, const fft::options&);
template <transform F>
Result transformed(Call& c) {
  fft::options o;
  o.n = c.axis(1);
  o.axis = c.integer(2, -1);
  return give(F(c[0], o));
}

}  // namespace

void add_seldom(std::vector<Function>& table) {
  const Function rows[] = {
#define SCAN(name, ...) {#name, "a axis dtype out", [](Call& c) { return give(name(c[0], scanned(c))); }},
#include <numjit/ops/all_rows.inc>
      {"nansum", reduction_names, reduced<&nansum>},
      {"nanmean", reduction_names, reduced<&nanmean>},
      {"nanmax", reduction_names, reduced<&nanmax>},
      {"nanmin", reduction_names, reduced<&nanmin>},
      {"nanprod", reduction_names, reduced<&nanprod>},
      {"average", "a axis weights", [](Call& c) { return give(average(c[0], c.axes(1), c.array_or_none(2))); }},
      {"median", "a axis keepdims", [](Call& c) {
         return give(median(c[0], median_options{.axis = c.axes(1), .keepdims = c.flag(2)}));
       }},
      {"quantile", "a q axis keepdims method", [](Call& c) { return quantiles(c, &quantile); }},
      {"percentile", "a q axis keepdims method", [](Call& c) { return quantiles(c, &percentile); }},
      {"diff", "a n axis", [](Call& c) { return give(diff(c[0], static_cast<int>(c.integer(1, 1)), c.integer(2, -1))); }},
      {"gradient", "a spacing axis", [](Call& c) { return give(gradient(c[0], c.number(1, 1), c.integer(2, 0))); }},
      {"trapezoid", "y dx axis", [](Call& c) { return give(trapezoid(c[0], c.number(1, 1), c.integer(2, -1))); }},
      {"interp", "x xp fp", [](Call& c) { return give(interp(c[0], c[1], c[2])); }},
      {"nan_to_num", "a nan", [](Call& c) { return give(nan_to_num(c[0], c.number(1, 0))); }},
      {"tensordot", "a b axes", [](Call& c) { return give(tensordot(c[0], c[1], static_cast<int>(c.integer(2, 2)))); }},
      {"einsum", "subscripts operands", [](Call& c) { return give(einsum(c[0].as_text("subscripts"), c.arrays(1))); }},
      {"kron", "a b", [](Call& c) { return give(kron(c[0], c[1])); }},
      {"cross", "a b", [](Call& c) { return give(cross(c[0], c[1])); }},
      {"cov", "m", [](Call& c) { return give(cov(c[0])); }},
      {"corrcoef", "x", [](Call& c) { return give(corrcoef(c[0])); }},
      {"convolve", "a v mode", [](Call& c) { return convolved(c, &convolve, "full"); }},
      {"correlate", "a v mode", [](Call& c) { return convolved(c, &correlate, "valid"); }},
      {"polyval", "p x", [](Call& c) { return give(polyval(c[0], c[1])); }},
      {"hanning", "m", [](Call& c) { return give(hanning(c.integer(0, 0))); }},
      {"hamming", "m", [](Call& c) { return give(hamming(c.integer(0, 0))); }},
      {"blackman", "m", [](Call& c) { return give(blackman(c.integer(0, 0))); }},
      {"fft.fft", "a n axis", transformed<&fft::fft>},
      {"fft.ifft", "a n axis", transformed<&fft::ifft>},
      {"fft.rfft", "a n axis", transformed<&fft::rfft>},
      {"fft.irfft", "a n axis", transformed<&fft::irfft>},
      {"fft.fft2", "a", [](Call& c) { return give(fft::fft2(c[0])); }},
      {"fft.ifft2", "a", [](Call& c) { return give(fft::ifft2(c[0])); }},
      {"fft.fftfreq", "n d", [](Call& c) { return give(fft::fftfreq(c.integer(0, 0), c.number(1, 1))); }},
      {"fft.rfftfreq", "n d", [](Call& c) { return give(fft::rfftfreq(c.integer(0, 0), c.number(1, 1))); }},
      {"fft.fftshift", "x axes", [](Call& c) { return give(fft::fftshift(c[0], c.axes(1))); }},
      {"fft.ifftshift", "x axes", [](Call& c) { return give(fft::ifftshift(c[0], c.axes(1))); }},
      {"geomspace", "start stop num", [](Call& c) { return give(geomspace(c[0], c[1], c.integer(2, 50))); }},
      {"meshgrid", "vectors", [](Call& c) { return give(meshgrid(c.arrays(0))); }},
      {"indices", "shape", [](Call& c) { return give(indices(c.shape(0))); }},
      {"broadcast_arrays", "arrays", [](Call& c) { return give(broadcast_arrays(c.arrays(0))); }},
      {"rot90", "a k", [](Call& c) { return give(rot90(c[0], static_cast<int>(c.integer(1, 1)))); }},
      {"pad", "a pad_width mode constant_values", pads},
      {"argwhere", "a", [](Call& c) { return give(argwhere(c[0])); }},
      {"compress", "condition a", [](Call& c) { return give(compress(c[0].as_array(), c[1])); }},
      {"select", "conditions choices otherwise", [](Call& c) {
         return give(c.has(2) ? select(c.arrays(0), c.arrays(1), c[2]) : select(c.arrays(0), c.arrays(1)));
       }},
      {"sort", "a axis", [](Call& c) { return give(sort(c[0], c.integer(1, -1))); }},
      {"argsort", "a axis", [](Call& c) { return give(argsort(c[0], c.integer(1, -1))); }},
      {"lexsort", "keys", [](Call& c) { return give(lexsort(c.arrays(0))); }},
      {"unique", "a", [](Call& c) { return give(unique(c[0])); }},
      {"searchsorted", "a v side", [](Call& c) {
         const std::string side = c.has(2) ? c[2].as_text("side") : "left";
         return give(searchsorted(c[0], c[1], side.c_str()));
       }},
      {"digitize", "x bins right", [](Call& c) { return give(digitize(c[0], c[1], c.flag(2))); }},
      {"bincount", "x weights minlength", [](Call& c) { return give(bincount(c[0], c.array_or_none(1), c.integer(2, 0))); }},
      {"histogram", "a bins", [](Call& c) {
         const histogram_result h = histogram(c[0], c.integer(1, 10));
         return give_list(h.counts, h.edges);
       }},
      {"isin", "a test", [](Call& c) { return give(isin(c[0], c[1])); }},
      {"intersect1d", "a b", [](Call& c) { return give(intersect1d(c[0], c[1])); }},
      {"union1d", "a b", [](Call& c) { return give(union1d(c[0], c[1])); }},
      {"setdiff1d", "a b", [](Call& c) { return give(setdiff1d(c[0], c[1])); }},
      {"partition", "a kth axis", [](Call& c) { return give(partition(c[0], c.integer(1, 0), c.integer(2, -1))); }},
      {"unravel_index", "indices shape", [](Call& c) { return give(unravel_index(c[0], c.shape(1))); }},
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
         return give(from_npy_bytes(static_cast<const char*>(bytes.raw_data()), static_cast<std::size_t>(bytes.size()), "np.fromNpy"));
       }},
      {"npy_bytes", "a", [](Call& c) {
         const std::string bytes = npy_bytes(c[0]);
         return give(frombuffer(bytes, numjit::uint8).copy({}));
       }},
      {"nanvar", spread_names, [](Call& c) { return give(nanvar(c[0], spread(c))); }},
      {"nanstd", spread_names, [](Call& c) { return give(nanstd(c[0], spread(c))); }},
      {"nanargmax", "a axis out keepdims", [](Call& c) { return give(nanargmax(c[0], position(c))); }},
      {"nanargmin", "a axis out keepdims", [](Call& c) { return give(nanargmin(c[0], position(c))); }},
      {"nanmedian", "a axis keepdims", [](Call& c) {
         return give(nanmedian(c[0], median_options{.axis = c.axes(1), .keepdims = c.flag(2)}));
       }},
      {"nanquantile", "a q axis keepdims method", [](Call& c) { return quantiles(c, &nanquantile); }},
      {"nanpercentile", "a q axis keepdims method", [](Call& c) { return quantiles(c, &nanpercentile); }},
      {"nancumsum", "a axis dtype out", [](Call& c) { return give(nancumsum(c[0], scanned(c))); }},
      {"logspace", "start stop num", [](Call& c) { return give(logspace(c[0], c[1], c.integer(2, 50))); }},
      {"identity", "n dtype", [](Call& c) { return give(identity(c.integer(0, 0), array_options{.dtype = c.type(1)})); }},
      {"empty_like", "a dtype", [](Call& c) { return give(empty_like(c[0], array_options{.dtype = c.type(1)})); }},
      {"diagflat", "v k", [](Call& c) { return give(diagflat(c[0], c.integer(1, 0))); }},
      {"vander", "x N", [](Call& c) { return give(vander(c[0], c.integer(1, -1))); }},
      {"flatten", "a", [](Call& c) { return give(ravel(c[0]).copy({})); }},
      {"fliplr", "a", [](Call& c) { return give(fliplr(c[0])); }},
      {"flipud", "a", [](Call& c) { return give(flipud(c[0])); }},
      {"atleast_1d", "a", [](Call& c) { return give(atleast_1d(c[0])); }},
      {"atleast_2d", "a", [](Call& c) { return give(atleast_2d(c[0])); }},
      {"atleast_3d", "a", [](Call& c) { return give(atleast_3d(c[0])); }},
      {"array_split", "a sections axis", [](Call& c) { return give(array_split(c[0], c.integer(1, 1), c.integer(2, 0))); }},
      {"vsplit", "a sections", [](Call& c) { return parts(c, 0); }},
      {"hsplit", "a sections", [](Call& c) { return parts(c, c[0].as_array().ndim() > 1 ? 1 : 0); }},
      {"insert", "a at values axis", [](Call& c) { return give(insert(c[0], c[1].as_array(), c[2], c.axis(3))); }},
      {"delete", "a at axis", deleted},
      {"resize", "a shape", [](Call& c) { return give(resize(c[0], c.shape(1))); }},
      {"extract", "condition a", [](Call& c) { return give(extract(c[0].as_array(), c[1])); }},
      {"choose", "a choices", [](Call& c) { return give(choose(c[0], c.arrays(1))); }},
      {"tril_indices", "n k", [](Call& c) { return give(tril_indices(c.integer(0, 0), c.integer(1, 0))); }},
      {"triu_indices", "n k", [](Call& c) { return give(triu_indices(c.integer(0, 0), c.integer(1, 0))); }},
      {"argpartition", "a kth axis", [](Call& c) { return give(argpartition(c[0], dims{c.integer(1, 0)}, c.integer(2, -1))); }},
      {"setxor1d", "a b", [](Call& c) { return give(setxor1d(c[0], c[1])); }},
      {"ediff1d", "a", [](Call& c) { return give(ediff1d(c[0])); }},
      {"unwrap", "p", [](Call& c) { return give(unwrap(c[0])); }},
      {"sinc", "x", [](Call& c) { return give(sinc(c[0])); }},
      {"bartlett", "m", [](Call& c) { return give(bartlett(c.integer(0, 0))); }},
      {"kaiser", "m beta", [](Call& c) { return give(kaiser(c.integer(0, 0), c[1].as_number("beta"))); }},
      {"trim_zeros", "a", [](Call& c) { return give(trim_zeros(c[0])); }},
      {"polyfit", "x y deg", [](Call& c) { return give(polyfit(c[0], c[1], static_cast<int>(c.integer(2, 1)))); }},
      {"polyder", "p m", [](Call& c) { return give(polyder(c[0], static_cast<int>(c.integer(1, 1)))); }},
      {"polyint", "p m", [](Call& c) { return give(polyint(c[0], static_cast<int>(c.integer(1, 1)))); }},
      {"polyadd", "a b", [](Call& c) { return give(polyadd(c[0], c[1])); }},
      {"polysub", "a b", [](Call& c) { return give(polysub(c[0], c[1])); }},
      {"polymul", "a b", [](Call& c) { return give(polymul(c[0], c[1])); }},
      {"roots", "p", [](Call& c) { return give(roots(c[0])); }},
      {"poly", "zeros", [](Call& c) { return give(poly(c[0])); }},
      {"fft.fftn", "a s axes", [](Call& c) { return give(fft::fftn(c[0], many(c))); }},
      {"fft.ifftn", "a s axes", [](Call& c) { return give(fft::ifftn(c[0], many(c))); }},
      {"fft.rfft2", "a", [](Call& c) { return give(fft::rfft2(c[0])); }},
      {"fft.irfft2", "a", [](Call& c) { return give(fft::irfft2(c[0])); }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
