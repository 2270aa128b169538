// The methods of Generator and RandomState: parameters and sizes checked, and handed to op random_draw.
#include <algorithm>
#include <cmath>
#include <mutex>

#include <surface.h>

#include "draws.h"

namespace numjit::random {

using detail::distribution;
using words = layout::draw;

namespace detail {
array copy_of_state(const array& state);
}

namespace {

dims shape_of_size(const detail::optional_size& size) { return *size; }

std::string quoted(dtype_id t) { return "dtype('" + std::string(dtype(t).name()) + "')"; }

/// A literal as the table wants it; a float where an integer belongs loses its fraction, as in NumPy.
detail::number literal_value(const char* op, const operand& o, bool whole) {
  if (o.kind() == weak_kind::complex_)
    throw TypeError(op, std::string(whole ? "int() argument must be a string, a bytes-like object or a real number"
                                          : "float() argument must be a string or a real number") +
                            ", not 'complex'");
  detail::number v;
  if (!whole) v.d = o.real();
  else v.i = o.kind() == weak_kind::float_ ? static_cast<std::int64_t>(o.real()) : o.int_value();
  return v;
}

array cast_safely(const char* op, const operand& o, dtype_id to) {
  if (!can_cast(o.n()->type, to, casting::safe))
    throw TypeError(op, "Cannot cast array data from " + quoted(o.n()->type) + " to " + quoted(to) +
                            " according to the rule 'safe'");
  return o.n()->type == to ? array::share(o.n()) : numjit::detail::cast(o, to);
}

/// The shape of a draw: of the arrays among its parameters, or the size, to which they must broadcast.
dims shape_of_draw(const char* op, std::span<const dims> shapes, const detail::optional_size& size) {
  if (shapes.empty()) return shape_of_size(size);
  if (!size) return broadcast_shapes(op, shapes);
  std::vector<dims> all{*size};
  all.insert(all.end(), shapes.begin(), shapes.end());
  dims both;
  try {
    both = broadcast_shapes(op, all);
  } catch (const ValueError&) {
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const dims pair[] = {all[k], all[i]};
        try {
          broadcast_shapes(op, pair);
        } catch (const ValueError&) {
          throw ValueError(op, "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg " +
                                   std::to_string(k) + " with shape " + all[k].str() + " and arg " + std::to_string(i) +
                                   " with shape " + all[i].str() + ".");
        }
      }
    throw;
  }
  if (!(both == *size))
    throw ValueError(op, "Output size " + (*size).str() + " is not compatible with broadcast dimensions of inputs " +
                             both.str() + ".");
  return both;
}

void store_to(const array& target, const array& value) {
  numjit::detail::before_write();
  numjit::detail::call(op_id::store, {target, value});
}

array expanded(const array& a, const dims& shape) { return a.shape() == shape ? a : numjit::detail::expand_to(a, shape); }

}  // namespace

// ---- one draw ----

array distributions::run(distribution d, std::int64_t options, const std::int64_t (&values)[3],
                         std::span<const array> arrays, const dims& shape, numjit::dtype type,
                         const location& where, const array& out) const {
  const location_scope scope(where);
  op_params p;
  p.push(static_cast<std::int64_t>(d)).push(options);
  for (std::int64_t v : values) p.push(v);
  p.push(shape).type(type.id());
  std::vector<operand> in{state_};
  in.insert(in.end(), arrays.begin(), arrays.end());
  const bool direct = !out.empty_handle() && out.is_c_contiguous();
  node* target = direct ? out.get() : nullptr;
  const array drawn = bind({op_id::random_draw, in, &p, target});
  if (out.empty_handle() || direct) return drawn;
  store_to(out.T(), drawn);  // in Fortran's order: filled as it lies in memory
  return out;
}

array distributions::draw(distribution d, std::initializer_list<const operand*> given,
                          const detail::optional_size& size, const location& where) const {
  const location_scope scope(where);
  const detail::draw_row& row = detail::row_of(d);
  std::int64_t values[3] = {}, options = 0;
  detail::number numbers[3];
  std::vector<array> arrays;
  std::vector<dims> shapes;
  int k = 0;
  for (const operand* o : given) {
    const detail::parameter& p = row.parameters[k];
    if (o->is_array()) {
      options |= std::int64_t{1} << k;
      arrays.push_back(cast_safely(row.name, *o, p.whole ? dtype_id::int64 : dtype_id::float64));
      shapes.push_back(numjit::detail::shape_of(*o));
    } else {
      numbers[k] = literal_value(row.name, *o, p.whole);
    }
    ++k;
  }
  // Numbers are checked here; where arrays are among them, the rest is when the draw runs.
  for (int i = 0; i < k; ++i)
    if (!(options >> i & 1)) {
      detail::check_parameter(row.name, row.parameters[i], numbers[i], options != 0);
      values[i] = numbers[i].i;
    }
  if (options == 0 && row.together) row.together(row.name, numbers);
  const dims shape = shape_of_draw(row.name, shapes, size);
  const bool is_followed =
      std::any_of(arrays.begin(), arrays.end(), [](const array& a) { return numjit::detail::is_followed(a.get()); });
  for (array& a : arrays) a = expanded(a, shape);
  if (is_followed && detail::has_location(d)) return drawn_beside_location(d, options, values, std::move(arrays), shape, where);
  return run(d, options, values, arrays, shape, row.whole ? int64 : float64, where);
}

// For derivatives: how the rest changes with the scale is exact then, and the sum is the same.
array distributions::drawn_beside_location(distribution d, std::int64_t options, const std::int64_t (&values)[3],
                                           std::vector<array> arrays, const dims& shape, const location& where) const {
  const bool is_array = options & 1;
  const array location = is_array ? arrays[0] : array(std::bit_cast<double>(values[0]));
  if (is_array) arrays.erase(arrays.begin());
  return add(location, run(d, options & ~std::int64_t{1}, {0, values[1], 0}, arrays, shape, float64, where));
}

array distributions::fill(distribution d, const char* name, const detail::optional_size& size,
                          const optional_dtype& type, const array& out, const location& where) const {
  const location_scope scope(where);
  const numjit::dtype t = type.value_or(float64);
  if (t != float64 && t != float32)
    throw TypeError(name, "Unsupported dtype " + quoted(t.id()) + " for " + name);
  dims shape = shape_of_size(size);
  if (!out.empty_handle()) {
    if (!out.writeable() || !(out.is_c_contiguous() || out.is_f_contiguous()))
      throw ValueError(name, "Supplied output array must be contiguous, writable, aligned, and in machine byte-order.");
    if (out.dtype() != t)
      throw TypeError(name, "Supplied output array has the wrong type. Expected " + std::string(t.name()) + ", got " +
                                std::string(out.dtype().name()));
    if (size && !(out.shape() == shape)) throw ValueError(name, "size must match out.shape when used together");
    shape = out.is_c_contiguous() ? out.shape() : out.T().shape();
  }
  return run(d, 0, {}, {}, shape, t, where, out);
}

// ---- the distributions by name ----

#define NUMJIT_LEGACY(name) (legacy_ ? distribution::legacy_##name : distribution::name)
#define NUMJIT_D0(name) \
  array distributions::name(const size_options& o, location where) const { return draw(NUMJIT_LEGACY(name), {}, o.size, where); }
#define NUMJIT_D1(name, a)                                                   \
  array distributions::name(const operand& a, const size_options& o) const { \
    return draw(NUMJIT_LEGACY(name), {&a}, o.size, a.where());               \
  }
#define NUMJIT_D2(name, a, b)                                                                      \
  array distributions::name(const operand& a, const operand& b, const size_options& o) const {     \
    return draw(NUMJIT_LEGACY(name), {&a, &b}, o.size, a.where());                                 \
  }
#define NUMJIT_D3(name, a, b, c)                                                                                        \
  array distributions::name(const operand& a, const operand& b, const operand& c, const size_options& o) const {        \
    return draw(NUMJIT_LEGACY(name), {&a, &b, &c}, o.size, a.where());                                                  \
  }
NUMJIT_D0(standard_cauchy)
NUMJIT_D1(chisquare, df)
NUMJIT_D1(standard_t, df)
NUMJIT_D1(pareto, a)
NUMJIT_D1(weibull, a)
NUMJIT_D1(power, a)
NUMJIT_D1(zipf, a)
NUMJIT_D1(geometric, p)
NUMJIT_D1(logseries, p)
NUMJIT_D1(exponential, scale)
NUMJIT_D1(rayleigh, scale)
NUMJIT_D2(beta, a, b)
NUMJIT_D2(f, dfnum, dfden)
NUMJIT_D2(noncentral_chisquare, df, nonc)
NUMJIT_D2(vonmises, mu, kappa)
NUMJIT_D2(wald, mean, scale)
NUMJIT_D2(binomial, n, p)
NUMJIT_D2(negative_binomial, n, p)
NUMJIT_D2(normal, loc, scale)
NUMJIT_D2(lognormal, mean, sigma)
NUMJIT_D2(gamma, shape, scale)
NUMJIT_D3(noncentral_f, dfnum, dfden, nonc)
NUMJIT_D3(hypergeometric, ngood, nbad, nsample)
#undef NUMJIT_LEGACY
#define NUMJIT_LEGACY(name) distribution::name
NUMJIT_D1(poisson, lam)
NUMJIT_D2(laplace, loc, scale)
NUMJIT_D2(gumbel, loc, scale)
NUMJIT_D2(logistic, loc, scale)
NUMJIT_D3(triangular, left, mode, right)
#undef NUMJIT_LEGACY
#undef NUMJIT_D0
#undef NUMJIT_D1
#undef NUMJIT_D2
#undef NUMJIT_D3

/// Drawn from low and high - low.
array distributions::uniform(const operand& low, const operand& high, const size_options& o) const {
  const distribution d = legacy_ ? distribution::legacy_uniform : distribution::uniform;
  const location_scope scope(low.where());
  if (!low.is_array() && !high.is_array()) {
    const operand range(literal_value("uniform", high, false).d - literal_value("uniform", low, false).d);
    return draw(d, {&low, &range}, o.size, low.where());
  }
  auto wide = [&](const operand& v) {
    if (v.is_array()) return cast_safely("uniform", v, dtype_id::float64);
    return array(literal_value("uniform", v, false).d);
  };
  const array first = wide(low), range = wide(high) - first;
  const operand a(first), b(range);
  return draw(d, {&a, &b}, o.size, low.where());
}

// ---- integers ----

array distributions::whole_numbers(const char* name, const operand& low, const operand* high,
                                   const integers_options& o) const {
  const numjit::dtype type = o.dtype.value_or(int64);
  const location_scope scope(low.where());
  if (type.kind() != 'i' && type.kind() != 'u' && type.kind() != 'b')
    throw TypeError(name, "Unsupported dtype " + quoted(type.id()) + " for " + name);
  if (o.size && element_count(*o.size) == 0) return numjit::detail::fresh(type.id(), *o.size);
  const operand zero(0);
  const operand* ends[] = {high ? &low : &zero, high ? high : &low};
  std::int64_t options = (legacy_ ? std::int64_t{detail::masked} : 0) | (o.endpoint ? std::int64_t{detail::closed} : 0),
               values[3] = {};
  if (!ends[0]->is_array() && !ends[1]->is_array()) {
    detail::scalar_range(name, type.id(), *ends[0], *ends[1], o.endpoint, values);
    return run(distribution::integers, options, values, {}, shape_of_size(o.size), type, low.where());
  }
  std::vector<array> arrays;
  std::vector<dims> shapes;
  for (int k = 0; k < 2; ++k) {
    if (!ends[k]->is_array()) {
      values[k] = ends[k]->int_value();
      if (ends[k]->above_int64()) options |= k ? std::int64_t{detail::high_unsigned} : std::int64_t{detail::low_unsigned};
      continue;
    }
    options |= std::int64_t{1} << k;
    const char kind = numjit::dtype(ends[k]->n()->type).kind();
    if (kind == 'c') throw TypeError(name, "Cannot cast array data from " + quoted(ends[k]->n()->type) + " to dtype('int64')");
    arrays.push_back(kind == 'f' ? numjit::detail::cast(*ends[k], dtype_id::int64) : array::share(ends[k]->n()));
    shapes.push_back(numjit::detail::shape_of(*ends[k]));
  }
  const dims shape = shape_of_draw(name, shapes, o.size);
  for (array& a : arrays) a = expanded(a, shape);
  return run(distribution::integers, options, values, arrays, shape, type, low.where());
}

std::string distributions::bytes(std::int64_t length) const {
  if (length <= 0) return {};
  integers_options o;
  o.size = (length - 1) / 4 + 1;
  o.dtype = uint32;
  const operand high(std::int64_t{4294967296});
  const array drawn = numjit::detail::readable(whole_numbers(legacy_ ? "randint" : "integers", operand(0), &high, o), "data");
  return std::string(drawn.get()->data, static_cast<std::size_t>(length));
}

// ---- choices and orders ----

namespace {

constexpr double sqrt_eps(dtype_id t) {
  return t == dtype_id::float32 ? 0x1.6a09e6p-12 : t == dtype_id::float16 ? 0.03125 : 0x1p-26;
}

std::int64_t population_of(const operand& a, std::int64_t axis, bool legacy) {
  if (!a.is_array()) {
    if (a.kind() == weak_kind::float_ || a.kind() == weak_kind::complex_)
      throw ValueError("choice", legacy ? "a must be 1-dimensional or an integer"
                                        : "a must be a sequence or an integer, not <class 'float'>");
    return a.int_value();
  }
  if (a.n()->rank == 0) {
    const char kind = numjit::dtype(a.n()->type).kind();
    if (kind != 'i' && kind != 'u' && kind != 'b')
      throw ValueError("choice", legacy ? "a must be 1-dimensional or an integer"
                                        : "a must be a sequence or an integer, not <class 'numpy.ndarray'>");
    return array::share(a.n()).item<std::int64_t>();
  }
  if (legacy && a.n()->rank != 1) throw ValueError("choice", "a must be 1-dimensional");
  return numjit::detail::shape_of(a)[normalize_axis("choice", axis, a.n()->rank)];
}

}  // namespace

array distributions::chosen(const operand& a, const choice_options& o) const {
  const location_scope scope(a.where());
  const bool sequence = a.is_array() && a.n()->rank > 0, with_p = !o.p.empty_handle();
  const std::int64_t population = population_of(a, o.axis, legacy_);
  const dims shape = shape_of_size(o.size);
  const std::int64_t count = element_count(shape);
  if (population <= 0 && count != 0) {
    if (sequence)
      throw ValueError("choice", legacy_ ? "'a' cannot be empty unless no samples are taken"
                                         : "a cannot be empty unless no samples are taken");
    throw ValueError("choice", legacy_ ? "a must be greater than 0 unless no samples are taken"
                                       : "a must be a positive integer unless no samples are taken");
  }
  std::vector<array> p;
  std::int64_t values[3] = {population}, options = legacy_ ? std::int64_t{detail::masked} : 0;
  if (with_p) {
    values[1] = std::bit_cast<std::int64_t>(sqrt_eps(o.p.get()->type));
    if (o.p.ndim() != 1) throw ValueError("choice", legacy_ ? "'p' must be 1-dimensional" : "p must be 1-dimensional");
    if (o.p.size() != population)
      throw ValueError("choice", legacy_ ? "'a' and 'p' must have same size" : "a and p must have same size");
    p.push_back(cast_safely("choice", o.p, dtype_id::float64));
  }
  if (!o.replace && count > population)
    throw ValueError("choice", legacy_ ? "Cannot take a larger sample than population when 'replace=False'"
                                       : "Cannot take a larger sample than population when replace is False");
  if (!o.shuffle) options |= detail::unshuffled;
  array index;
  if (o.replace && !with_p) {
    integers_options i;
    i.size = shape;
    const operand high(population);
    index = whole_numbers(legacy_ ? "randint" : "integers", 0, &high, i);
  } else {
    const distribution d = o.replace ? distribution::choice_by_p
                           : with_p  ? distribution::choice_without_replacement
                           : legacy_ ? distribution::legacy_choice_without_p
                                     : distribution::choice_without_p;
    index = run(d, options, values, p, shape, int64, a.where());
  }
  return sequence ? take(a, index, o.axis) : index;
}

array distributions::permutation_of(const operand& x, std::int64_t axis) const {
  const location_scope scope(x.where());
  if (!x.is_array()) {
    if (x.kind() != weak_kind::int_ && x.kind() != weak_kind::bool_)
      throw AxisError("permutation", "axis 0 is out of bounds for array of dimension 0");
    return run(distribution::order, 0, {}, {}, dims{std::max<std::int64_t>(x.int_value(), 0)}, int64, x.where());
  }
  const int along = normalize_axis("permutation", axis, x.n()->rank);
  const array order = run(distribution::order, 0, {}, {}, dims{numjit::detail::shape_of(x)[along]}, int64, x.where());
  return take(x, order, along);
}

void distributions::shuffle_in_place(const array& x, std::int64_t axis, const location& where) const {
  const location_scope scope(where);
  if (x.ndim() == 0) throw TypeError("shuffle", "len() of unsized object");
  if (!x.writeable()) throw ValueError("shuffle", "array is read-only");
  const int along = normalize_axis("shuffle", axis, x.ndim());
  if (x.size() == 0) return;
  store_to(x, permutation_of(x, along));
}

array Generator::permuted(const array& x, const permuted_options& o, location where) const {
  const location_scope scope(where);
  array result;
  if (!o.out.empty_handle()) {
    if (!o.out.writeable()) throw ValueError("permuted", "out is read-only");
    if (!(o.out.shape() == x.shape())) throw ValueError("permuted", "out must have the same shape as x");
    if (!can_cast(x.get()->type, o.out.get()->type, casting::safe))
      throw TypeError("permuted", "Cannot cast array data from " + quoted(x.get()->type) + " to " +
                                      quoted(o.out.get()->type) + " according to the rule 'safe'");
  }
  if (o.axis) {
    const int along = normalize_axis("permuted", *o.axis, x.ndim());
    const array order = run(distribution::orders_along_axis, 0, {along}, {}, x.shape(), int64, where);
    result = take_along_axis(x, order, along);
  } else {
    // As the elements lie in memory, which for a transposed array is not the order of its indices.
    const array& layout = o.out.empty_handle() ? x : o.out;
    const bool fortran = layout.is_f_contiguous() && !layout.is_c_contiguous();
    const array straight = fortran ? x.T() : x;
    const array order = run(distribution::order, 0, {}, {}, dims{x.size()}, int64, where);
    const array flat = take(straight.ravel(), order, 0);
    result = flat.reshape(straight.shape());
    if (fortran) result = result.T();
  }
  if (o.out.empty_handle()) return result;
  store_to(o.out, result);
  return o.out;
}

// ---- counts of categories ----

array distributions::multinomial(const operand& n, const operand& pvals, const size_options& o) const {
  const location_scope scope(n.where());
  const dims p = numjit::detail::shape_of(pvals), counts = numjit::detail::shape_of(n);
  if (legacy_ && p.empty()) throw TypeError("multinomial", "pvals must be a 1-d sequence");
  if (p.empty() || p.back() == 0)
    throw ValueError("multinomial",
                     "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.");
  dims rows = p;
  rows.resize(p.size() - 1);
  const bool vector = !counts.empty() || !rows.empty();
  const dims both[] = {counts, rows};
  dims shape = vector ? shape_of_draw("multinomial", both, o.size) : shape_of_size(o.size);
  const array many = n.is_array() ? cast_safely("multinomial", n, dtype_id::int64)
                                  : array(literal_value("multinomial", n, true).i);
  const array count = expanded(many, shape);
  shape.push_back(p.back());
  const array probabilities = expanded(cast_safely("multinomial", pvals, dtype_id::float64), shape);
  const dtype_id t = pvals.n()->type;
  const std::int64_t options = t == dtype_id::float32 || t == dtype_id::float16 ? std::int64_t{detail::single_p} : 0;
  const array in[] = {count, probabilities};
  return run(legacy_ ? distribution::legacy_multinomial : distribution::multinomial, options, {p.size()}, in, shape, int64,
             n.where());
}

array distributions::dirichlet(const operand& alpha, const size_options& o) const {
  const location_scope scope(alpha.where());
  const dims a = numjit::detail::shape_of(alpha);
  if (a.empty()) throw TypeError("dirichlet", "object of type 'float' has no len()");
  if (a.size() != 1) throw ValueError("dirichlet", "object too deep for desired array");
  dims shape = shape_of_size(o.size);
  shape.push_back(a[0]);
  const array in[] = {cast_safely("dirichlet", alpha, dtype_id::float64)};
  return run(legacy_ ? distribution::legacy_dirichlet : distribution::dirichlet, 0, {}, in, shape, float64, alpha.where());
}

array Generator::multivariate_hypergeometric(const array& colors, std::int64_t nsample,
                                             const colors_options& o) const {
  const char* op = "multivariate_hypergeometric";
  const bool by_count = std::string_view(o.method) == "count";
  if (!by_count && std::string_view(o.method) != "marginals") throw ValueError(op, "method must be \"count\" or \"marginals\".");
  if (nsample < 0) throw ValueError(op, "nsample must be nonnegative.");
  const char kind = colors.dtype().kind();
  const array many = numjit::detail::readable(colors, "data");
  bool valid = colors.ndim() == 1 && (colors.size() == 0 || kind == 'i' || kind == 'u');
  std::int64_t total = 0;
  bool above = false;
  for (std::int64_t i = 0; valid && i < many.size(); ++i) {
    const std::int64_t v =
        detail::reader::integer_of(many.get()->data + i * static_cast<std::int64_t>(many.itemsize()), many.get()->type);
    valid = v >= 0;
    above = above || __builtin_add_overflow(total, v, &total);
  }
  const std::string largest = "9223372036854775807";
  if (!valid)
    throw ValueError(op, "colors must be a one-dimensional sequence of nonnegative integers not exceeding " + largest + ".");
  if (above) throw ValueError(op, "sum(colors) must not exceed the maximum value of a 64 bit signed integer (" + largest + ")");
  if (!by_count && total >= 1000000000)
    throw ValueError(op, "When method is \"marginals\", sum(colors) must be less than 1000000000.");
  if (nsample > total) throw ValueError(op, "nsample > sum(colors)");
  dims shape = shape_of_size(o.size);
  shape.push_back(colors.size());
  const array in[] = {many};
  return run(by_count ? distribution::by_counts : distribution::by_marginals, 0, {nsample, total}, in, shape, int64, {});
}

// ---- Generator ----

Generator::Generator(const BitGenerator& source) : distributions(source.state_, source.seed_, false) {}

BitGenerator distributions::bit_generator() const {
  BitGenerator source;
  source.state_ = state_;
  source.seed_ = seed_;
  return source;
}

std::vector<Generator> Generator::spawn(int n) const {
  std::vector<Generator> out;
  for (const BitGenerator& source : bit_generator().spawn(n)) out.emplace_back(source);
  return out;
}

array Generator::random(const fill_options& o, location where) const {
  return fill(distribution::random, "random", o.size, o.dtype, o.out, where);
}
array Generator::standard_normal(const fill_options& o, location where) const {
  return fill(distribution::standard_normal, "standard_normal", o.size, o.dtype, o.out, where);
}
array Generator::standard_exponential(const exponential_fill_options& o, location where) const {
  const bool zig = std::string_view(o.method) == "zig";
  return fill(zig ? distribution::standard_exponential : distribution::standard_exponential_inverse,
              "standard_exponential", o.size, o.dtype, o.out, where);
}

array Generator::standard_gamma(const operand& shape, const fill_options& o) const {
  const location_scope scope(shape.where());
  const numjit::dtype t = o.dtype.value_or(float64);
  if (t != float64 && t != float32)
    throw TypeError("standard_gamma", "Unsupported dtype " + quoted(t.id()) + " for standard_gamma");
  detail::optional_size size = o.size;
  if (!o.out.empty_handle()) {
    if (!o.out.writeable() || !o.out.is_c_contiguous())
      throw ValueError("standard_gamma",
                       "Supplied output array must be C-contiguous, writable, aligned, and in machine byte-order.");
    if (o.out.dtype() != t)
      throw TypeError("standard_gamma", "Supplied output array has the wrong type. Expected " + std::string(t.name()) + ", got " +
                                            std::string(o.out.dtype().name()));
    if (size && !(o.out.shape() == *size))
      throw ValueError("standard_gamma", "size must match out.shape when used together");
    size = o.out.shape();
  }
  const detail::draw_row& row = detail::row_of(distribution::standard_gamma);
  if (!shape.is_array()) {
    const detail::number v = literal_value("standard_gamma", shape, false);
    detail::check_parameter("standard_gamma", row.parameters[0], v, false);
    return run(distribution::standard_gamma, 0, {v.i}, {}, shape_of_size(size), t, shape.where(), o.out);
  }
  const array wide = cast_safely("standard_gamma", shape, dtype_id::float64);
  const dims shapes[] = {wide.shape()};
  const dims whole = shape_of_draw("standard_gamma", shapes, size);
  const array in[] = {expanded(wide, whole)};
  return run(distribution::standard_gamma, 1, {}, in, whole, t, shape.where(), o.out);
}

Generator default_rng() { return Generator(PCG64()); }
Generator default_rng(const seed_value& seed) { return Generator(PCG64(seed)); }
Generator default_rng(const SeedSequence& seed) { return Generator(PCG64(seed)); }

// ---- RandomState ----

namespace {

array seeded_twister(const seed_value* seed) {
  const MT19937 source = seed ? MT19937(seed_value(0)) : MT19937();
  array state = detail::copy_of_state(source.words());
  if (!seed) return state;
  auto& g = *static_cast<detail::mt19937*>(static_cast<void*>(state.get()->data));
  if (seed->is_list() && seed->values().empty()) throw ValueError("seed", "Seed must be non-empty");
  std::vector<std::uint32_t> words;
  for (std::uint64_t v : seed->values()) {
    if (v > 0xffffffffu || seed->negative()) throw ValueError("seed", "Seed must be between 0 and 2**32 - 1");
    words.push_back(static_cast<std::uint32_t>(v));
  }
  if (seed->is_list()) g.seed(words.data(), words.size());
  else g.seed(words[0]);
  return state;
}

}  // namespace

RandomState::RandomState() : distributions(seeded_twister(nullptr), nullptr, true) {}
RandomState::RandomState(const seed_value& seed) : distributions(seeded_twister(&seed), nullptr, true) {}
RandomState::RandomState(const BitGenerator& source)
    : distributions(source.words(), source.seed_, true) {}

void RandomState::seed(const seed_value& seed) {
  const bit_generator_state fresh = RandomState(seed).get_state();
  if (bit_generator().name() != "MT19937") throw TypeError("seed", "can only re-seed a MT19937 BitGenerator");
  set_state(fresh);
  seed_ = nullptr;
}
void RandomState::seed() {
  if (bit_generator().name() != "MT19937") throw TypeError("seed", "can only re-seed a MT19937 BitGenerator");
  set_state(RandomState().get_state());
  seed_ = nullptr;
}
bit_generator_state RandomState::get_state() const { return bit_generator().state(); }
void RandomState::set_state(const bit_generator_state& state) const { bit_generator().set_state(state); }

array RandomState::random(const size_options& o, location where) const {
  return fill(distribution::random, "random", o.size, {}, {}, where);
}
array RandomState::standard_normal(const size_options& o, location where) const {
  return draw(distribution::legacy_gauss, {}, o.size, where);
}
array RandomState::standard_exponential(const size_options& o, location where) const {
  return draw(distribution::legacy_standard_exponential, {}, o.size, where);
}
array RandomState::standard_gamma(const operand& shape, const size_options& o) const {
  return draw(distribution::legacy_standard_gamma, {&shape}, o.size, shape.where());
}
array RandomState::random_integers(std::int64_t low, std::optional<std::int64_t> high, const size_options& o) const {
  integers_options i;
  i.size = o.size;
  return high ? randint(low, *high + 1, i) : randint(1, low + 1, i);
}
array RandomState::tomaxint(const size_options& o, location where) const {
  return run(distribution::tomaxint, 0, {}, {}, shape_of_size(o.size), int64, where);
}

namespace detail {
RandomState& global_state() {
  static RandomState& state = *new RandomState;
  return state;
}
}  // namespace detail

}  // namespace numjit::random
