// Reductions, products, statistics, polynomials, windows and transforms, as JavaScript calls them.
#include <numjit/np_fft.h>

#include "call.h"

namespace numjit::js {
namespace {

constexpr const char* reduction_names = "a axis dtype out keepdims initial where";

template <array (*F)(const operand&, const reduce_options&)>
Result reduced(Call& c) {
  return give(F(c[0], c.reduced()));
}

var_options spread(Call& c) {
  var_options o;
  o.axis = c.axes(1);
  o.dtype = c.type(2);
  if (array out = c.array_or_none(3); !out.empty_handle()) o.out = out;
  o.ddof = c.number(4, 0);
  o.keepdims = c.flag(5);
  if (array where = c.array_or_none(6); !where.empty_handle()) o.where = where;
  return o;
}
constexpr const char* spread_names = "a axis dtype out ddof keepdims where";

arg_options position(Call& c) { return {.axis = c.axis(1), .out = c.array_or_none(2), .keepdims = c.flag(3)}; }
scan_options scanned(Call& c) { return {.axis = c.axis(1), .dtype = c.type(2), .out = c.array_or_none(3)}; }

Result convolved(Call& c, array (*f)(const operand&, const operand&, const char*), const char* otherwise) {
  const std::string mode = c.has(2) ? c[2].as_text("mode") : otherwise;
  return give(f(c[0], c[1], mode.c_str()));
}

Result quantiles(Call& c, array (*f)(const operand&, const operand&, const quantile_options&)) {
  const std::string method = c.has(4) ? c[4].as_text("method") : "linear";
  quantile_options o;
  o.axis = c.axes(2);
  o.keepdims = c.flag(3);
  o.method = method.c_str();
  return give(f(c[0], c[1], o));
}

close_options tolerances(Call& c) {
  close_options o;
  o.rtol = c.number(2, o.rtol);
  o.atol = c.number(3, o.atol);
  o.equal_nan = c.flag(4);
  return o;
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

void add_numeric(std::vector<Function>& table) {
  const Function rows[] = {
#define REDUCTION(name, ...) {#name, reduction_names, reduced<&name>},
#define ARGREDUCTION(name, ...) {#name, "a axis out keepdims", [](Call& c) { return give(name(c[0], position(c))); }},
#define SCAN(name, ...) {#name, "a axis dtype out", [](Call& c) { return give(name(c[0], scanned(c))); }},
#include <numjit/ops/all_rows.inc>
      {"mean", reduction_names, reduced<&mean>},
      {"nansum", reduction_names, reduced<&nansum>},
      {"nanmean", reduction_names, reduced<&nanmean>},
      {"nanmax", reduction_names, reduced<&nanmax>},
      {"nanmin", reduction_names, reduced<&nanmin>},
      {"nanprod", reduction_names, reduced<&nanprod>},
      {"var", spread_names, [](Call& c) { return give(var(c[0], spread(c))); }},
      {"std", spread_names, [](Call& c) { return give(numjit::std(c[0], spread(c))); }},
      {"average", "a axis weights", [](Call& c) { return give(average(c[0], c.axes(1), c.array_or_none(2))); }},
      {"ptp", "a axis", [](Call& c) { return give(ptp(c[0], c.axes(1))); }},
      {"count_nonzero", "a axis", [](Call& c) { return give(count_nonzero(c[0], c.axes(1))); }},
      {"median", "a axis keepdims", [](Call& c) {
         return give(median(c[0], median_options{.axis = c.axes(1), .keepdims = c.flag(2)}));
       }},
      {"quantile", "a q axis keepdims method", [](Call& c) { return quantiles(c, &quantile); }},
      {"percentile", "a q axis keepdims method", [](Call& c) { return quantiles(c, &percentile); }},
      {"diff", "a n axis", [](Call& c) { return give(diff(c[0], static_cast<int>(c.integer(1, 1)), c.integer(2, -1))); }},
      {"gradient", "a spacing axis", [](Call& c) { return give(gradient(c[0], c.number(1, 1), c.integer(2, 0))); }},
      {"trapezoid", "y dx axis", [](Call& c) { return give(trapezoid(c[0], c.number(1, 1), c.integer(2, -1))); }},
      {"round", "a decimals", [](Call& c) { return give(round(c[0], static_cast<int>(c.integer(1, 0)))); }},
      {"interp", "x xp fp", [](Call& c) { return give(interp(c[0], c[1], c[2])); }},
      {"nan_to_num", "a nan", [](Call& c) { return give(nan_to_num(c[0], c.number(1, 0))); }},
      {"dot", "a b", [](Call& c) { return give(dot(c[0], c[1])); }},
      {"vdot", "a b", [](Call& c) { return give(vdot(c[0], c[1])); }},
      {"inner", "a b", [](Call& c) { return give(inner(c[0], c[1])); }},
      {"outer", "a b", [](Call& c) { return give(outer(c[0], c[1])); }},
      {"matmul", "a b", [](Call& c) { return give(matmul(c[0], c[1])); }},
      {"tensordot", "a b axes", [](Call& c) { return give(tensordot(c[0], c[1], static_cast<int>(c.integer(2, 2)))); }},
      {"einsum", "subscripts operands", [](Call& c) { return give(einsum(c[0].as_text("subscripts"), c.arrays(1))); }},
      {"kron", "a b", [](Call& c) { return give(kron(c[0], c[1])); }},
      {"cross", "a b", [](Call& c) { return give(cross(c[0], c[1])); }},
      {"trace", "a offset", [](Call& c) { return give(trace(c[0], c.integer(1, 0))); }},
      {"isclose", "a b rtol atol equal_nan", [](Call& c) { return give(isclose(c[0], c[1], tolerances(c))); }},
      {"allclose", "a b rtol atol equal_nan", [](Call& c) { return give(allclose(c[0], c[1], tolerances(c))); }},
      {"array_equal", "a b", [](Call& c) { return give(array_equal(c[0], c[1])); }},
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
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
